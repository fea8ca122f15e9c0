import {
  createKeyPairSignerFromPrivateKeyBytes,
  generateKeyPairSigner,
  getBase58Encoder,
  getBase64Encoder,
  getBase64EncodedWireTransaction,
  getTransactionDecoder,
  signBytes,
  type KeyPairSigner,
  type TransactionMessageBytes
} from "@solana/kit"
import { expect } from "vitest"
import {
  memoryTransferJournal,
  solanaFacilitator,
  type SolanaSigner
} from "@till402/providers/solana-facilitator"
import type { LocalToken, SolanaChain } from "@till402/sandbox/solana"
import { ExactSvmScheme } from "@x402/svm/exact/client"
import { ExactSvmSchemeV1 } from "@x402/svm/exact/v1/client"

/*
 * Payments of the official clients on a local Solana chain, and local facilitators that settle them.
 */

/** A payment with the requirements that it was made for. */
export interface MadePayment {
  readonly payload: unknown
  readonly requirements: unknown
}

/** A wallet with play money. */
export const payerOn = async (chain: SolanaChain, balance = 50_000n): Promise<KeyPairSigner> => {
  const payer = await generateKeyPairSigner()
  await chain.mint(payer.address, balance)
  await chain.mint(payer.address, balance, chain.dollar2022)
  return payer
}

export interface PaymentTerms {
  readonly payTo: string
  readonly feePayer: string
  readonly amount?: bigint
  readonly token?: LocalToken
}

/** A payment of the official version-2 client. */
export const payV2 = async (
  chain: SolanaChain,
  payer: KeyPairSigner,
  { amount = 10_000n, feePayer, payTo, token = chain.usdc }: PaymentTerms
): Promise<MadePayment> => {
  const requirements = {
    scheme: "exact",
    network: chain.caip2,
    amount: String(amount),
    asset: token.mint,
    payTo,
    maxTimeoutSeconds: 60,
    extra: { feePayer }
  }
  const client = new ExactSvmScheme(payer, { rpcUrl: chain.rpcUrl })
  const made = await client.createPaymentPayload(2, requirements)
  return { payload: { ...made, accepted: requirements }, requirements }
}

/** A payment of the official version-1 client. */
export const payV1 = async (
  chain: SolanaChain,
  payer: KeyPairSigner,
  { amount = 10_000n, feePayer, payTo, token = chain.usdc }: PaymentTerms
): Promise<MadePayment> => {
  const requirements = {
    scheme: "exact",
    network: "solana-devnet",
    maxAmountRequired: String(amount),
    resource: "http://localhost/x402/search",
    description: "Product search",
    mimeType: "application/json",
    payTo,
    maxTimeoutSeconds: 60,
    asset: token.mint,
    extra: { feePayer }
  }
  const client = new ExactSvmSchemeV1(payer, { rpcUrl: chain.rpcUrl })
  // The client's type is that of version 2, whose network names have a colon.
  const offered: Parameters<typeof client.createPaymentPayload>[1] = JSON.parse(JSON.stringify(requirements))
  return { payload: await client.createPaymentPayload(1, offered), requirements }
}

/** The price of a compute unit as the official clients set it: 1 millionth of a lamport. */
const usualPrice = Uint8Array.of(3, 1, 0, 0, 0, 0, 0, 0, 0)

/** A version-2 payment of the official client, in which the payer offers another price for 20,000 compute units. */
export const payPriced = async (
  chain: SolanaChain,
  payer: KeyPairSigner,
  terms: PaymentTerms,
  microLamports: bigint
): Promise<MadePayment> => {
  const { payload, requirements } = await payV2(chain, payer, terms)
  const { transaction } = (payload as { readonly payload: { readonly transaction: string } }).payload
  const decoded = getTransactionDecoder().decode(getBase64Encoder().encode(transaction))
  const message = Buffer.from(decoded.messageBytes)
  message.writeBigUInt64LE(microLamports, message.indexOf(usualPrice) + 1)
  const messageBytes = Uint8Array.from(message) as unknown as TransactionMessageBytes
  const wire = getBase64EncodedWireTransaction({
    messageBytes,
    signatures: {
      ...decoded.signatures,
      [payer.address]: await signBytes(payer.keyPair.privateKey, messageBytes)
    }
  })
  return { payload: { ...Object(payload), payload: { transaction: wire } }, requirements }
}

/** The same fee payer in every process of a test. */
const seed = Uint8Array.from({ length: 32 }, (_, index) => 100 + index)

export const feePayerSigner = async (): Promise<SolanaSigner> => {
  const { address, keyPair } = await createKeyPairSignerFromPrivateKeyBytes(seed)
  return { address, sign: (message) => signBytes(keyPair.privateKey, message) }
}

/** Its secret key, as `solana-keygen` writes it. */
export const feePayerSecret = async (): Promise<string> => {
  const { address } = await feePayerSigner()
  return JSON.stringify([...seed, ...getBase58Encoder().encode(address)])
}

/** A local facilitator which looks again after a few milliseconds. */
export const facilitatorOn = async (
  rpcUrl: string,
  options: Partial<Parameters<typeof solanaFacilitator>[0]> = {}
) =>
  solanaFacilitator({
    feePayer: await feePayerSigner(),
    rpcUrl,
    network: "solana-devnet",
    journal: memoryTransferJournal(),
    retries: 0,
    pollMillis: 5,
    confirmTimeoutMillis: 200,
    ...options
  })

/** Settles a payment: again, where a slow machine didn't see in time that it has landed. */
export const settled = async (
  facilitator: Awaited<ReturnType<typeof facilitatorOn>>,
  { payload, requirements }: Pick<MadePayment, "payload" | "requirements">
): Promise<void> => {
  await expect
    .poll(() => facilitator.settle(payload, requirements), { timeout: 60_000 })
    .toMatchObject({ success: true })
}
