import {
  AccountRole,
  address,
  type Address,
  appendTransactionMessageInstructions,
  compressTransactionMessageUsingAddressLookupTables,
  createSolanaRpc,
  createTransactionMessage,
  getBase64Decoder,
  getBase64Encoder,
  getBase64EncodedWireTransaction,
  type Instruction,
  type KeyPairSigner,
  partiallySignTransactionMessageWithSigners,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageFeePayerSigner,
  signTransactionMessageWithSigners,
  setTransactionMessageLifetimeUsingBlockhash
} from "@solana/kit"
import {
  AuthorityType,
  getSetAuthorityInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS
} from "@solana-program/token"
import type { SolanaChain } from "@till402/sandbox/solana"

/*
 * Payments on Solana as an attacker composes them.
 */

/** What a payment says. */
export interface ComposedTransfer {
  readonly payer: KeyPairSigner
  readonly feePayer: Address
  readonly amount: bigint
  readonly source: Address
  readonly destination: Address
  readonly mint: Address
  readonly tokenProgram?: Address
  /** Accounts that are named behind those of the transfer, which the token program ignores. */
  readonly alsoNamed?: ReadonlyArray<Address>
  /** Instructions behind the transfer. */
  readonly more?: ReadonlyArray<Instruction>
  /** Limit of compute units, and the price of each in millionths of a lamport. Default: 20,000 at 1. */
  readonly units?: number
  readonly unitPrice?: bigint
  /** Accounts that the message takes from a lookup table instead of listing them. */
  readonly fromLookupTable?: ReadonlyArray<Address>
}

const computeBudget = address("ComputeBudget111111111111111111111111111111")
const systemProgram = address("11111111111111111111111111111111")
const lookupTable = address("4aKg9SpMFTGwbvGZoWSvUMLvG3WHQBRcLDNGBbLxKQzv")

const budgetOf = ({
  unitPrice = 1n,
  units = 20_000
}: Pick<ComposedTransfer, "unitPrice" | "units">): ReadonlyArray<Instruction> => {
  const limit = Buffer.from([2, 0, 0, 0, 0])
  limit.writeUInt32LE(units, 1)
  const price = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0])
  price.writeBigUInt64LE(unitPrice, 1)
  return [limit, price].map((data) => ({ programAddress: computeBudget, data: Uint8Array.from(data) }))
}

/** Signs a payment as its payer; the fee payer's signature is missing. Returns base64. */
export const composePayment = async (chain: SolanaChain, composed: ComposedTransfer): Promise<string> => {
  const { alsoNamed = [], fromLookupTable = [], more = [], payer, tokenProgram, ...terms } = composed
  const { value: latest } = await createSolanaRpc(chain.rpcUrl).getLatestBlockhash().send()
  const transfer = getTransferCheckedInstruction(
    { ...terms, authority: payer, decimals: 6 },
    { programAddress: tokenProgram ?? TOKEN_PROGRAM_ADDRESS }
  )
  const named = alsoNamed.map((each) => ({ address: each, role: AccountRole.READONLY }))
  const instructions = [
    ...budgetOf(composed),
    { ...transfer, accounts: [...transfer.accounts, ...named] },
    ...more
  ]
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayer(composed.feePayer, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(latest, paid),
    (dated) => appendTransactionMessageInstructions(instructions, dated)
  )
  const compressed =
    fromLookupTable.length === 0
      ? message
      : compressTransactionMessageUsingAddressLookupTables(message, { [lookupTable]: [...fromLookupTable] })
  return getBase64EncodedWireTransaction(await partiallySignTransactionMessageWithSigners(compressed))
}

/** Moves lamports of an account that signs the transaction. */
export const takeLamports = (
  from: Address,
  to: Address,
  lamports: bigint,
  signer?: KeyPairSigner
): Instruction => {
  const data = new Uint8Array(12)
  const view = new DataView(data.buffer)
  view.setUint32(0, 2, true)
  view.setBigUint64(4, lamports, true)
  return {
    programAddress: systemProgram,
    accounts: [
      { address: from, role: AccountRole.WRITABLE_SIGNER, ...(signer === undefined ? {} : { signer }) },
      { address: to, role: AccountRole.WRITABLE }
    ],
    data
  }
}

/** The same payment with other bytes in the place of the fee payer's signature, which is behind one length byte. */
export const reencoded = (payment: string): string => {
  const bytes = new Uint8Array(getBase64Encoder().encode(payment))
  bytes.fill(7, 1, 1 + 64)
  return getBase64Decoder().decode(bytes)
}

/** Sends a transaction that its signer pays for. */
const send = async (chain: SolanaChain, signer: KeyPairSigner, instruction: Instruction): Promise<void> => {
  const rpc = createSolanaRpc(chain.rpcUrl)
  const { value: latest } = await rpc.getLatestBlockhash().send()
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(signer, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(latest, paid),
    (dated) => appendTransactionMessageInstructions([instruction], dated)
  )
  const wire = getBase64EncodedWireTransaction(await signTransactionMessageWithSigners(message))
  await rpc.sendTransaction(wire, { encoding: "base64" }).send()
}

/** Opens a second token account of a wallet, with money: another wallet's, given away. */
export const secondAccount = async (
  chain: SolanaChain,
  { amount, from, to }: { readonly from: KeyPairSigner; readonly to: Address; readonly amount: bigint }
): Promise<Address> => {
  const account = await chain.mint(from.address, amount)
  const give = getSetAuthorityInstruction({
    owned: account,
    owner: from,
    authorityType: AuthorityType.AccountOwner,
    newAuthority: to
  })
  await send(chain, from, give)
  return account
}

/** Sends transactions that name a wallet and don't concern it otherwise. */
export const sendDust = async (
  chain: SolanaChain,
  { count, from, to }: { readonly from: KeyPairSigner; readonly to: Address; readonly count: number }
): Promise<void> => {
  // Not less than an account must have.
  const least = 1_000_000
  for (let index = 0; index < count; index++)
    await send(chain, from, takeLamports(from.address, to, BigInt(least + index), from))
}
