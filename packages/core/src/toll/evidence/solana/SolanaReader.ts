import { Effect } from "effect"
import type { HttpClient } from "effect/http"
import { type Network, type SolanaNetwork, token2022Program, tokenProgram } from "../../../domain/Network.ts"
import { associatedTokenAccount } from "../../../domain/SolanaAddress.ts"
import type { Authorization } from "../../../domain/PaymentPayload.ts"
import { BoundedMap } from "../../../runtime/BoundedMap.ts"
import { payerAccount } from "../../exact/PayerAccount.ts"
import { unavailable } from "../ChainEvidence.ts"
import type { ChainHead } from "../ChainHead.ts"
import type { EvidenceHints } from "../EvidenceHints.ts"
import { HeadPoll, notReachedIn } from "../HeadPoll.ts"
import { reportedBy } from "../UnreadableChain.ts"
import type { ChainFacts } from "../ChainFacts.ts"
import { type SolanaAccount, SolanaNode, type SolanaNodeFailed } from "./SolanaNode.ts"
import type { PaidQuery, TimeSpan } from "../TransferSearch.ts"
import { searchSolana, type SearchPosition } from "./SolanaSearch.ts"
import {
  changeOf,
  searchSolanaOutgoing,
  searchSolanaPaid,
  searchSolanaTransfers,
  TransferMemory
} from "./SolanaTransfers.ts"

/** Deadline of one search for evidence, with all its reads. Those that it has made help the next one. */
const evidenceMillis = 50_000
/** Transactions of payers that are remembered, 300 bytes each, and searches that didn't get through. */
const cachedDigests = 20_000
const cachedPositions = 10_000
/** Those of a busy day; each is read by itself. */
const cachedTransfers = 50_000
/** Each one shows where a thousand transactions begin. */
const cachedListings = 1_000

/** A network's node, and what is known of the network by now. */
const chainOf = (url: string, client: HttpClient.HttpClient) => ({
  node: new SolanaNode(url, client),
  search: {
    digests: new BoundedMap<string, string>(cachedDigests),
    positions: new BoundedMap<string, SearchPosition>(cachedPositions)
  },
  transfers: new TransferMemory({ transactions: cachedTransfers, positions: cachedListings })
})

interface SolanaChain extends ReturnType<typeof chainOf> {
  readonly network: SolanaNetwork
}

const reported = reportedBy(({ error }: SolanaNodeFailed) => error)

const known = <A>(read: Effect.Effect<A, SolanaNodeFailed>): Effect.Effect<A | undefined> =>
  Effect.orElseSucceed(read, () => undefined)

/** The length of the hash in a CAIP-2 identifier. */
const hashCharacters = 32

/** The owner of wallets. */
const systemProgram = "11111111111111111111111111111111"

/** A vault of a multisig is a wallet, too: no account may exist at its address. The multisig's own account is none. */
const kindOf = (account: SolanaAccount | undefined): ChainFacts["payTo"] => {
  if (account === undefined) return "wallet"
  if (account.isProgram) return "program"
  if (account.owner !== tokenProgram && account.owner !== token2022Program)
    return account.owner === undefined || account.owner === systemProgram ? "wallet" : "program's account"
  // A mint is shorter than an account.
  return account.data.length < 165 ? "token" : "token account"
}

/** The byte of a token account that has its state, and its values. */
const stateAt = 108
const frozen = 2

const tokenAccountState = (account: SolanaAccount | undefined): ChainFacts["tokenAccount"] => {
  if (account === undefined || account.data.length <= stateAt) return "missing"
  return account.data[stateAt] === frozen ? "frozen" : "ready"
}

const solanaFacts = Effect.fnUntraced(function* (
  node: SolanaNode,
  network: SolanaNetwork,
  payTo: string
): Effect.fn.Return<ChainFacts, SolanaNodeFailed> {
  const { seconds } = yield* node.clock
  const [hash, kind, tokenAccount] = yield* Effect.all(
    [
      known(node.genesisHash),
      known(Effect.map(node.accountAt(payTo), kindOf)),
      known(
        Effect.map(
          node.accountAt(associatedTokenAccount(payTo, network.asset, network.tokenProgram)),
          tokenAccountState
        )
      )
    ],
    { concurrency: "unbounded" }
  )
  return {
    caip2: hash === undefined ? undefined : `solana:${hash.slice(0, hashCharacters)}`,
    blockSeconds: seconds,
    payTo: kind,
    tokenAccount
  }
})

/** A search for paid authorizations on a chain. */
const paidWithin =
  ([, authorizations, span]: PaidQuery) =>
  ({ network, node, transfers: memory }: SolanaChain) =>
    Effect.timeoutOrElse(searchSolanaPaid(node, network, authorizations, { span, memory }), {
      duration: evidenceMillis,
      orElse: () => Effect.undefined
    })

/** How much a transaction moved to a wallet. */
const movedBy =
  (transaction: string, wallet: string) =>
  ({ network, node }: SolanaChain) =>
    Effect.map(node.transaction(transaction), (found) =>
      found === undefined
        ? ("absent" as const)
        : (changeOf(transaction, found, { mint: network.asset, wallet })?.change ?? 0n)
    )

/** Reads Solana chains by JSON-RPC. `urls`: their endpoints, by CAIP-2 network. */
export const makeSolanaChain = (urls: ReadonlyMap<string, string>, client: HttpClient.HttpClient) => {
  const chains = new Map(Array.from(urls, ([caip2, url]) => [caip2, chainOf(url, client)]))

  /** Runs a read of one network; `undefined` when it fails. */
  const attempt = <A>(
    network: Network,
    read: (chain: SolanaChain) => Effect.Effect<A, SolanaNodeFailed>
  ): Effect.Effect<A | undefined> => {
    const { caip2 } = network
    const chain = chains.get(caip2)
    if (chain === undefined || network.family !== "solana") return Effect.undefined
    return reported(caip2, read({ ...chain, network }))
  }

  const polls = new Map(
    Array.from(chains, ([caip2, { node }]) => {
      const slot = Effect.map(node.confirmedSlot, (number): ChainHead => ({ number: BigInt(number) }))
      return [caip2, new HeadPoll(reported(caip2, slot))]
    })
  )

  return {
    canRead: (caip2: string) => chains.has(caip2),
    head: (caip2: string) => polls.get(caip2)?.head ?? Effect.undefined,
    evidence: Effect.fn("Chain.evidence")(function* (
      network: Network,
      authorization: Authorization,
      hints: EvidenceHints = {}
    ) {
      const isNotReached = notReachedIn(polls, network.caip2)
      const found = yield* attempt(network, ({ node, search: memory }) =>
        searchSolana(
          {
            node,
            mint: network.asset,
            authorization,
            memory,
            claimedAfter: hints.claimedAfter,
            isNotReached
          },
          hints
        ).pipe(Effect.timeoutOrElse({ duration: evidenceMillis, orElse: () => Effect.succeed(unavailable) }))
      )
      return found ?? unavailable
    }),
    facts: Effect.fn("Chain.facts")((given: Network, payTo: string) =>
      attempt(given, ({ network, node }) => solanaFacts(node, network, payTo))
    ),
    /** Of the account from which payments are accepted: a wallet may have others. */
    balanceOf: Effect.fn("Chain.balanceOf")((given: Network, address: string) =>
      attempt(given, ({ network, node }) =>
        node.balanceOf(payerAccount(address, network.asset, network.tokenProgram), address)
      )
    ),
    transfersTo: Effect.fn("Chain.transfersTo")((given: Network, to: string, span: TimeSpan) =>
      attempt(given, ({ network, node, transfers: memory }) =>
        searchSolanaTransfers(node, network, to, { span, memory })
      )
    ),
    transfersFrom: Effect.fn("Chain.transfersFrom")((given: Network, from: string, span: TimeSpan) =>
      attempt(given, ({ network, node, transfers: memory }) =>
        searchSolanaOutgoing(node, network, from, { span, memory })
      )
    ),
    paidWithin: Effect.fn("Chain.paidWithin")((...query: PaidQuery) => attempt(query[0], paidWithin(query))),
    paidBy: (given: Network, id: string, wallet: string) => attempt(given, movedBy(id, wallet))
  }
}
