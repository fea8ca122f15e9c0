import { expect, it } from "vitest"
import { ImpossibleTransition } from "../../../src/toll/machine/ChargeStep.ts"
import { testLives } from "./chargeLives.ts"
import { everyFacts, isLongKind, isQuickKind, nowMillis } from "./chargePaths.ts"
import { next } from "./nextStep.ts"

const quick = everyFacts.filter(isQuickKind)

testLives(quick.filter((facts) => !isLongKind(facts)))
// A prime: siblings that differ in a single event are left out in turn.
testLives(quick.filter(isLongKind), 11)

it("a step throws for an event that it can't have", () => {
  const facts = everyFacts[0]!
  expect(() => next([{ _tag: "Work" }], { _tag: "Claimed", claimedAtMillis: nowMillis }, facts)).toThrow(
    ImpossibleTransition
  )
  expect(() => next([{ _tag: "End", ending: { _tag: "Closed" } }], { _tag: "Done" }, facts)).toThrow(
    "End can't be followed by Done"
  )
})
