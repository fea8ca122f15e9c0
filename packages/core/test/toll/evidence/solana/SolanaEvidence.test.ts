import { describe, expect, it } from "vitest"
import type { Authorization } from "../../../../src/domain/PaymentPayload.ts"
import {
  messageUse,
  notMoved,
  solanaEvidenceOf
} from "../../../../src/toll/evidence/solana/SolanaEvidence.ts"
import type { LandedTransaction } from "../../../../src/toll/evidence/solana/SolanaNode.ts"
import { nonceOf } from "../../../../src/toll/exact/SignedPayment.ts"
import {
  addressOf,
  base64Of,
  devnet,
  memo,
  paymentInstructions,
  solanaPayTo,
  solanaV1,
  thief,
  tokenAccountOf,
  transaction,
  transactionBytes,
  type TransactionOptions,
  wallet
} from "../../solana.ts"

const payment = solanaV1()
const authorization: Authorization = {
  from: wallet.address,
  to: solanaPayTo,
  value: "10000",
  validAfter: "0",
  validBefore: "1700000090",
  nonce: nonceOf(payment)
}
const expected = { digest: payment.payload.transaction.digest, mint: devnet.asset }

/** The payee's balance in a transaction; `undefined`: it has no account. */
interface Change {
  readonly before?: string | undefined
  readonly after?: string | undefined
  readonly owner?: string
  readonly mint?: string
  readonly err?: unknown
  readonly options?: TransactionOptions
}

const landed = (change: Change = {}): LandedTransaction => {
  const { err = null, mint = devnet.asset, options = {}, owner = solanaPayTo } = change
  const { after = "15000", before = "5000" } = change
  const accountIndex = transaction(options).accounts.indexOf(tokenAccountOf(solanaPayTo))
  // The payer's own balance comes first.
  const payers = { accountIndex: 2, mint: devnet.asset, owner: solanaPayTo, uiTokenAmount: { amount: "1" } }
  const balance = (amount: string | undefined) =>
    amount === "none" ? [payers] : [payers, { accountIndex, mint, owner, uiTokenAmount: { amount: amount! } }]
  return {
    slot: 100,
    blockTime: 1_700_000_010,
    meta: { err, preTokenBalances: balance(before), postTokenBalances: balance(after) },
    transaction: [
      base64Of(transactionBytes({ feePayerSignature: new Uint8Array(64).fill(4), ...options })),
      "base64"
    ]
  }
}

const useOf = (change?: Change) => messageUse(landed(change), authorization, expected)

describe("a transaction on the chain", () => {
  it("with the payment's message proves it, whoever signed as fee payer", () => {
    expect(useOf()).toBe("Paid")
  })

  const others: ReadonlyArray<readonly [string, TransactionOptions]> = [
    ["another blockhash", { blockhash: addressOf("later") }],
    ["another memo", { instructions: paymentInstructions({ memo: "another" }) }],
    ["one more instruction", { instructions: [...paymentInstructions(), memo("more")] }],
    ["another form of message", { version: "legacy" }]
  ]
  it.each(others)("with %s proves nothing, although it moved the same", (_, options) => {
    expect(useOf({ options })).toBe("Absent")
  })

  it("without balances doesn't pay", () => {
    const meta = { err: null, preTokenBalances: null, postTokenBalances: null }
    expect(messageUse({ ...landed(), meta }, authorization, expected)).toBe("PaidOtherwise")
  })

  it("of a node that names no owners pays the account that its message names", () => {
    const { meta, ...rest } = landed()
    const without = (balances: typeof meta.postTokenBalances) =>
      (balances ?? []).map(({ accountIndex, mint, uiTokenAmount }) => ({ accountIndex, mint, uiTokenAmount }))
    const anonymous = {
      err: null,
      preTokenBalances: without(meta.preTokenBalances),
      postTokenBalances: without(meta.postTokenBalances)
    }
    expect(messageUse({ ...rest, meta: anonymous }, authorization, expected)).toBe("Paid")
  })

  it("that is unreadable proves nothing", () => {
    expect(messageUse({ ...landed(), transaction: ["AAAA", "base64"] }, authorization, expected)).toBe(
      "Absent"
    )
  })

  it.each<readonly [string, Change, string]>([
    ["failed", { err: { InstructionError: [2, { Custom: 1 }] } }, "Failed"],
    ["moved less, as a token with a fee does", { after: "14999" }, "PaidOtherwise"],
    ["moved more", { after: "15001" }, "PaidOtherwise"],
    ["left the payee without an account", { after: "none" }, "PaidOtherwise"],
    ["found the payee without an account", { before: "none" }, "PaidOtherwise"],
    ["paid another owner", { owner: thief.address }, "PaidOtherwise"],
    ["paid in another token", { mint: addressOf("worthless") }, "PaidOtherwise"]
  ])("with the payment's message that %s doesn't pay", (_, change, use) => {
    expect(useOf(change)).toBe(use)
  })

  it("with a message that is no payment doesn't pay", () => {
    const options = { instructions: [memo("nothing")] }
    const { digest } = transaction(options)
    const nothing = {
      ...landed(),
      transaction: [base64Of(transactionBytes(options)), "base64"] as const
    }
    expect(messageUse(nothing, authorization, { ...expected, digest })).toBe("PaidOtherwise")
  })
})

describe("its evidence", () => {
  const block = { slot: 100, blockTime: 1_700_000_010 }
  const at = (slot: number) => ({ slot, seconds: 1_700_000_020 })
  const moved = { _tag: "Moved", transaction: "id", logIndex: 2, atSeconds: 1_700_000_010 }

  it.each([
    ["Paid", 100, { ...moved, isFinal: true }],
    ["Paid", 99, { ...moved, isFinal: false }],
    ["PaidOtherwise", 100, { _tag: "NotPaid", reason: "used_otherwise" }],
    ["PaidOtherwise", 99, { _tag: "Unavailable" }],
    ["Failed", 100, { _tag: "NotPaid", reason: "failed" }],
    ["Failed", 99, { _tag: "Unavailable" }]
  ] as const)("of %s while slot %i is final", (use, slot, evidence) => {
    expect(solanaEvidenceOf(use, "id", block, at(slot))).toEqual(evidence)
  })

  it("is none without the time of its block", () => {
    expect(solanaEvidenceOf("Paid", "id", { slot: 100, blockTime: null }, at(100))).toEqual({
      _tag: "Unavailable"
    })
  })
})

describe("a message that is in no block", () => {
  const end = Number(authorization.validBefore)
  it.each([
    ["blockhash accepted, long past its end", 900, 900, true, 0],
    ["blockhash accepted, before its end", -50, -50, true, -50],
    ["blockhash gone, past its end by both clocks", 30, 40, false, 30],
    ["blockhash gone, our clock behind", 900, -10, false, -10],
    ["blockhash gone, the chain's clock behind", -10, 900, false, -10]
  ])("%s", (_, chain, ours, acceptsBlockhash, expected) => {
    const clock = { slot: 1, seconds: end + chain }
    expect(notMoved(authorization, clock, { acceptsBlockhash, nowSeconds: end + ours + 0.9 })).toEqual({
      _tag: "NotMoved",
      chainTimeSeconds: end + expected
    })
  })
})
