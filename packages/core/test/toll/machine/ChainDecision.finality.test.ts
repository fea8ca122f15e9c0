import { describe, expect, it } from "vitest"
import type { ChargeStep } from "../../../src/toll/machine/ChargeStep.ts"
import { next } from "./nextStep.ts"
import {
  rolledBack,
  call,
  chargeIn,
  closed,
  workDue,
  deferred,
  deferredUnknown,
  proof,
  receipt,
  reconciler,
  refused,
  type Row,
  settleAgain,
  validBeforeSeconds,
  voided
} from "./machineRows.ts"
import {
  transaction,
  moved,
  fresh,
  confirming,
  notMoved,
  expired,
  canceled,
  usedOtherwise,
  unavailable,
  completed,
  unproven,
  queryStep,
  row,
  charge
} from "./chainRows.ts"

const finality = (changes: Parameters<typeof chargeIn>[1] = {}): ChargeStep =>
  queryStep({ _tag: "Finality", charge: { ...charge, ...changes } })
const reopen = (next: Extract<ChargeStep, { _tag: "Reopen" }>["next"]): ChargeStep => ({
  _tag: "Reopen",
  next
})
const sent = { refund: { _tag: "Sent", transaction: "0xback" } } as const
const completedAsRefunded: ChargeStep = { ...completed, refundDue: true, isRefunded: true }
/** Its refund was sent, and its settlement undone. */
const refunded = (state: "ready" | "voided"): ChargeStep =>
  queryStep({ _tag: "Finality", charge: chargeIn(state, sent) })
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
  row("stands so far", reconciler, finality(), fresh, deferred(closed, "backoff")),
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
  row("stands so far, its refund sent", reconciler, finality(sent), fresh, deferred(closed, "backoff")),
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
        deferred(closed, "backoff")
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
        deferred(closed, "backoff")
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
  row(
    "is not there yet",
    reconciler,
    finality(),
    { ...notMoved, chainTimeSeconds: 450 },
    deferred(closed, "backoff")
  ),
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
  row("waits for confirmations", reconciler, finality(), confirming, deferred(closed, "backoff")),
  row("can't be seen", reconciler, finality(), unavailable, deferred(closed, "backoff"))
]

describe.each([["a settlement", checks]] as const)("%s", (_, rows) => {
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

  it("settles again what has a response, and checks what settles first again soon", () => {
    const step = reopen({ _tag: "NotMoved", isVoided: false })
    expect(next(step, isReopened, reconciler)).toStrictEqual(settleAgain)
    expect(next(step, isReopened, { ...reconciler, ...workDue })).toStrictEqual(deferred(closed, "backoff"))
  })

  it("is checked again soon where it was voided before: its transfer is likely to come back", () => {
    expect(next(reopen({ _tag: "NotMoved", isVoided: true }), isReopened, reconciler)).toStrictEqual(
      deferred(closed, "backoff")
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
      expect(next(gone, afterRefund, reconciler)).toStrictEqual(deferred(closed, "backoff"))
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
    expect(next(takeOver, event, reconciler)).toStrictEqual(
      queryStep({ _tag: "Finality", charge: refundedCharge })
    )
    expect(next(takeOver, event, { ...reconciler, canReadChain: false })).toStrictEqual(
      deferred(closed, "backoff")
    )
    for (const sameRequest of [true, false])
      expect(next(takeOver, { ...event, sameRequest }, call)).toStrictEqual(
        deferred(refused("payment_refund_due"))
      )
  })

  it("is voided where it can't be paid any more: the work was done for nothing", () => {
    expect(next(reopen({ _tag: "NotPaid" }), isReopened, reconciler)).toStrictEqual(voided(true, closed))
  })
})
