import { contractTests, isOfMoney } from "./contractTests.ts"

contractTests(isOfMoney)
