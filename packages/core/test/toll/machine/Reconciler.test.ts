import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Charge } from "../../../src/ports/Charges.ts"
import { findNetwork } from "../../../src/domain/Network.ts"
import type { ChainEvidence, UsedNonces } from "../../../src/toll/evidence/Chain.ts"
import {
  type Asked,
  chargeIn,
  finalitySeconds,
  nowMillis,
  play,
  type Script,
  sepolia,
  storeError
} from "./settlingScene.ts"

/*
 * The reconciler over a scripted store: which charges it takes over, in which order, and how they end.
 */

const keyOf = (name: string): string => `${sepolia}:0x036c:0xpayer:${name}`
const named = (name: string, changes: Partial<Charge> = {}): Charge =>
  chargeIn("settled", { key: keyOf(name), ...changes })
/** Ends as paid once taken over: its pending effect has no subject. */
const paid = (name: string, changes: Partial<Charge> = {}): Charge =>
  named(name, { effectPending: true, ...changes })
/** Ends as pending once taken over: it can't be decrypted. */
const unreadable = (name: string): Charge =>
  chargeIn("ready", { key: keyOf(name), settlement: '{"encrypted":{"keyId":"old","base64":""}}' })
const voided = (name: string, changes: Partial<Charge> = {}): Charge =>
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

const reconcile = (plan: Plan, script: Script = {}) => {
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
        return { result, asked: scene.asked, events: scene.events }
      })
  )
}

const verbs = (asked: ReadonlyArray<Asked>, verb: string): ReadonlyArray<ReadonlyArray<unknown>> =>
  asked.filter(([name]) => name === verb).map(([, ...given]) => given)
const takenOver = (asked: ReadonlyArray<Asked>): ReadonlyArray<string> =>
  verbs(asked, "takeOver").map(([key]) => String(key).split(":").at(-1)!)

describe("the reconciler", () => {
  it("lists what is unfinished now, and counts the outcomes", async () => {
    const { asked, result } = await reconcile(
      { unfinished: [paid("a"), unreadable("b"), paid("c"), named("d")] },
      {
        charges: { yieldLease: () => Effect.void }
      }
    )
    expect(verbs(asked, "unfinished")).toEqual([[nowMillis, 10]])
    expect(verbs(asked, "list")).toEqual([])
    expect(takenOver(asked)).toEqual(["a", "b", "c", "d"])
    expect(result).toEqual({ settled: 2, pending: 1 })
  })

  it("takes each charge over under its own name", async () => {
    const { asked } = await reconcile({ unfinished: [paid("a"), paid("b")] })
    const owners = verbs(asked, "takeOver").map(([, lease]) => (lease as { readonly owner: string }).owner)
    expect(new Set(owners).size).toBe(2)
    expect(owners.every((owner) => owner.length > 10)).toBe(true)
  })

  it("continues with the others if the store fails for one, which stays pending", async () => {
    const { asked, events, result } = await reconcile({
      unfinished: [paid("a"), paid("b"), paid("c")],
      failing: keyOf("b")
    })
    expect(takenOver(asked)).toEqual(["a", "b", "c"])
    expect(result).toEqual({ settled: 2, pending: 1 })
    expect(events).toMatchObject([{ level: "error", code: "charge_not_finished", operation: "charges.any" }])
  })

  it("continues with the others if a defect stops one, which stays pending; the log has none of its text", async () => {
    const broken = chargeIn("ready", { key: keyOf("b"), settlement: "a payment's secret" })
    const { asked, events, result } = await reconcile({ unfinished: [paid("a"), broken, paid("c")] })
    expect(takenOver(asked)).toEqual(["a", "b", "c"])
    expect(result).toEqual({ settled: 2, pending: 1 })
    expect(events).toMatchObject([{ level: "error", code: "charge_needs_operator", error: "SyntaxError" }])
    expect(JSON.stringify(events)).not.toContain("secret")
  })

  it("has nothing to do if other processes are faster", async () => {
    const { result } = await reconcile(
      { unfinished: [paid("a")] },
      { charges: { takeOver: () => Effect.succeed(false) } }
    )
    expect(result).toEqual({ settled: 0, pending: 0 })
  })

  it("if eager, takes over charges that are not due yet, once, and none under a lease", async () => {
    const lapsed = { leaseUntilMillis: nowMillis }
    const { asked } = await reconcile({
      eager: true,
      limit: 7,
      unfinished: [paid("a"), paid("z")],
      ready: [paid("b", lapsed), paid("a", lapsed), paid("c", { leaseUntilMillis: nowMillis + 1 })]
    })
    expect(verbs(asked, "list")).toEqual([[{ state: "ready", limit: 7 }]])
    expect(takenOver(asked)).toEqual(["a", "z", "b"])
  })

  it("handles eight charges at a time, unfinished or voided", async () => {
    let [running, most] = [0, 0]
    const many = Array.from({ length: 20 }, (_, index) => paid(`n${index}`))
    const counting = {
      takeOver: () =>
        Effect.gen(function* () {
          most = Math.max(most, ++running)
          yield* Effect.yieldNow
          running--
          return false
        })
    }
    await reconcile({ unfinished: many }, { charges: counting })
    expect(most).toBe(8)
    most = 0
    await reconcile(
      { voided: [many], limit: 20 },
      { charges: counting, usedNonces: () => Effect.succeed(undefined) }
    )
    expect(most).toBe(8)
  })

  it("leaves a payment that settles first, without a waiting call, until it has expired", async () => {
    const { asked, result } = await reconcile(
      { unfinished: [chargeIn("ready", { key: keyOf("a"), settlesFirst: true, response: undefined })] },
      { evidence: [{ _tag: "NotMoved", chainTimeSeconds: 1 }], charges: { defer: () => Effect.void } }
    )
    expect([verbs(asked, "defer").length, verbs(asked, "void").length]).toEqual([1, 0])
    expect(result).toEqual({ settled: 0, pending: 0 })
  })

  it("counts a charge whose refund is due as settled", async () => {
    const moved: ChainEvidence = {
      _tag: "Moved",
      transaction: "0x2",
      logIndex: 1,
      atSeconds: 400,
      isFinal: true
    }
    const { asked, result } = await reconcile(
      { unfinished: [voided("a", { subject: { kind: "order", id: "1" } })] },
      {
        evidence: [moved],
        subjects: { abandoned: () => Effect.void }
      }
    )
    expect(verbs(asked, "complete")).toMatchObject([[keyOf("a"), { refundDue: true }, nowMillis]])
    expect(result).toEqual({ settled: 1, pending: 0 })
  })
})

describe("refused payments", () => {
  const validBeforeSeconds = 100
  const over = validBeforeSeconds + finalitySeconds + 1
  const due = (name: string, changes: Partial<Charge> = {}): Charge =>
    voided(name, { validBeforeSeconds, ...changes })
  const notMoved: ChainEvidence = { _tag: "NotMoved", chainTimeSeconds: over }
  const nonces =
    (chainTimeSeconds: number, ...used: ReadonlyArray<boolean>) =>
    () =>
      Effect.succeed<UsedNonces>({ chainTimeSeconds, used })

  it("that expired unused are cleared with one read of the chain; the others are taken over", async () => {
    const { asked, result } = await reconcile(
      { voided: [[due("a"), due("b"), due("c", { validBeforeSeconds: 101 }), due("d")]], limit: 2 },
      { usedNonces: nonces(over, false, true, false), evidence: [notMoved] }
    )
    expect(verbs(asked, "voidedDue")).toEqual([[nowMillis, 1_000]])
    const [network, authorizations] = verbs(asked, "usedNonces")[0]!
    expect(network).toEqual(findNetwork(sepolia))
    expect(authorizations).toMatchObject(
      ["a", "b", "c", "d"].map((nonce) => ({ from: due("a").payer, nonce }))
    )
    expect(verbs(asked, "releaseVoided")).toEqual([[[keyOf("a")], nowMillis]])
    // The limit holds for them as for the others.
    expect(takenOver(asked)).toEqual(["b", "c"])
    expect(result).toEqual({ settled: 0, pending: 0 })
  })

  it("are not cleared while a reorganization could still include them", async () => {
    const { asked } = await reconcile(
      { voided: [[due("a")]] },
      { usedNonces: nonces(over - 1, false), evidence: [notMoved] }
    )
    expect(verbs(asked, "releaseVoided")).toEqual([[[], nowMillis]])
    expect(takenOver(asked)).toEqual(["a"])
  })

  it("are taken over one by one if the chain can't be read in bulk", async () => {
    const { asked } = await reconcile(
      { voided: [[due("a"), due("b")]] },
      { usedNonces: () => Effect.succeed(undefined), evidence: [notMoved] }
    )
    expect(verbs(asked, "releaseVoided")).toEqual([])
    expect(takenOver(asked)).toEqual(["a", "b"])
  })

  it("whose chain can't be read, or isn't known, are cleared by the clock", async () => {
    const seconds = nowMillis / 1_000
    const base = { network: "eip155:8453" }
    const unknown = { network: "eip155:424242" }
    const { asked } = await reconcile(
      {
        voided: [
          [
            due("a", { ...base, validBeforeSeconds: seconds - 1 }),
            due("b", unknown),
            due("c", { ...base, validBeforeSeconds: seconds }),
            due("d")
          ]
        ]
      },
      { readable: [sepolia, "eip155:424242"], usedNonces: nonces(over, false) }
    )
    expect(verbs(asked, "releaseVoided")).toEqual([
      [[keyOf("a")], nowMillis],
      [[keyOf("b")], nowMillis],
      [[keyOf("d")], nowMillis]
    ])
    expect(verbs(asked, "usedNonces")).toHaveLength(1)
    expect(takenOver(asked)).toEqual([])
  })

  const full = Array.from({ length: 1_000 }, (_, index) => due(`n${index}`))

  it("are cleared batch by batch", async () => {
    const { asked } = await reconcile(
      { voided: [full, full, [due("a")], [due("b")]] },
      { usedNonces: (_, all) => Effect.succeed({ chainTimeSeconds: over, used: all.map(() => false) }) }
    )
    expect(verbs(asked, "releaseVoided").map(([keys]) => (keys as ReadonlyArray<string>).length)).toEqual([
      1_000, 1_000, 1
    ])
  })

  it("are left to the next reconciliation if none of a batch could be cleared", async () => {
    const { asked } = await reconcile(
      { voided: [full, full], limit: 1 },
      {
        usedNonces: (_, all) => Effect.succeed({ chainTimeSeconds: over, used: all.map(() => true) }),
        evidence: [notMoved]
      }
    )
    expect(verbs(asked, "voidedDue")).toHaveLength(1)
    expect(takenOver(asked)).toEqual(["n0"])
  })

  it("are cleared in a bounded number of batches", async () => {
    const { asked } = await reconcile(
      { voided: Array.from({ length: 30 }, () => full) },
      { usedNonces: (_, all) => Effect.succeed({ chainTimeSeconds: over, used: all.map(() => false) }) }
    )
    expect(verbs(asked, "voidedDue")).toHaveLength(20)
  })

  it("that are paid after all are counted", async () => {
    const moved: ChainEvidence = {
      _tag: "Moved",
      transaction: "0x2",
      logIndex: 1,
      atSeconds: 400,
      isFinal: true
    }
    const { result } = await reconcile(
      { voided: [[due("a"), due("b")]] },
      { usedNonces: nonces(over, true, true), evidence: [moved] }
    )
    expect(result).toEqual({ settled: 2, pending: 0 })
  })
})
