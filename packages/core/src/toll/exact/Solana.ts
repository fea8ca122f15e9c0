import type { PaymentRequirements } from "../../domain/PaymentRequired.ts"
import type { SolanaInstruction, SolanaTransaction } from "../../domain/SolanaTransaction.ts"
import type { Refusal } from "./Refusal.ts"
import { isSignedBy } from "./Ed25519.ts"
import { payerAccount } from "./PayerAccount.ts"

/*
 * Scheme `exact` on Solana: a transaction that the payer has signed and the facilitator completes as fee payer. Pure,
 * except for the check of the signature.
 *
 * The rules are those of the official facilitator, with the same codes. Stricter: exactly two signers, the token
 * program of the mint, no lookup tables (`domain/SolanaTransaction.ts`), the payer's associated token account as source,
 * and the fee payer in no instruction.
 */

const computeBudgetProgram = "ComputeBudget111111111111111111111111111111"
const memoProgram = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"
/** Checks that some wallets append. They can fail a transaction, and move nothing. */
const lighthouseProgram = "L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95"

const setComputeUnitLimit = 2
const setComputeUnitPrice = 3
const transferChecked = 12
const tokenDecimals = 6

const minInstructions = 3
const maxInstructions = 7
/** Millionths of a lamport for each compute unit: what facilitators pay at most. */
const maxComputeUnitPrice = 5_000_000n
/** Position of the transfer among the instructions. */
export const transferIndex = 2

/** The part of an offer on Solana that a payment must fit besides the requirements. */
export interface SolanaTerms {
  /** The token account of `payTo`. */
  readonly tokenAccount: string
  /** The program of the mint. */
  readonly tokenProgram: string
  /** Whether the facilitator pays fees from this address, or did lately. */
  readonly isFeePayer: (address: string) => boolean
}

/** The transfer of a payment. */
export interface TokenTransfer {
  readonly program: string
  readonly source: string
  readonly mint: string
  readonly destination: string
  /** The wallet that signs for the source. */
  readonly authority: string
  readonly amountAtomic: bigint
  readonly decimals: number
}

const prefix = "invalid_exact_svm"
const refusal = (code: string, message: string): Refusal => ({ code: `${prefix}_${code}`, message })

const littleEndian = (bytes: Uint8Array): bigint =>
  bytes.reduceRight((value, byte) => value * 256n + BigInt(byte), 0n)

/** Reads a `TransferChecked` without multisignature: four accounts and ten bytes. */
export const readTransfer = ({ accounts, data, program }: SolanaInstruction): TokenTransfer | undefined => {
  if (accounts.length !== 4 || data.length !== 10 || data[0] !== transferChecked) return undefined
  const [source, mint, destination, authority] = accounts
  return {
    program,
    source: source!,
    mint: mint!,
    destination: destination!,
    authority: authority!,
    amountAtomic: littleEndian(data.subarray(1, 9)),
    decimals: data[9]!
  }
}

/** The wallet that pays: the signer besides the fee payer. A transaction without one is refused. */
export const solanaPayer = ({ accounts }: SolanaTransaction): string => accounts[1] ?? accounts[0]!

/** The instruction's number after its discriminator, if it is this instruction of the compute budget. */
const budgetOf = (
  instruction: SolanaInstruction,
  discriminator: number,
  length: number
): bigint | undefined =>
  instruction.program === computeBudgetProgram &&
  instruction.accounts.length === 0 &&
  instruction.data.length === length &&
  instruction.data[0] === discriminator
    ? littleEndian(instruction.data.subarray(1))
    : undefined

const layoutFault = ({ accounts, instructions, signatures }: SolanaTransaction): Refusal | undefined => {
  if (signatures.length !== 2)
    return refusal("payload_excessive_signers", "the transaction must have two signers: fee payer and payer")
  if (instructions.length < minInstructions || instructions.length > maxInstructions)
    return refusal(
      "payload_transaction_instructions_length",
      `the transaction must have ${minInstructions} to ${maxInstructions} instructions`
    )
  if (budgetOf(instructions[0]!, setComputeUnitLimit, 5) === undefined)
    return refusal(
      "payload_transaction_instructions_compute_limit_instruction",
      "the first instruction must set the limit of compute units"
    )
  const price = budgetOf(instructions[1]!, setComputeUnitPrice, 9)
  if (price === undefined)
    return refusal(
      "payload_transaction_instructions_compute_price_instruction",
      "the second instruction must set the price of compute units"
    )
  if (price > maxComputeUnitPrice)
    return refusal(
      "payload_transaction_instructions_compute_price_instruction_too_high",
      `the price of compute units is above ${maxComputeUnitPrice} microlamports`
    )
  const others = instructions.slice(transferIndex + 1)
  if (others.some(({ program }) => program !== memoProgram && program !== lighthouseProgram))
    return refusal(
      "payload_unknown_optional_instruction",
      "after the transfer, only instructions of the Memo and Lighthouse programs are accepted"
    )
  // Whoever pays the fee signs everything: no program may get that signature.
  const [feePayer] = accounts
  if (instructions.some((each) => each.accounts.some((account) => account === feePayer)))
    return refusal(
      "payload_transaction_fee_payer_transferring_funds",
      "the fee payer must not be an account of an instruction"
    )
  return undefined
}

const transferFault = (
  transaction: SolanaTransaction,
  { tokenAccount, tokenProgram }: SolanaTerms,
  { amount, asset }: PaymentRequirements
): Refusal | undefined => {
  const payer = solanaPayer(transaction)
  const transfer = readTransfer(transaction.instructions[transferIndex]!)
  if (transfer === undefined || transfer.program !== tokenProgram || transfer.decimals !== tokenDecimals)
    return refusal(
      "payload_no_transfer_instruction",
      "the third instruction must be TransferChecked of the token's program"
    )
  if (transfer.authority !== payer)
    return refusal("payload_no_transfer_instruction", "the payer must sign for the transfer")
  if (transfer.mint !== asset)
    return refusal("payload_mint_mismatch", "the payment is in another token than asset")
  if (transfer.destination !== tokenAccount || transfer.source === tokenAccount)
    return refusal(
      "payload_recipient_mismatch",
      "the payment goes to another account than the associated token account of payTo"
    )
  if (transfer.amountAtomic.toString() !== amount)
    return refusal(
      "payload_amount_mismatch",
      `the payment is of ${transfer.amountAtomic} atomic units; exactly ${amount} are required`
    )
  // A wallet may have many accounts. The check of funds reads this one.
  if (transfer.source !== payerAccount(payer, asset, tokenProgram))
    return refusal(
      "payload_source_mismatch",
      "the payment comes from another account than the associated token account of the payer"
    )
  return undefined
}

/**
 * The memo of an offer with a quote: the payer signs it, and with it the quote. Its form is unlike the random memos by
 * which clients tell their payments apart.
 */
export const quoteMemo = (quoteId: string): string => `buy:${quoteId.replaceAll("-", "")}`
const quoteMemoForm = /^buy:[0-9a-f]{32}$/

const utf8 = new TextDecoder()

const memosOf = ({ instructions }: SolanaTransaction): ReadonlyArray<string> =>
  instructions.filter(({ program }) => program === memoProgram).map(({ data }) => utf8.decode(data))

/**
 * Checks the memos. One that names a quote binds the payment to it, wherever it is presented, and whether that quote is
 * still live. Clients that don't know `extra.memo` add none or one of their own, which binds nothing.
 */
const memoFault = (memos: ReadonlyArray<string>, offered: string | undefined): Refusal | undefined => {
  const quotes = memos.filter((memo) => memo === offered || quoteMemoForm.test(memo))
  if (quotes.some((memo) => memo !== offered))
    return refusal("payload_memo_mismatch", "the memo names another quote: the price may have changed")
  return quotes.length > 0 && memos.length > 1
    ? refusal("payload_memo_count", "beside the text of extra.memo, the transaction must have no memo")
    : undefined
}

/**
 * The requirements that an accepted transaction meets: without the memo, if it has another one or none. Facilitators
 * compare the two.
 */
export const requirementsMet = (
  transaction: SolanaTransaction,
  requirements: PaymentRequirements
): PaymentRequirements => {
  const { memo, ...extra } = requirements.extra
  return memo === undefined || memosOf(transaction).includes(memo) ? requirements : { ...requirements, extra }
}

/** Checks a transaction against an offer. Pure: reads no chain and checks no signature. */
export const judgeTransaction = (
  transaction: SolanaTransaction,
  terms: SolanaTerms,
  requirements: PaymentRequirements
): Refusal | undefined => {
  if (!terms.isFeePayer(transaction.accounts[0]!))
    return refusal(
      "fee_payer_mismatch",
      "the fee payer isn't extra.feePayer; request the price again and pay that"
    )
  return (
    layoutFault(transaction) ??
    transferFault(transaction, terms, requirements) ??
    memoFault(memosOf(transaction), requirements.extra["memo"])
  )
}

/** The refusal of a signature that isn't the payer's. */
export const foreignTransaction: Refusal = refusal(
  "payload_signature_invalid",
  "the payer's signature is missing, or not over this transaction"
)

/** Whether the payer has signed the transaction. */
export const isSignedByPayer = async (transaction: SolanaTransaction): Promise<boolean> => {
  const signature = transaction.signatures[1]
  return signature !== undefined && isSignedBy(solanaPayer(transaction), signature, transaction.message)
}
