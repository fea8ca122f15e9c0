import { Effect } from "effect"
import { expect, it } from "vitest"
import { untilDecided } from "../../../src/stores/sql/statements.ts"

/** A statement that is decided the given time it runs, and how often it ran. */
const decidedAt = async (time: number) => {
  let times = 0
  const attempt = Effect.sync(() => (++times >= time ? "decided" : undefined))
  return { exit: await Effect.runPromise(Effect.result(untilDecided(attempt))), times: () => times }
}

it.each([1, 2, 100])("repeats a statement until it is decided: %i times", async (time) => {
  const { exit, times } = await decidedAt(time)
  expect(exit).toMatchObject({ _tag: "Success", success: "decided" })
  expect(times()).toBe(time)
})

it("gives up after a hundred times", async () => {
  const { exit, times } = await decidedAt(101)
  expect(exit).toMatchObject({ _tag: "Failure", failure: new Error("undecided after 100 attempts") })
  expect(times()).toBe(100)
})
