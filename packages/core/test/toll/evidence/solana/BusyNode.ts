import { Clock, Effect, Layer } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { Chain } from "../../../../src/toll/evidence/Chain.ts"
import {
  base64Of,
  devnet,
  solanaPayTo,
  tokenAccountOf,
  transaction,
  transactionBytes,
  type TransactionOptions,
  wallet
} from "../../solana.ts"

/** When the payment of a scene is presented, in seconds since the epoch, and the slot at that time. */
export const presented = 1_700_000_000
export const presentedSlot = 100_000
const finalSlots = 32

/** A transaction that names the wallet. `message`: that of the payment, or another one. */
export interface Listed {
  readonly signature: string
  readonly slot: number
  readonly message: "payment" | "other"
}

/** A time in which the chain stands still. */
export interface Halt {
  readonly fromSlot: number
  readonly seconds: number
}

type Params = ReadonlyArray<unknown>

interface ListOptions {
  readonly before?: string
  readonly minContextSlot?: number
}

const encoded = (options: TransactionOptions = {}): string => base64Of(transactionBytes(options))
const messages = { payment: encoded(), other: encoded({ blockhash: tokenAccountOf(wallet.address) }) }
const accountIndex = transaction().accounts.indexOf(tokenAccountOf(solanaPayTo))
const balance = (amount: string) => [
  { accountIndex, mint: devnet.asset, owner: solanaPayTo, uiTokenAmount: { amount } }
]

/** A node of a chain that goes on with the test's clock, and lists many transactions. Each response takes a while. */
export class BusyNode {
  private all: ReadonlyArray<Listed> = []
  private byId = new Map<string, Listed>()
  /** Whether it says that the payment's blockhash can't be included, right or wrong. */
  isExpired: boolean | undefined
  halt: Halt | undefined
  slotSeconds = 0.4
  latencyMillis = 0
  /** Methods that it doesn't have. */
  readonly without = new Set<string>()
  /** Slots by which another node is late, behind the same address: it lists what is behind a transaction. */
  lateSlots = 0
  /** Transactions after which it returns no more. */
  failsAfter = Infinity
  /** Requests by method. */
  readonly requests = new Map<string, number>()
  /** The most requests at a time. */
  mostAtOnce = 0
  private atOnce = 0

  /** The transactions that name the wallet, newest first. */
  get listed(): ReadonlyArray<Listed> {
    return this.all
  }

  set listed(listed: ReadonlyArray<Listed>) {
    this.all = listed.toSorted((left, right) => right.slot - left.slot)
    this.byId = new Map(listed.map((each) => [each.signature, each]))
  }

  /** The slot at a time after the payment was presented. */
  slotAt(seconds: number): number {
    const { fromSlot = Infinity, seconds: halted = 0 } = this.halt ?? {}
    const slot = presentedSlot + Math.floor(seconds / this.slotSeconds)
    return slot < fromSlot ? slot : Math.max(fromSlot - 1, slot - Math.floor(halted / this.slotSeconds))
  }

  secondsOf(slot: number): number {
    const { fromSlot = Infinity, seconds: halted = 0 } = this.halt ?? {}
    return presented + Math.floor((slot - presentedSlot) * this.slotSeconds) + (slot < fromSlot ? 0 : halted)
  }

  count(method: string): number {
    return this.requests.get(method) ?? 0
  }

  /** Reads it as a till does. */
  get chain(): Effect.Effect<Chain["Service"]> {
    const client = HttpClient.make((request) =>
      Effect.gen({ self: this }, function* () {
        const body = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : "{}"
        const { method, params } = JSON.parse(body) as { readonly method: string; readonly params: Params }
        this.requests.set(method, this.count(method) + 1)
        this.mostAtOnce = Math.max(this.mostAtOnce, ++this.atOnce)
        const wait = this.latencyMillis > 0 ? Effect.sleep(this.latencyMillis) : Effect.void
        yield* Effect.ensuring(
          wait,
          Effect.sync(() => this.atOnce--)
        )
        const passed = (yield* Clock.currentTimeMillis) / 1000 - presented
        const newest = this.slotAt(passed)
        const isBroken = this.without.has(method) || this.count("getTransaction") > this.failsAfter
        const answer =
          isBroken || this.isLate(method, params, newest)
            ? { error: { code: -32601 } }
            : { result: this.resultOf(method, params, newest) }
        return HttpClientResponse.fromWeb(request, Response.json(answer))
      })
    )
    const layer = Chain.layerRpc([{ ...devnet, rpcUrl: "https://rpc.example" }])
    return Effect.provide(Chain, Layer.provide(layer, Layer.succeed(HttpClient.HttpClient, client)))
  }

  private resultOf(method: string, params: Params, newest: number): unknown {
    const final = newest - finalSlots
    switch (method) {
      case "getAccountInfo": {
        const view = new DataView(new ArrayBuffer(40))
        view.setBigUint64(0, BigInt(final), true)
        view.setBigInt64(32, BigInt(this.secondsOf(final)), true)
        return { value: { data: [base64Of(new Uint8Array(view.buffer)), "base64"] } }
      }
      case "isBlockhashValid":
        return { context: { slot: final }, value: !(this.isExpired ?? final > presentedSlot + 150) }
      case "getFirstAvailableBlock":
        return 0
      case "getBlockTime":
        return this.secondsOf(Number(params[0]))
      case "getBlocksWithLimit": {
        const [start, limit] = params.map(Number) as [number, number]
        return Array.from(
          { length: Math.max(0, Math.min(limit, final - start + 1)) },
          (_, index) => start + index
        )
      }
      case "getSignaturesForAddress":
        return this.signatures(params[1] as ListOptions, newest)
      case "getTransaction":
        return this.transaction(String(params[0]))
      default:
        throw new Error(`no method ${method}`)
    }
  }

  private listingSlot({ before }: ListOptions, newest: number): number {
    return before === undefined ? newest : newest - this.lateSlots
  }

  private isLate(method: string, params: Params, newest: number): boolean {
    if (method !== "getSignaturesForAddress") return false
    const options = params[1] as ListOptions
    return this.listingSlot(options, newest) < (options.minContextSlot ?? 0)
  }

  /** Newest first, a thousand at a time; nothing behind a transaction that it doesn't know. */
  private signatures(options: ListOptions, newest: number) {
    const { before } = options
    const landed = this.all.filter(({ slot }) => slot <= this.listingSlot(options, newest))
    const place = landed.findIndex(({ signature }) => signature === before)
    if (before !== undefined && place === -1) return []
    const start = place + 1
    return landed
      .slice(start, start + 1_000)
      .map(({ signature, slot }) => ({ signature, slot, blockTime: this.secondsOf(slot) }))
  }

  private transaction(id: string) {
    const { message, slot } = this.byId.get(id)!
    return {
      slot,
      blockTime: this.secondsOf(slot),
      meta: { err: null, preTokenBalances: balance("0"), postTokenBalances: balance("10000") },
      transaction: [messages[message], "base64"]
    }
  }
}
