import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { Charge } from "../../../src/ports/Charges.ts"
import { type RecordedCall, chargeIn, play, type Script, sepolia, storeError } from "./settlingScene.ts"

export const keyOf = (name: string): string => `${sepolia}:0x036c:0xpayer:${name}`

export const voided = (name: string, changes: Partial<Charge> = {}): Charge =>
  chargeIn("voided", { key: keyOf(name), settlement: "", ...changes })

interface Plan {
  readonly unfinished?: ReadonlyArray<Charge>
  /** What is unfinished after a first batch, batch by batch. */
  readonly later?: ReadonlyArray<ReadonlyArray<Charge>>
  readonly untilDone?: boolean
  readonly ready?: ReadonlyArray<Charge>
  /** Voided charges that are due, batch by batch. */
  readonly voided?: ReadonlyArray<ReadonlyArray<Charge>>
  readonly eager?: boolean
  readonly limit?: number
  readonly failing?: string
}

export const reconcile = (plan: Plan, script: Script = {}) => {
  const unfinished = [plan.unfinished ?? [], ...(plan.later ?? [])]
  const all = [...unfinished.flat(), ...(plan.ready ?? []), ...(plan.voided ?? []).flat()]
  const owners = new Map<string, string>()
  const batches = [...(plan.voided ?? [])]
  return play(
    {
      ...script,
      charges: {
        unfinished: () => Effect.sync(() => (unfinished.length > 1 ? unfinished.shift()! : unfinished[0]!)),
        list: () => Effect.succeed(plan.ready ?? []),
        voidedDue: () => Effect.sync(() => batches.shift() ?? []),
        releaseVoided: (keys) => Effect.succeed(keys.length),
        takeOver: (key, { owner }) =>
          key === plan.failing
            ? Effect.fail(storeError)
            : Effect.sync(() => {
                owners.set(key, owner)
                return true
              }),
        find: (key) => {
          const charge = all.find((other) => other.key === key)
          return Effect.succeed(charge && { ...charge, leaseOwner: owners.get(key)! })
        },
        defer: () => Effect.void,
        release: () => Effect.succeed(true),
        complete: () => Effect.succeed({ _tag: "Completed" }),
        ...script.charges
      }
    },
    (scene) =>
      Effect.gen(function* () {
        const { eager = false, limit = 10, untilDone } = plan
        const reconciling = yield* Effect.forkChild(
          scene.settling.reconcile({ limit, eager, ...(untilDone === undefined ? {} : { untilDone }) })
        )
        if (untilDone === true) yield* TestClock.adjust("10 seconds")
        const result = yield* Fiber.join(reconciling)
        return { result, calls: scene.calls, events: scene.events }
      })
  )
}

export const verbs = (
  calls: ReadonlyArray<RecordedCall>,
  verb: string
): ReadonlyArray<ReadonlyArray<unknown>> =>
  calls.filter(([name]) => name === verb).map(([, ...given]) => given)
export const takenOver = (calls: ReadonlyArray<RecordedCall>): ReadonlyArray<string> =>
  verbs(calls, "takeOver").map(([key]) => String(key).split(":").at(-1)!)
