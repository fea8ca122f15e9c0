import type { KeyPairSigner } from "@solana/kit"
import type { FacilitatorClient } from "@till402/core"
import { x402Facilitator } from "@x402/core/facilitator"
import { toFacilitatorSvmSigner } from "@x402/svm"
import { registerExactSvmScheme } from "@x402/svm/exact/facilitator"
import { serveFacilitator } from "../facilitator/FacilitatorServer.ts"
import { supportedOn } from "../facilitator/supportedOn.ts"
import type { SolanaChain } from "./SolanaChain.ts"

export interface SolanaFacilitatorSetup {
  readonly chain: SolanaChain
  /** Signs as fee payer; default: development wallet 1. It receives SOL. */
  readonly feePayer?: KeyPairSigner
  /** HTTP port on the loopback interface; default 0, a free one. */
  readonly port?: number
}

/** The official x402 facilitator on a local Solana chain. */
export interface LocalSolanaFacilitator {
  readonly url: string
  /** Base58 address of the account that pays the fees of settlements. */
  readonly feePayer: string
  /** The same facilitator, called in process instead of over HTTP. */
  readonly client: Required<FacilitatorClient>
  /** Waits up to 3 seconds for running settlements, then closes. Safe to call twice. */
  readonly stop: () => Promise<void>
}

/** Adds a Solana chain to an official facilitator. */
export const registerSolana = (
  official: x402Facilitator,
  chain: SolanaChain,
  feePayer: KeyPairSigner
): x402Facilitator => {
  chain.airdrop(feePayer.address)
  return registerExactSvmScheme(official, {
    signer: toFacilitatorSvmSigner(feePayer, { defaultRpcUrl: chain.rpcUrl }),
    networks: chain.caip2
  })
}

/**
 * Starts the official facilitator for `exact` payments on Solana, of both protocol versions.
 *
 * Version 2 uses the CAIP-2 network, version 1 the short name (`solana-devnet`).
 *
 * @example
 * ```ts
 * const chain = await startSolanaChain()
 * const facilitator = await startSolanaFacilitator({ chain })
 * const supported = await fetch(`${facilitator.url}/supported`)
 * ```
 *
 * @throws Error if the port is taken.
 */
export const startSolanaFacilitator = async (
  setup: SolanaFacilitatorSetup
): Promise<LocalSolanaFacilitator> => {
  const { chain, port = 0 } = setup
  const feePayer = setup.feePayer ?? (await chain.wallets(1))
  const official = registerSolana(new x402Facilitator(), chain, feePayer)
  const client: Required<FacilitatorClient> = {
    verify: (paymentPayload, paymentRequirements) => official.verify(paymentPayload, paymentRequirements),
    settle: (paymentPayload, paymentRequirements) => official.settle(paymentPayload, paymentRequirements),
    getSupported: supportedOn(official, chain.caip2)
  }
  const { url, stop } = await serveFacilitator(client, port)
  return { url, feePayer: feePayer.address, client, stop }
}
