import { describe, expect, it } from "vitest"
import type { ChargeEvent, CompleteStep, Plan } from "../../../src/toll/machine/ChargeStep.ts"
import { next } from "./nextStep.ts"
import {
  call,
  chargeIn,
  closed,
  deferred,
  deferredUnknown,
  left,
  proof,
  receipt,
  reconciler,
  refused,
  rolledBack,
  type Row,
  settleAgain,
  validBeforeSeconds,
  voided,
  workDue
} from "./machineRows.ts"
import {
  canceled,
  charge,
  completed,
  confirming,
  expired,
  fresh,
  moved,
  notMoved,
  queryFirst,
  row,
  transaction,
  unavailable,
  unproven,
  usedOtherwise
} from "./chainRows.ts"
import { takeOver } from "./requestRows.ts"
import { finalized } from "./settlementRows.ts"

const later = deferred(closed, "backoff")
const finality = (changes: Parameters<typeof chargeIn>[1] = {}): Plan =>
  queryFirst({ _tag: "Finality", charge: { ...charge, ...changes } }, later)
const reopen = (plan: Plan): Plan => [{ _tag: "Reopen" }, ...plan]
const sent = { refund: { _tag: "Sent", transaction: "0xback" } } as const
/** Its refund was sent, and its settlement undone. */
const refunded = (state: "ready" | "voided"): Plan =>
  queryFirst({ _tag: "Finality", charge: chargeIn(state, sent) }, later)
const elsewhere = (
  refund: CompleteStep["refund"],
  changes: { readonly transaction?: string; readonly logIndex?: number }
) =>
  reopen(
    completed(refund, {
      transaction: changes.transaction ?? transaction,
      proof: { logIndex: changes.logIndex ?? 3, isFinal: true }
    })
  )

const checks: ReadonlyArray<Row> = [
  row("stands for good", reconciler, finality(), moved, finalized),
  row(
    "stands for good, in other letters",
    reconciler,
    finality({ receipt: { ...receipt, transaction: "0xAB" } }),
    { ...moved, transaction: "0xab" },
    finalized
  ),
  row(
    "stands for good, in other letters of the node",
    reconciler,
    finality({ receipt: { ...receipt, transaction: "0xab" } }),
    { ...moved, transaction: "0xAB" },
    finalized
  ),
  row("stands so far", reconciler, finality(), fresh, later),
  row(
    "stands elsewhere",
    reconciler,
    finality(),
    { ...moved, logIndex: 4 },
    elsewhere("none", { logIndex: 4 })
  ),
  row(
    "stands in another transaction",
    reconciler,
    finality({ refund: { _tag: "Due", startedAtMillis: undefined } }),
    { ...moved, transaction: "0xother" },
    elsewhere("due", { transaction: "0xother" })
  ),
  row(
    "stands, and was never recorded",
    reconciler,
    finality({ receipt: undefined }),
    moved,
    elsewhere("none", {})
  ),
  row("stands for good, its refund sent", reconciler, finality(sent), moved, finalized),
  row("stands so far, its refund sent", reconciler, finality(sent), fresh, later),
  row(
    "stands in another transaction, its refund sent",
    reconciler,
    finality(sent),
    { ...moved, transaction: "0xother" },
    elsewhere("due", { transaction: "0xother" })
  ),
  ...[expired, { ...notMoved, chainTimeSeconds: 451 }, canceled, usedOtherwise, confirming, unavailable].map(
    (evidence) =>
      row(`${evidence._tag}, its refund sent: is left`, reconciler, finality(sent), evidence, later)
  ),
  ...(["ready", "voided"] as const).flatMap((state): ReadonlyArray<Row> => [
    row(`moved it, refunded and ${state}`, reconciler, refunded(state), moved, completed("sent")),
    row(`moved it a moment ago, refunded and ${state}`, reconciler, refunded(state), fresh, unproven("sent")),
    ...[expired, canceled, usedOtherwise, confirming, unavailable].map((evidence) =>
      row(`${evidence._tag}, refunded and ${state}: is left`, reconciler, refunded(state), evidence, later)
    )
  ]),
  // Settled at 450 s: a block of that very second may have been made before.
  row("is gone", reconciler, finality(), { ...notMoved, chainTimeSeconds: 451 }, reopen(settleAgain)),
  row("is not there yet", reconciler, finality(), { ...notMoved, chainTimeSeconds: 450 }, later),
  row(
    "is gone, settled nobody knows when",
    reconciler,
    finality({ settledAtMillis: undefined }),
    { ...notMoved, chainTimeSeconds: 1 },
    reopen(settleAgain)
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
      reopen(isVoided ? later : settleAgain)
    )
  ),
  row("was undone by a cancellation", reconciler, finality(), canceled, reopen(voided(true, closed))),
  row("was undone by another use", reconciler, finality(), usedOtherwise, reopen(voided(true, closed))),
  row("waits for confirmations", reconciler, finality(), confirming, later),
  row("can't be seen", reconciler, finality(), unavailable, later)
]

describe.each([["a settlement", checks]] as const)("%s", (_, rows) => {
  it.each(rows)("%s", (_, facts, plan, event, expected) => {
    expect(next(plan, event, facts)).toStrictEqual(expected)
  })
})

describe("a charge that was reopened", () => {
  it("is checked again soon where the work follows its settlement: its transfer is likely to come back", () => {
    const gone: ChargeEvent = { _tag: "Seen", evidence: expired }
    const facts = { ...reconciler, ...workDue }
    expect(next(finality({ response: undefined, settlesFirst: true }), gone, facts)).toStrictEqual(
      reopen(later)
    )
  })

  it("completes as refunded where its refund was sent meanwhile, and else is left", () => {
    const isRefunded: ChargeEvent = { _tag: "Reopened", reopened: true, isRefunded: true }
    const other = { transaction: "0xother", proof }
    expect(next(reopen(completed("none", other)), isRefunded, reconciler)).toStrictEqual(
      completed("sent", other)
    )
    for (const planned of [settleAgain, later, voided(true, closed)])
      expect(next(reopen(planned), isRefunded, reconciler)).toStrictEqual(later)
  })

  it.each(["Due", "Sent"] as const)("is left where it is settled for good, its refund %s", (_tag) => {
    const refund = _tag === "Due" ? ({ _tag, startedAtMillis: undefined } as const) : sent.refund
    const found = chargeIn("settled", { refund })
    const event = { _tag: "Taken", charge: found, sameRequest: true, readable: true, nowMillis: 1 } as const
    expect(next(takeOver, event, reconciler)).toStrictEqual(left(closed))
  })

  it("sets nothing off once its refund was sent", () => {
    const event = { _tag: "Completed", receipt, refundDue: false } as const
    expect(next(completed("sent"), event, reconciler)).toStrictEqual(rolledBack({ _tag: "Paid", receipt }))
  })

  it("is never voided once its refund was sent, whichever charge has its transfer", () => {
    const taken = (attempts: number) => ({ _tag: "TransferTaken", attempts }) as const
    for (const attempts of [0, 3, 4, 100])
      expect(next(completed("sent"), taken(attempts), reconciler)).toStrictEqual(deferredUnknown())
    expect(next(completed("due"), taken(4), reconciler)[0]._tag).toBe("Void")
  })

  it.each(["ready", "voided"] as const)("is taken on by the reconciler, refunded and %s", (state) => {
    const event = {
      _tag: "Taken",
      charge: chargeIn(state, sent),
      sameRequest: true,
      readable: true,
      nowMillis: validBeforeSeconds * 1_000 + 1
    } as const
    expect(next(takeOver, event, reconciler)).toStrictEqual(refunded(state))
    expect(next(takeOver, event, { ...reconciler, canReadChain: false })).toStrictEqual(later)
    for (const sameRequest of [true, false])
      expect(next(takeOver, { ...event, sameRequest }, call)).toStrictEqual(
        deferred(refused("payment_refund_due"))
      )
  })
})
