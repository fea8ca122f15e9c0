import { expect, it } from "vitest"
import { ImpossibleTransition } from "../../../src/toll/machine/ChargeStep.ts"
import { testLives } from "./chargeLives.ts"
import { everyFacts, isQuickKind, nowMillis } from "./chargePaths.ts"
import { next } from "./nextStep.ts"

testLives(everyFacts.filter(isQuickKind))

it("a step throws for an event that it can't have", () => {
  const facts = everyFacts[0]!
  expect(() => next([{ _tag: "Work" }], { _tag: "Claimed", claimedAtMillis: nowMillis }, facts)).toThrow(
    ImpossibleTransition
  )
  expect(() => next([{ _tag: "End", ending: { _tag: "Closed" } }], { _tag: "Done" }, facts)).toThrow(
    "End can't be followed by Done"
  )
})
