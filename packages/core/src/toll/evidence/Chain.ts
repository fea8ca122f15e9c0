import { Context, Effect, Layer } from "effect"
import type { HttpClient } from "effect/http"
import type { Hex } from "viem"
import type { Network } from "../../domain/Network.ts"
import type { Authorization } from "../../domain/PaymentPayload.ts"
import type { ClockReading } from "../../runtime/ClockReading.ts"
import type { ChainFacts } from "./ChainFacts.ts"
import type { ChainHead } from "./ChainHead.ts"
import type { ChainEvidence } from "./ChainEvidence.ts"
import type { NonceOwner } from "./ChainNode.ts"
import type { ChainNetwork, TokenFacts, UsedNonces } from "./ChainReader.ts"
import type { EvidenceHints } from "./EvidenceHints.ts"
import type { IncomingTransfers, OutgoingTransfers, PaidQuery, TimeSpan } from "./TransferSearch.ts"

export type { ChainEvidence } from "./ChainEvidence.ts"
export type { ChainFacts } from "./ChainFacts.ts"
export type { ChainHead } from "./ChainHead.ts"
export type { ChainNetwork, TokenFacts, UsedNonces } from "./ChainReader.ts"
export type { EvidenceHints } from "./EvidenceHints.ts"
export type {
  IncomingTransfer,
  IncomingTransfers,
  OutgoingTransfer,
  OutgoingTransfers,
  PaidQuery,
  TimeSpan
} from "./TransferSearch.ts"

/** Reads the chains of networks with an RPC endpoint. A result of `undefined`: the chain could not be read. */
export class Chain extends Context.Service<
  Chain,
  {
    /** Whether a network can be read at all. */
    readonly canRead: (caip2: string) => boolean
    /**
     * Finds out whether an authorization moved its value to its recipient. Reads `transaction` first if it is given,
     * then the blocks in which the authorization was valid, or all from `sinceSeconds` on.
     */
    readonly evidence: (
      network: Network,
      authorization: Authorization,
      hints?: EvidenceHints
    ) => Effect.Effect<ChainEvidence>
    /**
     * The newest block that a network's node has shown, read at most every two seconds; `undefined`: it has shown none.
     * Waits up to a second for a read that runs, up to five while none was shown.
     */
    readonly head?: (caip2: string) => Effect.Effect<ChainHead | undefined>
    /** Reads the time that a network's node and its newest block show. Without it, they aren't compared with the till's. */
    readonly clock?: (caip2: string) => Effect.Effect<ClockReading | undefined>
    /** Reads which nonces are used, all as of one block. */
    readonly usedNonces: (
      network: Network,
      authorizations: ReadonlyArray<NonceOwner>
    ) => Effect.Effect<UsedNonces | undefined>
    /** Reads the token that a host named for a network. Without it, a till can't have one. */
    readonly token?: (network: Network) => Effect.Effect<TokenFacts | undefined>
    /** Reads what a till checks before it sells on a network, and of the account that is paid there. */
    readonly facts?: (network: Network, payTo: string) => Effect.Effect<ChainFacts | undefined>
    /** Atomic units of the network's stablecoin that an account holds at the latest block. */
    readonly balanceOf: (network: Network, address: string) => Effect.Effect<bigint | undefined>
    /**
     * Whether the chain accepts a signature of `address` over a hash: EIP-1271 for deployed contracts, EIP-6492 for
     * others.
     */
    readonly acceptsSignature: (
      network: Network,
      address: string,
      hash: Hex,
      signature: Hex
    ) => Effect.Effect<boolean | undefined>
    /**
     * Finds every `Transfer` of the stablecoin to an account in a span of time, in blocks with enough confirmations.
     */
    readonly transfersTo: (
      network: Network,
      to: string,
      span: TimeSpan
    ) => Effect.Effect<IncomingTransfers | undefined>
    /** The same, of transfers from an account. Without it, what leaves a refund wallet can't be listed. */
    readonly transfersFrom?: (
      network: Network,
      from: string,
      span: TimeSpan
    ) => Effect.Effect<OutgoingTransfers | undefined>
    /**
     * Which of some authorizations moved their value to their recipient in a span of time, in blocks with enough
     * confirmations: the transaction of each that did. One search for all, which finds nothing outside of the span, and
     * fails while the chain has no block after it. Without it, receipts of facilitators are not checked.
     */
    readonly paidWithin?: (
      ...query: PaidQuery
    ) => Effect.Effect<ReadonlyArray<string | undefined> | undefined>
    /**
     * Atomic units of the network's stablecoin that a transaction moved to an account; `"absent"`: the node doesn't have
     * it. Without it, refunds that are recorded by hand are not looked up.
     */
    readonly paidBy?: (
      network: Network,
      transaction: string,
      to: string
    ) => Effect.Effect<bigint | "absent" | undefined>
  }
>()("@till402/core/Chain") {
  /**
   * Reads chains by JSON-RPC over the host's HTTP client. Networks without `rpcUrl` can't be read.
   */
  static readonly layerRpc = (
    networks: ReadonlyArray<ChainNetwork & { readonly rpcUrl: string | undefined }>
  ): Layer.Layer<Chain, never, HttpClient.HttpClient> =>
    Layer.effect(
      Chain,
      Effect.flatMap(loadReader, ({ readChains }) => readChains(networks))
    )
}

/** Loaded only where a till starts, with `effect/http`. */
const loadReader = Effect.promise(() => import("./ChainFamilies.ts"))
