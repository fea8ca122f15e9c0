import { Effect } from "effect"
import type { HttpClient } from "effect/http"
import type { Network } from "../../../domain/Network.ts"
import type { Authorization } from "../../../domain/PaymentPayload.ts"
import { BoundedMap } from "../../../runtime/BoundedMap.ts"
import { report } from "../../../runtime/events.ts"
import { unavailable } from "../ChainEvidence.ts"
import type { EvidenceHints } from "../EvidenceHints.ts"
import { SolanaNode, type SolanaNodeFailed } from "./SolanaNode.ts"
import type { TimeSpan } from "../TransferSearch.ts"
import { searchSolana } from "./SolanaSearch.ts"
import { searchSolanaTransfers, type TransferCache } from "./SolanaTransfers.ts"

/** Deadline of one search for evidence, with all its reads. */
const evidenceMillis = 30_000
/** Those of a busy day; each is read by itself. */
const cachedTransfers = 20_000

/** Reads Solana chains by JSON-RPC. `urls`: their endpoints, by CAIP-2 network. */
export const makeSolanaChain = (urls: ReadonlyMap<string, string>, client: HttpClient.HttpClient) => {
  const transfers: TransferCache = new BoundedMap(cachedTransfers)
  const nodes = new Map(Array.from(urls, ([caip2, url]) => [caip2, new SolanaNode(url, client)]))

  /** Runs a read of one network; `undefined` when it fails. */
  const attempt = <A>(
    { caip2 }: Network,
    read: (node: SolanaNode) => Effect.Effect<A, SolanaNodeFailed>
  ): Effect.Effect<A | undefined> => {
    const node = nodes.get(caip2)
    if (node === undefined) return Effect.succeed(undefined)
    return Effect.catch(read(node), ({ error }) =>
      Effect.as(
        report("Warn", "chain_unreadable", "The chain could not be read", {
          port: "chain",
          network: caip2,
          error
        }),
        undefined
      )
    )
  }

  return {
    canRead: (caip2: string) => nodes.has(caip2),
    evidence: Effect.fn("Chain.evidence")(function* (
      network: Network,
      authorization: Authorization,
      hints: EvidenceHints = {}
    ) {
      const found = yield* attempt(network, (node) =>
        searchSolana({ node, mint: network.asset, authorization }, hints).pipe(
          Effect.timeoutOrElse({ duration: evidenceMillis, orElse: () => Effect.succeed(unavailable) })
        )
      )
      return found ?? unavailable
    }),
    balanceOf: Effect.fn("Chain.balanceOf")((network: Network, address: string) =>
      attempt(network, (node) => node.balanceOf(address, network.asset))
    ),
    transfersTo: Effect.fn("Chain.transfersTo")((network: Network, to: string, span: TimeSpan) =>
      network.family === "solana"
        ? attempt(network, (node) => searchSolanaTransfers(node, network, to, { span, cache: transfers }))
        : Effect.undefined
    )
  }
}
