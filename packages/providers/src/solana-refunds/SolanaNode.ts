import { Effect, Schema } from "effect"
import { nodeCalls, type NodeFault } from "../upstream/NodeCalls.ts"
import { ResponseMalformed, type Upstream, type UpstreamFault } from "../upstream/index.ts"

/*
 * A Solana chain, through a node's JSON-RPC: https://solana.com/docs/rpc/http
 */

/** A blockhash, and how long transactions may name it. */
export interface Lifetime {
  readonly blockhash: string
  readonly lastValidBlockHeight: number
  /** Slot as of which the node gave it. */
  readonly slot: number
}

/** The latest final block. */
export interface FinalBlock {
  readonly height: number
  readonly slot: number
}

/** Statuses of signatures, and the slot up to which the node knew them. */
export interface Statuses {
  readonly slot: number
  readonly statuses: ReadonlyArray<SignatureStatus | undefined>
}

/** A transaction in a block. */
export interface SignatureStatus {
  /** It moved nothing. */
  readonly hasFailed: boolean
  /** Two thirds of the stake have voted for its block. */
  readonly isConfirmed: boolean
  /** Its block can't be undone. */
  readonly isFinal: boolean
}

/** Result of running a transaction without sending it. */
export interface Simulation {
  readonly succeeds: boolean
  /** The slot as of which it ran: the blockhash that it names, if it succeeds, is no newer. */
  readonly slot: number
}

/** An account's owner and data. */
export interface Account {
  readonly owner: string
  readonly lamports: bigint
  readonly data: Uint8Array
}

/** The chain, as refunds use it. */
export interface SolanaNode {
  readonly genesisHash: Effect.Effect<string, NodeFault>
  readonly lifetime: Effect.Effect<Lifetime, NodeFault>
  readonly finalBlock: Effect.Effect<FinalBlock, NodeFault>
  /** Slot of the oldest block that the node still has. */
  readonly firstAvailableSlot: Effect.Effect<number, NodeFault>
  /** Searches the node's whole history. Fails if the node keeps none. */
  readonly statuses: (signatures: ReadonlyArray<string>) => Effect.Effect<Statuses, NodeFault>
  readonly account: (address: string) => Effect.Effect<Account | undefined, NodeFault>
  /** Runs a transaction without sending it, and without its missing signatures. */
  readonly simulate: (transaction: string) => Effect.Effect<Simulation, NodeFault>
  /** `false` if the node refused it: it has it already, it would fail, or it has expired. */
  readonly send: (transaction: string) => Effect.Effect<boolean, UpstreamFault>
  /** The same, by the newest block that the node has: it passes nothing on that would fail there. */
  readonly sendByNewest: (transaction: string) => Effect.Effect<boolean, UpstreamFault>
}

const Context = Schema.Struct({ slot: Schema.Natural })
const LatestBlockhash = Schema.Struct({
  context: Context,
  value: Schema.Struct({ blockhash: Schema.String, lastValidBlockHeight: Schema.Natural })
})
const EpochInfo = Schema.Struct({ absoluteSlot: Schema.Natural, blockHeight: Schema.Natural })
const Status = Schema.Struct({
  err: Schema.Unknown,
  confirmationStatus: Schema.optionalKey(Schema.NullOr(Schema.String))
})
const SignatureStatuses = Schema.Struct({ context: Context, value: Schema.Array(Schema.NullOr(Status)) })
const SimulationResult = Schema.Struct({ context: Context, value: Schema.Struct({ err: Schema.Unknown }) })
const AccountInfo = Schema.Struct({
  value: Schema.NullOr(
    Schema.Struct({
      owner: Schema.String,
      lamports: Schema.Natural,
      data: Schema.Tuple([Schema.String, Schema.Literal("base64")])
    })
  )
})

const confirmedStatuses: ReadonlySet<string> = new Set(["confirmed", "finalized"])

const confirmed = { commitment: "confirmed" } as const
const finalized = { commitment: "finalized" } as const

/** Calls of a node's methods. */
const callsOf = (upstream: Upstream, rpcUrl: string) => {
  const { name } = upstream
  const malformed = (method: string): ResponseMalformed =>
    new ResponseMalformed({ upstream: name, detail: `the result of ${method}` })

  const call = nodeCalls(upstream, rpcUrl)

  const read = <A>(
    method: string,
    params: ReadonlyArray<unknown>,
    schema: Schema.Codec<A, unknown>
  ): Effect.Effect<A, NodeFault> =>
    Effect.flatMap(call(method, params), (result) =>
      Effect.mapError(Schema.decodeUnknownEffect(schema)(result), () => malformed(method))
    )

  return { call, malformed, read }
}

/** A node behind an upstream's bounds. */
export const makeSolanaNode = (upstream: Upstream, rpcUrl: string): SolanaNode => {
  const { call, malformed, read } = callsOf(upstream, rpcUrl)

  const send = (transaction: string, options: Readonly<Record<string, unknown>>) =>
    call("sendTransaction", [transaction, { encoding: "base64", ...options }]).pipe(
      Effect.as(true),
      Effect.catchTag("NodeRefused", () => Effect.succeed(false))
    )

  return {
    genesisHash: read("getGenesisHash", [], Schema.String),
    lifetime: Effect.map(read("getLatestBlockhash", [confirmed], LatestBlockhash), ({ context, value }) => ({
      ...value,
      slot: context.slot
    })),
    finalBlock: Effect.map(read("getEpochInfo", [finalized], EpochInfo), ({ absoluteSlot, blockHeight }) => ({
      height: blockHeight,
      slot: absoluteSlot
    })),
    firstAvailableSlot: read("getFirstAvailableBlock", [], Schema.Natural),
    statuses: (signatures) =>
      Effect.flatMap(
        read("getSignatureStatuses", [signatures, { searchTransactionHistory: true }], SignatureStatuses),
        ({ context, value }) =>
          value.length === signatures.length
            ? Effect.succeed({
                slot: context.slot,
                statuses: value.map((status) =>
                  status === null
                    ? undefined
                    : {
                        hasFailed: status.err !== null && status.err !== undefined,
                        isConfirmed: confirmedStatuses.has(status.confirmationStatus ?? ""),
                        isFinal: status.confirmationStatus === "finalized"
                      }
                )
              })
            : Effect.fail(malformed("getSignatureStatuses"))
      ),
    account: (address) =>
      Effect.map(
        read("getAccountInfo", [address, { ...confirmed, encoding: "base64" }], AccountInfo),
        ({ value }) =>
          value === null
            ? undefined
            : {
                owner: value.owner,
                lamports: BigInt(value.lamports),
                data: Uint8Array.from(Buffer.from(value.data[0], "base64"))
              }
      ),
    simulate: (transaction) =>
      Effect.map(
        read("simulateTransaction", [transaction, { ...confirmed, encoding: "base64" }], SimulationResult),
        ({ context, value }) => ({
          succeeds: value.err === null || value.err === undefined,
          slot: context.slot
        })
      ),
    send: (transaction) => send(transaction, { preflightCommitment: "confirmed" }),
    sendByNewest: (transaction) => send(transaction, { preflightCommitment: "processed" })
  }
}
