import { Effect } from "effect"
import type { Charge } from "../../../src/ports/Charges.ts"
import { type RecordedCall, chargeIn, play, type Script, sepolia, storeError } from "./settlingScene.ts"

export const keyOf = (name: string): string => `${sepolia}:0x036c:0xpayer:${name}`

export const voided = (name: string, changes: Partial<Charge> = {}): Charge =>
  chargeIn("voided", { key: keyOf(name), settlement: "", ...changes })

interface Plan {
  readonly unfinished?: ReadonlyArray<Charge>
  readonly ready?: ReadonlyArray<Charge>
  /** Voided charges that are due, batch by batch. */
  readonly voided?: ReadonlyArray<ReadonlyArray<Charge>>
  readonly eager?: boolean
  readonly limit?: number
  readonly failing?: string
}

export const reconcile = (plan: Plan, script: Script = {}) => {
  const all = [...(plan.unfinished ?? []), ...(plan.ready ?? []), ...(plan.voided ?? []).flat()]
  const owners = new Map<string, string>()
  const batches = [...(plan.voided ?? [])]
  return play(
    {
      ...script,
      charges: {
        unfinished: () => Effect.succeed(plan.unfinished ?? []),
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
        const result = yield* scene.settling.reconcile({
          limit: plan.limit ?? 10,
          eager: plan.eager ?? false
        })
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
