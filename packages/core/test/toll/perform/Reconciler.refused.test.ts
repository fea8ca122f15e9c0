import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Charge } from "../../../src/ports/Charges.ts"
import { findNetwork } from "../../../src/domain/Network.ts"
import type { ChainEvidence, UsedNonces } from "../../../src/toll/evidence/Chain.ts"
import { finalitySeconds, nowMillis, sepolia } from "../machine/settlingScene.ts"
import { keyOf, voided, reconcile, verbs, takenOver } from "../machine/reconciled.ts"

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
    const { calls, result } = await reconcile(
      { voided: [[due("a"), due("b"), due("c", { validBeforeSeconds: 101 }), due("d")]], limit: 2 },
      { usedNonces: nonces(over, false, true, false), evidence: [notMoved] }
    )
    expect(verbs(calls, "voidedDue")).toEqual([[nowMillis, 1_000]])
    const [network, authorizations] = verbs(calls, "usedNonces")[0]!
    expect(network).toEqual(findNetwork(sepolia))
    expect(authorizations).toMatchObject(
      ["a", "b", "c", "d"].map((nonce) => ({ from: due("a").payer, nonce }))
    )
    expect(verbs(calls, "releaseVoided")).toEqual([[[keyOf("a")], nowMillis]])
    // The limit holds for them as for the others.
    expect(takenOver(calls)).toEqual(["b", "c"])
    expect(result).toEqual({ settled: 0, pending: 0 })
  })

  it("are read by the token that each was paid in", async () => {
    const asset = "0x00000000000000000000000000000000d011a500"
    const { calls } = await reconcile(
      { voided: [[due("a"), due("b", { asset })]] },
      { usedNonces: nonces(over, false), evidence: [notMoved] }
    )
    expect(verbs(calls, "usedNonces").map(([network]) => network)).toEqual([
      findNetwork(sepolia),
      { ...findNetwork(sepolia), asset }
    ])
  })

  it("are not cleared while a reorganization could still include them", async () => {
    const { calls } = await reconcile(
      { voided: [[due("a")]] },
      { usedNonces: nonces(over - 1, false), evidence: [notMoved] }
    )
    expect(verbs(calls, "releaseVoided")).toEqual([[[], nowMillis]])
    expect(takenOver(calls)).toEqual(["a"])
  })

  it("are taken over one by one if the chain can't be read in bulk", async () => {
    const { calls } = await reconcile(
      { voided: [[due("a"), due("b")]] },
      { usedNonces: () => Effect.succeed(undefined), evidence: [notMoved] }
    )
    expect(verbs(calls, "releaseVoided")).toEqual([])
    expect(takenOver(calls)).toEqual(["a", "b"])
  })

  it("whose chain can't be read, or isn't known, are cleared by the clock", async () => {
    const seconds = nowMillis / 1_000
    const base = { network: "eip155:8453" }
    const unknown = { network: "eip155:424242" }
    const { calls } = await reconcile(
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
    expect(verbs(calls, "releaseVoided")).toEqual([
      [[keyOf("a")], nowMillis],
      [[keyOf("b")], nowMillis],
      [[keyOf("d")], nowMillis]
    ])
    expect(verbs(calls, "usedNonces")).toHaveLength(1)
    expect(takenOver(calls)).toEqual([])
  })

  const full = Array.from({ length: 1_000 }, (_, index) => due(`n${index}`))

  it("are cleared batch by batch", async () => {
    const { calls } = await reconcile(
      { voided: [full, full, [due("a")], [due("b")]] },
      { usedNonces: (_, all) => Effect.succeed({ chainTimeSeconds: over, used: all.map(() => false) }) }
    )
    expect(verbs(calls, "releaseVoided").map(([keys]) => (keys as ReadonlyArray<string>).length)).toEqual([
      1_000, 1_000, 1
    ])
  })

  it("are left to the next reconciliation if none of a batch could be cleared", async () => {
    const { calls } = await reconcile(
      { voided: [full, full], limit: 1 },
      {
        usedNonces: (_, all) => Effect.succeed({ chainTimeSeconds: over, used: all.map(() => true) }),
        evidence: [notMoved]
      }
    )
    expect(verbs(calls, "voidedDue")).toHaveLength(1)
    expect(takenOver(calls)).toEqual(["n0"])
  })

  it("are cleared in a bounded number of batches", async () => {
    const { calls } = await reconcile(
      { voided: Array.from({ length: 30 }, () => full) },
      { usedNonces: (_, all) => Effect.succeed({ chainTimeSeconds: over, used: all.map(() => false) }) }
    )
    expect(verbs(calls, "voidedDue")).toHaveLength(20)
  })

  it("let other work go on between two batches", async () => {
    let turn = 0
    const turns: Array<number> = []
    const count = () => {
      turn++
      timer = setImmediate(count)
    }
    let timer = setImmediate(count)
    const batches = [full, full, [due("a")]]
    const next = Effect.sync(() => {
      turns.push(turn)
      return batches.shift() ?? []
    })
    await reconcile(
      {},
      {
        charges: { voidedDue: () => next },
        usedNonces: (_, all) => Effect.succeed({ chainTimeSeconds: over, used: all.map(() => false) })
      }
    )
    clearImmediate(timer)
    expect(new Set(turns).size).toBe(3)
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
