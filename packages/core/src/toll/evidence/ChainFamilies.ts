import { Effect } from "effect"
import { HttpClient } from "effect/http"
import { isSolana } from "../../domain/Network.ts"
import { anyStatus } from "../../runtime/anyStatus.ts"
import type { Chain } from "./Chain.ts"
import { unavailable } from "./ChainEvidence.ts"
import type { ChainNetwork } from "./ChainReader.ts"
import { readNodeClock } from "./NodeClock.ts"
import { ownChain } from "./ownChains.ts"
import { makeSolanaChain } from "./solana/SolanaReader.ts"

/*
 * Chooses the reader of each network by its family.
 */

/** Reads chains by JSON-RPC over the host's HTTP client; see `Chain.layerRpc`. */
export const readChains = Effect.fnUntraced(function* (
  networks: ReadonlyArray<ChainNetwork & { readonly rpcUrl: string | undefined }>
): Effect.fn.Return<Chain["Service"], never, HttpClient.HttpClient> {
  const client = anyStatus(yield* HttpClient.HttpClient)
  const urls = new Map<string, string>(
    networks.flatMap(({ caip2, rpcUrl }) => (rpcUrl === undefined ? [] : [[caip2, rpcUrl] as const]))
  )
  const readable = networks.filter(({ caip2 }) => urls.has(caip2))
  const onSolana = readable.filter(({ caip2 }) => isSolana(caip2))
  const onEvm = readable.filter(({ caip2 }) => !isSolana(caip2))
  const solana = makeSolanaChain(new Map(onSolana.map(({ caip2 }) => [caip2, urls.get(caip2)!])), client)
  const clock: Chain["Service"]["clock"] = (caip2) => {
    const url = urls.get(caip2)
    return url === undefined ? Effect.undefined : readNodeClock(client, caip2, url)
  }
  if (onEvm.length === 0) return ownChain({ ...ofFamilies(unreadable, solana), clock })
  const [{ makeChain }, { rpcTransport }] = yield* loadReader
  const evm = makeChain(onEvm, (caip2) => rpcTransport(urls.get(caip2)!, client))
  return ownChain({ ...ofFamilies(evm, solana), clock })
})

/** Reads each network as one of its family. */
const ofFamilies = (evm: Chain["Service"], solana: ReturnType<typeof makeSolanaChain>): Chain["Service"] => ({
  // Not there on Solana: signatures need no chain, and each payment is looked up by itself.
  ...evm,
  canRead: (caip2) => evm.canRead(caip2) || solana.canRead(caip2),
  head: (caip2) => (isSolana(caip2) ? solana : evm).head?.(caip2) ?? Effect.undefined,
  evidence: (network, authorization, hints) =>
    (network.family === "evm" ? evm : solana).evidence(network, authorization, hints),
  facts: (network, payTo) =>
    (network.family === "evm" ? evm : solana).facts?.(network, payTo) ?? Effect.undefined,
  balanceOf: (network, address) => (network.family === "evm" ? evm : solana).balanceOf(network, address),
  transfersTo: (network, to, span) =>
    (network.family === "evm" ? evm : solana).transfersTo(network, to, span),
  transfersFrom: (network, from, span) =>
    (network.family === "evm" ? evm : solana).transfersFrom?.(network, from, span) ?? Effect.undefined,
  paidWithin: (network, authorizations, span) =>
    (network.family === "evm" ? evm : solana).paidWithin?.(network, authorizations, span) ?? Effect.undefined,
  paidBy: (network, transaction, to) =>
    (network.family === "evm" ? evm : solana).paidBy?.(network, transaction, to) ?? Effect.undefined
})

/** Loaded only where a chain is read: it takes most of the time that importing this package would take. */
const loadReader = Effect.promise(() =>
  Promise.all([import("./ChainReader.ts"), import("./RpcTransport.ts")])
)

/** The chains of networks without an RPC endpoint. */
const unreadable: Chain["Service"] = {
  canRead: () => false,
  evidence: () => Effect.succeed(unavailable),
  usedNonces: () => Effect.undefined,
  balanceOf: () => Effect.undefined,
  acceptsSignature: () => Effect.undefined,
  transfersTo: () => Effect.undefined
}
