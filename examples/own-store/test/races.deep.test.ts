import { lockTests, raceTests } from "./raceTests.ts"

raceTests()
lockTests()
