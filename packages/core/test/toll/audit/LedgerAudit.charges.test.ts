import { describe, expect, it } from "vitest"
import { settledChargeOf } from "../../../src/ports/chargeRules.ts"
import { type Charge, type LedgerEntry } from "../../../src/ports/Charges.ts"
import { sampleResponse, sampleCharge, sampleReceipt } from "../../../../testing/src/stores/records.ts"
import { faultsOf, overRefunded } from "../../../src/toll/audit/LedgerAudit.ts"
import { property } from "../../domain/seeded.ts"

const settled = (changes: Partial<Charge> = {}): Charge => ({
  ...sampleCharge(),
  state: "settled",
  leaseOwner: "me",
  leaseUntilMillis: 0,
  attempts: 0,
  checkAfterMillis: 0,
  response: sampleResponse(),
  responseExpiredAtMillis: undefined,
  subject: undefined,
  effectPending: false,
  receipt: sampleReceipt(),
  transferLogIndex: undefined,
  reportedBy: undefined,
  awaitsFinality: false,
  refusedDigest: "",
  reopenings: 0,
  responseOwedUntilMillis: undefined,
  settledAtMillis: 2_000,
  refund: undefined,
  ...changes
})

const entryOf = (
  { amountAtomic, asset, key, network, operation, payTo, payer, receipt }: Charge,
  changes: Partial<LedgerEntry> = {}
): LedgerEntry => ({
  kind: "settled",
  chargeKey: key,
  atMillis: 2_000,
  operation,
  network,
  asset,
  payer,
  payTo,
  amountAtomic,
  transaction: receipt?.transaction,
  transferLogIndex: undefined,
  round: 0,
  ...changes
})

describe("a settled charge", () => {
  const due = { refund: { _tag: "Due", startedAtMillis: undefined } } as const
  const sent = { refund: { _tag: "Sent", transaction: "0x2" } } as const
  const good: ReadonlyArray<readonly [string, Charge, ReadonlyArray<Partial<LedgerEntry>>]> = [
    ["with its response", settled(), [{}]],
    ["whose response has expired", settled({ response: undefined, responseExpiredAtMillis: 3_000 }), [{}]],
    ["that is owed back", settled({ response: undefined, ...due }), [{}, { kind: "refund_due" }]],
    ["that was sent back", settled(sent), [{}, { kind: "refund_due" }, { kind: "refunded" }]],
    ["whose response is owed", settled({ response: undefined, responseOwedUntilMillis: 3_000 }), [{}]],
    ["with its transfer", settled({ transferLogIndex: 7 }), [{ transferLogIndex: 7 }]],
    [
      "that a reorganization undid, refund and all, and that settled again",
      settled({ reopenings: 1 }),
      [{ transaction: "0x9" }, { kind: "refund_due" }, { kind: "reversed", transaction: "0x9" }, { round: 1 }]
    ],
    [
      "that was sent back, undone and paid by another transfer",
      settled({ reopenings: 1, ...sent }),
      [
        { transaction: "0x9" },
        { kind: "refund_due" },
        { kind: "refunded" },
        { kind: "reversed", transaction: "0x9" },
        { round: 1 }
      ]
    ],
    [
      "that was sent back, and undone twice",
      settled({ reopenings: 2, ...sent }),
      [
        {},
        { kind: "reversed" },
        { round: 1 },
        { kind: "refund_due", round: 1 },
        { kind: "refunded", round: 1 },
        { kind: "reversed", round: 1 },
        { round: 2 }
      ]
    ],
    ["that was undone, cleared, and paid anew", settled(), [{}, { kind: "reversed" }, { round: 1 }]]
  ]
  it.each(good)("%s is in order", (_, charge, entries) => {
    expect(
      faultsOf(
        settledChargeOf(charge)!,
        entries.map((changes) => entryOf(charge, changes))
      )
    ).toEqual([])
  })

  const bad: ReadonlyArray<readonly [string, Charge, ReadonlyArray<Partial<LedgerEntry>>]> = [
    ["settled without a receipt", settled({ receipt: undefined }), [{}]],
    ["settled without a response or a refund", settled({ response: undefined }), [{}]],
    ["settled without a ledger entry", settled(), []],
    ["entered with another amount", settled(), [{ amountAtomic: "1" }]],
    ["entered with another transaction than its receipt's", settled(), [{ transaction: "0x9" }]],
    ["its refund and the ledger's refund_due disagree", settled(), [{}, { kind: "refund_due" }]],
    ["its refund and the ledger's refunded disagree", settled(sent), [{}, { kind: "refund_due" }]],
    [
      "entered with another transfer than its own",
      settled({ transferLogIndex: 7 }),
      [{ transferLogIndex: 8 }]
    ],
    ["entered more than once", settled(), [{}, {}]],
    ["settled without a ledger entry", settled(), [{}, { kind: "reversed" }]],
    [
      "settled again, but its first settlement is not reversed",
      settled({ reopenings: 1 }),
      [{}, { round: 1 }]
    ],
    [
      "its refund and the ledger's refund_due disagree",
      settled({ reopenings: 1, ...due }),
      [{}, { kind: "refund_due" }, { kind: "reversed" }, { round: 1 }]
    ],
    [
      "its refund and the ledger's refunded disagree",
      settled({ reopenings: 1 }),
      [{}, { kind: "refund_due" }, { kind: "refunded" }, { kind: "reversed" }, { round: 1 }]
    ],
    [
      "its refund and the ledger's refund_due disagree",
      settled({ reopenings: 1, ...sent }),
      [
        {},
        { kind: "refund_due" },
        { kind: "refunded" },
        { kind: "reversed" },
        { round: 1 },
        { kind: "refund_due", round: 1 }
      ]
    ]
  ]
  it.each(bad)("%s: a fault", (fault, charge, entries) => {
    expect(
      faultsOf(
        settledChargeOf(charge)!,
        entries.map((changes) => entryOf(charge, changes))
      )
    ).toContain(fault)
  })
})

describe("refunds", () => {
  const charge = settled()
  const exceeds = (...changes: ReadonlyArray<Partial<LedgerEntry>>): boolean =>
    overRefunded(new Map([[charge.key, changes.map((change) => entryOf(charge, change))]])).length > 0

  it("never exceed what was settled and not reversed", () => {
    expect(exceeds({}, { kind: "refund_due" }, { kind: "refunded" })).toBe(false)
    expect(exceeds({}, { kind: "reversed" }, { round: 1 }, { kind: "refunded", round: 1 })).toBe(false)
    expect(exceeds({ kind: "refunded" })).toBe(true)
    expect(exceeds({}, { kind: "refunded" }, { kind: "refunded", round: 1 })).toBe(true)
    expect(exceeds({}, { kind: "reversed" }, { kind: "refunded" })).toBe(true)
    expect(exceeds({ amountAtomic: "9" }, { amountAtomic: "10", kind: "refunded" })).toBe(true)
    expect(exceeds({}, { kind: "refunded", payer: "0xother" })).toBe(true)
  })

  const kinds = ["settled", "settled", "refunded", "reversed", "refund_due"] as const
  property("of a payer never exceed receipts where those of no charge do", 300, (dice) => {
    const entries = Array.from({ length: 1 + dice.below(8) }, () =>
      entryOf(charge, {
        chargeKey: dice.pick(["a", "b", "c"]),
        payer: dice.pick(["0xp", "0xq"]),
        kind: dice.pick(kinds),
        amountAtomic: String(dice.below(4))
      })
    )
    const over = overRefunded(Map.groupBy(entries, ({ chargeKey }) => chargeKey))
    const sumOf = (payer: string): bigint =>
      entries
        .filter((entry) => entry.payer === payer && entry.kind !== "refund_due")
        .reduce(
          (sum, { amountAtomic, kind }) => sum + BigInt(amountAtomic) * (kind === "settled" ? 1n : -1n),
          0n
        )
    for (const payer of ["0xp", "0xq"]) if (sumOf(payer) < 0n) expect(over).not.toEqual([])
  })
})
