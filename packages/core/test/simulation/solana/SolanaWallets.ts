import { associatedTokenAccount } from "../../../src/domain/SolanaAddress.ts"
import { chargeKey } from "../../../src/toll/request/ChargeKey.ts"
import { encodeHeader } from "../../../src/toll/request/PaymentHeader.ts"
import {
  addressOf,
  base64Of,
  computeLimit,
  computePrice,
  devnet,
  type Instruction,
  memo,
  SolanaWallet,
  transactionBytes,
  transfer
} from "../../toll/solana.ts"
import { readTransaction } from "../../../src/domain/SolanaTransaction.ts"
import { type Challenge, type PaymentForm, rewritten, type SignedPayment } from "../Payment.ts"
import { readWire, type WireTransaction } from "./WireTransaction.ts"

/*
 * The wallets of a Solana world. Keys are the same in every world: making one takes longer than a request.
 */

const wallets = new Map<string, SolanaWallet>()
const tokenAccounts = new Map<string, string>()

export const walletNamed = (name: string): SolanaWallet => {
  const wallet = wallets.get(name) ?? new SolanaWallet(name)
  wallets.set(name, wallet)
  return wallet
}

export const walletOf = (address: string): SolanaWallet =>
  Array.from(wallets.values()).find((wallet) => wallet.address === address)!

/** The account in which a wallet holds the token. */
export const tokenAccountOf = (owner: string): string => {
  const account = tokenAccounts.get(owner) ?? associatedTokenAccount(owner, devnet.asset, devnet.tokenProgram)
  tokenAccounts.set(owner, account)
  return account
}

/** A second account of the token that the same wallet owns. */
export const secondAccountOf = (owner: string): string => addressOf(`second account of ${owner}`)

export const payTo = walletNamed("payee").address
export const feePayer = walletNamed("facilitator")
export const refundWallets = [
  walletNamed("refunds"),
  walletNamed("other refunds"),
  walletNamed("late refunds")
]
export const operatorWallet = walletNamed("operator")
export const payerNamed = (index: number): SolanaWallet => walletNamed(`payer ${index}`)
export const attackerNamed = (attacker: number, account: number): SolanaWallet =>
  walletNamed(`attacker ${attacker}.${account}`)

/** A transfer of tokens between wallets. */
export const transferOf = (from: string, to: string, amount: bigint): Instruction =>
  transfer({ source: tokenAccountOf(from), destination: tokenAccountOf(to), authority: from, amount })

/** The same from the second account of the payer. */
export const secondTransferOf = (from: string, to: string, amount: bigint): Instruction =>
  transfer({ source: secondAccountOf(from), destination: tokenAccountOf(to), authority: from, amount })

/** The same by the instruction without the token's mint. */
export const plainTransfer = (from: string, to: string, amount: bigint): Instruction => {
  const { accounts, data, program } = transferOf(from, to, amount)
  const [source, , destination, authority] = accounts
  return {
    program,
    accounts: [source!, destination!, authority!],
    data: [3, ...Array.from(data).slice(1, 9)]
  }
}

/** A transaction that the fee payer has not signed yet. */
export const signedBy = (
  signer: SolanaWallet,
  blockhash: string,
  instructions: ReadonlyArray<Instruction>
): WireTransaction =>
  readWire(transactionBytes({ feePayer: feePayer.address, signers: [signer], blockhash, instructions }))

/** A transaction whose only signer pays its fee. */
export const selfPaid = (
  signer: SolanaWallet,
  blockhash: string,
  instructions: ReadonlyArray<Instruction>
): WireTransaction =>
  readWire(
    withSignature(
      transactionBytes({ feePayer: signer.address, signers: [], blockhash, instructions }),
      0,
      signer
    )
  )

/** The bytes of a transaction with another signature at a position; `undefined` replaces it by one that nobody made. */
export const withSignature = (
  bytes: Uint8Array,
  position: number,
  signer: SolanaWallet | undefined
): Uint8Array => {
  const { message, signatures } = readWire(bytes)
  const signed = bytes.slice()
  const at = bytes.length - message.length - (signatures.length - position) * 64
  signed.set(signer === undefined ? new Uint8Array(64).fill(9) : signer.sign(message), at)
  return signed
}

/** Budget, transfer and memos, as official clients order them. Some add no memo. */
export const paymentInstructions = (
  from: string,
  to: string,
  amount: bigint,
  ...texts: ReadonlyArray<string>
): ReadonlyArray<Instruction> => [
  computeLimit(),
  computePrice(),
  transferOf(from, to, amount),
  ...texts.map(memo)
]

/** The header of a payment with a signed transaction. */
const headerOf = (
  { accepts, resource }: Challenge,
  bytes: Uint8Array,
  { isBare, rewrites, version }: PaymentForm
): string => {
  const payload = { transaction: base64Of(bytes) }
  const written =
    version === 1
      ? { x402Version: 1, scheme: "exact", network: "solana-devnet", payload }
      : {
          x402Version: 2,
          accepted: accepts[0]!,
          payload,
          ...(isBare ? {} : { resource: { url: resource.url } })
        }
  return encodeHeader(rewrites ? rewritten(written) : written)
}

/** A payment with this transaction. */
export const paymentOf = (
  challenge: Challenge,
  { accounts, blockhash, bytes, digest }: WireTransaction,
  options: PaymentForm
): SignedPayment => {
  const { amount, payTo: to } = challenge.accepts[0]!
  const reading = readTransaction(bytes)
  if (reading._tag === "Malformed") throw new Error(reading.reason)
  const { transaction } = reading
  const payload = {
    x402Version: 1,
    scheme: "exact",
    network: "solana-devnet",
    payload: { transaction }
  } as const
  return {
    key: chargeKey(devnet, payload),
    payload,
    authorization: {
      from: accounts[1]!,
      to,
      value: amount,
      validAfter: "0",
      validBefore: "0",
      nonce: `${blockhash}.${digest}`
    },
    header: headerOf(challenge, bytes, options),
    secondHeader: undefined,
    forgedHeader: headerOf(challenge, withSignature(bytes, 1, undefined), options)
  }
}
