import { lockTests, raceTests } from "./raceTests.ts"

raceTests(20)
lockTests()
