import type { ChainEvidence } from "../../../src/toll/evidence/Chain.ts"
import type { ChainQuery, CompleteStep, Plan } from "../../../src/toll/machine/ChargeStep.ts"
import {
  call,
  chargeIn,
  closed,
  finalitySeconds,
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

export const transaction = receipt.transaction
export const moved = {
  _tag: "Moved",
  transaction,
  logIndex: 3,
  atSeconds: 450,
  isFinal: true
} as const satisfies ChainEvidence
/** On the chain before its claim. */
export const earlier = { ...moved, precedesClaim: true } as const satisfies ChainEvidence
export const fresh = { ...moved, isFinal: false } as const satisfies ChainEvidence
export const confirming = { _tag: "Confirming", transaction } as const satisfies ChainEvidence
export const notMoved = {
  _tag: "NotMoved",
  chainTimeSeconds: validBeforeSeconds + finalitySeconds
} as const satisfies ChainEvidence
export const expired = {
  _tag: "NotMoved",
  chainTimeSeconds: validBeforeSeconds + finalitySeconds + 1
} as const satisfies ChainEvidence
export const canceled = { _tag: "NotPaid", reason: "canceled" } as const satisfies ChainEvidence
/** On Solana. */
export const failedOnChain = { _tag: "NotPaid", reason: "failed" } as const satisfies ChainEvidence
export const usedOtherwise = { _tag: "NotPaid", reason: "used_otherwise" } as const satisfies ChainEvidence
export const unavailable = { _tag: "Unavailable" } as const satisfies ChainEvidence

export const already = refused("payment_already_used")
export const completed = (
  refund: CompleteStep["refund"],
  changes: Partial<CompleteStep> = {}
): Plan<CompleteStep> => [{ _tag: "Complete", transaction, proof, refund, ...changes }]
export const unproven = (refund: CompleteStep["refund"]): Plan<CompleteStep> =>
  completed(refund, { proof: { ...proof, isFinal: false } })

/** A query, and the plan that follows if the chain shows nothing new. */
export const queryFirst = (query: ChainQuery, plan: Plan): Plan => [{ _tag: "QueryChain", query }, ...plan]
export const row = (
  what: string,
  facts: Row[1],
  plan: Plan,
  evidence: ChainEvidence,
  expected: Plan
): Row => [what, facts, plan, { _tag: "Seen", evidence }, expected]

const before = queryFirst({ _tag: "Proof", transaction: undefined }, settleAgain)
const unasked = queryFirst({ _tag: "Proof", transaction: undefined }, deferred(closed))
const proving = queryFirst({ _tag: "Proof", transaction: "0x1" }, deferredUnknown("timeout"))

export const attempts: ReadonlyArray<Row> = [
  ...[before, proving].flatMap((plan): ReadonlyArray<Row> => [
    row("moved it", call, plan, moved, completed("none")),
    row("moved it a moment ago", call, plan, fresh, unproven("none")),
    row("moved it before its claim", call, plan, earlier, voided(false, already)),
    row("moved it before its claim, seen later", reconciler, plan, earlier, voided(false, already)),
    row(
      "moved it before its claim, and settles first",
      { ...call, ...workDue },
      plan,
      earlier,
      voided(false, already)
    ),
    row("was canceled", call, plan, canceled, voided(true, refused("payment_canceled"))),
    row("was used otherwise", call, plan, usedOtherwise, voided(true, refused("payment_nonce_used"))),
    row("failed on the chain", call, plan, failedOnChain, voided(true, refused("payment_failed"))),
    row(
      "was canceled before any work",
      { ...call, ...workDue },
      plan,
      canceled,
      voided(false, refused("payment_canceled"))
    ),
    row("expired", reconciler, plan, expired, voided(true, refused("payment_expired"))),
    row(
      "expired before any work",
      { ...call, ...workDue },
      plan,
      expired,
      voided(false, refused("payment_expired"))
    ),
    row("waits for confirmations", call, plan, confirming, deferredUnknown())
  ]),
  row("expires now", call, before, notMoved, settleAgain),
  row("has not moved, with a caller waiting", { ...call, ...workDue }, before, notMoved, settleAgain),
  row("can't be seen", call, before, unavailable, settleAgain),
  row(
    "has not moved, with nobody waiting",
    { ...reconciler, ...workDue },
    unasked,
    notMoved,
    deferred(closed)
  ),
  row("is not shown yet", call, proving, notMoved, deferredUnknown("timeout")),
  row("can't be shown", call, proving, unavailable, deferredUnknown("timeout"))
]

export const charge = chargeIn("settled", { awaitsFinality: true })
