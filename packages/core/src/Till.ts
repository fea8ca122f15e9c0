import { Cause, Clock, Effect, Exit, ManagedRuntime } from "effect"
import { getAddress } from "viem"
import { ApiFailure } from "./ApiFailure.ts"
import { assemble, reconcileOnce } from "./Assembly.ts"
import { configure } from "./Configuration.ts"
import { ConfigurationError } from "./domain/Errors.ts"
import { Drain } from "./Drain.ts"
import { incoming, type IncomingRequest, type PlainResponse, toResponse } from "./Exchange.ts"
import { Http } from "./Http.ts"
import { handlesPath } from "./Router.ts"
import type { TillOptions } from "./Options.ts"
import type { Caller, ChargeSummary, LedgerLine, RunningTill } from "./RunningTill.ts"
import { type Charge, Charges, type LedgerEntry } from "./ports/Charges.ts"
import { hostOrders } from "./orders/hostOrders.ts"
import { ChangeFeed } from "./orders/OrderChanges.ts"
import { resumeRefunds, stopRefunds } from "./orders/RefundGuard.ts"
import { VaultItems } from "./ports/VaultItems.ts"
import { failureResponse } from "./Responses.ts"
import { checkLedger, checkLedgerWithChain } from "./toll/LedgerAudit.ts"

/** A running till. No alias: a host that emits declarations has to be able to name it. */
export interface Till extends RunningTill {}

const drainMillis = 30_000

const summaryOf = (charge: Charge): ChargeSummary => ({
  key: charge.key,
  operation: charge.operation,
  network: charge.network,
  payer: getAddress(charge.payer),
  payTo: charge.payTo,
  amountAtomic: BigInt(charge.amountAtomic),
  state: charge.state,
  transaction: charge.receipt?.transaction,
  refund: charge.refund === undefined ? undefined : charge.refund._tag === "Due" ? "due" : "sent",
  attempts: charge.attempts,
  createdAt: new Date(charge.createdAtMillis),
  settledAt: charge.settledAtMillis === undefined ? undefined : new Date(charge.settledAtMillis)
})

const lineOf = ({ amountAtomic, atMillis, ...entry }: LedgerEntry): LedgerLine => ({
  ...entry,
  payer: getAddress(entry.payer),
  amountAtomic: BigInt(amountAtomic),
  at: new Date(atMillis)
})

const defaultSpanMillis = 7 * 86_400_000

const notStarted = new ApiFailure({
  status: 503,
  code: "STORAGE_UNAVAILABLE",
  message: "The service has not started: its storage could not be opened.",
  retryAfterSeconds: 10
})

/** Why the till did not start, in words for the host. */
const startFailure = (cause: Cause.Cause<unknown>): Error => {
  const error = Cause.squash(cause)
  if (error instanceof ConfigurationError) return error
  const words =
    error instanceof Error ? [error.message, ...causesOf(error)].filter(Boolean).join(": ") : String(error)
  return new Error(`The till could not start: ${words}`, { cause: error })
}

const causesOf = (error: Error): ReadonlyArray<string> =>
  error.cause instanceof Error ? [error.cause.message, ...causesOf(error.cause)] : []

const make = (options: TillOptions): Till => {
  const configuration = configure(options)
  const feed = new ChangeFeed(options.onOrderChange)
  const runtime = ManagedRuntime.make(assemble(options, configuration, { changes: feed }))
  const calls = new Drain()
  let disposing: Promise<void> | undefined

  let started: { readonly http: Http["Service"]; readonly run: typeof Effect.runFork } | undefined
  const starting = runtime
    .runPromiseExit(Effect.all({ http: Http, context: Effect.context<never>() }))
    .then((exit) => {
      if (Exit.isFailure(exit)) throw startFailure(exit.cause)
      const { context, http } = exit.value
      started = { http, run: Effect.runForkWith(context) }
    })
  const ready = starting.then(() => undefined)
  // `fetch` answers 503 after a failed start; a host that does not await `ready` must not crash for it.
  ready.catch(() => undefined)

  const answer = async (request: IncomingRequest, caller?: Caller): Promise<PlainResponse | Response> => {
    if (started === undefined) await ready.catch(() => undefined)
    if (started === undefined) {
      return failureResponse(notStarted, configuration.cors, request.header("origin"))
    }
    const answering = started.http.answer(request, caller)
    if (!Effect.isEffect(answering)) return answering
    calls.enter()
    // Never interrupted by a client that goes away: what it paid for is finished and kept.
    const running = started.run(answering)
    return new Promise((resolve, reject) => {
      running.addObserver((exit) => {
        calls.leave()
        if (Exit.isSuccess(exit)) resolve(exit.value)
        else reject(Cause.squash(exit.cause))
      })
    })
  }

  const fetch = async (request: Request, caller?: Caller): Promise<Response> => {
    const answered = await answer(incoming(request), caller)
    return answered instanceof Response ? answered : toResponse(answered)
  }

  const drain = async (): Promise<void> => {
    await calls.empty(drainMillis)
    await runtime.dispose()
    feed.close()
  }

  return {
    answer,
    fetch,
    handles: handlesPath(configuration),
    ready,
    dispose: () => (disposing ??= drain()),
    reconcile: () => runtime.runPromise(reconcileOnce(true)),
    orders: hostOrders((effect) => runtime.runPromise(effect), feed),
    charges: {
      list: ({ before, limit = 50, state } = {}) =>
        runtime
          .runPromise(
            Charges.use((charges) =>
              charges.list({
                limit,
                ...(state === undefined ? {} : { state }),
                ...(before === undefined
                  ? {}
                  : { before: { createdAtMillis: before.createdAt.getTime(), key: before.key } })
              })
            )
          )
          .then((found) => found.map(summaryOf)),
      recordRefund: (key, transaction) =>
        runtime.runPromise(
          Effect.flatMap(Clock.currentTimeMillis, (nowMillis) =>
            Charges.use((charges) => charges.recordRefund(key, transaction, nowMillis))
          )
        )
    },
    ledger: {
      list: ({ before, from, limit = 50, to } = {}) =>
        runtime
          .runPromise(
            Charges.use((charges) =>
              charges.entries({
                limit,
                ...(from === undefined ? {} : { fromMillis: from.getTime() }),
                ...(to === undefined ? {} : { beforeMillis: to.getTime() }),
                ...(before === undefined ? {} : { before: { ...before, atMillis: before.at.getTime() } })
              })
            )
          )
          .then((found) => found.map(lineOf)),
      totals: ({ from, to }) =>
        runtime
          .runPromise(Charges.use((charges) => charges.totals(from.getTime(), to.getTime())))
          .then((found) =>
            found.map(({ amountAtomic, ...total }) => ({ ...total, amountAtomic: BigInt(amountAtomic) }))
          ),
      check: ({ chain = false, from, to } = {}) =>
        runtime.runPromise(
          Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
            const span = {
              fromMillis: from?.getTime() ?? nowMillis - defaultSpanMillis,
              // What is settled in this very millisecond is in the books too.
              beforeMillis: to?.getTime() ?? nowMillis + 1
            }
            return chain ? checkLedgerWithChain(span, configuration.networks) : checkLedger(span)
          })
        )
    },
    refunds: {
      status: () =>
        runtime.runPromise(Charges.use((charges) => charges.refundStop())).then((stop) => ({
          stopped: stop === undefined ? undefined : { reason: stop.reason, at: new Date(stop.atMillis) }
        })),
      stop: (reason) => runtime.runPromise(stopRefunds(reason)),
      resume: () => runtime.runPromise(resumeRefunds)
    },
    vault: { put: (item) => runtime.runPromise(VaultItems.use((items) => items.put(item))) }
  }
}

/**
 * Makes a till: the paid commerce API over the host's own ports, to be mounted by an adapter or called
 * through `fetch`.
 *
 * @throws ConfigurationError that names every fault of the options at once
 *
 * @example
 * const till = Till.make({
 *   baseUrl: "https://shop.example",
 *   payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
 *   networks: [{ network: "base", rpcUrl: "https://base.example" }],
 *   facilitator: { url: "https://facilitator.example" },
 *   secret: process.env.TILL_SECRET ?? "",
 *   storage: sqlite({ filename: "till.sqlite" }),
 *   tracker: { track: async ({ number }) => lookUp(number) }
 * })
 * await till.ready
 */
export const Till = { make }
