import { randomBytes } from "node:crypto"
import {
  createKeyPairSignerFromPrivateKeyBytes,
  getAddressEncoder,
  getBase58Decoder,
  type Address,
  type KeyPairSigner
} from "@solana/kit"
import { memoryTransferJournal, solanaRefunds, solanaSigner } from "@till402/providers/solana-refunds"
import type { PaidBy, WalletOptions } from "../Service.ts"
import type { Stop } from "../Stops.ts"
import { type SolanaChain, startSolanaChain } from "./SolanaChain.ts"

/** A wallet with test USDC on the sandbox's Solana chain. */
export interface SolanaWallet {
  readonly address: Address
  /** The key pair of 64 bytes in base58, as wallets export it. */
  readonly secretKey: string
  readonly signer: KeyPairSigner
  /** Its initial USDC balance, in atomic units (6 decimals). */
  readonly balanceAtomic: bigint
}

/** The parts of a sandbox on Solana. */
export interface SolanaRail {
  /** CAIP-2: `solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1`. */
  readonly network: string
  readonly rpcUrl: string
  /** The mint of USDC. */
  readonly asset: Address
  /**
   * The wallet that receives payments and sends refunds, the same in every sandbox. A till refuses it where real money is
   * paid.
   */
  readonly payTo: Address
  readonly wallets: ReadonlyArray<SolanaWallet>
  readonly chain: SolanaChain
}

/** A till refuses its address for real money. What is paid to a fresh one would be lost later. */
const payeeSeed = new TextEncoder().encode("till402 sandbox: everybody's key")

const walletOf = async (
  chain: SolanaChain,
  balanceAtomic: bigint,
  seed: Uint8Array
): Promise<SolanaWallet> => {
  const signer = await createKeyPairSignerFromPrivateKeyBytes(seed)
  const { address } = signer
  const pair = Uint8Array.from([...seed, ...getAddressEncoder().encode(address)])
  await chain.mint(address, balanceAtomic)
  return { address, secretKey: getBase58Decoder().decode(pair), signer, balanceAtomic }
}

/** Starts a chain with funded wallets; returns them, and how a till is paid and refunds on it. */
export const startSolanaRail = async (
  { walletBalanceAtomic = 1_000_000_000n, walletCount = 2 }: WalletOptions,
  stops: Array<Stop>
): Promise<{
  readonly rail: SolanaRail
  readonly paidBy: Omit<PaidBy, "facilitatorUrl" | "refundWallet">
}> => {
  // No block of this chain is undone, so refunds need not wait for finality.
  const chain = await startSolanaChain({ finalitySlots: 0 })
  stops.push(chain.stop)
  const wallets = await Promise.all(
    Array.from({ length: walletCount }, () => walletOf(chain, walletBalanceAtomic, randomBytes(32)))
  )
  const payee = await walletOf(chain, 0n, payeeSeed)
  // For the fees of refunds.
  chain.airdrop(payee.address)
  const { network, rpcUrl } = chain
  return {
    rail: { network: chain.caip2, rpcUrl, asset: chain.usdc.mint, payTo: payee.address, wallets, chain },
    paidBy: {
      payTo: payee.address,
      networks: [{ network, payTo: payee.address, rpcUrl }],
      solanaRefunds: solanaRefunds({
        signer: solanaSigner(payee.secretKey),
        rpcUrl,
        network,
        // The chain ends with this process, and the journal with it.
        journal: memoryTransferJournal(),
        pollMillis: 50
      })
    }
  }
}
