import {
  AccountRole,
  address,
  type Address,
  appendTransactionMessageInstructions,
  blockhash,
  compileTransaction,
  createTransactionMessage,
  getAddressEncoder,
  getBase58Decoder,
  getBase64EncodedWireTransaction,
  getProgramDerivedAddress,
  getPublicKeyFromAddress,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  signatureBytes,
  verifySignature
} from "@solana/kit"
import type { SolanaSigner } from "./SolanaSigner.ts"

/*
 * The transaction of a refund: limits of its fee, the transfer, and a memo that makes it unlike any other.
 */

/** Token and Token-2022. */
export const tokenPrograms: ReadonlyArray<Address> = [
  address("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"),
  address("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb")
]
const computeBudgetProgram = address("ComputeBudget111111111111111111111111111111")
const memoProgram = address("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr")
const associatedTokenProgram = address("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL")
const systemProgram = address("11111111111111111111111111111111")

/** More than a transfer, its memo and a new account need. */
export const computeUnits = 120_000

/** What moves from whom to whom. */
export interface TransferTerms {
  readonly payer: Address
  readonly payee: Address
  readonly mint: Address
  readonly tokenProgram: Address
  readonly decimals: number
  readonly amountAtomic: bigint
  /** Tells this transfer from an equal one: their signatures would be the same otherwise. */
  readonly memo: string
  /** Price of a compute unit in millionths of a lamport. */
  readonly microLamports: number
  /** Opens the payee's token account if it has none. */
  readonly createsAccount: boolean
}

/** Address of a wallet's associated token account. */
export const associatedAccount = async (
  owner: Address,
  mint: Address,
  tokenProgram: Address
): Promise<Address> => {
  const encoder = getAddressEncoder()
  const [found] = await getProgramDerivedAddress({
    programAddress: associatedTokenProgram,
    seeds: [encoder.encode(owner), encoder.encode(tokenProgram), encoder.encode(mint)]
  })
  return found
}

const littleEndian = (number: bigint, bytes: number): Uint8Array =>
  Uint8Array.from({ length: bytes }, (_, at) => Number((number >> BigInt(8 * at)) & 0xffn))

/** https://solana.com/docs/core/fees/compute-budget */
const feeLimits = (microLamports: number): ReadonlyArray<Instruction> => [
  {
    programAddress: computeBudgetProgram,
    data: Uint8Array.from([2, ...littleEndian(BigInt(computeUnits), 4)])
  },
  {
    programAddress: computeBudgetProgram,
    data: Uint8Array.from([3, ...littleEndian(BigInt(microLamports), 8)])
  }
]

const instructionsOf = (
  terms: TransferTerms,
  source: Address,
  target: Address
): ReadonlyArray<Instruction> => {
  const { amountAtomic, createsAccount, decimals, memo, microLamports, mint, payee, payer, tokenProgram } =
    terms
  const create: Instruction = {
    programAddress: associatedTokenProgram,
    accounts: [
      { address: payer, role: AccountRole.WRITABLE_SIGNER },
      { address: target, role: AccountRole.WRITABLE },
      { address: payee, role: AccountRole.READONLY },
      { address: mint, role: AccountRole.READONLY },
      { address: systemProgram, role: AccountRole.READONLY },
      { address: tokenProgram, role: AccountRole.READONLY }
    ],
    // CreateIdempotent: succeeds if the account is there already.
    data: Uint8Array.from([1])
  }
  const transfer: Instruction = {
    programAddress: tokenProgram,
    accounts: [
      { address: source, role: AccountRole.WRITABLE },
      { address: mint, role: AccountRole.READONLY },
      { address: target, role: AccountRole.WRITABLE },
      { address: payer, role: AccountRole.READONLY_SIGNER }
    ],
    // TransferChecked.
    data: Uint8Array.from([12, ...littleEndian(amountAtomic, 8), decimals])
  }
  const note: Instruction = { programAddress: memoProgram, data: new TextEncoder().encode(memo) }
  return [...feeLimits(microLamports), ...(createsAccount ? [create] : []), transfer, note]
}

/** A signed transaction. */
export interface SignedTransfer {
  /** Base58. */
  readonly signature: string
  /** Base64. */
  readonly transaction: string
}

/**
 * Builds a transfer's transaction and has the wallet sign it.
 *
 * @throws the wallet's own error, or Error if the signature is not of this message by this wallet
 */
export const signTransfer = async (
  terms: TransferTerms,
  lifetime: { readonly blockhash: string; readonly lastValidBlockHeight: number },
  signer: SolanaSigner
): Promise<SignedTransfer> => {
  const { mint, payee, payer, tokenProgram } = terms
  const source = await associatedAccount(payer, mint, tokenProgram)
  const target = await associatedAccount(payee, mint, tokenProgram)
  const compiled = compileTransaction(
    pipe(
      createTransactionMessage({ version: 0 }),
      (message) => setTransactionMessageFeePayer(payer, message),
      (message) =>
        setTransactionMessageLifetimeUsingBlockhash(
          {
            blockhash: blockhash(lifetime.blockhash),
            lastValidBlockHeight: BigInt(lifetime.lastValidBlockHeight)
          },
          message
        ),
      (message) => appendTransactionMessageInstructions(instructionsOf(terms, source, target), message)
    )
  )
  const message = Uint8Array.from(compiled.messageBytes)
  const signature = signatureBytes(await signer.sign(message))
  // A wrong signature would be recorded, and hold up the refund until its blockhash expires.
  if (!(await verifySignature(await getPublicKeyFromAddress(payer), signature, message))) {
    throw new Error("the signature is not the wallet's")
  }
  return {
    signature: getBase58Decoder().decode(signature),
    transaction: getBase64EncodedWireTransaction({ ...compiled, signatures: { [payer]: signature } })
  }
}
