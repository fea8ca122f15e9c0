import { assert } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { FairPool } from "../../../src/toll/limits/FairPool.ts"

export const limits = { capacity: 2, maxQueued: 4, maxWaitMillis: 1_000 }
export type Entering = Fiber.Fiber<boolean>

export const enter = (pool: FairPool, client: string): Effect.Effect<Entering> =>
  Effect.forkChild(pool.enter(client), { startImmediately: true })

export type State = "in" | "refused" | "waiting" | "interrupted"

export const stateOf = (fiber: Entering): State => {
  const exit = fiber.pollUnsafe()
  if (exit === undefined) return "waiting"
  return Exit.isSuccess(exit) ? (exit.value ? "in" : "refused") : "interrupted"
}
export const statesOf = (fibers: ReadonlyArray<Entering>): ReadonlyArray<State> => fibers.map(stateOf)

export const assertEmpty = (pool: FairPool): void => {
  assert.deepStrictEqual([pool.inUse, pool.queued, pool.size], [0, 0, 0])
}
