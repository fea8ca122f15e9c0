import { describe, expect, it } from "vitest"
import { toBase58 } from "../../../src/domain/Base58.ts"
import { associatedTokenAccount } from "../../../src/domain/SolanaAddress.ts"
import { foreignTransaction, isSignedByPayer, quoteMemo } from "../../../src/toll/exact/Solana.ts"
import { judge, type PaymentOffer, type Verdict } from "../../../src/toll/request/Verdict.ts"
import { property, shareOfRuns } from "../../domain/seeded.ts"
import { offer as evmOffer, payloadV1, payloadV2 } from "../payments.ts"
import {
  addressOf,
  computePrice,
  feePayer,
  type Instruction,
  lighthouse,
  memo,
  paymentInstructions,
  requirements,
  solanaOffer,
  solanaPayTo,
  solanaV1,
  solanaV2,
  systemProgram,
  thief,
  token2022Program,
  tokenAccountOf,
  transaction,
  type TransactionOptions,
  transfer,
  wallet
} from "../solana.ts"

const request = {
  resourceUrl: "https://shop.example/x402/search",
  workSeconds: 20,
  nowSeconds: 1_700_000_000
}
const codeOf = (verdict: Verdict): string =>
  verdict._tag === "Accepted" ? "accepted" : verdict.refusal.code.replace("invalid_exact_svm_", "")
const judged = (options: TransactionOptions, offer = solanaOffer): string => {
  const codes = [solanaV1(options), solanaV2(options)].map((payment) =>
    codeOf(judge(payment, [offer], request))
  )
  expect(new Set(codes).size).toBe(1)
  return codes[0]!
}
const withInstructions = (...instructions: ReadonlyArray<Instruction>) => judged({ instructions })
const [limit, price, own, note] = paymentInstructions()

describe("a payment on Solana", () => {
  const accepted: ReadonlyArray<readonly [string, ReadonlyArray<Instruction>]> = [
    ["of an official client", paymentInstructions()],
    ["without a memo, as the first version-1 clients make it", [limit!, price!, own!]],
    [
      "with the checks of a wallet",
      [...paymentInstructions(), { program: lighthouse, accounts: [], data: [1] }]
    ],
    ["with as many instructions as allowed", [limit!, price!, own!, note!, note!, note!, note!]],
    ["with the highest price of compute units", [limit!, computePrice(5_000_000n), own!]]
  ]
  it.each(accepted)("%s is accepted", (_, instructions) => {
    expect(judged({ instructions })).toBe("accepted")
    expect(judged({ instructions, version: "legacy" })).toBe("accepted")
  })

  it("of a Token-2022 mint is accepted where the offer is in it, and only there", () => {
    const mint = addressOf("dollar")
    const source = associatedTokenAccount(wallet.address, mint, token2022Program)
    const instructions = [limit!, price!, transfer({ program: token2022Program, mint, source })]
    const offer = {
      ...solanaOffer,
      requirements: { ...requirements, asset: mint },
      solana: { ...solanaOffer.solana!, tokenProgram: token2022Program }
    }
    const payment = { ...solanaV1({ instructions }) }
    expect(codeOf(judge(payment, [offer], request))).toBe("accepted")
    expect(judged({ instructions })).toBe("payload_no_transfer_instruction")
  })

  it("names the fee payer of the transaction from then on", () => {
    const other = addressOf("second fee payer")
    const offer = { ...solanaOffer, solana: { ...solanaOffer.solana!, isFeePayer: () => true } }
    const verdict = judge(solanaV2({ feePayer: other }), [offer], request)
    expect(verdict).toMatchObject({
      _tag: "Accepted",
      offer: { requirements: { extra: { feePayer: other } } }
    })
    expect(judge(solanaV2(), [offer], request)).toEqual({ _tag: "Accepted", offer })
  })

  it("for the fee payer of the offer is of the offer as it is", () => {
    const verdict = judge(solanaV2(), [solanaOffer], request)
    expect(verdict._tag === "Accepted" ? verdict.offer : verdict).toBe(solanaOffer)
  })
})

describe("is refused", () => {
  const transfers: ReadonlyArray<readonly [string, Parameters<typeof transfer>[0], string]> = [
    ["in another mint", { mint: addressOf("worthless") }, "payload_mint_mismatch"],
    [
      "to another owner's token account",
      { destination: tokenAccountOf(thief.address) },
      "payload_recipient_mismatch"
    ],
    [
      "to the wallet instead of its token account",
      { destination: solanaPayTo },
      "payload_recipient_mismatch"
    ],
    ["from another account of the payer", { source: addressOf("second account") }, "payload_source_mismatch"],
    ["from another wallet's account", { source: tokenAccountOf(thief.address) }, "payload_source_mismatch"],
    ["from the payee's own account", { source: tokenAccountOf(solanaPayTo) }, "payload_recipient_mismatch"],
    ["of less", { amount: 9_999n }, "payload_amount_mismatch"],
    ["of more", { amount: 10_001n }, "payload_amount_mismatch"],
    ["of a multiple of 2^64 and the amount", { amount: 0n }, "payload_amount_mismatch"],
    ["of another program", { program: token2022Program }, "payload_no_transfer_instruction"],
    ["with other decimals", { decimals: 9 }, "payload_no_transfer_instruction"],
    ["signed for by nobody", { authority: thief.address }, "payload_no_transfer_instruction"],
    ["of the fee payer's money", { authority: feePayer }, "payload_transaction_fee_payer_transferring_funds"]
  ]
  it.each(transfers)("a transfer %s", (_, options, code) => {
    expect(withInstructions(limit!, price!, transfer(options))).toBe(code)
  })

  const steal: Instruction = {
    program: systemProgram,
    accounts: [feePayer, wallet.address],
    data: [2, 0, 0, 0]
  }
  const layouts: ReadonlyArray<readonly [string, ReadonlyArray<Instruction>, string]> = [
    [
      "the limit of compute units set for another program",
      [{ ...limit!, program: lighthouse }, price!, own!],
      "payload_transaction_instructions_compute_limit_instruction"
    ],
    [
      "a transfer with one more byte",
      [limit!, price!, { ...own!, data: [...own!.data, 0] }],
      "payload_no_transfer_instruction"
    ],
    ["too few instructions", [limit!, price!], "payload_transaction_instructions_length"],
    [
      "too many instructions",
      [limit!, price!, own!, note!, note!, note!, note!, note!],
      "payload_transaction_instructions_length"
    ],
    [
      "no limit of compute units",
      [price!, limit!, own!],
      "payload_transaction_instructions_compute_limit_instruction"
    ],
    [
      "no price of compute units",
      [limit!, limit!, own!],
      "payload_transaction_instructions_compute_price_instruction"
    ],
    [
      "too high a price",
      [limit!, computePrice(5_000_001n), own!],
      "payload_transaction_instructions_compute_price_instruction_too_high"
    ],
    [
      "accounts in a limit",
      [{ ...limit!, accounts: [wallet.address] }, price!, own!],
      "payload_transaction_instructions_compute_limit_instruction"
    ],
    [
      "a limit with more bytes",
      [{ ...limit!, data: [...limit!.data, 0] }, price!, own!],
      "payload_transaction_instructions_compute_limit_instruction"
    ],
    ["no transfer", [limit!, price!, note!], "payload_no_transfer_instruction"],
    [
      "a transfer without a mint",
      [limit!, price!, { ...own!, data: [3, ...own!.data.slice(1, 9)] }],
      "payload_no_transfer_instruction"
    ],
    [
      "a transfer with one more account",
      [limit!, price!, { ...own!, accounts: [...own!.accounts, thief.address] }],
      "payload_no_transfer_instruction"
    ],
    ["a second transfer", [limit!, price!, own!, own!], "payload_unknown_optional_instruction"],
    [
      "an instruction that takes the fee payer's SOL",
      [limit!, price!, own!, steal],
      "payload_unknown_optional_instruction"
    ],
    [
      "a memo that the fee payer signs",
      [limit!, price!, own!, { ...note!, accounts: [feePayer] }],
      "payload_transaction_fee_payer_transferring_funds"
    ],
    [
      "wallet checks with the fee payer",
      [limit!, price!, own!, { program: lighthouse, accounts: [feePayer], data: [0] }],
      "payload_transaction_fee_payer_transferring_funds"
    ],
    [
      "the transfer behind another instruction",
      [limit!, price!, note!, own!],
      "payload_unknown_optional_instruction"
    ],
    [
      "a durable nonce",
      [{ program: systemProgram, accounts: [wallet.address], data: [4, 0, 0, 0] }, limit!, price!, own!],
      "payload_transaction_instructions_compute_limit_instruction"
    ]
  ]
  it.each(layouts)("%s", (_, instructions, code) => {
    expect(judged({ instructions })).toBe(code)
  })

  it("a fee payer that isn't the facilitator's, also the payer itself", () => {
    expect(judged({ feePayer: thief.address })).toBe("fee_payer_mismatch")
    expect(judged({ feePayer: wallet.address, signers: [] })).toBe("fee_payer_mismatch")
  })

  it("with a verdict that names itself", () => {
    expect(judge(solanaV2({ feePayer: thief.address }), [solanaOffer], request)).toEqual({
      _tag: "Refused",
      refusal: { code: "invalid_exact_svm_fee_payer_mismatch", message: expect.stringContaining("fee payer") }
    })
  })

  it("a third signer", () => {
    expect(judged({ signers: [wallet, thief] })).toBe("payload_excessive_signers")
    const alone = { ...solanaOffer, solana: { ...solanaOffer.solana!, isFeePayer: () => true } }
    expect(judged({ feePayer: wallet.address, signers: [] }, alone)).toBe("payload_excessive_signers")
  })

  it("a payment of version 2 whose accepted names another amount or payee", () => {
    for (const change of [{ amount: "1" }, { payTo: thief.address }, { payTo: solanaPayTo.toLowerCase() }]) {
      const payment = solanaV2()
      const changed =
        payment.x402Version === 2 ? { ...payment, accepted: { ...payment.accepted, ...change } } : payment
      expect(codeOf(judge(changed, [solanaOffer], request))).toBe("invalid_payment_requirements")
    }
  })

  it("a payment of the other kind of chain", () => {
    const asSolana = { ...payloadV1(), network: "solana-devnet" }
    expect(codeOf(judge(asSolana, [solanaOffer], request))).toBe("invalid_payload")
    const asEvm = { ...solanaV1(), network: "base-sepolia" }
    expect(codeOf(judge(asEvm as ReturnType<typeof solanaV1>, [evmOffer()], request))).toBe("invalid_payload")
    expect(codeOf(judge(payloadV2(), [solanaOffer], request))).toBe("unsupported_scheme_or_network")
  })

  property(
    "a payment with any byte of an instruction changed, unless it says the same",
    shareOfRuns(400),
    (dice) => {
      const instructions = paymentInstructions().map((instruction) => ({
        ...instruction,
        data: Uint8Array.from(instruction.data)
      }))
      const changed = instructions[dice.below(3)]!
      const index = dice.below(changed.data.length)
      changed.data[index]! ^= 1 + dice.below(255)
      // Limit and price of compute units may differ: they cost the facilitator, up to a bound.
      const isBudget = changed !== instructions[2] && index > 0
      const code = judged({ instructions })
      if (!isBudget) expect(code).not.toBe("accepted")
      else expect(code).toMatch(/^(accepted|.*compute_price_instruction_too_high)$/)
    }
  )
})

describe("the memos of a payment on Solana", () => {
  const [named, another] = ["1", "2"].map((digit) => quoteMemo(digit.repeat(32))) as [string, string]
  const quoted = { ...solanaOffer, requirements: { ...requirements, extra: { feePayer, memo: named } } }
  const random = "00112233445566778899aabbccddeeff"

  /** The memo of the requirements that facilitators get, or why the payment is refused. */
  const memoOf = (texts: ReadonlyArray<string>, offer: PaymentOffer): unknown => {
    const instructions = [limit!, price!, own!, ...texts.map(memo)]
    const results = [solanaV1({ instructions }), solanaV2({ instructions })].map((payment) => {
      const verdict = judge(payment, [offer], request)
      return verdict._tag === "Refused" ? codeOf(verdict) : verdict.offer.requirements.extra
    })
    expect(results[1]).toEqual(results[0])
    return results[0]
  }

  it.each([
    ["the memo of its quote", [named], { feePayer, memo: named }],
    ["none, as clients pay that don't know extra.memo", [], { feePayer }],
    ["a random one of the client", [random], { feePayer }],
    ["two of the client", [random, random], { feePayer }],
    ["a longer text than that of its quote", [`${named} `], { feePayer }],
    ["the memo of another quote", [another], "payload_memo_mismatch"],
    ["those of two quotes", [named, another], "payload_memo_mismatch"],
    ["that of its quote, twice", [named, named], "payload_memo_count"],
    ["that of its quote beside one of the client", [random, named], "payload_memo_count"]
  ])("for a quote: %s", (_, texts, expected) => {
    expect(memoOf(texts, quoted)).toEqual(expected)
  })

  it.each([
    ["none", [], { feePayer }],
    ["a random one of the client", [random], { feePayer }],
    ["the memo of a quote, which was signed for that alone", [named], "payload_memo_mismatch"]
  ])("for a fixed price: %s", (_, texts, expected) => {
    expect(memoOf(texts, solanaOffer)).toEqual(expected)
  })

  it("are left out for the fee payer that was signed for, too", () => {
    const elsewhere = { ...quoted.requirements, extra: { feePayer: thief.address, memo: named } }
    expect(memoOf([], { ...quoted, requirements: elsewhere })).toEqual({ feePayer })
  })
})

describe("the payer's signature", () => {
  it("is checked over the whole message", async () => {
    expect(await isSignedByPayer(transaction())).toBe(true)
    const other = transaction({ blockhash: addressOf("later") })
    expect(await isSignedByPayer({ ...transaction(), message: other.message })).toBe(false)
    expect(await isSignedByPayer({ ...transaction(), signatures: other.signatures })).toBe(false)
  })

  it("can't be another's, missing, or by an address without a key", async () => {
    const own = transaction()
    const stolen = { ...own, signatures: [own.signatures[0]!, thief.sign(own.message)] }
    expect(await isSignedByPayer(stolen)).toBe(false)
    expect(await isSignedByPayer({ ...own, signatures: [own.signatures[0]!] })).toBe(false)
    const accounts = [feePayer, tokenAccountOf(wallet.address)]
    expect(await isSignedByPayer({ ...own, accounts })).toBe(false)
    const neutral = toBase58(Uint8Array.from({ length: 32 }, (_, index) => (index === 0 ? 1 : 0)))
    expect(await isSignedByPayer({ ...own, accounts: [feePayer, neutral] })).toBe(false)
  })

  it("is refused by the facilitators' code", () => {
    expect(foreignTransaction.code).toBe("invalid_exact_svm_payload_signature_invalid")
  })
})
