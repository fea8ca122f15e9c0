import { Context, Effect } from "effect"
import {
  createPublicClient,
  http,
  parseAbi,
  parseEventLogs,
  type Hex,
  type Log,
  type PublicClient
} from "viem"
import type { Network } from "../domain/Network.ts"
import type { Authorization } from "../domain/PaymentPayload.ts"

/**
 * What the chain says of an authorization. Only its `AuthorizationUsed` event together with the
 * `Transfer` it names prove payment: a used nonce may have been cancelled, a receipt may hold neither.
 */
export type ChainEvidence =
  | { readonly _tag: "Moved"; readonly transaction: string }
  | { readonly _tag: "NotMoved"; readonly chainTimeSeconds: number }
  | { readonly _tag: "Unavailable" }

/** Reads the chains of the networks that have an RPC endpoint. */
export class Chain extends Context.Service<
  Chain,
  {
    /** Whether a network can be read at all. */
    readonly canRead: (caip2: string) => boolean
    /** Looks for the transfer of an authorization, in the given transaction where one is known. */
    readonly evidence: (
      network: Network,
      authorization: Authorization,
      transaction: string | undefined
    ) => Effect.Effect<ChainEvidence>
    /** Whether an account holds code; `undefined` where that can't be known. */
    readonly hasCode: (network: Network, address: string) => Effect.Effect<boolean | undefined>
  }
>()("@till402/core/Chain") {}

const events = parseAbi([
  "event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)",
  "event Transfer(address indexed from, address indexed to, uint256 value)"
])
const authorizationState = parseAbi([
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)"
])

/** Blocks looked back for an authorization's event: hours on every listed network, one query of most nodes. */
const lookBackBlocks = 2_000n

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

  const ofTransaction = async (
    client: PublicClient,
    network: Network,
    authorization: Authorization,
    hash: string
  ) => {
    // A transaction that the node has not seen yet is no evidence either way.
    const receipt = await client.getTransactionReceipt({ hash: hash as Hex }).catch(() => undefined)
    return receipt?.status === "success" && provesTransfer(receipt.logs, network.asset, authorization)
  }

  const search = async (
    client: PublicClient,
    network: Network,
    authorization: Authorization
  ): Promise<ChainEvidence> => {
    const block = await client.getBlock({ blockTag: "latest" })
    const used = await client.readContract({
      address: network.asset,
      abi: authorizationState,
      functionName: "authorizationState",
      args: [authorization.from as Hex, authorization.nonce as Hex]
    })
    if (!used) return { _tag: "NotMoved", chainTimeSeconds: Number(block.timestamp) }
    const logs = await client.getLogs({
      address: network.asset,
      event: events[0],
      args: { authorizer: authorization.from as Hex, nonce: authorization.nonce as Hex },
      fromBlock: block.number > lookBackBlocks ? block.number - lookBackBlocks : 0n,
      toBlock: block.number
    })
    for (const { transactionHash } of logs) {
      if (await ofTransaction(client, network, authorization, transactionHash)) {
        return { _tag: "Moved", transaction: transactionHash }
      }
    }
    // Used, but no transfer found: cancelled, or further back than was looked.
    return { _tag: "Unavailable" }
  }

  return {
    canRead: (caip2) => clients.has(caip2),
    evidence: Effect.fn("Chain.evidence")(function* (network, authorization, transaction) {
      const client = clients.get(network.caip2)
      if (client === undefined) return { _tag: "Unavailable" }
      return yield* Effect.tryPromise(async (): Promise<ChainEvidence> => {
        if (transaction !== undefined && (await ofTransaction(client, network, authorization, transaction))) {
          return { _tag: "Moved", transaction }
        }
        return search(client, network, authorization)
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
