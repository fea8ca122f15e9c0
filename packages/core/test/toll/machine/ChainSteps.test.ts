import { describe, expect, it } from "vitest"
import type { ChainEvidence } from "../../../src/toll/evidence/Chain.ts"
import type { ChainQuery, ChargeStep } from "../../../src/toll/machine/ChargeStep.ts"
import { next } from "../../../src/toll/machine/ChargeMachine.ts"
import {
  rolledBack,
  call,
  chargeIn,
  closed,
  finalitySeconds,
  workDue,
  deferred,
  deferredUnknown,
  pending,
  proof,
  receipt,
  reconciler,
  refused,
  type Row,
  settleAgain,
  validBeforeSeconds,
  voided
} from "./machineRows.ts"

/*
 * What follows from each thing that the chain can show about a payment, for each query.
 */

const transaction = receipt.transaction
const moved: ChainEvidence = { _tag: "Moved", transaction, logIndex: 3, atSeconds: 450, isFinal: true }
const fresh: ChainEvidence = { ...moved, isFinal: false }
const confirming: ChainEvidence = { _tag: "Confirming", transaction }
const notMoved: ChainEvidence = { _tag: "NotMoved", chainTimeSeconds: validBeforeSeconds + finalitySeconds }
const expired: ChainEvidence = {
  _tag: "NotMoved",
  chainTimeSeconds: validBeforeSeconds + finalitySeconds + 1
}
const canceled: ChainEvidence = { _tag: "NotPaid", reason: "canceled" }
const usedOtherwise: ChainEvidence = { _tag: "NotPaid", reason: "used_otherwise" }
const unavailable: ChainEvidence = { _tag: "Unavailable" }

const already = refused("payment_already_used")
const completed: ChargeStep = { _tag: "Complete", transaction, proof, refundDue: false }
const unproven: ChargeStep = { ...completed, proof: { ...proof, isFinal: false } }

const ask = (query: ChainQuery): ChargeStep => ({ _tag: "QueryChain", query })
const row = (
  what: string,
  facts: Row[1],
  step: ChargeStep,
  evidence: ChainEvidence,
  expected: ChargeStep
): Row => [what, facts, step, { _tag: "Seen", evidence }, expected]

const before = ask({ _tag: "Before" })
const proving = ask({ _tag: "Proof", transaction: "0x1", reason: "timeout" })

const short = refused("insufficient_funds")
const refusing = ask({ _tag: "Refusal", ending: short })

/** A payment that was claimed, and is about to be refused for want of funds. */
const refusals: ReadonlyArray<Row> = [
  row("has moved: a refund is due", call, refusing, moved, { ...completed, refundDue: true }),
  row("has moved before its work: the work is due", { ...call, ...workDue }, refusing, moved, completed),
  row("has not moved", call, refusing, notMoved, rolledBack(short, false)),
  row("was canceled", call, refusing, canceled, rolledBack(refused("payment_canceled"), false)),
  row("can't be seen", call, refusing, unavailable, rolledBack(pending, false)),
  row("waits for confirmations", call, refusing, confirming, rolledBack(pending, false))
]

describe("a payment that its payer's balance doesn't cover", () => {
  it.each(refusals)("%s", (_, facts, step, event, expected) => {
    expect(next(step, event, facts)).toStrictEqual(expected)
  })

  it("is looked for on the chain once it is voided, where that can be read", () => {
    const step: ChargeStep = { _tag: "Void", worked: false, isOpen: true, ending: short }
    const event = { _tag: "Voided", voided: true } as const
    expect(next(step, event, call)).toStrictEqual(refusing)
    expect(next(step, event, { ...call, canReadChain: false })).toStrictEqual(rolledBack(short, false))
  })
})

const attempts: ReadonlyArray<Row> = [
  ...[before, proving].flatMap((step): ReadonlyArray<Row> => [
    row("moved it", call, step, moved, completed),
    row("moved it a moment ago", call, step, fresh, unproven),
    row(
      "moved it before it was presented, unverified",
      { ...call, unverifiedSinceMillis: 481_000 },
      step,
      moved,
      voided(true, already)
    ),
    row(
      "moved it as it was presented, unverified",
      { ...call, unverifiedSinceMillis: 480_999 },
      step,
      moved,
      completed
    ),
    row("was canceled", call, step, canceled, voided(true, refused("payment_canceled"))),
    row("was used otherwise", call, step, usedOtherwise, voided(true, refused("payment_nonce_used"))),
    row(
      "was canceled before any work",
      { ...call, ...workDue },
      step,
      canceled,
      voided(false, refused("payment_canceled"))
    ),
    row("expired", reconciler, step, expired, voided(true, refused("payment_expired"))),
    row(
      "expired before any work",
      { ...call, ...workDue },
      step,
      expired,
      voided(false, refused("payment_expired"))
    ),
    row("waits for confirmations", call, step, confirming, deferredUnknown())
  ]),
  row("expires now", call, before, notMoved, settleAgain),
  row("has not moved, with a caller waiting", { ...call, ...workDue }, before, notMoved, settleAgain),
  row("can't be seen", call, before, unavailable, settleAgain),
  row(
    "has not moved, with nobody waiting",
    { ...reconciler, ...workDue },
    before,
    notMoved,
    deferred(closed)
  ),
  row("is not shown yet", call, proving, notMoved, deferredUnknown("timeout")),
  row("can't be shown", call, proving, unavailable, deferredUnknown("timeout"))
]

const watch = (sameRequest = true, changes: Parameters<typeof chargeIn>[1] = {}): ChargeStep =>
  ask({ _tag: "Watch", watched: { charge: chargeIn("voided", changes), sameRequest } })
/** First presented at 400 s by our clock, which may be 30 s ahead; not verified. */
const at = (atSeconds: number): ChainEvidence => ({ ...moved, atSeconds })
const refund: ChargeStep = { ...completed, refundDue: true }

const watches: ReadonlyArray<Row> = [
  row("has moved", call, watch(), moved, refund),
  row("has moved, for the reconciler", reconciler, watch(), fresh, { ...unproven, refundDue: true }),
  row("has moved, and settles first", call, watch(true, { settlesFirst: true }), moved, completed),
  row("has moved for another request", call, watch(false), moved, deferred(already)),
  row("moved as early as a clock may differ", call, watch(), at(370), refund),
  row(
    "moved so early, in the middle of a second",
    call,
    watch(true, { unverifiedSinceMillis: 400_999 }),
    at(370),
    refund
  ),
  row("moved before it was presented", call, watch(), at(369), rolledBack(already, true)),
  // Blocks of a chain that catches up are older than our clock says.
  row("was verified, and moved", call, watch(true, { unverifiedSinceMillis: 0 }), at(1), refund),
  row(
    "moved before it was presented, for the reconciler",
    reconciler,
    watch(),
    at(369),
    rolledBack(closed, true)
  ),
  row("is unused", call, watch(), notMoved, { _tag: "Judge", held: true }),
  row(
    "is unused and expired, in a call",
    call,
    watch(),
    expired,
    rolledBack(refused("payment_expired"), true)
  ),
  row("is unused, for the reconciler", reconciler, watch(), notMoved, deferred(closed)),
  row("is unused and expired", reconciler, watch(), expired, rolledBack(closed, true)),
  row("was canceled", call, watch(), canceled, rolledBack(refused("payment_canceled"), true)),
  row("was used otherwise", call, watch(), usedOtherwise, rolledBack(refused("payment_nonce_used"), true)),
  row("was canceled, for the reconciler", reconciler, watch(), canceled, rolledBack(closed, true)),
  ...[confirming, unavailable].flatMap((evidence): ReadonlyArray<Row> => [
    row("is not clear yet", call, watch(), evidence, deferred(pending)),
    row("is not clear yet, for the reconciler", reconciler, watch(), evidence, deferred(closed))
  ])
]

const charge = chargeIn("settled", { awaitsFinality: true })
const finality = (changes: Parameters<typeof chargeIn>[1] = {}): ChargeStep =>
  ask({ _tag: "Finality", charge: { ...charge, ...changes } })
const reopen = (next: Extract<ChargeStep, { _tag: "Reopen" }>["next"]): ChargeStep => ({
  _tag: "Reopen",
  next
})
const sent = { refund: { _tag: "Sent", transaction: "0xback" } } as const
const completedAsRefunded: ChargeStep = { ...completed, refundDue: true, isRefunded: true }
/** Its refund was sent, and its settlement undone. */
const refunded = (state: "ready" | "voided"): ChargeStep =>
  ask({ _tag: "Finality", charge: chargeIn(state, sent) })
const elsewhere = (
  refundDue: boolean,
  changes: { readonly transaction?: string; readonly logIndex?: number }
) =>
  reopen({
    _tag: "Moved",
    transaction: changes.transaction ?? transaction,
    proof: { logIndex: changes.logIndex ?? 3, isFinal: true },
    refundDue
  })

const checks: ReadonlyArray<Row> = [
  row("stands for good", reconciler, finality(), moved, { _tag: "Finalize" }),
  row(
    "stands for good, in other letters",
    reconciler,
    finality({ receipt: { ...receipt, transaction: "0xAB" } }),
    { ...moved, transaction: "0xab" },
    { _tag: "Finalize" }
  ),
  row(
    "stands for good, in other letters of the node",
    reconciler,
    finality({ receipt: { ...receipt, transaction: "0xab" } }),
    { ...moved, transaction: "0xAB" },
    { _tag: "Finalize" }
  ),
  row("stands so far", reconciler, finality(), fresh, deferred(closed)),
  row(
    "stands elsewhere",
    reconciler,
    finality(),
    { ...moved, logIndex: 4 },
    elsewhere(false, { logIndex: 4 })
  ),
  row(
    "stands in another transaction",
    reconciler,
    finality({ refund: { _tag: "Due", startedAtMillis: undefined } }),
    { ...moved, transaction: "0xother" },
    elsewhere(true, { transaction: "0xother" })
  ),
  row(
    "stands, and was never recorded",
    reconciler,
    finality({ receipt: undefined }),
    moved,
    elsewhere(false, {})
  ),
  row("stands for good, its refund sent", reconciler, finality(sent), moved, { _tag: "Finalize" }),
  row("stands so far, its refund sent", reconciler, finality(sent), fresh, deferred(closed)),
  row(
    "stands in another transaction, its refund sent",
    reconciler,
    finality(sent),
    { ...moved, transaction: "0xother" },
    elsewhere(true, { transaction: "0xother" })
  ),
  ...[expired, { ...notMoved, chainTimeSeconds: 451 }, canceled, usedOtherwise, confirming, unavailable].map(
    (evidence) =>
      row(
        `${evidence._tag}, its refund sent: is left`,
        reconciler,
        finality(sent),
        evidence,
        deferred(closed)
      )
  ),
  ...(["ready", "voided"] as const).flatMap((state): ReadonlyArray<Row> => [
    row(`moved it, refunded and ${state}`, reconciler, refunded(state), moved, completedAsRefunded),
    row(`moved it a moment ago, refunded and ${state}`, reconciler, refunded(state), fresh, {
      ...unproven,
      refundDue: true,
      isRefunded: true
    }),
    ...[expired, canceled, usedOtherwise, confirming, unavailable].map((evidence) =>
      row(
        `${evidence._tag}, refunded and ${state}: is left`,
        reconciler,
        refunded(state),
        evidence,
        deferred(closed)
      )
    )
  ]),
  // Settled at 450 s: a block of that very second may have been made before.
  row(
    "is gone",
    reconciler,
    finality(),
    { ...notMoved, chainTimeSeconds: 451 },
    reopen({ _tag: "NotMoved", isVoided: false })
  ),
  row("is not there yet", reconciler, finality(), { ...notMoved, chainTimeSeconds: 450 }, deferred(closed)),
  row(
    "is gone, settled nobody knows when",
    reconciler,
    finality({ settledAtMillis: undefined }),
    { ...notMoved, chainTimeSeconds: 1 },
    reopen({ _tag: "NotMoved", isVoided: false })
  ),
  ...(
    [
      ["has no response, and is voided again", { response: undefined }, true],
      ["had its response until that expired", { response: undefined, responseExpiredAtMillis: 1 }, false],
      ["settles before its response", { response: undefined, settlesFirst: true }, false]
    ] as const
  ).map(([what, changes, isVoided]) =>
    row(
      `is gone, and ${what}`,
      reconciler,
      finality(changes),
      expired,
      reopen({ _tag: "NotMoved", isVoided })
    )
  ),
  row("was undone by a cancellation", reconciler, finality(), canceled, reopen({ _tag: "NotPaid" })),
  row("was undone by another use", reconciler, finality(), usedOtherwise, reopen({ _tag: "NotPaid" })),
  row("waits for confirmations", reconciler, finality(), confirming, deferred(closed)),
  row("can't be seen", reconciler, finality(), unavailable, deferred(closed))
]

describe.each([
  ["an attempt to settle", attempts],
  ["a payment that was voided", watches],
  ["a settlement", checks]
])("%s", (_, rows) => {
  it.each(rows)("%s", (_, facts, step, event, expected) => {
    expect(next(step, event, facts)).toStrictEqual(expected)
  })
})

describe("a charge that was reopened", () => {
  const isReopened = { _tag: "Reopened", reopened: true, isRefunded: false } as const
  it.each([true, false])("completes by the other transfer, a refund due: %s", (refundDue) => {
    const step = reopen({ _tag: "Moved", transaction: "0xother", proof, refundDue })
    expect(next(step, isReopened, reconciler)).toStrictEqual({
      _tag: "Complete",
      transaction: "0xother",
      proof,
      refundDue
    })
  })

  it("settles again what has a response, and leaves what settles first until it has expired", () => {
    const step = reopen({ _tag: "NotMoved", isVoided: false })
    expect(next(step, isReopened, reconciler)).toStrictEqual(settleAgain)
    expect(next(step, isReopened, { ...reconciler, ...workDue })).toStrictEqual(deferred(closed))
  })

  it("is left alone where it was voided before, until it has moved or expired", () => {
    expect(next(reopen({ _tag: "NotMoved", isVoided: true }), isReopened, reconciler)).toStrictEqual(
      deferred(closed)
    )
  })

  it("completes as refunded where its refund was sent meanwhile, and else is left", () => {
    const afterRefund = { ...isReopened, isRefunded: true }
    const step = reopen({ _tag: "Moved", transaction: "0xother", proof, refundDue: false })
    expect(next(step, afterRefund, reconciler)).toStrictEqual({
      ...completedAsRefunded,
      transaction: "0xother"
    })
    for (const gone of [
      reopen({ _tag: "NotMoved", isVoided: false }),
      reopen({ _tag: "NotMoved", isVoided: true }),
      reopen({ _tag: "NotPaid" })
    ])
      expect(next(gone, afterRefund, reconciler)).toStrictEqual(deferred(closed))
  })

  it.each(["Due", "Sent"] as const)("is left where it is settled for good, its refund %s", (_tag) => {
    const refund = _tag === "Due" ? ({ _tag, startedAtMillis: undefined } as const) : sent.refund
    const found = chargeIn("settled", { refund })
    const event = { _tag: "Taken", charge: found, sameRequest: true, readable: true, nowMillis: 1 } as const
    expect(next({ _tag: "TakeOver" }, event, reconciler)).toStrictEqual({ _tag: "EndLease", ending: closed })
  })

  it("sets nothing off once its refund was sent", () => {
    const event = { _tag: "Completed", receipt, refundDue: false } as const
    expect(next(completedAsRefunded, event, reconciler)).toStrictEqual(
      rolledBack({ _tag: "Paid", receipt }, false)
    )
  })

  it("is never voided once its refund was sent, whichever charge has its transfer", () => {
    const taken = (attempts: number) => ({ _tag: "TransferTaken", attempts }) as const
    for (const attempts of [0, 3, 4, 100])
      expect(next(completedAsRefunded, taken(attempts), reconciler)).toStrictEqual(deferredUnknown())
    expect(next({ ...completed, refundDue: true }, taken(4), reconciler)._tag).toBe("Void")
  })

  it.each(["ready", "voided"] as const)("is taken on by the reconciler, refunded and %s", (state) => {
    const refundedCharge = chargeIn(state, sent)
    const event = {
      _tag: "Taken",
      charge: refundedCharge,
      sameRequest: true,
      readable: true,
      nowMillis: validBeforeSeconds * 1_000 + 1
    } as const
    const takeOver: ChargeStep = { _tag: "TakeOver" }
    expect(next(takeOver, event, reconciler)).toStrictEqual(ask({ _tag: "Finality", charge: refundedCharge }))
    expect(next(takeOver, event, { ...reconciler, canReadChain: false })).toStrictEqual(deferred(closed))
    for (const sameRequest of [true, false])
      expect(next(takeOver, { ...event, sameRequest }, call)).toStrictEqual(
        deferred(refused("payment_refund_due"))
      )
  })

  it("is voided where it can't be paid any more: the work was done for nothing", () => {
    expect(next(reopen({ _tag: "NotPaid" }), isReopened, reconciler)).toStrictEqual(voided(true, closed))
  })
})
