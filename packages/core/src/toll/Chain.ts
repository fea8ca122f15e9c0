import { Context, Effect } from "effect"
import {
  createPublicClient,
  http,
  parseAbi,
  parseEventLogs,
  type Hex,
  type Log,
  type PublicClient,
  TransactionReceiptNotFoundError
} from "viem"
import type { Network } from "../domain/Network.ts"
import type { Authorization } from "../domain/PaymentPayload.ts"

/**
 * What the chain says of an authorization. Only its `AuthorizationUsed` event together with the
 * `Transfer` it names prove payment: a used nonce may have been cancelled, a receipt may hold neither.
 */
export type ChainEvidence =
  /** `atSeconds`: time of the block that it stands in. */
  | { readonly _tag: "Moved"; readonly transaction: string; readonly atSeconds: number }
  /** The nonce is unused at this chain time. */
  | { readonly _tag: "NotMoved"; readonly chainTimeSeconds: number }
  /** The payer cancelled the authorization: it never moves. */
  | { readonly _tag: "Cancelled" }
  /** The chain could not be read, or does not show what used the nonce. */
  | { readonly _tag: "Unavailable" }

/** Reads the chains of the networks that have an RPC endpoint. */
export class Chain extends Context.Service<
  Chain,
  {
    /** Whether a network can be read at all. */
    readonly canRead: (caip2: string) => boolean
    /**
     * Looks for the transfer of an authorization, in the given transaction where one is known; else in the blocks
     * in which it was valid, or, with `sinceSeconds`, in all from then on.
     */
    readonly evidence: (
      network: Network,
      authorization: Authorization,
      transaction: string | undefined,
      sinceSeconds?: number
    ) => Effect.Effect<ChainEvidence>
    /** Whether an account holds code; `undefined` where that can't be known. */
    readonly hasCode: (network: Network, address: string) => Effect.Effect<boolean | undefined>
  }
>()("@till402/core/Chain") {}

const events = parseAbi([
  "event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)",
  "event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)",
  "event Transfer(address indexed from, address indexed to, uint256 value)"
])
const authorizationState = parseAbi([
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)"
])

/** Blocks asked for at once: what most nodes answer. */
const blocksPerQuery = 2_000n
/** Queries made for one authorization at most, and where it may have moved long ago. */
const maxQueries = 6
const maxQueriesSince = 120
/** Longest that an authorization which is taken can be valid for, and the payer's clock be ahead. */
const longestLifeSeconds = 700n

const same = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase()

/** Whether these logs prove that the authorization moved its money in this token. */
export const provesTransfer = (
  logs: ReadonlyArray<Log>,
  asset: string,
  authorization: Authorization
): boolean => {
  const parsed = parseEventLogs({ abi: events, logs: logs.filter((log) => same(log.address, asset)) })
  const used = parsed.some(
    (log) =>
      log.eventName === "AuthorizationUsed" &&
      same(log.args.authorizer, authorization.from) &&
      same(log.args.nonce, authorization.nonce)
  )
  const moved = parsed.some(
    (log) =>
      log.eventName === "Transfer" &&
      same(log.args.from, authorization.from) &&
      same(log.args.to, authorization.to) &&
      log.args.value === BigInt(authorization.value)
  )
  return used && moved
}

/** Reads chains by JSON-RPC; every call is bounded in time. */
export const chainFromRpc = (rpcUrls: ReadonlyMap<string, string>): Chain["Service"] => {
  const clients = new Map<string, PublicClient>()
  for (const [caip2, url] of rpcUrls) {
    clients.set(caip2, createPublicClient({ transport: http(url, { timeout: 5_000, retryCount: 1 }) }))
  }

  /** When a transaction moved the authorization's money; `undefined`: it did not, or is not seen yet. */
  const timeMoved = async (
    client: PublicClient,
    network: Network,
    authorization: Authorization,
    hash: string
  ): Promise<number | undefined> => {
    const receipt = await client.getTransactionReceipt({ hash: hash as Hex }).catch((error: unknown) => {
      if (error instanceof TransactionReceiptNotFoundError) return undefined
      throw error
    })
    if (receipt?.status !== "success" || !provesTransfer(receipt.logs, network.asset, authorization)) {
      return undefined
    }
    const block = await client.getBlock({ blockHash: receipt.blockHash })
    return Number(block.timestamp)
  }

  /** The last block in which an authorization that is no longer valid could stand, roughly. */
  const lastBlockFor = async (
    client: PublicClient,
    latest: { readonly number: bigint; readonly timestamp: bigint },
    validBefore: bigint,
    sinceSeconds: bigint | undefined
  ): Promise<{ readonly last: bigint; readonly span: bigint }> => {
    const sampled = latest.number > blocksPerQuery ? latest.number - blocksPerQuery : 0n
    if (sampled === latest.number) return { last: latest.number, span: 1n }
    const earlier = await client.getBlock({ blockNumber: sampled })
    const seconds = latest.timestamp - earlier.timestamp
    const blocks = latest.number - sampled
    // On a chain that is younger than a second every block may be meant.
    const blocksIn = (duration: bigint): bigint => {
      if (duration === 0n) return 0n
      return seconds === 0n ? blocks : (duration * blocks) / seconds
    }
    if (sinceSeconds !== undefined) {
      const duration = latest.timestamp > sinceSeconds ? latest.timestamp - sinceSeconds : 0n
      const span = blocksIn(duration)
      return { last: latest.number, span: span + span / 10n + 10n }
    }
    const ago = latest.timestamp > validBefore ? latest.timestamp - validBefore : 0n
    // Block times vary: a tenth of the way is looked at on either side.
    const slack = blocksIn(ago) / 10n + 10n
    const middle = latest.number - blocksIn(ago)
    const last = middle + slack > latest.number ? latest.number : middle + slack
    return { last: last < 0n ? 0n : last, span: blocksIn(longestLifeSeconds) + 2n * slack }
  }

  /** Finds what used an authorization's nonce, in the blocks in which it was valid. */
  const findUse = async (
    client: PublicClient,
    network: Network,
    authorization: Authorization,
    latest: { readonly number: bigint; readonly timestamp: bigint },
    sinceSeconds: number | undefined
  ): Promise<ChainEvidence> => {
    const since = sinceSeconds === undefined ? undefined : BigInt(sinceSeconds)
    const { last, span } = await lastBlockFor(client, latest, BigInt(authorization.validBefore), since)
    const queries = since === undefined ? maxQueries : maxQueriesSince
    const first = last > span ? last - span : 0n
    const args = { authorizer: authorization.from as Hex, nonce: authorization.nonce as Hex }
    let toBlock = last
    for (let query = 0; query < queries && toBlock >= first; query++) {
      const fromBlock = toBlock - blocksPerQuery + 1n > first ? toBlock - blocksPerQuery + 1n : first
      const range = { address: network.asset, fromBlock, toBlock }
      const used = await client.getLogs({ ...range, event: events[0], args })
      for (const { transactionHash } of used) {
        const atSeconds = await timeMoved(client, network, authorization, transactionHash)
        if (atSeconds !== undefined) return { _tag: "Moved", transaction: transactionHash, atSeconds }
      }
      const cancelled = await client.getLogs({ ...range, event: events[1], args })
      if (cancelled.length > 0) return { _tag: "Cancelled" }
      if (fromBlock === 0n) break
      toBlock = fromBlock - 1n
    }
    return { _tag: "Unavailable" }
  }

  const search = async (
    client: PublicClient,
    network: Network,
    authorization: Authorization,
    sinceSeconds: number | undefined
  ): Promise<ChainEvidence> => {
    const block = await client.getBlock({ blockTag: "latest" })
    const used = await client.readContract({
      address: network.asset,
      abi: authorizationState,
      functionName: "authorizationState",
      args: [authorization.from as Hex, authorization.nonce as Hex],
      // Of the very block whose time is told: a later one could have used it.
      blockNumber: block.number
    })
    return used
      ? findUse(client, network, authorization, block, sinceSeconds)
      : { _tag: "NotMoved", chainTimeSeconds: Number(block.timestamp) }
  }

  return {
    canRead: (caip2) => clients.has(caip2),
    evidence: Effect.fn("Chain.evidence")(function* (network, authorization, transaction, sinceSeconds) {
      const client = clients.get(network.caip2)
      if (client === undefined) return { _tag: "Unavailable" }
      return yield* Effect.tryPromise(async (): Promise<ChainEvidence> => {
        const atSeconds =
          transaction === undefined ? undefined : await timeMoved(client, network, authorization, transaction)
        return transaction !== undefined && atSeconds !== undefined
          ? { _tag: "Moved", transaction, atSeconds }
          : search(client, network, authorization, sinceSeconds)
      }).pipe(
        Effect.tapError((error) =>
          Effect.logWarning("The chain could not be read", network.caip2, error.message)
        ),
        Effect.catch(() => Effect.succeed<ChainEvidence>({ _tag: "Unavailable" }))
      )
    }),
    hasCode: Effect.fn("Chain.hasCode")(function* (network, address) {
      const client = clients.get(network.caip2)
      if (client === undefined) return undefined
      return yield* Effect.tryPromise(() => client.getCode({ address: address as Hex })).pipe(
        Effect.map((code): boolean | undefined => code !== undefined && code !== "0x"),
        Effect.catch(() => Effect.succeed(undefined))
      )
    })
  }
}
