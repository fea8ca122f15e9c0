import type { NetworkName } from "../../domain/Network.ts"
import type { SecretText } from "../../runtime/SecretText.ts"

/**
 * A dollar token other than Circle's USDC: with 6 decimals, and EIP-3009 with the events of Circle's tokens. `till.ready`
 * rejects with a `ConfigurationError` if the chain shows other decimals, other events or another EIP-712 domain.
 *
 * @example
 * import type { TokenOptions } from "@till402/core"
 *
 * const token: TokenOptions = {
 *   address: "0x00000000000000000000000000000000d011a500",
 *   name: "Your Dollar",
 *   version: "2"
 * }
 */
export interface TokenOptions {
  /** Address of its contract. */
  readonly address: string
  /** Name in its EIP-712 domain. */
  readonly name: string
  /** Version in its EIP-712 domain. */
  readonly version: string
}

/** A network on which callers can pay. */
export interface NetworkOptions {
  /** Version-1 name (`base-sepolia`, `solana`) or CAIP-2 identifier (`eip155:84532`). */
  readonly network: NetworkName
  /**
   * Address that receives payments on this network. Default: the till's `payTo`. On Solana, the address of a wallet,
   * whose token account receives them.
   */
  readonly payTo?: string
  /**
   * JSON-RPC endpoint, http(s). Required to serve `buy` and `vault/buy`, unless `trustFacilitator` is `true`.
   * With it, the settlement of these and of payments above `proofAbove` counts only when the chain shows it, all others are
   * checked later, contract wallets can pay, and unknown outcomes are resolved.
   */
  readonly rpcUrl?: SecretText
  /**
   * Token that is paid with: `{ address, name, version }`, checked against the chain at startup. Default: Circle's USDC.
   * Needs `rpcUrl`. Not on Solana.
   */
  readonly token?: TokenOptions
  /**
   * Blocks until a transfer counts as payment, its own block included. Default: by network. Needs `rpcUrl`. Not on
   * Solana.
   */
  readonly confirmations?: number
  /**
   * Age of a block, in chain time, at which a reorganization is no longer expected to remove it. Default: by network.
   * Younger payments are checked once more, and refunds wait until their payment is that old. Needs `rpcUrl`.
   * Not on Solana.
   */
  readonly finalitySeconds?: number
}
