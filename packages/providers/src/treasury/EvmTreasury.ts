import { ConfigurationError } from "@till402/core"
import { findNetwork, type Network } from "@till402/core/effect"
import { Clock, Effect } from "effect"
import type { HttpClient } from "effect/http"
import { baseUrlOf, makeUpstream, type UpstreamSettings } from "../upstream/index.ts"
import { type Chain, type ChainFault, makeChain } from "./Chain.ts"
import { journalOf, type PaymentJournal, type PaymentRecord } from "./PaymentJournal.ts"
import { makeSigning, type SigningAccount } from "./Signing.ts"
import type { Hex } from "./Hex.ts"
import { type Transfer, verdictOf } from "./Transfer.ts"
import {
  type JournalFailed,
  type PaymentAgreement,
  PaymentFailed,
  PaymentPending,
  PaymentRefused,
  type PaymentState,
  type TreasuryError,
  type TreasuryPayment
} from "./Treasury.ts"

/*
 * A treasury on an EVM chain. A payment is written into the journal, signed, before it is sent: whatever
 * dies in between, the one transaction of an order is all that can ever be sent for it.
 */

export interface TreasurySettings extends UpstreamSettings {
  /** The account that pays. Nobody else may send from it: numbers of transactions would clash. */
  readonly account: SigningAccount
  /** JSON-RPC endpoint of the network. Https, or this machine. */
  readonly rpcUrl: string
  /** Remembers what was paid: durable, shared by all processes that use the account. */
  readonly journal: PaymentJournal
  /** Where it pays, with the network's USDC; default `base`. */
  readonly network?: string
  /** The most that a unit of gas may cost, in wei; default 5 gwei. */
  readonly maxFeePerGas?: bigint
  /** Blocks that must hold a payment, its own among them; default 1. */
  readonly confirmations?: number
  /** How long one call waits for a payment to be mined, in milliseconds; default 8000. */
  readonly confirmTimeoutMillis?: number
  /** Pause between two looks at the chain, in milliseconds; default 1000. */
  readonly pollMillis?: number
}

/** A treasury for programs in Effect: as `Treasury`, with typed failures. */
export interface EvmTreasury {
  readonly network: string
  readonly address: Hex
  readonly check: (agreement: PaymentAgreement) => Effect.Effect<Transfer, PaymentRefused>
  readonly find: (key: string) => Effect.Effect<PaymentState, ChainFault | JournalFailed>
  readonly pay: (
    payment: TreasuryPayment
  ) => Effect.Effect<
    { readonly reference: string; readonly transaction: Hex },
    TreasuryError | ChainFault | ConfigurationError
  >
}

const wrong = (message: string): Effect.Effect<never, ConfigurationError> =>
  Effect.fail(new ConfigurationError({ message: `treasury: ${message}` }))

const configure = Effect.fnUntraced(function* (options: TreasurySettings) {
  const network = findNetwork(options.network ?? "base")
  if (network === undefined) return yield* wrong("network is not known")
  const address: unknown = options.account?.address
  if (typeof address !== "string" || !/^0x[0-9a-fA-F]{40}$/.test(address)) {
    return yield* wrong("account has no address")
  }
  const { confirmations = 1, confirmTimeoutMillis = 8_000, pollMillis = 1_000 } = options
  for (const [name, value] of Object.entries({ confirmations, confirmTimeoutMillis, pollMillis })) {
    if (!Number.isSafeInteger(value) || value < 1)
      return yield* wrong(`${name} must be a whole number above 0`)
  }
  const maxFeePerGas = options.maxFeePerGas ?? 5_000_000_000n
  if (typeof maxFeePerGas !== "bigint" || maxFeePerGas < 1n) {
    return yield* wrong("maxFeePerGas must be a bigint above 0")
  }
  // The address of a node may hold a key: the message must not.
  const rpcUrl = yield* Effect.mapError(
    baseUrlOf("treasury", options.rpcUrl),
    () => new ConfigurationError({ message: "treasury: rpcUrl must be an https address" })
  )
  const payer = address.toLowerCase() as Hex
  return { network, payer, rpcUrl, confirmations, confirmTimeoutMillis, pollMillis, maxFeePerGas }
})

type Settings = Effect.Success<ReturnType<typeof configure>>

/**
 * A treasury over the `HttpClient` at hand.
 *
 * Fails with a `ConfigurationError` for options that can't be used.
 */
export const makeTreasury = Effect.fnUntraced(function* (
  options: TreasurySettings
): Effect.fn.Return<EvmTreasury, ConfigurationError, HttpClient.HttpClient> {
  const settings = yield* configure(options)
  const chain = makeChain(yield* makeUpstream({ ...options, name: "treasury" }), settings.rpcUrl)
  const journal = journalOf(options.journal)
  const decide = makeSigning({ ...settings, account: options.account }, chain, journal)
  const { bring, stateOf } = makeSending(settings, chain)
  const { address } = options.account
  const name = settings.network.v1Name ?? settings.network.caip2

  const check = (agreement: PaymentAgreement): Effect.Effect<Transfer, PaymentRefused> => {
    const verdict = verdictOf(agreement.prepared, { ...agreement, ...tokenOf(settings.network) })
    return verdict._tag === "Accepted"
      ? Effect.succeed(verdict.transfer)
      : Effect.fail(new PaymentRefused({ reason: verdict.reason }))
  }

  const pay = Effect.fn("Treasury.pay")(function* (payment: TreasuryPayment) {
    const known = yield* journal.find(payment.key)
    if (known !== undefined) return yield* bring(known)
    const transfer = yield* check(payment)
    const record = yield* decide(payment, transfer)
    return yield* bring(record)
  })

  const find = Effect.fn("Treasury.find")(function* (key: string) {
    const record = yield* journal.find(key)
    return record === undefined ? ({ status: "none" } as const) : yield* stateOf(record)
  })

  return { network: name, address, check, pay, find }
})

const tokenOf = (network: Network) => ({ chainId: network.chainId, token: network.asset })

/** A payment on its way from its record to the chain. */
const makeSending = ({ confirmations, confirmTimeoutMillis, pollMillis }: Settings, chain: Chain) => {
  const stateOf = Effect.fnUntraced(function* ({ reference, transaction }: PaymentRecord) {
    const mined = yield* chain.mined(transaction)
    const pending: PaymentState = { status: "pending", reference, transaction }
    if (mined === undefined) return pending
    const height = confirmations === 1 ? mined.blockNumber : yield* chain.blockNumber
    // A node that lags behind the one which told the receipt shows too few, and is asked again.
    if (height - mined.blockNumber + 1n < BigInt(confirmations)) return pending
    return { ...pending, status: mined.succeeded ? "paid" : "failed" } satisfies PaymentState
  })

  /** Sends what was recorded, until the chain shows it or this call has waited long enough. */
  const bring = Effect.fnUntraced(function* (record: PaymentRecord) {
    const { expiresAtMillis, reference, signedTransaction, transaction } = record
    const until = (yield* Clock.currentTimeMillis) + confirmTimeoutMillis
    for (let look = 0; ; look++) {
      const { status } = yield* stateOf(record)
      if (status === "paid") return { reference, transaction }
      if (status === "failed") return yield* new PaymentFailed({ transaction })
      const now = yield* Clock.currentTimeMillis
      // Sent at once and again now and then: nodes forget, and what is sent twice moves its money once.
      if (look % 4 === 0 && now < expiresAtMillis) yield* chain.send(signedTransaction)
      if (now + pollMillis >= until) return yield* new PaymentPending({ transaction })
      yield* Effect.sleep(pollMillis)
    }
  })

  return { bring, stateOf }
}
