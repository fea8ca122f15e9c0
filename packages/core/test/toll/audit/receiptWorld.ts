import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { sampleCharge, sampleResponse } from "../../../../testing/src/stores/records.ts"
import type { Authorization } from "../../../src/domain/PaymentPayload.ts"
import { Charges } from "../../../src/ports/Charges.ts"
import type { Marks } from "../../../src/ports/StorageMarks.ts"
import { type FalseReceipt, ReceiptAudit } from "../../../src/toll/audit/ReceiptAudit.ts"
import { makeChain } from "../../../src/toll/evidence/ChainReader.ts"
import { network, token } from "../evidence/EvidenceWorld.ts"
import { FakeNode } from "../evidence/FakeNode.ts"

/*
 * A chain, a facilitator that reports what a test says, and the audit of its receipts. Time passes for all of them.
 */

export const startSeconds = 1_767_225_600
export const everySeconds = 30
const height = 1_000_000n

const payer = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
const payTo = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
const owner = "me"

export const word = (number: number): `0x${string}` => `0x${number.toString(16).padStart(64, "0")}`

/** A payment of 520,000 units by its number. */
const authorizationOf = (number: number, nowSeconds: number): Authorization => ({
  from: payer,
  to: payTo,
  value: "520000",
  validAfter: "0",
  validBefore: String(nowSeconds + 120),
  nonce: word(number)
})

/** Marks in memory. */
export const memoryMarks = (known = new Map<string, string>()): Marks => ({
  all: Effect.sync(() => new Map(known)),
  add: (name, value) =>
    Effect.sync(() => {
      if (!known.has(name)) known.set(name, value)
    })
})

export const openWorld = Effect.fnUntraced(function* () {
  yield* TestClock.setTime(startSeconds * 1000)
  const charges = yield* Charges
  const node = new FakeNode({
    genesisSeconds: startSeconds - 2 * Number(height),
    blockSeconds: 2,
    height
  })
  const chain = makeChain([network], () => node.transport)
  const found: Array<FalseReceipt> = []
  const reads: Array<"search" | "look up"> = []
  let numbers = 0

  const open = (marks?: Marks) =>
    new ReceiptAudit(
      {
        charges,
        marks,
        chain: {
          paidWithin: (...given) => {
            reads.push("search")
            return chain.paidWithin(...given)
          },
          evidence: (...given) => {
            reads.push("look up")
            return chain.evidence(...given)
          }
        },
        onFalse: (receipt) => Effect.sync(() => void found.push(receipt))
      },
      network
    )
  let audit = open()

  /** Lets time pass, with a tick of the audit every 30 seconds; the node follows unless it lags. */
  const pass = Effect.fnUntraced(function* (seconds: number, lags = false) {
    for (let passed = 0; passed < seconds; passed += everySeconds) {
      yield* TestClock.adjust(everySeconds * 1000)
      if (!lags) node.mineUntil((yield* Clock.currentTimeMillis) / 1000)
      yield* audit.tick
    }
  })

  /** A payment that is signed now. */
  const sign = Effect.map(Clock.currentTimeMillis, (nowMillis) =>
    authorizationOf(++numbers, Math.floor(nowMillis / 1000))
  )

  /** Records the settlement of a payment, as a facilitator reports it, or as the chain has proven it. */
  const record = Effect.fnUntraced(function* (
    authorization: Authorization,
    transaction: string,
    transferLogIndex?: number
  ) {
    const nowMillis = yield* Clock.currentTimeMillis
    const key = `${network.caip2}:${network.asset.toLowerCase()}:${payer}:${authorization.nonce}`
    const charge = sampleCharge({
      key,
      network: network.caip2,
      asset: network.asset,
      payer,
      payTo,
      amountAtomic: authorization.value,
      validBeforeSeconds: Number(authorization.validBefore),
      createdAtMillis: nowMillis
    })
    const limits = { maxUnsettled: 100_000, maxExposureAtomic: "1000000000" }
    yield* charges.claim(charge, { owner, untilMillis: nowMillis + 60_000 }, nowMillis, limits)
    yield* charges.advance(key, owner, { response: sampleResponse(), subject: undefined })
    yield* charges.complete(
      key,
      {
        receipt: { success: true, transaction, network: network.caip2, payer },
        transferLogIndex,
        reportedBy: transferLogIndex === undefined ? "alpha" : undefined,
        refundDue: false,
        finalAfterMillis: undefined,
        responseOwedUntilMillis: undefined
      },
      nowMillis
    )
    return key
  })

  /** The logs of a payment. */
  const paid = (authorization: Authorization) => [token.used(authorization), token.transfer(authorization)]

  return {
    charges,
    node,
    found,
    reads,
    pass,
    sign,
    record,
    paid,
    /** The process is started again. */
    restart: (marks?: Marks) => {
      audit = open(marks)
    },
    chain
  }
})
