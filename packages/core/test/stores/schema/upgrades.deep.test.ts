import { otherUpgradeTests } from "./upgradeTests.ts"

otherUpgradeTests()
