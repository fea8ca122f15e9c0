import { testLives } from "./chargeLives.ts"
import { everyFacts, isLongKind } from "./chargePaths.ts"

testLives(everyFacts.filter(isLongKind))
