import { contractTests, isDeep } from "./contractTests.ts"

contractTests(isDeep)
