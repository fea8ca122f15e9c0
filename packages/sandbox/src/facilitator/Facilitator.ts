import type { FacilitatorClient } from "@till402/core"
import { x402Facilitator } from "@x402/core/facilitator"
import { registerExactEvmScheme } from "@x402/evm/exact/facilitator"
import { parseEther, type Account } from "viem"
import type { Chain } from "../chain/Chain.ts"
import type { SolanaChain } from "../solana/SolanaChain.ts"
import { serveFacilitator } from "./FacilitatorServer.ts"
import { supportedOn } from "./supportedOn.ts"
import { facilitatorSigner } from "./Signer.ts"

export interface FacilitatorSetup {
  readonly chain: Chain
  /** Account that sends settlements and pays gas; default: development account 1. It receives ether. */
  readonly account?: Account
  /** Another chain on which it settles; development wallet 1 pays the fees. */
  readonly solana?: SolanaChain
  /** HTTP port on the loopback interface; default 0, a free one. */
  readonly port?: number
}

/** The official x402 facilitator on a local chain. */
export interface LocalFacilitator {
  readonly url: string
  /** The same facilitator, called in process instead of over HTTP. */
  readonly client: Required<FacilitatorClient>
  /** Waits up to 3 seconds for running settlements, then closes. Safe to call twice. */
  readonly stop: () => Promise<void>
}

/**
 * Starts the official facilitator for `exact` payments of both protocol versions.
 *
 * Version 2 uses the CAIP-2 network (`eip155:84532`), version 1 the short name (`base-sepolia`).
 *
 * @example
 * ```ts
 * const chain = await startChain()
 * const facilitator = await startFacilitator({ chain })
 * const supported = await fetch(`${facilitator.url}/supported`)
 * ```
 *
 * @throws Error if the port is taken.
 */
export const startFacilitator = async (setup: FacilitatorSetup): Promise<LocalFacilitator> => {
  const { chain, port = 0 } = setup
  const account = setup.account ?? chain.accounts(1)
  await chain.client.setBalance({ address: account.address, value: parseEther("1000") })

  const official = registerExactEvmScheme(new x402Facilitator(), {
    signer: facilitatorSigner(chain, account),
    networks: `eip155:${chain.chainId}`
  })
  if (setup.solana !== undefined) {
    const { registerSolana } = await import("../solana/SolanaFacilitator.ts")
    registerSolana(official, setup.solana, await setup.solana.wallets(1))
  }
  const client: Required<FacilitatorClient> = {
    verify: (paymentPayload, paymentRequirements) => official.verify(paymentPayload, paymentRequirements),
    settle: (paymentPayload, paymentRequirements) => official.settle(paymentPayload, paymentRequirements),
    getSupported: supportedOn(official, `eip155:${chain.chainId}`, setup.solana?.caip2)
  }
  const { url, stop } = await serveFacilitator(client, port)
  return { url, client, stop }
}
