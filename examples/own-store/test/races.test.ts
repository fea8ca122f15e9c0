import { raceTests } from "./raceTests.ts"

raceTests(1)
