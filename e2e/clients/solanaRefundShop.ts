import { createKeyPairSignerFromPrivateKeyBytes, signBytes, type Address } from "@solana/kit"
import { memoryTransferJournal, solanaRefunds, type SolanaSigner } from "@till402/providers/solana-refunds"
import type { SolanaChain } from "@till402/sandbox/solana"

type RefundOptions = Parameters<typeof solanaRefunds>[0]

/** The same wallet in every process of a test; another one by its number. */
const seedOf = (number: number) => Uint8Array.from({ length: 32 }, (_, index) => index + number)

/** The wallet that sends refunds. */
export const refundSigner = async (number = 1): Promise<SolanaSigner & { readonly address: Address }> => {
  const { address, keyPair } = await createKeyPairSignerFromPrivateKeyBytes(seedOf(number))
  return { address, sign: (message) => signBytes(keyPair.privateKey, message) }
}

/** Refunds on a local chain, which look again after a few milliseconds. */
export const refundsOn = async (rpcUrl: string, options: Partial<RefundOptions> = {}) =>
  solanaRefunds({
    signer: await refundSigner(),
    rpcUrl,
    // The same node, under another address.
    secondRpcUrl: rpcUrl.replace("127.0.0.1", "localhost"),
    network: "solana-devnet",
    journal: memoryTransferJournal(),
    retries: 0,
    pollMillis: 5,
    confirmTimeoutMillis: 60,
    ...options
  })

/** Gives the wallet play money and SOL for its fees. */
export const fund = async (chain: SolanaChain, amountAtomic = 1_000_000n, number = 1): Promise<Address> => {
  const { address } = await refundSigner(number)
  chain.airdrop(address)
  await chain.mint(address, amountAtomic)
  return address
}

/** More slots than a blockhash lives and a block takes to be final. */
export const untilExpired = 200
/** Slots until a block is final. */
export const untilFinal = 40
