import type { FacilitatorClient } from "@till402/core"
import { x402Facilitator } from "@x402/core/facilitator"
import { registerExactEvmScheme } from "@x402/evm/exact/facilitator"
import { parseEther, type Account } from "viem"
import type { Chain } from "../chain/Chain.ts"
import { serveFacilitator } from "./FacilitatorServer.ts"
import { facilitatorSigner } from "./Signer.ts"

export interface FacilitatorSetup {
  readonly chain: Chain
  /** Account that sends settlements and pays their gas; default: development account 1. It is given ether. */
  readonly account?: Account
  /** HTTP port on the loopback interface; default 0, a free one. */
  readonly port?: number
}

/** The official x402 facilitator over a local chain. */
export interface LocalFacilitator {
  readonly url: string
  /** The same facilitator without the way over HTTP. */
  readonly client: Required<FacilitatorClient>
  /** Lets running settlements end (3 seconds at most), then closes. Safe to call twice. */
  readonly stop: () => Promise<void>
}

/**
 * Starts the official facilitator of `@x402/core` and `@x402/evm` for `exact` payments of both protocol
 * versions: version 2 on the chain's CAIP-2 network (`eip155:84532`), version 1 by its short name
 * (`base-sepolia`), each with the requirements in its own version's words.
 *
 * @example
 * ```ts
 * const chain = await startChain()
 * const facilitator = await startFacilitator({ chain })
 * const supported = await fetch(`${facilitator.url}/supported`)
 * ```
 *
 * @throws Error when the port is taken.
 */
export const startFacilitator = async (setup: FacilitatorSetup): Promise<LocalFacilitator> => {
  const { chain, port = 0 } = setup
  const account = setup.account ?? chain.accounts(1)
  await chain.client.setBalance({ address: account.address, value: parseEther("1000") })

  const official = registerExactEvmScheme(new x402Facilitator(), {
    signer: facilitatorSigner(chain, account),
    networks: `eip155:${chain.chainId}`
  })
  const client: Required<FacilitatorClient> = {
    verify: (paymentPayload, paymentRequirements) => official.verify(paymentPayload, paymentRequirements),
    settle: (paymentPayload, paymentRequirements) => official.settle(paymentPayload, paymentRequirements),
    getSupported: async () => official.getSupported()
  }
  const { url, stop } = await serveFacilitator(client, port)
  return { url, client, stop }
}
