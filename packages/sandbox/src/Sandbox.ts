import type { Address, Hex } from "viem"
import { generatePrivateKey, type HDAccount, privateKeyToAccount } from "viem/accounts"
import { type Chain, startChain } from "./chain/index.ts"
import { startFacilitator } from "./facilitator/index.ts"
import { openServer } from "./Server.ts"
import { payingFetch } from "./payingFetch.ts"
import {
  type PaidBy,
  type Service,
  type ServiceOptions,
  startService,
  type WalletOptions
} from "./Service.ts"
import type { SolanaRail } from "./solana/SolanaRail.ts"
import { startParts, type Stop, stopAll } from "./Stops.ts"

/** A wallet with test USDC on the sandbox's chain. */
export interface Wallet {
  readonly address: Address
  readonly privateKey: Hex
  /** Its initial USDC balance, in atomic units (6 decimals). */
  readonly balanceAtomic: bigint
}

export interface SandboxOptions extends ServiceOptions, WalletOptions {}

/** The parts of a sandbox on an EVM chain. */
interface EvmRail {
  readonly chainId: number
  /** CAIP-2: `eip155:84532`. */
  readonly network: string
  readonly rpcUrl: string
  /** Address of the USDC contract. */
  readonly asset: Address
  /**
   * The address that receives payments and sends refunds: an account of Anvil, the same in every sandbox. A till refuses it
   * where real money is paid.
   */
  readonly payTo: Address
  readonly wallets: ReadonlyArray<Wallet>
  readonly chain: Chain
}

interface Stoppable {
  /** Stops everything, in reverse order of starting, within a time limit. Safe to call twice. */
  readonly stop: () => Promise<void>
}

/** The running service on this machine: chain, stablecoin, facilitator, sample shop, wallets. */
export interface Sandbox extends Service, EvmRail, Stoppable {
  /** The second network, if it was asked for. */
  readonly solana: SolanaRail | undefined
}

/** A sandbox that is paid on Solana only. */
export interface SolanaSandbox extends Service, Stoppable {
  readonly solana: SolanaRail
}

/**
 * Starts a sandbox. Several can run at the same time.
 *
 * With `solana: true`, each 402 also offers a local Solana chain, and `sandbox.solana` has wallets there.
 *
 * @example
 * const sandbox = await startSandbox({ adapter: "express" })
 * await fetch(`${sandbox.baseUrl}/x402/search?q=lamp`) // 402
 * await sandbox.stop()
 *
 * @throws Error with code `EADDRINUSE` if the port is taken; Error if there is no chain for this machine.
 */
export const startSandbox = (
  options: SandboxOptions & { readonly solana?: boolean } = {}
): Promise<Sandbox> =>
  startParts(async (stops) => {
    const { onProgress = () => undefined, port = 0 } = options
    const server = await openServer(port, options.host)
    stops.push(server.stop)
    const { payee, ...evm } = await startEvmRail(options, stops)
    const solana = options.solana === true ? await startSolana(options, stops) : undefined
    onProgress("a facilitator")
    const facilitator = await startFacilitator({
      chain: evm.chain,
      ...(solana === undefined ? {} : { solana: solana.rail.chain })
    })
    stops.push(facilitator.stop)
    const networks = [
      // This chain has no reorganizations, so refunds need not wait for finality.
      { network: "base-sepolia", rpcUrl: evm.rpcUrl, finalitySeconds: 0 },
      ...(solana?.paidBy.networks ?? [])
    ]
    const paidBy: PaidBy = {
      ...solana?.paidBy,
      payTo: payee.address,
      // Only payments are stored there.
      refundWallet: payee,
      networks,
      facilitatorUrl: facilitator.url,
      payer: payerOf(evm.wallets)
    }
    const service = await startService(options, server, paidBy, stops)
    return { ...service, ...evm, solana: solana?.rail, stop: stopOnce(stops) }
  })

/**
 * Starts a sandbox that is paid on a local Solana chain only.
 *
 * @example
 * const sandbox = await startSolanaSandbox()
 * const pay = solanaPayingFetch(sandbox.solana.chain, sandbox.solana.wallets[0]!.signer)
 * const response = await pay(`${sandbox.baseUrl}/x402/search?q=lamp`)
 * await sandbox.stop()
 *
 * @throws Error with code `EADDRINUSE` if the port is taken.
 */
export const startSolanaSandbox = (options: SandboxOptions = {}): Promise<SolanaSandbox> =>
  startParts(async (stops) => {
    const { onProgress = () => undefined, port = 0 } = options
    const server = await openServer(port, options.host)
    stops.push(server.stop)
    const { paidBy, rail } = await startSolana(options, stops)
    onProgress("a facilitator")
    const { startSolanaFacilitator } = await import("./solana/SolanaFacilitator.ts")
    const facilitator = await startSolanaFacilitator({ chain: rail.chain })
    stops.push(facilitator.stop)
    const service = await startService(options, server, { ...paidBy, facilitatorUrl: facilitator.url }, stops)
    return { ...service, solana: rail, stop: stopOnce(stops) }
  })

/** Pays from the last wallet, as a visitor of the console asks. */
const payerOf = (wallets: ReadonlyArray<Wallet>): PaidBy["payer"] => {
  const wallet = wallets.at(-1)
  return wallet === undefined ? undefined : async () => payingFetch(wallet.privateKey)
}

const stopOnce = (stops: ReadonlyArray<Stop>): (() => Promise<void>) => {
  let stopped: Promise<void> | undefined
  return () => (stopped ??= stopAll(stops))
}

/** Loads Solana's packages when they are needed: they take as long as everything else. */
const startSolana = async (options: SandboxOptions, stops: Array<Stop>) => {
  options.onProgress?.("a local Solana chain with USDC")
  const { startSolanaRail } = await import("./solana/SolanaRail.ts")
  return startSolanaRail(options, stops)
}

/** The last of Anvil's accounts, which a till refuses for real money. What is paid to a fresh address would be lost later. */
const payeeIndex = 19

const startEvmRail = async (
  options: SandboxOptions,
  stops: Array<Stop>
): Promise<EvmRail & { readonly payee: HDAccount }> => {
  const { onProgress = () => undefined } = options
  onProgress("a local chain with USDC")
  const chain = await startChain()
  stops.push(chain.stop)
  onProgress("wallets with test USDC")
  const wallets = await fundWallets(chain, options)
  const payee = chain.accounts(payeeIndex)
  return {
    chainId: chain.chainId,
    network: `eip155:${chain.chainId}`,
    rpcUrl: chain.rpcUrl,
    asset: chain.usdc,
    payTo: payee.address,
    wallets,
    chain,
    payee
  }
}

const fundWallets = (chain: Chain, options: SandboxOptions): Promise<ReadonlyArray<Wallet>> => {
  const { walletBalanceAtomic: balanceAtomic = 1_000_000_000n, walletCount = 2 } = options
  return Promise.all(
    Array.from({ length: walletCount }, async (): Promise<Wallet> => {
      const privateKey = generatePrivateKey()
      const { address } = privateKeyToAccount(privateKey)
      await chain.mint(address, balanceAtomic)
      return { address, privateKey, balanceAtomic }
    })
  )
}
