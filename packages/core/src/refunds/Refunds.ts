import { Cause, Clock, Context, Effect, Layer } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import { type Charge, Charges } from "../ports/Charges.ts"
import { findNetwork } from "../domain/Network.ts"
import type { RefundWallet } from "../ports/RefundWallet.ts"
import type { SolanaRefunds } from "../ports/SolanaRefunds.ts"
import { report } from "../runtime/events.ts"
import { PaymentEvents } from "../runtime/PaymentEvents.ts"
import { Chain } from "../toll/evidence/Chain.ts"
import { Facilitator } from "../toll/facilitator/Facilitator.ts"
import { makeRefundGuard, type RefundGuard, type RefundGuardOptions } from "./RefundGuard.ts"
import { RefundRetries } from "./RefundRetries.ts"
import { sendRefund } from "./RefundSender.ts"
import { sendSolanaRefund } from "./SolanaRefundSender.ts"

/*
 * Sends the refunds that are due from the host's wallet: on EVM networks as EIP-3009 authorizations
 * (`RefundAuthorization`) that the facilitator submits, on Solana as transfers of the wallet itself. `RefundGuard`
 * decides whether one is sent at all.
 */

/** The wallets that send refunds, and their limits. */
export interface RefundOptions extends RefundGuardOptions {
  /** For EVM networks. */
  readonly wallet: RefundWallet | undefined
  /** For a Solana network. */
  readonly solana: SolanaRefunds | undefined
}

/** Sends refunds that are due. */
export class Refunds extends Context.Service<
  Refunds,
  {
    /** Whether there is a wallet to send from. */
    readonly isAutomatic: boolean
    /**
     * Sends the refund that a charge is due, and records it; returns the transaction once its transfer is final.
     * `undefined`: not yet, refunds are stopped, or there is no wallet.
     */
    readonly send: (charge: Charge) => Effect.Effect<string | undefined, StoreError>
    /** Sends up to 1,000 refunds that are due and not in backoff; the next sweep continues from there. */
    readonly sweep: Effect.Effect<void, StoreError>
  }
>()("@till402/core/Refunds") {
  static readonly layer = (options: RefundOptions) => Layer.effect(Refunds, make(options))
}

const pageSize = 100
const maxPages = 10
/** Refunds of a sweep that are sent at the same time. The store enforces their limits, as it does across processes. */
const concurrency = 4

interface SweepParts {
  readonly charges: Charges["Service"]
  readonly guard: RefundGuard
  readonly retries: RefundRetries
  readonly trySend: (charge: Charge) => Effect.Effect<void>
}

/** The sweep of all refunds that are due, page by page. */
const makeSweep = ({ charges, guard, retries, trySend }: SweepParts): Effect.Effect<void, StoreError> => {
  /**
   * The last refund of a sweep that reached its limit. The next sweep begins after it, so that refunds in backoff don't
   * keep older ones waiting.
   */
  let last: Charge | undefined

  return Effect.gen(function* () {
    for (let page = 0; page < maxPages; page++) {
      const due = yield* charges.list({
        isRefundDue: true,
        limit: pageSize,
        ...(last === undefined ? {} : { before: last })
      })
      if (page === 0 && due.length > 0) yield* guard.audit
      const isStopped = yield* guard.isStopped
      const nowMillis = yield* Clock.currentTimeMillis
      const ready = due.filter((charge) => {
        // While refunds are stopped, only those that may already have moved are looked up.
        const maySend =
          !isStopped || (charge.refund?._tag === "Due" && charge.refund.startedAtMillis !== undefined)
        return maySend && !retries.isWaiting(charge.key, nowMillis)
      })
      yield* Effect.forEach(ready, trySend, { concurrency })
      last = due.length < pageSize ? undefined : due.at(-1)
      if (last === undefined) return
    }
  })
}

const make = Effect.fnUntraced(function* (options: RefundOptions) {
  const { solana, wallet } = options
  const isAutomatic = wallet !== undefined || solana !== undefined
  const charges = yield* Charges
  const guard = yield* makeRefundGuard(options)
  const services = {
    charges,
    chain: yield* Chain,
    facilitator: yield* Facilitator,
    guard,
    payments: yield* PaymentEvents,
    networks: options.networks
  }
  const retries = new RefundRetries()
  const inProgress = new Set<string>()

  const note = ({ key }: Charge) =>
    Effect.map(Clock.currentTimeMillis, (nowMillis) => retries.note(key, nowMillis))

  /** The call that sends a charge's refund; `undefined`: there is no wallet for its network. */
  const senderOf = (charge: Charge) => {
    const network = findNetwork(charge.network)
    if (network?.family === "solana")
      return solana === undefined ? undefined : sendSolanaRefund(services, charge, network, solana)
    return wallet === undefined ? undefined : sendRefund(services, charge, wallet)
  }

  const send = Effect.fn("Refunds.send")(function* (charge: Charge) {
    if (charge.refund?._tag === "Sent") return charge.refund.transaction
    const sending = senderOf(charge)
    if (sending === undefined || charge.refund === undefined || inProgress.has(charge.key)) return undefined
    inProgress.add(charge.key)
    const transaction = yield* Effect.ensuring(
      sending,
      Effect.sync(() => inProgress.delete(charge.key))
    )
    if (transaction === undefined) yield* note(charge)
    else retries.forget(charge.key)
    return transaction
  })

  /** A refund that fails must not delay the others. */
  const trySend = (charge: Charge): Effect.Effect<void> =>
    Effect.catchCause(Effect.asVoid(send(charge)), (cause) =>
      Cause.hasInterrupts(cause)
        ? Effect.interrupt
        : Effect.andThen(
            note(charge),
            report(
              "Error",
              "refund_failed",
              "A refund could not be processed and is retried",
              { chargeKey: charge.key },
              cause
            )
          )
    )

  const sweep = isAutomatic ? makeSweep({ charges, guard, retries, trySend }) : Effect.void
  return Refunds.of({ isAutomatic, send, sweep })
})
