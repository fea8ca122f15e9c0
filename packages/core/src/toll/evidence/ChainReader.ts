import { Effect } from "effect"
import type { Hex, Transport } from "viem"
import type { Network } from "../../domain/Network.ts"
import type { Authorization } from "../../domain/PaymentPayload.ts"
import { networkFault } from "../../runtime/networkFault.ts"
import { reportedBy } from "./UnreadableChain.ts"
import { unavailable } from "./ChainEvidence.ts"
import type { ChainFacts } from "./ChainFacts.ts"
import type { ChainHead } from "./ChainHead.ts"
import { HeadPoll, notReachedIn } from "./HeadPoll.ts"
import { ChainNode, type NodeFailed, type NonceOwner, type TokenContract } from "./ChainNode.ts"
import type { EvidenceHints } from "./EvidenceHints.ts"
import { searchEvidence } from "./EvidenceSearch.ts"
import { authorizationUsed, followsRule, movedTo } from "./TransferProof.ts"
import {
  type PaidQuery,
  searchOutgoing,
  searchPaid,
  searchTransfers,
  type TimeSpan
} from "./TransferSearch.ts"

/** Nonces' state at a chain time, in the order of the request: `true` for used or canceled. */
export interface UsedNonces {
  readonly chainTimeSeconds: number
  readonly used: ReadonlyArray<boolean>
}

/** A network to read, and the depth and age that its blocks need to count. */
export type ChainNetwork = Pick<Network, "caip2" | "confirmations" | "finalitySeconds">

/** Deadline of one search for evidence, with all its reads. */
const evidenceMillis = 30_000
const noncesPerRead = 100
const nonceReads = 4

/** A token, as its contract and its latest payments describe it. */
export interface TokenFacts extends TokenContract {
  /** Whether its latest payment has the events by which payments are proven; `undefined`: none was found. */
  readonly pairsEvents: boolean | undefined
}

/** Blocks in which a token's latest payment is looked for. */
const recentBlocks = 2_000n

/** Reads the logs of a token's latest payment. Not every node has them all: without them, nothing is known. */
const pairsEvents = Effect.fnUntraced(
  function* (node: ChainNode, address: Hex): Effect.fn.Return<boolean | undefined, NodeFailed> {
    const { number } = yield* node.latest
    const from = number > recentBlocks ? number - recentBlocks : 0n
    const used = yield* node.logs({ address, topics: [authorizationUsed] }, { from, to: number })
    const last = used.at(-1)
    const receipt = last === undefined ? undefined : yield* node.receipt(last.transaction)
    return receipt === undefined ? undefined : followsRule(receipt.logs, address)
  },
  Effect.catch(() => Effect.undefined)
)

const tokenFacts = (node: ChainNode, asset: Hex): Effect.Effect<TokenFacts, NodeFailed> =>
  Effect.all(
    { contract: node.token(asset), pairsEvents: pairsEvents(node, asset) },
    { concurrency: "unbounded" }
  ).pipe(Effect.map(({ contract, pairsEvents }): TokenFacts => ({ ...contract, pairsEvents })))

/** Reads the nonces of authorizations as of the latest block. */
const readNonces = Effect.fnUntraced(function* (
  node: ChainNode,
  asset: Hex,
  authorizations: ReadonlyArray<NonceOwner>
): Effect.fn.Return<UsedNonces, NodeFailed> {
  const chunks = Array.from({ length: Math.ceil(authorizations.length / noncesPerRead) }, (_, index) =>
    authorizations.slice(index * noncesPerRead, (index + 1) * noncesPerRead)
  )
  const latest = yield* node.latest
  const used = yield* Effect.forEach(chunks, (chunk) => node.areUsed(asset, chunk, latest.number), {
    concurrency: nonceReads
  })
  return { chainTimeSeconds: Number(latest.timestamp), used: used.flat() }
})

/** The message of an error may quote the endpoint's key and what was read. */
const reported = reportedBy(({ cause }: NodeFailed) =>
  networkFault(cause, cause instanceof Error ? cause.name : undefined)
)

/** What one read of several found; `undefined` if it failed. */
const known = <A>(read: Effect.Effect<A, NodeFailed>): Effect.Effect<A | undefined> =>
  Effect.orElseSucceed(read, () => undefined)

const accountKind = (
  node: ChainNode,
  address: Hex
): Effect.Effect<"wallet" | "contract" | "token", NodeFailed> =>
  Effect.flatMap(node.code(address), (code) =>
    code === undefined
      ? Effect.succeed("wallet" as const)
      : Effect.map(node.decimals(address), (decimals) => (decimals === undefined ? "contract" : "token"))
  )

const chainFacts = Effect.fnUntraced(function* (
  node: ChainNode,
  asset: Hex,
  payTo: Hex
): Effect.fn.Return<ChainFacts, NodeFailed> {
  const { number, timestamp } = yield* node.latest
  const { chainId, hasLogs, kind } = yield* Effect.all(
    {
      chainId: known(node.chainId),
      kind: known(accountKind(node, payTo)),
      hasLogs: node.logs({ address: asset, topics: [authorizationUsed] }, { from: number, to: number }).pipe(
        Effect.as(true),
        // A node that fails otherwise may have logs.
        Effect.catch(({ isRefusal }) => Effect.succeed(isRefusal ? false : undefined))
      )
    },
    { concurrency: "unbounded" }
  )
  return {
    caip2: chainId === undefined ? undefined : `eip155:${chainId}`,
    blockSeconds: Number(timestamp),
    hasLogs,
    payTo: kind
  }
})

const headOf = (node: ChainNode): Effect.Effect<ChainHead, NodeFailed> =>
  Effect.map(node.latest, ({ hash, number, timestamp }) => ({
    number,
    hash: hash.toLowerCase(),
    timeSeconds: timestamp
  }))

/** A search for paid authorizations on a chain. */
const paidWithin =
  ([, authorizations, span]: PaidQuery) =>
  ({
    asset,
    finality,
    node
  }: {
    readonly asset: Hex
    readonly finality: ChainNetwork
    readonly node: ChainNode
  }) =>
    Effect.timeoutOrElse(searchPaid(node, asset, authorizations, { span, finality }), {
      duration: evidenceMillis,
      orElse: () => Effect.undefined
    })

/** How much a transaction moved to an account. */
const movedBy =
  (transaction: string, to: string) =>
  ({ asset, node }: { readonly asset: Hex; readonly node: ChainNode }) =>
    Effect.map(node.receipt(transaction), (receipt) =>
      receipt === undefined ? ("absent" as const) : movedTo(receipt.logs, asset, to)
    )

/** Reads chains over transports of viem; each read has a deadline of 5 seconds. */
export const makeChain = (
  networks: ReadonlyArray<ChainNetwork>,
  transportOf: (caip2: string) => Transport
) => {
  const readable = new Map(
    networks.map((network) => [
      network.caip2 as string,
      { node: new ChainNode(transportOf(network.caip2)), finality: network }
    ])
  )

  /** Runs a read of one network; `undefined` when it fails. */
  const attempt = <A>(
    network: Network,
    read: (chain: {
      readonly node: ChainNode
      readonly finality: ChainNetwork
      readonly asset: Hex
    }) => Effect.Effect<A, NodeFailed>
  ): Effect.Effect<A | undefined> => {
    const { caip2 } = network
    const chain = readable.get(caip2)
    if (chain === undefined || network.family !== "evm") return Effect.succeed(undefined)
    return reported(caip2, read({ ...chain, asset: network.asset }))
  }

  const polls = new Map(
    Array.from(readable, ([caip2, { node }]) => [caip2, new HeadPoll(reported(caip2, headOf(node)))])
  )

  const evidence = Effect.fn("Chain.evidence")(function* (
    network: Network,
    authorization: Authorization,
    hints: EvidenceHints = {}
  ) {
    const isNotReached = notReachedIn(polls, network.caip2)
    const found = yield* attempt(network, ({ asset, finality, node }) =>
      searchEvidence(
        { node, finality, asset, authorization, claimedAfter: hints.claimedAfter, isNotReached },
        hints
      ).pipe(Effect.timeoutOrElse({ duration: evidenceMillis, orElse: () => Effect.succeed(unavailable) }))
    )
    return found ?? unavailable
  })

  return {
    canRead: (caip2: string) => readable.has(caip2),
    head: (caip2: string) => polls.get(caip2)?.head ?? Effect.undefined,
    evidence,
    usedNonces: Effect.fn("Chain.usedNonces")((network: Network, authorizations: ReadonlyArray<NonceOwner>) =>
      attempt(network, ({ asset, node }) => readNonces(node, asset, authorizations))
    ),
    token: Effect.fn("Chain.token")((network: Network) =>
      attempt(network, ({ asset, node }) => tokenFacts(node, asset))
    ),
    facts: Effect.fn("Chain.facts")((network: Network, payTo: string) =>
      attempt(network, ({ asset, node }) => chainFacts(node, asset, payTo as Hex))
    ),
    balanceOf: Effect.fn("Chain.balanceOf")((network: Network, address: string) =>
      attempt(network, ({ asset, node }) => node.balanceOf(asset, address))
    ),
    acceptsSignature: Effect.fn("Chain.acceptsSignature")(
      (network: Network, address: string, hash: Hex, signature: Hex) =>
        attempt(network, ({ node }) => node.acceptsSignature(address, hash, signature))
    ),
    transfersTo: Effect.fn("Chain.transfersTo")((network: Network, to: string, span: TimeSpan) =>
      attempt(network, ({ asset, finality, node }) => searchTransfers(node, asset, to, span, finality))
    ),
    transfersFrom: Effect.fn("Chain.transfersFrom")((network: Network, from: string, span: TimeSpan) =>
      attempt(network, ({ asset, finality, node }) => searchOutgoing(node, asset, from, span, finality))
    ),
    paidWithin: Effect.fn("Chain.paidWithin")((...query: PaidQuery) => attempt(query[0], paidWithin(query))),
    paidBy: (network: Network, id: string, to: string) => attempt(network, movedBy(id, to))
  }
}
