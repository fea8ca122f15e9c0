import { Clock, Effect, Layer, Logger, References, Schedule } from "effect"
import { FetchHttpClient } from "effect/http"
import { Catalogue } from "./Catalogue.ts"
import type { Configuration } from "./Configuration.ts"
import { eventLogger, toStandardError } from "./events.ts"
import { Http } from "./Http.ts"
import { makeOperations, type OperationServices } from "./operations.ts"
import type { TillOptions } from "./Options.ts"
import { ChangeFeed, OrderChanges } from "./orders/OrderChanges.ts"
import { Ordering } from "./orders/Ordering.ts"
import { OrderLife } from "./orders/OrderLife.ts"
import { OrderMailing } from "./orders/OrderMailing.ts"
import { OrderWorker } from "./orders/OrderWorker.ts"
import { Refunds } from "./orders/Refunds.ts"
import { Assistant } from "./ports/Assistant.ts"
import { Charges } from "./ports/Charges.ts"
import { Fulfilment } from "./ports/Fulfilment.ts"
import { Mailer } from "./ports/Mailer.ts"
import { Marketplaces } from "./ports/Marketplace.ts"
import { Orders } from "./ports/Orders.ts"
import { Quotes } from "./ports/Quotes.ts"
import type { Stores } from "./ports/Stores.ts"
import { Tracker } from "./ports/Tracker.ts"
import { VaultFiles } from "./ports/VaultFiles.ts"
import { VaultPurchases } from "./ports/VaultPurchases.ts"
import { Secrets } from "./Secrets.ts"
import { Chain, chainFromRpc } from "./toll/Chain.ts"
import { Facilitator } from "./toll/Facilitator.ts"
import { facilitatorFromUrl } from "./toll/facilitator/Http.ts"
import { facilitatorFromClient } from "./toll/facilitator/Local.ts"
import { Settling, Subjects } from "./toll/Settling.ts"
import { Toll } from "./toll/Toll.ts"
import { Vault } from "./vault/Vault.ts"

/*
 * Puts a till together: the host's options become services, the services one layer.
 */

/** Longer than verification, work (each port has its deadline), settlement and proof together. */
const leaseMillis = 180_000
const waitMillis = 10_000
const reconcileEveryMillis = 15_000
const reconcileBatch = 100
const expireBatch = 500
const refundsEveryMillis = 15_000
const vaultSweepEveryMillis = 15_000
const marketplaceTimeoutMillis = 8_000

const facilitatorLayer = ({ facilitator }: TillOptions): Layer.Layer<Facilitator> =>
  "verify" in facilitator
    ? Layer.succeed(
        Facilitator,
        facilitatorFromClient(facilitator, { verifyMillis: 5_000, settleMillis: 30_000 })
      )
    : Layer.effect(Facilitator, facilitatorFromUrl(facilitator)).pipe(Layer.provide(FetchHttpClient.layer))

const chainLayer = ({ networks }: Configuration): Layer.Layer<Chain> =>
  Layer.sync(Chain, () => chainFromRpc(networks))

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
const useCasesLayer = (options: TillOptions, configuration: Configuration, feed: ChangeFeed) => {
  const { upstreamTimeoutMillis } = configuration
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
      : Ordering.layer(configuration).pipe(
          Layer.provideMerge(OrderWorker.layer),
          Layer.provideMerge(OrderLife.layer),
          Layer.provide(OrderMailing.layer(options.mailTemplates ?? {})),
          Layer.provide([
            Fulfilment.fromPromise(options.fulfilment, settings),
            OrderChanges.layer(feed),
            mail
          ])
        )
  const vault =
    options.vault === undefined
      ? Layer.empty
      : Vault.layer(options.mailTemplates ?? {}).pipe(
          Layer.provide([VaultFiles.fromPromise(options.vault, settings), mail])
        )
  // Operations are made only for configured ports, so each finds its service; types can't say so.
  return Layer.mergeAll(catalogue, assistant, tracker, ordering, vault) as Layer.Layer<
    OperationServices,
    never,
    Stores | Secrets | Refunds
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

/** Finishes what others left. `eager`: without waiting for the next attempt of what is unknown. */
export const reconcileOnce = Effect.fnUntraced(function* (eager: boolean) {
  const settling = yield* Settling
  const worker = yield* Effect.serviceOption(OrderWorker)
  const vault = yield* Effect.serviceOption(Vault)
  const result = yield* settling.reconcile({ limit: reconcileBatch, eager })
  // A host that calls this from a scheduler, and lives no longer than that, has its orders and purchases seen to.
  if (eager && worker._tag === "Some") yield* worker.value.work
  if (eager && vault._tag === "Some") yield* vault.value.sweep
  return result
})

const housekeeping = ({ answerLifetimeMillis, personalDataLifetimeMillis }: Configuration) =>
  Effect.gen(function* () {
    const charges = yield* Charges
    const quotes = yield* Quotes
    yield* reconcileOnce(false)
    const nowMillis = yield* Clock.currentTimeMillis
    yield* charges.expire(nowMillis - answerLifetimeMillis, expireBatch)
    yield* quotes.expire(nowMillis - answerLifetimeMillis)
    yield* (yield* Orders).forget(nowMillis - personalDataLifetimeMillis, expireBatch)
    yield* (yield* VaultPurchases).forget(nowMillis - personalDataLifetimeMillis, expireBatch)
  }).pipe(
    Effect.catchCause((cause) => Effect.logError("Housekeeping failed and is tried again", cause)),
    Effect.repeat(Schedule.spaced(reconcileEveryMillis))
  )

/** Sends what is owed, orders or not. */
const refunding = Effect.gen(function* () {
  yield* (yield* Refunds).sweep
}).pipe(
  Effect.catchCause((cause) => Effect.logError("Refunds could not be sent and are tried again", cause)),
  Effect.repeat(Schedule.spaced(refundsEveryMillis))
)

const workingOnOrders = Effect.gen(function* () {
  const worker = yield* Effect.serviceOption(OrderWorker)
  if (worker._tag === "Some") yield* worker.value.run
})

/** Apart from housekeeping: a mail server that is slow to answer must keep nobody's payment waiting. */
const sweepingVault = Effect.gen(function* () {
  const vault = yield* Effect.serviceOption(Vault)
  if (vault._tag === "Some") yield* vault.value.sweep
}).pipe(
  Effect.catchCause((cause) => Effect.logError("Purchases could not be seen to and are tried again", cause)),
  Effect.repeat(Schedule.spaced(vaultSweepEveryMillis))
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

/** What a till meets at its edges, where a test stands in for it. */
export interface Edges {
  readonly facilitator?: Layer.Layer<Facilitator>
  readonly chain?: Layer.Layer<Chain>
  readonly secrets?: Layer.Layer<Secrets>
  readonly changes?: ChangeFeed
}

/** The layer of a whole till, its background work included. */
export const assemble = (options: TillOptions, configuration: Configuration, edges: Edges = {}) => {
  const feed = edges.changes ?? new ChangeFeed(options.onOrderChange)
  const edge = Layer.mergeAll(
    options.storage,
    edges.secrets ?? Secrets.layer(configuration.secrets),
    edges.facilitator ?? facilitatorLayer(options),
    edges.chain ?? chainLayer(configuration)
  )
  const foundation = Refunds.layer({
    wallet: options.refundWallet,
    networks: configuration.networks,
    perPayerPerHourAtomic: configuration.refundsPerPayerPerHourAtomic
  }).pipe(Layer.provideMerge(edge))
  const useCases = useCasesLayer(options, configuration, feed).pipe(Layer.provideMerge(foundation))
  const settling = Settling.layer({
    leaseMillis,
    owedResponseMillis: configuration.owedResponseMillis,
    finalitySeconds: new Map(
      configuration.networks.map(({ caip2, finalitySeconds }) => [caip2, finalitySeconds])
    )
  }).pipe(Layer.provide(subjectsLayer), Layer.provideMerge(useCases))
  const toll = Toll.layer({
    networks: configuration.networks,
    leaseMillis,
    waitMillis,
    maxUnsettledPerPayer: configuration.maxUnsettledPerPayer,
    maxUnsettled: configuration.maxUnsettled,
    maxUnverified: configuration.maxUnverified,
    payerMemoryMillis: configuration.payerMemoryMillis,
    recentMillis: configuration.payerCreditMillis,
    creditAtomic: configuration.creditAtomic,
    exposureAtomic: configuration.exposureAtomic,
    maxExposureAtomic: configuration.maxExposureAtomic,
    lossPerHourAtomic: configuration.lossPerHourAtomic
  }).pipe(Layer.provideMerge(settling))
  const whole = httpLayer(configuration).pipe(Layer.provideMerge(toll))
  const logging = Layer.mergeAll(
    Logger.layer([eventLogger(options.onEvent ?? toStandardError)]),
    Layer.succeed(References.MinimumLogLevel, "Info")
  )
  const background = Effect.all(
    [checkSupported(configuration), housekeeping(configuration), refunding, workingOnOrders, sweepingVault],
    { concurrency: "unbounded", discard: true }
  )
  return Layer.effectDiscard(Effect.forkScoped(background)).pipe(
    Layer.provideMerge(whole),
    Layer.provideMerge(logging)
  )
}
