import { contractTests, isRepetition } from "./contractTests.ts"

contractTests((name) => !isRepetition(name))
