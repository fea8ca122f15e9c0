import { Context, Effect } from "effect"
import { type Hex, http, type Transport } from "viem"
import type { Network } from "../domain/Network.ts"
import type { Authorization } from "../domain/PaymentPayload.ts"
import { type ChainEvidence, unavailable } from "./evidence/ChainEvidence.ts"
import { ChainNode, type NodeFailed, type NonceOwner } from "./evidence/ChainNode.ts"
import { type EvidenceHints, searchEvidence } from "./evidence/EvidenceSearch.ts"
import { type IncomingTransfers, searchTransfers, type TimeSpan } from "./evidence/TransferSearch.ts"

export type { ChainEvidence } from "./evidence/ChainEvidence.ts"
export type { EvidenceHints } from "./evidence/EvidenceSearch.ts"
export type { IncomingTransfer, IncomingTransfers, TimeSpan } from "./evidence/TransferSearch.ts"

/** State of nonces at a chain time, in the order in which they were given: used or canceled, or not. */
export interface UsedNonces {
  readonly chainTimeSeconds: number
  readonly used: ReadonlyArray<boolean>
}

/** Reads the chains of the networks that have an RPC endpoint. `undefined` results: the chain could not be read. */
export class Chain extends Context.Service<
  Chain,
  {
    /** Whether a network can be read at all. */
    readonly canRead: (caip2: string) => boolean
    /**
     * Finds out whether an authorization moved its value to its recipient. Looks at `transaction` first where it is
     * known, then at the blocks in which the authorization was valid, or in all from `sinceSeconds` on.
     */
    readonly evidence: (
      network: Network,
      authorization: Authorization,
      hints?: EvidenceHints
    ) => Effect.Effect<ChainEvidence>
    /** Reads which nonces are used, all as of one block. */
    readonly usedNonces: (
      network: Network,
      authorizations: ReadonlyArray<NonceOwner>
    ) => Effect.Effect<UsedNonces | undefined>
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
    /** Finds every `Transfer` of the stablecoin to an account in a span of time, in blocks with enough confirmations. */
    readonly transfersTo: (
      network: Network,
      to: string,
      span: TimeSpan
    ) => Effect.Effect<IncomingTransfers | undefined>
  }
>()("@till402/core/Chain") {}

/** A network to read, and the depth and age from which on its blocks count. */
export type ChainNetwork = Pick<Network, "caip2" | "confirmations" | "finalitySeconds">

/** Time for one search of evidence, however many reads it takes. */
const evidenceMillis = 30_000
const noncesPerRead = 100
const nonceReads = 4

/** Reads chains over transports of viem; each read takes 5 seconds at most. */
export const chainOver = (
  networks: ReadonlyArray<ChainNetwork>,
  transportOf: (caip2: string) => Transport
): Chain["Service"] => {
  const readable = new Map(
    networks.map((network) => [
      network.caip2 as string,
      { node: new ChainNode(transportOf(network.caip2)), finality: network }
    ])
  )

  /** Runs a read of one network, and returns `undefined` where it fails. */
  const attempt = <A>(
    { caip2 }: Network,
    read: (chain: {
      readonly node: ChainNode
      readonly finality: ChainNetwork
    }) => Effect.Effect<A, NodeFailed>
  ): Effect.Effect<A | undefined> => {
    const chain = readable.get(caip2)
    if (chain === undefined) return Effect.succeed(undefined)
    return Effect.catch(read(chain), ({ cause }) =>
      // The message of an error may quote the endpoint's key and what was read: only its name is logged.
      Effect.as(
        Effect.logWarning("The chain could not be read", caip2, cause instanceof Error ? cause.name : ""),
        undefined
      )
    )
  }

  const evidence = Effect.fn("Chain.evidence")(function* (
    network: Network,
    authorization: Authorization,
    hints: EvidenceHints = {}
  ) {
    const found = yield* attempt(network, ({ finality, node }) =>
      searchEvidence({ node, finality, asset: network.asset, authorization }, hints).pipe(
        Effect.timeoutOrElse({ duration: evidenceMillis, orElse: () => Effect.succeed(unavailable) })
      )
    )
    return found ?? unavailable
  })

  const usedNonces = Effect.fn("Chain.usedNonces")(function* (
    network: Network,
    authorizations: ReadonlyArray<NonceOwner>
  ) {
    const chunks = Array.from({ length: Math.ceil(authorizations.length / noncesPerRead) }, (_, index) =>
      authorizations.slice(index * noncesPerRead, (index + 1) * noncesPerRead)
    )
    return yield* attempt(
      network,
      Effect.fnUntraced(function* ({ node }): Effect.fn.Return<UsedNonces, NodeFailed> {
        const latest = yield* node.latest
        const used = yield* Effect.forEach(
          chunks,
          (chunk) => node.areUsed(network.asset, chunk, latest.number),
          { concurrency: nonceReads }
        )
        return { chainTimeSeconds: Number(latest.timestamp), used: used.flat() }
      })
    )
  })

  return {
    canRead: (caip2) => readable.has(caip2),
    evidence,
    usedNonces,
    balanceOf: Effect.fn("Chain.balanceOf")((network, address) =>
      attempt(network, ({ node }) => node.balanceOf(network.asset, address))
    ),
    acceptsSignature: Effect.fn("Chain.acceptsSignature")((network, address, hash, signature) =>
      attempt(network, ({ node }) => node.acceptsSignature(address, hash, signature))
    ),
    transfersTo: Effect.fn("Chain.transfersTo")((network, to, span) =>
      attempt(network, ({ finality, node }) => searchTransfers(node, network.asset, to, span, finality))
    )
  }
}

/** Reads chains by JSON-RPC over HTTP. Networks without `rpcUrl` can't be read. */
export const chainFromRpc = (
  networks: ReadonlyArray<ChainNetwork & { readonly rpcUrl: string | undefined }>
): Chain["Service"] => {
  const urls = new Map(
    networks.flatMap(({ caip2, rpcUrl }) =>
      rpcUrl === undefined ? [] : [[caip2 as string, rpcUrl] as const]
    )
  )
  return chainOver(
    networks.filter(({ caip2 }) => urls.has(caip2)),
    (caip2) => http(urls.get(caip2)!, { timeout: 5_000, retryCount: 1 })
  )
}
