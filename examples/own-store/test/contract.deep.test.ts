import { contractTests, isRepetition } from "./contractTests.ts"

contractTests(isRepetition)
