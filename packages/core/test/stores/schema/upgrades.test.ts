import { upgradeTests } from "./upgradeTests.ts"

upgradeTests()
