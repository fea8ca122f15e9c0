import { Data, Effect, Schema } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import * as Http from "effect/http/HttpClient"
import { toBase58 } from "../../../domain/Base58.ts"
import { readBodyText } from "../../../runtime/BoundedBody.ts"
import { networkFault } from "../../../runtime/networkFault.ts"
import { readRpcReply, rpcCall, type RpcError } from "../../../runtime/JsonRpc.ts"

/** A read that failed: no response in time, an error of the node, or a response of another form. */
export class SolanaNodeFailed extends Data.TaggedError("SolanaNodeFailed")<{
  /** `ENOTFOUND rpc.example`, or the name of the failure. Never its message, which may quote the endpoint's key. */
  readonly error: string
}> {}

type Read<A> = Effect.Effect<A, SolanaNodeFailed>

/** The newest final block. */
export interface SolanaClock {
  readonly slot: number
  /** Seconds since the epoch, by the chain. */
  readonly seconds: number
}

/** Deadline of one request; a read makes up to two. */
const requestMillis = 2_500
const maxResponseBytes = 4 * 1024 * 1024
const clockSysvar = "SysvarC1ock11111111111111111111111111111111"
/** The longest page that nodes return. */
export const signaturesPerPage = 1_000

const Context = Schema.Struct({ slot: Schema.Finite })
const Account = Schema.Struct({
  value: Schema.NullOr(
    Schema.Struct({
      data: Schema.Tuple([Schema.String, Schema.Literal("base64")]),
      executable: Schema.optionalKey(Schema.Boolean),
      owner: Schema.optionalKey(Schema.String)
    })
  )
})
const BlockhashValidity = Schema.Struct({ context: Context, value: Schema.Boolean })

const TokenBalance = Schema.Struct({
  accountIndex: Schema.Finite,
  mint: Schema.String,
  owner: Schema.optionalKey(Schema.NullishOr(Schema.String)),
  uiTokenAmount: Schema.Struct({ amount: Schema.String })
})
/** The balance of a token account before or after a transaction. */
export type TokenBalance = typeof TokenBalance.Type

const balances = Schema.optionalKey(Schema.NullishOr(Schema.Array(TokenBalance)))
const LandedTransaction = Schema.Struct({
  slot: Schema.Finite,
  blockTime: Schema.optionalKey(Schema.NullishOr(Schema.Finite)),
  meta: Schema.Struct({
    err: Schema.Unknown,
    preTokenBalances: balances,
    postTokenBalances: balances
  }),
  transaction: Schema.Tuple([Schema.String, Schema.Literal("base64")])
})
/** A transaction that is in a block which two thirds of the stake have voted for. */
export type LandedTransaction = typeof LandedTransaction.Type

const SignatureEntry = Schema.Struct({
  signature: Schema.String,
  slot: Schema.Finite,
  blockTime: Schema.optionalKey(Schema.NullishOr(Schema.Finite))
})
/** A transaction that names an address. */
export type SignatureEntry = typeof SignatureEntry.Type

const decoderOf = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownEffect(schema)
  return (result: unknown): Read<A> =>
    Effect.mapError(decode(result), () => new SolanaNodeFailed({ error: "UnexpectedResponse" }))
}

const toAccount = decoderOf(Account)
const toValidity = decoderOf(BlockhashValidity)
const toTransaction = decoderOf(Schema.NullOr(LandedTransaction))
const toSignatures = decoderOf(Schema.Array(SignatureEntry))
const toSlot = decoderOf(Schema.Finite)
const toSlots = decoderOf(Schema.Array(Schema.Finite))
const toSeconds = decoderOf(Schema.Finite)
const toText = decoderOf(Schema.String)

const isBase64 = (text: string): boolean => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)

const bytesOf = (base64: string): Uint8Array =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))

/** An account of the chain. */
export interface SolanaAccount {
  /** The program that owns it. */
  readonly owner: string | undefined
  readonly isProgram: boolean
  readonly data: Uint8Array
}
const unexpected = Effect.fail(new SolanaNodeFailed({ error: "UnexpectedResponse" }))

const codeOf = ({ code }: RpcError): string => (typeof code === "number" ? String(code) : "")

/** Reads one Solana chain by JSON-RPC over an HTTP client. Every read has a deadline and is retried once. */
export class SolanaNode {
  private readonly url: string
  private readonly client: HttpClient.HttpClient

  constructor(url: string, client: HttpClient.HttpClient) {
    this.url = url
    this.client = client
  }

  /** The newest final block, by the account in which the chain keeps its time. */
  get clock(): Read<SolanaClock> {
    return Effect.flatMap(this.account(clockSysvar, "finalized"), (bytes) => {
      if (bytes === undefined || bytes.length < 40) return unexpected
      const view = new DataView(bytes.buffer)
      return Effect.succeed({
        slot: Number(view.getBigUint64(0, true)),
        seconds: Number(view.getBigInt64(32, true))
      })
    })
  }

  /** The hash of the first block, which names the chain. */
  get genesisHash(): Read<string> {
    return Effect.flatMap(this.call("getGenesisHash", []), toText)
  }

  /** An account; `undefined`: there is none. */
  accountAt(address: string): Read<SolanaAccount | undefined> {
    return Effect.map(this.accountInfo(address, "confirmed"), (value) =>
      value === null
        ? undefined
        : { owner: value.owner, isProgram: value.executable === true, data: bytesOf(value.data[0]) }
    )
  }

  /** The newest confirmed slot. A transaction that is sent after it lands in a later one. */
  get confirmedSlot(): Read<number> {
    return Effect.flatMap(this.call("getSlot", [{ commitment: "confirmed" }]), toSlot)
  }

  /**
   * Whether a transaction with this blockhash could still be included, as of the newest or the newest final block, none
   * older than `slot`. A final block doesn't know the hashes of newer ones.
   */
  isBlockhashValid(
    blockhash: string,
    { commitment, slot }: { readonly commitment: "processed" | "finalized"; readonly slot: number }
  ): Read<{ readonly isValid: boolean; readonly slot: number }> {
    const params = [blockhash, { commitment, minContextSlot: slot }]
    return Effect.flatMap(this.call("isBlockhashValid", params), (result) =>
      Effect.map(toValidity(result), ({ context, value }) => ({ isValid: value, slot: context.slot }))
    )
  }

  /** A transaction by its first signature; `undefined`: the node doesn't have it. */
  transaction(signature: string): Read<LandedTransaction | undefined> {
    const options = { encoding: "base64", commitment: "confirmed", maxSupportedTransactionVersion: 0 }
    return Effect.flatMap(this.call("getTransaction", [signature, options]), (result) =>
      Effect.map(toTransaction(result), (found) => found ?? undefined)
    )
  }

  /** The slot of the oldest block that the node still has. */
  get firstAvailableSlot(): Read<number> {
    return Effect.flatMap(this.call("getFirstAvailableBlock", []), toSlot)
  }

  /** A page of the transactions that name an address, newest first, as of a block not older than `slot`. */
  signatures(
    address: string,
    page: { readonly before: string | undefined; readonly slot: number }
  ): Read<ReadonlyArray<SignatureEntry>> {
    const options = {
      commitment: "confirmed",
      limit: signaturesPerPage,
      minContextSlot: page.slot,
      ...(page.before === undefined ? {} : { before: page.before })
    }
    return Effect.flatMap(this.call("getSignaturesForAddress", [address, options]), toSignatures)
  }

  /** The first final blocks at or after a slot, by their slots. */
  blocksFrom(slot: number, limit: number): Read<ReadonlyArray<number>> {
    const params = [slot, limit, { commitment: "finalized" }]
    return Effect.flatMap(this.call("getBlocksWithLimit", params), toSlots)
  }

  /** The time of a block, in seconds since the epoch, by the chain. */
  blockTime(slot: number): Read<number> {
    return Effect.flatMap(this.call("getBlockTime", [slot]), toSeconds)
  }

  /** Atomic units in a token account of a wallet: 0 if there is no such account, or it is another's by now. */
  balanceOf(tokenAccount: string, owner: string): Read<bigint> {
    return Effect.map(this.account(tokenAccount, "confirmed"), (bytes) => {
      // Without data, somebody has sent lamports to the address of an account that doesn't exist yet.
      const isOwn = bytes !== undefined && bytes.length >= 72 && toBase58(bytes.subarray(32, 64)) === owner
      return isOwn ? new DataView(bytes.buffer).getBigUint64(64, true) : 0n
    })
  }

  private account(address: string, commitment: "confirmed" | "finalized"): Read<Uint8Array | undefined> {
    return Effect.map(this.accountInfo(address, commitment), (value) =>
      value === null ? undefined : bytesOf(value.data[0])
    )
  }

  private accountInfo(address: string, commitment: "confirmed" | "finalized") {
    const params = [address, { encoding: "base64", commitment }]
    return Effect.flatMap(Effect.flatMap(this.call("getAccountInfo", params), toAccount), ({ value }) =>
      value === null || isBase64(value.data[0]) ? Effect.succeed(value) : unexpected
    )
  }

  private call(method: string, params: ReadonlyArray<unknown>): Read<unknown> {
    const request = HttpClientRequest.post(this.url).pipe(
      HttpClientRequest.bodyJsonUnsafe(rpcCall(method, params))
    )
    return Effect.gen({ self: this }, function* () {
      const response = yield* this.client.execute(request)
      const reply = readRpcReply(yield* readBodyText(response, maxResponseBytes))
      if (reply._tag === "Result") return reply.result
      const fault = networkFault(response)
      if (fault !== undefined) return yield* new SolanaNodeFailed({ error: fault })
      return reply._tag === "Malformed"
        ? yield* unexpected
        : yield* new SolanaNodeFailed({ error: `RpcError${codeOf(reply.error)}` })
    }).pipe(
      // The endpoint's URL may contain a key, which a span would record.
      Effect.provideService(Http.TracerDisabledWhen, () => true),
      Effect.timeout(requestMillis),
      Effect.retry({ times: 1 }),
      Effect.mapError((error) =>
        error._tag === "SolanaNodeFailed"
          ? error
          : new SolanaNodeFailed({ error: networkFault(error) ?? error._tag })
      )
    )
  }
}
