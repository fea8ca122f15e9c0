import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { findNetwork } from "../../../src/domain/Network.ts"
import { sampleReceipt } from "../../../../testing/src/stores/records.ts"
import type { Chain, ChainEvidence } from "../../../src/toll/evidence/Chain.ts"
import type { ChainQuery } from "../../../src/toll/machine/ChargeStep.ts"
import { queryChain, queryMillis } from "../../../src/toll/perform/queryChain.ts"
import { authorization, chargeIn, heldBy, play, sepolia, task } from "../machine/settlingScene.ts"

describe("a search of the chain", () => {
  const unavailable: ChainEvidence = { _tag: "Unavailable" }
  const notMoved: ChainEvidence = { _tag: "NotMoved", chainTimeSeconds: 1 }
  const confirming: ChainEvidence = { _tag: "Confirming", transaction: "0x2" }
  const moved: ChainEvidence = { _tag: "Moved", transaction: "0x2", logIndex: 1, atSeconds: 1, isFinal: true }
  const proof: ChainQuery = { _tag: "Proof", transaction: "0x2" }

  const search = (query: ChainQuery, evidence: ReadonlyArray<ChainEvidence>, pauses: ReadonlyArray<number>) =>
    play({ evidence }, (scene) =>
      Effect.gen(function* () {
        const searching = yield* Effect.forkChild(scene.perform({ _tag: "QueryChain", query }, heldBy()))
        const reads: Array<number> = []
        yield* TestClock.adjust(0)
        reads.push(scene.calls.length)
        for (const pause of pauses) {
          yield* TestClock.adjust(pause)
          reads.push(scene.calls.length)
        }
        const event = searching.pollUnsafe() === undefined ? undefined : yield* Fiber.join(searching)
        return { event, reads, calls: scene.calls }
      })
    )

  it.each<readonly [ChainQuery, string | undefined]>([
    [{ _tag: "Proof", transaction: undefined }, undefined],
    [{ _tag: "Refusal" }, undefined],
    [{ _tag: "Watch", charge: chargeIn("voided"), sameRequest: true }, undefined],
    [{ _tag: "Finality", charge: chargeIn("settled") }, sampleReceipt().transaction],
    [{ _tag: "Finality", charge: chargeIn("settled", { receipt: undefined }) }, undefined],
    [proof, "0x2"]
  ])(
    "names the transaction where one is known, and the block of the claim: %j",
    async (query, transaction) => {
      const { calls, event } = await search(query, [moved], [])
      expect(event).toEqual({ _tag: "Seen", evidence: moved })
      // The transfer that settled a charge was not there at its claim.
      const claimedAfter = query._tag === "Finality" ? undefined : { number: 100n, hash: "0xa" }
      expect(calls).toEqual([
        ["evidence", findNetwork(sepolia), authorization, { transaction, claimedAfter }]
      ])
    }
  )

  it("reads the token that the charge was paid in", async () => {
    const asset = "0x00000000000000000000000000000000d011a500"
    const held = heldBy({ task: { ...task, asset } })
    const query = { _tag: "QueryChain", query: { _tag: "Proof", transaction: undefined } } as const
    const read = await play({ evidence: [moved] }, (scene) =>
      Effect.map(scene.perform(query, held), () => scene.calls.map(([, network]) => network))
    )
    expect(read).toEqual([{ ...findNetwork(sepolia), asset }])
  })

  it("has no evidence on a network that it doesn't know", async () => {
    const held = heldBy({ task: { ...task, network: "eip155:999999" } })
    const query = { _tag: "QueryChain", query: { _tag: "Proof", transaction: undefined } } as const
    expect(await play({}, (scene) => scene.perform(query, held))).toEqual({
      _tag: "Seen",
      evidence: { _tag: "Unavailable" }
    })
  })

  it("runs once where no transaction is known", async () => {
    const { event, reads } = await search({ _tag: "Proof", transaction: undefined }, [notMoved], [10_000])
    expect([event, reads]).toEqual([{ _tag: "Seen", evidence: notMoved }, [1, 1]])
  })

  it("retries three times for a transaction that is known, with growing pauses", async () => {
    const { event, reads } = await search(proof, [unavailable, notMoved], [199, 1, 399, 1, 799, 1, 10_000])
    expect(reads).toEqual([1, 1, 2, 2, 3, 3, 4, 4])
    expect(event).toEqual({ _tag: "Seen", evidence: notMoved })
  })

  it("stops as soon as it has moved", async () => {
    const { event, reads } = await search(proof, [notMoved, moved], [200, 10_000])
    expect([event, reads]).toEqual([{ _tag: "Seen", evidence: moved }, [1, 2, 2]])
  })

  it.each(["canceled", "failed", "used_otherwise"] as const)(
    "keeps that the payment is finally unpaid (%s), though the chain can't be read a moment later",
    async (reason) => {
      const notPaid: ChainEvidence = { _tag: "NotPaid", reason }
      const { event, reads } = await search(
        { _tag: "Finality", charge: chargeIn("settled") },
        [unavailable, notPaid, unavailable],
        [200, 10_000]
      )
      expect([event, reads]).toEqual([{ _tag: "Seen", evidence: notPaid }, [1, 2, 2]])
    }
  )

  it("waits for confirmations, second by second", async () => {
    const { event, reads } = await search(
      proof,
      [notMoved, confirming, confirming, moved],
      [200, 999, 1, 1_000, 9_000]
    )
    expect([event, reads]).toEqual([{ _tag: "Seen", evidence: moved }, [1, 2, 2, 3, 4, 4]])
  })

  it("waits for confirmations for a minute at most, whether or not a transaction is known", async () => {
    for (const query of [proof, { _tag: "Proof", transaction: undefined } as const]) {
      const { event, reads } = await search(query, [confirming], [59_000, 1_000, 60_000])
      expect([event, reads]).toEqual([{ _tag: "Seen", evidence: confirming }, [1, 60, 60, 60]])
    }
  })
})

describe("a query of a slow chain", () => {
  const proof: ChainQuery = { _tag: "Proof", transaction: "0x2" }
  const confirming: ChainEvidence = { _tag: "Confirming", transaction: "0x2" }

  /** Evidence by a chain whose every search takes this long; the time at which the query has ended, and searches. */
  const search = (evidence: ChainEvidence, searchMillis: number) => {
    let searches = 0
    const chain: Pick<Chain["Service"], "evidence"> = {
      evidence: () =>
        Effect.suspend(() => {
          searches++
          return Effect.as(Effect.sleep(searchMillis), evidence)
        })
    }
    return Effect.runPromise(
      Effect.gen(function* () {
        // A paid call can't be interrupted; its deadlines count all the same.
        const searching = yield* Effect.forkChild(Effect.uninterruptible(queryChain(chain, proof, task, "")))
        yield* TestClock.adjust(queryMillis - 1)
        const isEarly = searching.pollUnsafe() !== undefined
        yield* TestClock.adjust(1)
        const seen = yield* Fiber.join(searching)
        const made = searches
        yield* TestClock.adjust(queryMillis)
        return { isEarly, seen, isOver: searches === made }
      }).pipe(Effect.provide(TestClock.layer()))
    )
  }

  it("ends at its deadline, however many searches are left", async () => {
    const ended = { isEarly: false, isOver: true }
    expect(await search({ _tag: "Unavailable" }, 30_000)).toEqual({ ...ended, seen: { _tag: "Unavailable" } })
    expect(await search(confirming, 25_000)).toEqual({ ...ended, seen: confirming })
    expect(await search(confirming, 10 * queryMillis)).toEqual({ ...ended, seen: { _tag: "Unavailable" } })
  })
})
