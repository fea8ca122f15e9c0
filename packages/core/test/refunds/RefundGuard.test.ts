import { describe, expect, it } from "vitest"
import { judgePayment, judgeStart, type RefundVerdict } from "../../src/refunds/RefundGuard.ts"
import type { RefundStart } from "../../src/ports/Charges.ts"
import type { ChainEvidence } from "../../src/toll/evidence/Chain.ts"

const validBeforeSeconds = 1_000
const receipt = { success: true, transaction: "0xab", network: "eip155:84532", payer: "0xp" } as const
const charge = { receipt, transferLogIndex: 5, awaitsFinality: false, validBeforeSeconds }
const moved: ChainEvidence = {
  _tag: "Moved",
  transaction: "0xab",
  logIndex: 5,
  atSeconds: 900,
  isFinal: true
}

const send: RefundVerdict = { _tag: "Send" }
const later: RefundVerdict = { _tag: "Later" }
const stop = (reason: Extract<RefundVerdict, { _tag: "Stop" }>["reason"]): RefundVerdict => ({
  _tag: "Stop",
  reason
})

describe("a refund of a payment", () => {
  const reported = { ...charge, transferLogIndex: undefined }
  const cases: ReadonlyArray<
    readonly [string, typeof charge | typeof reported, ChainEvidence | undefined, RefundVerdict]
  > = [
    ["proven and final is sent", charge, moved, send],
    ["proven, in other letters, is sent", charge, { ...moved, transaction: "0xAB" }, send],
    [
      "that only a facilitator reported, and the chain shows, is sent",
      reported,
      { ...moved, transaction: "0xcd" },
      send
    ],
    ["on a chain that can't be read is sent", charge, undefined, send],
    ["that is not final waits", charge, { ...moved, isFinal: false }, later],
    ["that the reconciler has not finalized waits", { ...charge, awaitsFinality: true }, moved, later],
    [
      "that the reconciler may reopen waits: used up",
      { ...charge, awaitsFinality: true },
      { _tag: "NotPaid", reason: "canceled" },
      later
    ],
    [
      "that the reconciler may reopen waits: expired",
      { ...charge, awaitsFinality: true },
      { _tag: "NotMoved", chainTimeSeconds: 1_000 },
      later
    ],
    [
      "that the reconciler may reopen waits: elsewhere",
      { ...charge, awaitsFinality: true },
      { ...moved, logIndex: 6 },
      later
    ],
    ["with too few confirmations waits", charge, { _tag: "Confirming", transaction: "0xab" }, later],
    ["on a chain that fails waits", charge, { _tag: "Unavailable" }, later],
    ["that is unused and can still move waits", charge, { _tag: "NotMoved", chainTimeSeconds: 999 }, later],
    [
      "that expired unused stops refunds",
      charge,
      { _tag: "NotMoved", chainTimeSeconds: 1_000 },
      stop("payment_not_on_chain")
    ],
    [
      "that was canceled stops refunds",
      charge,
      { _tag: "NotPaid", reason: "canceled" },
      stop("payment_not_on_chain")
    ],
    [
      "whose nonce paid nothing stops refunds",
      reported,
      { _tag: "NotPaid", reason: "used_otherwise" },
      stop("payment_not_on_chain")
    ],
    [
      "proven by another transfer stops refunds",
      charge,
      { ...moved, logIndex: 6 },
      stop("payment_differs_from_record")
    ],
    [
      "proven by another transaction stops refunds",
      charge,
      { ...moved, transaction: "0xcd" },
      stop("payment_differs_from_record")
    ]
  ]
  it.each(cases)("%s", (_, refunded, evidence, verdict) => {
    expect(judgePayment(refunded, evidence)).toEqual(verdict)
  })
})

it.each<readonly [RefundStart["_tag"], RefundVerdict]>([
  ["Started", send],
  ["NotDue", later],
  ["OverLimit", { _tag: "OverLimit" }],
  ["ExceedsReceived", stop("refunds_exceed_receipts")]
])("a refund that the store finds %s", (_tag, verdict) => {
  expect(judgeStart({ _tag })).toEqual(verdict)
})
