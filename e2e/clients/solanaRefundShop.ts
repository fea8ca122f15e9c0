import { createKeyPairSignerFromPrivateKeyBytes, signBytes, type Address } from "@solana/kit"
import { memoryTransferJournal, solanaRefunds, type SolanaSigner } from "@till402/providers/solana-refunds"
import type { SolanaChain } from "@till402/sandbox/solana"

type RefundOptions = Parameters<typeof solanaRefunds>[0]

/** The same wallet in every process of a test. */
const seed = Uint8Array.from({ length: 32 }, (_, index) => index + 1)

/** The wallet that sends refunds. */
export const refundSigner = async (): Promise<SolanaSigner & { readonly address: Address }> => {
  const { address, keyPair } = await createKeyPairSignerFromPrivateKeyBytes(seed)
  return { address, sign: (message) => signBytes(keyPair.privateKey, message) }
}

/** Refunds on a local chain, which look again after a few milliseconds. */
export const refundsOn = async (rpcUrl: string, options: Partial<RefundOptions> = {}) =>
  solanaRefunds({
    signer: await refundSigner(),
    rpcUrl,
    network: "solana-devnet",
    journal: memoryTransferJournal(),
    retries: 0,
    pollMillis: 5,
    confirmTimeoutMillis: 60,
    ...options
  })

/** Gives the wallet play money and SOL for its fees. */
export const fund = async (chain: SolanaChain, amountAtomic = 1_000_000n): Promise<Address> => {
  const { address } = await refundSigner()
  chain.airdrop(address)
  await chain.mint(address, amountAtomic)
  return address
}

/** More slots than a blockhash lives and a block takes to be final. */
export const untilExpired = 200
/** Slots until a block is final. */
export const untilFinal = 40
