import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto"
import { fromBase58, toBase58 } from "../../src/domain/Base58.ts"
import { findNetwork, token2022Program, tokenProgram } from "../../src/domain/Network.ts"
import type { SolanaPaymentPayload } from "../../src/domain/PaymentPayload.ts"
import type { PaymentRequirements } from "../../src/domain/PaymentRequired.ts"
import { associatedTokenAccount } from "../../src/domain/SolanaAddress.ts"
import { readTransaction, type SolanaTransaction } from "../../src/domain/SolanaTransaction.ts"
import { encodeHeader } from "../../src/toll/request/PaymentHeader.ts"
import type { PaymentOffer } from "../../src/toll/request/Verdict.ts"
import type { Challenged } from "./wallet.ts"

/*
 * Payments of 0.01 USDC on Solana's devnet, made without a Solana library: the encoding is that of the documentation.
 */

export const devnet = findNetwork("solana-devnet")!
export { token2022Program, tokenProgram }
export const computeBudget = "ComputeBudget111111111111111111111111111111"
export const memoProgram = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"
export const lighthouse = "L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95"
export const systemProgram = "1".repeat(32)

/** An address that nothing else has. */
export const addressOf = (name: string): string => toBase58(createHash("sha256").update(name).digest())

/** Reads a private key. OpenSSL may report an error that another file's test of malformed keys left in this process. */
const readKey = (key: Buffer): ReturnType<typeof createPrivateKey> => {
  const read = () => createPrivateKey({ key, format: "der", type: "pkcs8" })
  try {
    return read()
  } catch {
    return read()
  }
}

/** A wallet with a key of its own, made from its name. */
export class SolanaWallet {
  readonly address: string
  private readonly key: ReturnType<typeof createPrivateKey>
  constructor(name: string) {
    const seed = createHash("sha256").update(name).digest()
    const prefix = Buffer.from("302e020100300506032b657004220420", "hex")
    this.key = readKey(Buffer.concat([prefix, seed]))
    const spki = createPublicKey(this.key).export({ format: "der", type: "spki" })
    this.address = toBase58(Uint8Array.from(spki.subarray(-32)))
  }
  sign(message: Uint8Array): Uint8Array {
    return Uint8Array.from(sign(null, message, this.key))
  }
}

export const wallet = new SolanaWallet("payer")
export const thief = new SolanaWallet("thief")
export const feePayer = toBase58(new Uint8Array(32).fill(7))
export const solanaPayTo = new SolanaWallet("payee").address

export interface Instruction {
  readonly program: string
  readonly accounts: ReadonlyArray<string>
  readonly data: Uint8Array | ReadonlyArray<number>
}

/** What a payment says; every part can be replaced. */
export interface TransactionOptions {
  readonly version?: "legacy" | 0
  readonly feePayer?: string
  readonly signers?: ReadonlyArray<SolanaWallet>
  readonly blockhash?: string
  readonly instructions?: ReadonlyArray<Instruction>
  /** Bytes at the end of a message of version 0 in place of an empty list of lookup tables. */
  readonly lookups?: ReadonlyArray<number>
  /** The fee payer's signature; default: missing. */
  readonly feePayerSignature?: Uint8Array
}

export const short = (length: number): ReadonlyArray<number> =>
  length < 0x80 ? [length] : [(length & 0x7f) | 0x80, length >> 7]

const bytesOf = (address: string): Uint8Array => fromBase58(address, 32)!

/** The bytes of a transaction, signed by its wallets. */
export const transactionBytes = (options: TransactionOptions = {}): Uint8Array => {
  const { instructions = paymentInstructions(), signers = [wallet], version = 0 } = options
  const signing = [options.feePayer ?? feePayer, ...signers.map(({ address }) => address)]
  const named = instructions.flatMap(({ accounts, program }) => [...accounts, program])
  const accounts = [...new Set([...signing, ...named])]
  const message = Uint8Array.from([
    ...(version === 0 ? [0x80] : []),
    signing.length,
    0,
    0,
    ...short(accounts.length),
    ...accounts.flatMap((account) => [...bytesOf(account)]),
    ...bytesOf(options.blockhash ?? addressOf("block")),
    ...short(instructions.length),
    ...instructions.flatMap((instruction) => [
      accounts.indexOf(instruction.program),
      ...short(instruction.accounts.length),
      ...instruction.accounts.map((account) => accounts.indexOf(account)),
      ...short(instruction.data.length),
      ...instruction.data
    ]),
    ...(version === 0 ? (options.lookups ?? [0]) : [])
  ])
  const signatures = [
    options.feePayerSignature ?? new Uint8Array(64),
    ...signers.map((signer) => signer.sign(message))
  ]
  return Uint8Array.from([
    ...short(signatures.length),
    ...signatures.flatMap((signature) => [...signature]),
    ...message
  ])
}

const littleEndian = (value: bigint, length: number): ReadonlyArray<number> =>
  Array.from({ length }, (_, index) => Number((value >> BigInt(8 * index)) & 0xffn))

export const computeLimit = (units = 20_000): Instruction => ({
  program: computeBudget,
  accounts: [],
  data: [2, ...littleEndian(BigInt(units), 4)]
})
export const computePrice = (microlamports = 1n): Instruction => ({
  program: computeBudget,
  accounts: [],
  data: [3, ...littleEndian(microlamports, 8)]
})
export const memo = (text: string): Instruction => ({
  program: memoProgram,
  accounts: [],
  data: new TextEncoder().encode(text)
})

export interface TransferOptions {
  readonly program?: string
  readonly source?: string
  readonly mint?: string
  readonly destination?: string
  readonly authority?: string
  readonly amount?: bigint
  readonly decimals?: number
}

export const tokenAccountOf = (owner: string): string =>
  associatedTokenAccount(owner, devnet.asset, devnet.tokenProgram)

export const transfer = (options: TransferOptions = {}): Instruction => {
  const { amount = 10_000n, authority = wallet.address, decimals = 6, mint = devnet.asset } = options
  return {
    program: options.program ?? tokenProgram,
    accounts: [
      options.source ?? tokenAccountOf(wallet.address),
      mint,
      options.destination ?? tokenAccountOf(solanaPayTo),
      authority
    ],
    data: [12, ...littleEndian(amount, 8), decimals]
  }
}

interface PaidTransfer extends TransferOptions {
  /** Default: a random text, as the official client adds it. `null`: none. */
  readonly memo?: string | null
}

/** The instructions of an official client. */
export const paymentInstructions = (options: PaidTransfer = {}): ReadonlyArray<Instruction> => {
  const { memo: text = "00112233445566778899aabbccddeeff" } = options
  return [computeLimit(), computePrice(), transfer(options), ...(text === null ? [] : [memo(text)])]
}

/** A transaction as the till reads it. */
export const transaction = (options: TransactionOptions = {}): SolanaTransaction => {
  const reading = readTransaction(transactionBytes(options))
  if (reading._tag === "Malformed") throw new Error(reading.reason)
  return reading.transaction
}

export const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64")

export const requirements: PaymentRequirements = {
  scheme: "exact",
  network: devnet.caip2,
  amount: "10000",
  asset: devnet.asset,
  payTo: solanaPayTo,
  maxTimeoutSeconds: 120,
  extra: { feePayer }
}

export const solanaOffer: PaymentOffer = {
  v1Name: "solana-devnet",
  requirements,
  solana: {
    tokenAccount: tokenAccountOf(solanaPayTo),
    tokenProgram,
    isFeePayer: (address) => address === feePayer
  }
}

/** A payment of version 1, as read. */
export const solanaV1 = (options: TransactionOptions = {}): SolanaPaymentPayload => ({
  x402Version: 1,
  scheme: "exact",
  network: "solana-devnet",
  payload: { transaction: transaction(options) }
})

/** A payment of version 2, as read. */
export const solanaV2 = (options: TransactionOptions = {}): SolanaPaymentPayload => ({
  x402Version: 2,
  accepted: requirements,
  payload: { transaction: transaction(options) }
})

let blocks = 0

/** Pays a challenge on Solana: the value of a payment header, as a client would send it. */
export const paySolana = (
  { accepts, resource }: Challenged,
  options: {
    readonly version?: 1 | 2
    readonly signer?: SolanaWallet
    readonly transfer?: PaidTransfer
    readonly transaction?: TransactionOptions
  } = {}
): string => {
  const { signer = wallet, version = 2 } = options
  const accepted = accepts.find(({ network }) => network === devnet.caip2)!
  const instructions = paymentInstructions({
    source: tokenAccountOf(signer.address),
    authority: signer.address,
    amount: BigInt(accepted.amount),
    ...(accepted.extra["memo"] === undefined ? {} : { memo: accepted.extra["memo"] }),
    ...options.transfer
  })
  const bytes = transactionBytes({
    signers: [signer],
    instructions,
    feePayer: accepted.extra["feePayer"]!,
    blockhash: addressOf(`block ${++blocks}`),
    ...options.transaction
  })
  const payload = { transaction: base64Of(bytes) }
  return encodeHeader(
    version === 1
      ? { x402Version: 1, scheme: "exact", network: "solana-devnet", payload }
      : { x402Version: 2, accepted, payload, resource: { url: resource.url } }
  )
}
