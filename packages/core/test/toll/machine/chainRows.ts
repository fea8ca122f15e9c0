import type { ChainEvidence } from "../../../src/toll/evidence/Chain.ts"
import type { ChainQuery, ChargeStep } from "../../../src/toll/machine/ChargeStep.ts"
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
export const completed = {
  _tag: "Complete",
  transaction,
  proof,
  refundDue: false
} as const satisfies ChargeStep
export const unproven = { ...completed, proof: { ...proof, isFinal: false } } as const satisfies ChargeStep

export const queryStep = (query: ChainQuery): ChargeStep => ({ _tag: "QueryChain", query })
export const row = (
  what: string,
  facts: Row[1],
  step: ChargeStep,
  evidence: ChainEvidence,
  expected: ChargeStep
): Row => [what, facts, step, { _tag: "Seen", evidence }, expected]

const before = queryStep({ _tag: "Before" })
const proving = queryStep({ _tag: "Proof", transaction: "0x1", reason: "timeout" })

export const attempts: ReadonlyArray<Row> = [
  ...[before, proving].flatMap((step): ReadonlyArray<Row> => [
    row("moved it", call, step, moved, completed),
    row("moved it a moment ago", call, step, fresh, unproven),
    row("moved it before its claim", call, step, earlier, voided(true, already)),
    row("moved it before its claim, seen later", reconciler, step, earlier, voided(true, already)),
    row(
      "moved it before its claim, and settles first",
      { ...call, ...workDue },
      step,
      earlier,
      voided(false, already)
    ),
    row("was canceled", call, step, canceled, voided(true, refused("payment_canceled"))),
    row("was used otherwise", call, step, usedOtherwise, voided(true, refused("payment_nonce_used"))),
    row("failed on the chain", call, step, failedOnChain, voided(true, refused("payment_failed"))),
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

export const refund = { ...completed, refundDue: true } as const satisfies ChargeStep

export const charge = chargeIn("settled", { awaitsFinality: true })
