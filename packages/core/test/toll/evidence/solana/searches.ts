import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { assert } from "vitest"
import type { Chain, ChainEvidence } from "../../../../src/toll/evidence/Chain.ts"
import { nonceOf } from "../../../../src/toll/exact/SignedPayment.ts"
import { checkAgainMillis } from "../../../../src/toll/machine/CheckTimes.ts"
import { devnet, solanaPayTo, solanaV1, wallet } from "../../solana.ts"
import { BusyNode, type Listed, presented, presentedSlot } from "./BusyNode.ts"

/*
 * Searches for a payment of a wallet that has many transactions.
 */

export const authorization = {
  from: wallet.address,
  to: solanaPayTo,
  value: "10000",
  validAfter: "0",
  validBefore: String(presented + 90),
  nonce: nonceOf(solanaV1())
}

export const payment = (slot: number): Listed => ({ signature: "payment", slot, message: "payment" })
/** Transactions of anybody, three in a slot. */
export const dust = (count: number, fromSlot: number): ReadonlyArray<Listed> =>
  Array.from({ length: count }, (_, index) => ({
    signature: `dust ${fromSlot} ${index}`,
    slot: fromSlot + Math.floor(index / 3),
    message: "other"
  }))

export const nodeWith = (listed: ReadonlyArray<Listed>): BusyNode => Object.assign(new BusyNode(), { listed })

/** Searches at a time after the payment was presented, with the till's clock that many seconds ahead. */
export const searchAt = (chain: Chain["Service"], seconds: number, aheadSeconds = 0) =>
  Effect.gen(function* () {
    yield* TestClock.setTime((presented + seconds) * 1000)
    const validBefore = String(presented + 90 + aheadSeconds)
    return yield* chain.evidence(devnet, { ...authorization, validBefore })
  })

/** Lets time pass until a search ends. */
const finish = Effect.fnUntraced(function* (search: Effect.Effect<ChainEvidence>) {
  const fiber = yield* Effect.forkChild(search)
  while (fiber.pollUnsafe() === undefined) yield* TestClock.adjust("250 millis")
  return yield* Fiber.join(fiber)
})

const passedSeconds = Effect.map(
  TestClock.testClockWith((clock) => clock.currentTimeMillis),
  (millis) => millis / 1000 - presented
)

export const outcome = { _tag: "Moved" as const, transaction: "payment", logIndex: 2, isFinal: true }

/** Finds a payment amid dust with searches one after the other, as a reconciler does: in time, and reads each once. */
export const findAmid = Effect.fnUntraced(function* (count: number, withinSeconds: number) {
  const half = count / 2
  const node = nodeWith([
    ...dust(half, presentedSlot - 800),
    payment(presentedSlot + 34),
    ...dust(half, presentedSlot + 35)
  ])
  node.latencyMillis = 250
  const chain = yield* node.chain
  yield* TestClock.setTime((presented + 10) * 1000)
  let evidence: ChainEvidence = { _tag: "Unavailable" }
  for (let attempts = 0; evidence._tag !== "Moved"; attempts++) {
    evidence = yield* finish(chain.evidence(devnet, authorization))
    const nowMillis = (presented + (yield* passedSeconds)) * 1000
    if (evidence._tag !== "Moved") yield* TestClock.setTime(checkAgainMillis(attempts, nowMillis))
  }
  assert.deepInclude(evidence, outcome)
  assert.isAtMost(yield* passedSeconds, withinSeconds)
  assert.isAtMost(node.count("getTransaction"), count + 20)
  assert.isAtMost(node.mostAtOnce, 10)
})
