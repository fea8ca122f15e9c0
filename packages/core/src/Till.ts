import { Cause, Clock, Effect, Exit, Layer, Logger, ManagedRuntime, References, Schedule } from "effect"
import { FetchHttpClient } from "effect/http"
import { ApiFailure } from "./ApiFailure.ts"
import { Catalogue } from "./Catalogue.ts"
import { type Configuration, configure } from "./Configuration.ts"
import { ConfigurationError } from "./domain/Errors.ts"
import { Drain } from "./Drain.ts"
import { eventLogger, toStandardError } from "./events.ts"
import { Http } from "./Http.ts"
import { handlesPath } from "./Router.ts"
import { makeOperations, type OperationServices } from "./operations.ts"
import type { ChargeSummary, Till as RunningTill, TillOptions } from "./Options.ts"
import { Ordering } from "./orders/Ordering.ts"
import { Assistant } from "./ports/Assistant.ts"
import { type Charge, Charges } from "./ports/Charges.ts"
import { Fulfilment } from "./ports/Fulfilment.ts"
import { Mailer } from "./ports/Mailer.ts"
import { Marketplaces } from "./ports/Marketplace.ts"
import { Orders } from "./ports/Orders.ts"
import { Quotes } from "./ports/Quotes.ts"
import type { Stores } from "./ports/Stores.ts"
import { Tracker } from "./ports/Tracker.ts"
import { VaultFiles } from "./ports/VaultFiles.ts"
import { VaultItems } from "./ports/VaultItems.ts"
import { failureResponse } from "./Responses.ts"
import { Secrets } from "./Secrets.ts"
import { Chain, chainFromRpc } from "./toll/Chain.ts"
import { Facilitator } from "./toll/Facilitator.ts"
import { facilitatorFromUrl } from "./toll/facilitator/Http.ts"
import { facilitatorFromClient } from "./toll/facilitator/Local.ts"
import { Settling, Subjects } from "./toll/Settling.ts"
import { Toll } from "./toll/Toll.ts"
import { Vault } from "./vault/Vault.ts"

/** A running till. */
export type Till = RunningTill

/** Longer than verification, work (each port has its deadline), settlement and proof together. */
const leaseMillis = 180_000
const waitMillis = 10_000
const reconcileEveryMillis = 15_000
const reconcileBatch = 100
const drainMillis = 30_000
const marketplaceTimeoutMillis = 8_000

const facilitatorLayer = ({ facilitator }: TillOptions): Layer.Layer<Facilitator> =>
  "verify" in facilitator
    ? Layer.succeed(
        Facilitator,
        facilitatorFromClient(facilitator, { verifyMillis: 5_000, settleMillis: 30_000 })
      )
    : Layer.effect(Facilitator, facilitatorFromUrl(facilitator)).pipe(Layer.provide(FetchHttpClient.layer))

const chainLayer = ({ networks }: Configuration): Layer.Layer<Chain> =>
  Layer.sync(Chain, () =>
    chainFromRpc(
      new Map(
        networks.flatMap(({ caip2, rpcUrl }) => (rpcUrl === undefined ? [] : [[caip2, rpcUrl] as const]))
      )
    )
  )

/** Routes what a settlement sets off to the use case that knows it. */
const subjectsLayer = Layer.effect(
  Subjects,
  Effect.gen(function* () {
    const ordering = yield* Effect.serviceOption(Ordering)
    const vault = yield* Effect.serviceOption(Vault)
    return Subjects.of({
      settled: ({ id, kind }) =>
        kind === "order"
          ? Effect.suspend(() => (ordering._tag === "Some" ? ordering.value.settled(id) : Effect.void))
          : Effect.suspend(() => (vault._tag === "Some" ? vault.value.settled(id) : Effect.void)),
      abandoned: ({ id, kind }, chargeKey) =>
        kind === "order"
          ? Effect.suspend(() =>
              ordering._tag === "Some" ? ordering.value.abandoned(id, chargeKey) : Effect.void
            )
          : Effect.suspend(() => (vault._tag === "Some" ? vault.value.abandoned(id) : Effect.void))
    })
  })
)

/** The use cases of the ports that the host configured; the others are absent, and so are their routes. */
const useCasesLayer = (options: TillOptions, { upstreamTimeoutMillis }: Configuration) => {
  const settings = { timeoutMillis: upstreamTimeoutMillis }
  // A search goes without a slow marketplace long before the assistant that asked would be given up.
  const patience = { timeoutMillis: Math.min(marketplaceTimeoutMillis, upstreamTimeoutMillis / 2) }
  const mail = options.mailer === undefined ? Layer.empty : Mailer.fromPromise(options.mailer, settings)
  const catalogue = Catalogue.layer({}).pipe(
    Layer.provide(Marketplaces.fromPromise(options.marketplaces ?? {}, patience))
  )
  const assistant =
    options.assistant === undefined
      ? Layer.empty
      : Assistant.fromPromise(options.assistant, settings).pipe(Layer.provide(catalogue))
  const tracker = options.tracker === undefined ? Layer.empty : Tracker.fromPromise(options.tracker, settings)
  const ordering =
    options.fulfilment === undefined
      ? Layer.empty
      : Ordering.layer.pipe(Layer.provide([Fulfilment.fromPromise(options.fulfilment, settings), mail]))
  const vault =
    options.vault === undefined
      ? Layer.empty
      : Vault.layer.pipe(Layer.provide([VaultFiles.fromPromise(options.vault, settings), mail]))
  // Operations are made only for configured ports, so each finds its service; types can't say so.
  return Layer.mergeAll(catalogue, assistant, tracker, ordering, vault) as Layer.Layer<
    OperationServices,
    never,
    Stores | Secrets
  >
}

const httpLayer = (configuration: Configuration) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const operations = yield* makeOperations(configuration.operations, {
        prices: configuration.prices,
        replayMillis: configuration.answerLifetimeMillis,
        secretReplayMillis: configuration.secretAnswerLifetimeMillis
      })
      return Http.layer(configuration, operations)
    })
  )

/** Finishes what others left, now and then, in every process. */
const reconcileOnce = Effect.gen(function* () {
  const settling = yield* Settling
  const ordering = yield* Effect.serviceOption(Ordering)
  const result = yield* settling.reconcile(reconcileBatch)
  if (ordering._tag === "Some") yield* ordering.value.sweep
  return result
})

const housekeeping = ({ answerLifetimeMillis }: Configuration) =>
  Effect.gen(function* () {
    const charges = yield* Charges
    const quotes = yield* Quotes
    yield* reconcileOnce
    const nowMillis = yield* Clock.currentTimeMillis
    yield* charges.expire(nowMillis - answerLifetimeMillis)
    yield* quotes.expire(nowMillis - answerLifetimeMillis)
  }).pipe(
    Effect.catchCause((cause) => Effect.logError("Housekeeping failed and is tried again", cause)),
    Effect.repeat(Schedule.spaced(reconcileEveryMillis))
  )

/** Says at start what the facilitator would not settle; never fatal, since it may learn. */
const checkSupported = ({ networks }: Configuration) =>
  Effect.gen(function* () {
    const kinds = yield* (yield* Facilitator).supported
    if (kinds.length === 0) return
    for (const { caip2, v1Name } of networks) {
      const isListed = kinds.some(
        ({ network, scheme }) => scheme === "exact" && (network === caip2 || network === v1Name)
      )
      if (!isListed)
        yield* Effect.logWarning("The facilitator does not list a network that the till takes", caip2)
    }
  })

const layerOf = (options: TillOptions, configuration: Configuration) => {
  const foundation = Layer.mergeAll(
    options.storage,
    Secrets.layer(configuration.secrets),
    facilitatorLayer(options),
    chainLayer(configuration)
  )
  const useCases = useCasesLayer(options, configuration).pipe(Layer.provideMerge(foundation))
  const settling = Settling.layer({ leaseMillis }).pipe(
    Layer.provide(subjectsLayer),
    Layer.provideMerge(useCases)
  )
  const toll = Toll.layer({
    networks: configuration.networks,
    leaseMillis,
    waitMillis
  }).pipe(Layer.provideMerge(settling))
  const whole = httpLayer(configuration).pipe(Layer.provideMerge(toll))
  const logging = Layer.mergeAll(
    Logger.layer([eventLogger(options.onEvent ?? toStandardError)]),
    Layer.succeed(References.MinimumLogLevel, "Info")
  )
  const background = Effect.all([checkSupported(configuration), housekeeping(configuration)], {
    concurrency: "unbounded",
    discard: true
  })
  return Layer.effectDiscard(Effect.forkScoped(background)).pipe(
    Layer.provideMerge(whole),
    Layer.provideMerge(logging)
  )
}

const summaryOf = (charge: Charge): ChargeSummary => ({
  key: charge.key,
  operation: charge.operation,
  network: charge.network,
  payer: charge.payer,
  payTo: charge.payTo,
  amountAtomic: BigInt(charge.amountAtomic),
  state: charge.state,
  transaction: charge.receipt?.transaction,
  createdAt: new Date(charge.createdAtMillis)
})

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

const make = (options: TillOptions): RunningTill => {
  const configuration = configure(options)
  const runtime = ManagedRuntime.make(layerOf(options, configuration))
  const calls = new Drain()
  let disposing: Promise<void> | undefined

  let started: { readonly http: Http["Service"]; readonly run: typeof Effect.runPromise } | undefined
  const starting = runtime
    .runPromiseExit(Effect.all({ http: Http, context: Effect.context<never>() }))
    .then((exit) => {
      if (Exit.isFailure(exit)) throw startFailure(exit.cause)
      const { context, http } = exit.value
      started = { http, run: Effect.runPromiseWith(context) }
    })
  const ready = starting.then(() => undefined)
  // `fetch` answers 503 after a failed start; a host that does not await `ready` must not crash for it.
  ready.catch(() => undefined)

  const fetch = async (request: Request): Promise<Response> => {
    if (started === undefined) await ready.catch(() => undefined)
    if (started === undefined) {
      return failureResponse(notStarted, configuration.cors, request.headers.get("origin"))
    }
    const answering = started.http.answer(request)
    if (answering instanceof Response) return answering
    calls.enter()
    try {
      // Never interrupted by a client that goes away: what it paid for is finished and kept.
      return await started.run(answering)
    } finally {
      calls.leave()
    }
  }

  const drain = async (): Promise<void> => {
    await calls.empty(drainMillis)
    await runtime.dispose()
  }

  return {
    fetch,
    handles: handlesPath(configuration),
    ready,
    dispose: () => (disposing ??= drain()),
    reconcile: () => runtime.runPromise(reconcileOnce),
    orders: {
      find: (id) => runtime.runPromise(Orders.use((orders) => orders.find(id))),
      list: (query = {}) =>
        runtime.runPromise(Orders.use((orders) => orders.list({ ...query, limit: query.limit ?? 50 })))
    },
    charges: {
      list: ({ limit = 50 } = {}) =>
        runtime
          .runPromise(Charges.use((charges) => charges.list({ limit })))
          .then((found) => found.map(summaryOf))
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
