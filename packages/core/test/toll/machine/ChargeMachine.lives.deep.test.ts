import { testLives } from "./chargeLives.ts"
import { everyFacts, isQuickKind } from "./chargePaths.ts"

testLives(everyFacts.filter((facts) => !isQuickKind(facts)))
