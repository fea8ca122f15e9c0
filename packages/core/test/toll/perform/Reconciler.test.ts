import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Charge } from "../../../src/ports/Charges.ts"
import type { ChainEvidence } from "../../../src/toll/evidence/Chain.ts"
import { chargeIn, nowMillis } from "../machine/settlingScene.ts"
import { keyOf, voided, reconcile, verbs, takenOver } from "../machine/reconciled.ts"

/*
 * The reconciler over a scripted store: which charges it takes over, in which order, and how they end.
 */

const named = (name: string, changes: Partial<Charge> = {}): Charge =>
  chargeIn("settled", { key: keyOf(name), ...changes })
/** Ends as paid once taken over: its pending effect has no subject. */
const paid = (name: string, changes: Partial<Charge> = {}): Charge =>
  named(name, { effectPending: true, ...changes })
/** Ends as pending once taken over: it can't be decrypted. */
const unreadable = (name: string): Charge =>
  chargeIn("ready", { key: keyOf(name), settlement: '{"encrypted":{"keyId":"old","base64":""}}' })

describe("the reconciler", () => {
  it("lists what is unfinished now, and counts the outcomes", async () => {
    const { calls, result } = await reconcile(
      { unfinished: [paid("a"), unreadable("b"), paid("c"), named("d")] },
      {
        charges: { yieldLease: () => Effect.void }
      }
    )
    expect(verbs(calls, "unfinished")).toEqual([[nowMillis, 10]])
    expect(verbs(calls, "list")).toEqual([])
    expect(takenOver(calls)).toEqual(["a", "b", "c", "d"])
    expect(result).toEqual({ settled: 2, pending: 1 })
  })

  it("takes each charge over under its own name", async () => {
    const { calls } = await reconcile({ unfinished: [paid("a"), paid("b")] })
    const owners = verbs(calls, "takeOver").map(([, lease]) => (lease as { readonly owner: string }).owner)
    expect(new Set(owners).size).toBe(2)
    expect(owners.every((owner) => owner.length > 10)).toBe(true)
  })

  it("continues with the others if the store fails for one, which stays pending", async () => {
    const { calls, events, result } = await reconcile({
      unfinished: [paid("a"), paid("b"), paid("c")],
      failing: keyOf("b")
    })
    expect(takenOver(calls)).toEqual(["a", "b", "c"])
    expect(result).toEqual({ settled: 2, pending: 1 })
    expect(events).toMatchObject([{ level: "error", code: "charge_not_finished", operation: "charges.any" }])
  })

  it("continues with the others if a defect stops one, which stays pending; the log has none of its text", async () => {
    const broken = chargeIn("ready", { key: keyOf("b"), settlement: "a payment's secret" })
    const { calls, events, result } = await reconcile({ unfinished: [paid("a"), broken, paid("c")] })
    expect(takenOver(calls)).toEqual(["a", "b", "c"])
    expect(result).toEqual({ settled: 2, pending: 1 })
    expect(events).toMatchObject([{ level: "error", code: "charge_needs_operator", error: "SyntaxError" }])
    expect(JSON.stringify(events)).not.toContain("secret")
  })

  const batches = {
    limit: 2,
    unfinished: [paid("a"), paid("b")],
    later: [[paid("c"), unreadable("d")], [paid("e")]]
  }

  it("ends after one batch where it isn't to go on", async () => {
    const { calls } = await reconcile(batches)
    expect(takenOver(calls)).toEqual(["a", "b"])
  })

  it("goes on after a full batch until all is done that was due", async () => {
    const { calls, result } = await reconcile({ ...batches, untilDone: true })
    expect(takenOver(calls)).toEqual(["a", "b", "c", "d", "e"])
    expect(verbs(calls, "unfinished")).toEqual([1, 2, 3].map(() => [nowMillis, 2]))
    expect(result).toEqual({ settled: 4, pending: 1 })
  })

  it("ends after a batch that isn't full", async () => {
    const { calls } = await reconcile({ ...batches, limit: 3, untilDone: true })
    expect(takenOver(calls)).toEqual(["a", "b"])
  })

  it("tries a charge that stays due once, and ends where a full batch has no other", async () => {
    const stuck = [unreadable("a"), unreadable("b")]
    const { calls, result } = await reconcile({
      limit: 2,
      untilDone: true,
      unfinished: stuck,
      later: [[stuck[0]!, paid("c")], stuck, [paid("d"), paid("e")]]
    })
    expect(takenOver(calls)).toEqual(["a", "b", "c"])
    expect(result).toEqual({ settled: 1, pending: 2 })
  })

  it("tries a charge of a later batch once, too", async () => {
    const stuck = unreadable("c")
    const { calls } = await reconcile({
      ...batches,
      untilDone: true,
      later: [[stuck, paid("d")], [stuck, paid("e")], []]
    })
    expect(takenOver(calls)).toEqual(["a", "b", "c", "d", "e"])
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
    const { calls } = await reconcile({
      eager: true,
      limit: 7,
      unfinished: [paid("a"), paid("z")],
      ready: [paid("b", lapsed), paid("a", lapsed), paid("c", { leaseUntilMillis: nowMillis + 1 })]
    })
    expect(verbs(calls, "list")).toEqual([[{ state: "ready", limit: 7 }]])
    expect(takenOver(calls)).toEqual(["a", "z", "b"])
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
    const { calls, result } = await reconcile(
      { unfinished: [chargeIn("ready", { key: keyOf("a"), settlesFirst: true, response: undefined })] },
      { evidence: [{ _tag: "NotMoved", chainTimeSeconds: 1 }], charges: { defer: () => Effect.void } }
    )
    expect([verbs(calls, "defer").length, verbs(calls, "void").length]).toEqual([1, 0])
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
    const { calls, result } = await reconcile(
      { unfinished: [voided("a", { subject: { kind: "order", id: "1" } })] },
      {
        evidence: [moved],
        subjects: { abandoned: () => Effect.void }
      }
    )
    expect(verbs(calls, "complete")).toMatchObject([[keyOf("a"), { refundDue: true }, nowMillis]])
    expect(result).toEqual({ settled: 1, pending: 0 })
  })
})
