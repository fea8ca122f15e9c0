import type { ListedResource, ListedResources } from "../toll/facilitator/FacilitatorVerdicts.ts"
import { Effect, Layer } from "effect"
import { Http } from "../http/Http.ts"
import { PricedRoutes } from "../http/PricedRoutes.ts"
import { UnreadNetworks, WithdrawnNetworks } from "../http/WithdrawnNetworks.ts"
import { WrongClock } from "../http/WrongClock.ts"
import { MailContact, OwnTemplates } from "../shop/mail/OwnTemplates.ts"
import { Operations } from "../operations/Operation.ts"
import { OperationSettings } from "../operations/OperationSettings.ts"
import { ChangeFeed, OrderChanges } from "../shop/orders/OrderChanges.ts"
import { ChargeOperator } from "../operators/ChargeOperator.ts"
import { LedgerOperator } from "../operators/LedgerOperator.ts"
import { OrderOperator } from "../shop/orders/OrderOperator.ts"
import { RefundOperator } from "../operators/RefundOperator.ts"
import { OrderingSettings } from "../shop/orders/Ordering.ts"
import { Refunds } from "../refunds/Refunds.ts"
import { KeyedRecords } from "../ports/KeyedRecords.ts"
import { SettlementEffects } from "../ports/SettlementEffects.ts"
import { StatusPages } from "../ports/StatusPages.ts"
import { BackgroundWork } from "../runtime/BackgroundWork.ts"
import type { Charges } from "../ports/Charges.ts"
import { printProviderFailure } from "../ports/ProviderFailure.ts"
import { loadedLayer } from "../runtime/loadedLayer.ts"
import { PaymentFeed, paymentEvents } from "../runtime/PaymentEvents.ts"
import { Secrets } from "../runtime/Secrets.ts"
import { Chain } from "../toll/evidence/Chain.ts"
import { Facilitator } from "../toll/facilitator/Facilitator.ts"
import { PaymentReversals } from "../toll/limits/PaymentReversals.ts"
import { leaseLengthMillis } from "../toll/perform/LeaseLength.ts"
import { SettlementRunner } from "../toll/perform/SettlementRunner.ts"
import { Toll } from "../toll/Toll.ts"
import { CurrentSale, ProductSale } from "../shop/ports/ProductSale.ts"
import { PortSettings } from "../shop/ports/PortGuard.ts"
import { shopErasure } from "../shop/ports/ShopErasure.ts"
import { ShopSettings } from "../shop/routes/ShopSettings.ts"
import { VaultOperator } from "../shop/vault/VaultOperator.ts"
import { background } from "./background.ts"
import { Checks } from "./Checks.ts"
import { Health } from "./Health.ts"
import { WorkerRuns, Workers } from "./Workers.ts"
import { databaseCheck, rehearsal } from "./databaseCheck.ts"
import { keyCheck, keyLossCheck, KeyOperator } from "./keyCheck.ts"
import { proofCheck } from "./proofCheck.ts"
import { refundWalletsOf } from "./settings/refundWalletsOf.ts"
import type { ConfiguredSettings } from "./settings/Configuration.ts"
import { maxSettleTimeoutMillis } from "./settings/Facilitators.ts"
import { serviceOf } from "./settings/ServiceFields.ts"
import * as StoreTime from "./storeTime.ts"
import type { TillHooks } from "./settings/TillHooks.ts"
import { tokenCheck } from "./TokenCheck.ts"

/*
 * Puts a till together: settings become services, services and operations become one layer.
 */

/** How long a call waits for the response to a copy of its payment, or for room. */
export const waitMillis = 10_000

/** The services that `assemble` makes for the operations; all their other requirements are the host's ports. */
export type OperationContext =
  | Operations
  | OperationSettings
  | BackgroundWork
  | SettlementEffects
  | StatusPages
  | KeyedRecords
  | ShopSettings
  | OrderingSettings
  | OrderChanges
  | Refunds
  | Secrets

/** The services for operators. */
export type Operators =
  | OrderOperator
  | ChargeOperator
  | LedgerOperator
  | RefundOperator
  | VaultOperator
  | KeyOperator

/** The ports that every till requires. */
export type CommonPorts = Charges | Facilitator | Chain

/** Length of a charge's lease. Covers the longest settlement timeout where a `Facilitator` doesn't state its own. */
export const chargeLeaseMillis = (
  { networks, upstreamTimeoutMillis }: Pick<ConfiguredSettings, "networks" | "upstreamTimeoutMillis">,
  chain: Pick<Chain["Service"], "canRead">,
  { settleTimeoutMillis }: Pick<Facilitator["Service"], "settleTimeoutMillis">
) =>
  leaseLengthMillis({
    settleMillis: settleTimeoutMillis ?? maxSettleTimeoutMillis,
    workMillis: upstreamTimeoutMillis,
    readsChain: networks.some(({ caip2 }) => chain.canRead(caip2))
  })

const tollLayer = (settings: ConfiguredSettings, listedResources: ListedResources) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const leaseMillis = chargeLeaseMillis(settings, yield* Chain, yield* Facilitator)
      return tollWithLease(settings, listedResources, leaseMillis)
    })
  )

const tollWithLease = (settings: ConfiguredSettings, listedResources: ListedResources, leaseMillis: number) =>
  Toll.layer({
    networks: settings.networks,
    leaseMillis,
    waitMillis,
    ...settings.limits
  }).pipe(
    Layer.provideMerge(
      SettlementRunner.layer({
        leaseMillis,
        listedResources,
        owedResponseMillis: settings.owedResponseMillis,
        finalitySeconds: new Map(
          settings.networks.map(({ caip2, finalitySeconds }) => [caip2, finalitySeconds])
        )
      })
    )
  )

/** What HTTP shares with the rest of a till: it reads the withdrawn networks, and fills in the listed resources. */
export interface HttpShared {
  readonly withdrawn: WithdrawnNetworks
  readonly unread: UnreadNetworks
  readonly wrongClock: WrongClock
  readonly listedResources: Map<string, ListedResource>
}

/** The settings that HTTP depends on. */
export const httpSettings = (
  settings: ConfiguredSettings,
  { clientAddress, onProviderError: onError = printProviderFailure, publicRoutes = {} }: TillHooks,
  shared: HttpShared
) => ({
  ...settings,
  service: serviceOf(settings),
  clientAddress,
  onError,
  publicRoutes: new Map(Object.entries(publicRoutes)),
  ...shared
})

const httpLayer = (
  settings: ConfiguredSettings,
  hooks: TillHooks,
  pricedRoutes: PricedRoutes | undefined,
  shared: HttpShared
) => {
  const http = httpSettings(settings, hooks, shared)
  return Http.layer(http, pricedRoutes ?? new PricedRoutes(http, undefined, { ids: [], paths: [] }))
}

/** The services for operators, over the services of a till. */
const operatorLayer = (settings: ConfiguredSettings, hooks: TillHooks, changes: ChangeFeed) =>
  Layer.mergeAll(
    OrderOperator.layer(changes),
    ChargeOperator.layer,
    LedgerOperator.layer(settings.networks, refundWalletsOf(settings, hooks)),
    RefundOperator.layer,
    VaultOperator.layer
  )

/** Loaded only where a till starts, as the ports are. */
const portCheck = (settings: ConfiguredSettings, { publicRoutes = {} }: TillHooks) =>
  loadedLayer(
    () => import("./portCheck.ts"),
    (loaded) => loaded.portCheck(settings, Object.keys(publicRoutes))
  )

/** The same, with the check of chains. */
const moneyCheck = (settings: ConfiguredSettings, hooks: TillHooks) =>
  loadedLayer(
    () => import("./moneyCheck.ts"),
    (loaded) => Layer.merge(loaded.moneyCheck(settings, hooks), loaded.chainCheck(settings))
  )

/** The same, before every other layer. */
const guardedServices = loadedLayer(
  () => import("./portCheck.ts"),
  (loaded) => loaded.guardedServices
)

// eslint-disable-next-line typescript/no-explicit-any -- the bound of Effect's own `Layer.mergeAll`
type OperationLayer = Layer.Layer<never, any, any>

/** Layers of operations, one or more. */
export type OperationLayers = readonly [OperationLayer, ...ReadonlyArray<OperationLayer>]

const merged = <const Ops extends OperationLayers>([first, ...others]: Ops) =>
  Layer.mergeAll(first, ...others) as Layer.Layer<
    Layer.Success<Ops[number]>,
    Layer.Error<Ops[number]>,
    Layer.Services<Ops[number]>
  >

/** What the operations of a till require of the host. */
export type PortsOf<Operations extends OperationLayers> = Exclude<
  Layer.Services<Operations[number]>,
  OperationContext
>

/** The address below which the status pages are. */
const statusRoot = ({ baseUrl, statusPath }: ConfiguredSettings): string | undefined =>
  statusPath === undefined ? undefined : `${baseUrl}${statusPath}`

/** Parts that a till is given instead of its own. */
interface Shared {
  readonly changes?: ChangeFeed
  readonly payments?: PaymentFeed
  readonly pricedRoutes?: PricedRoutes | undefined
  readonly secrets?: Layer.Layer<Secrets>
  readonly http?: HttpShared
}

/**
 * The layer of a whole till with its background work, over the ports of the host. `secrets` replaces the keys made from
 * the settings, in tests.
 */
export const assemble = <const Ops extends OperationLayers>(
  settings: ConfiguredSettings,
  hooks: TillHooks,
  operations: Ops,
  {
    changes = new ChangeFeed(hooks.onOrderChange),
    payments = new PaymentFeed(),
    pricedRoutes,
    secrets = Secrets.layer(settings.secret, settings.retiredKeys),
    http = {
      withdrawn: new WithdrawnNetworks(),
      unread: new UnreadNetworks(),
      wrongClock: new WrongClock(),
      listedResources: new Map()
    }
  }: Shared = {}
) => {
  const { onProviderError: onError = printProviderFailure } = hooks
  const context = Layer.mergeAll(
    Operations.layer,
    BackgroundWork.layer,
    SettlementEffects.layer,
    StatusPages.layer(statusRoot(settings)).pipe(Layer.provide(secrets)),
    KeyedRecords.layer,
    Layer.sync(Workers, () => new WorkerRuns()),
    Layer.succeed(OperationSettings, { ...settings, onError }),
    Layer.succeed(PortSettings, { timeoutMillis: settings.upstreamTimeoutMillis, onError }),
    Layer.succeed(ShopSettings, settings),
    Layer.sync(CurrentSale, () => new ProductSale()),
    Layer.succeed(OrderingSettings, { ...settings.limits, margin: settings.margin }),
    Layer.succeed(OwnTemplates, hooks.mailTemplates ?? {}),
    Layer.succeed(MailContact, settings.support === undefined ? {} : { support: settings.support }),
    OrderChanges.layer(changes),
    Refunds.layer({
      wallet: hooks.refundWallet,
      solana: hooks.solanaRefunds,
      networks: settings.networks,
      perPayerPerHour: settings.refunds.perPayerPerHour
    })
  ).pipe(Layer.provideMerge(secrets), Layer.provideMerge(paymentEvents(payments, hooks.onPayment)))
  const routes = merged(operations)
  return background(settings, http, () => pricedRoutes?.operations ?? []).pipe(
    Layer.provideMerge(httpLayer(settings, hooks, pricedRoutes, http)),
    Layer.provideMerge(operatorLayer(settings, hooks, changes)),
    Layer.provideMerge(Health.layer),
    Layer.provideMerge(Checks.layer(settings, hooks)),
    Layer.provideMerge(tollLayer(settings, http.listedResources)),
    Layer.provide([
      portCheck(settings, hooks),
      proofCheck(settings),
      moneyCheck(settings, hooks),
      keyLossCheck(settings).pipe(Layer.provide(rehearsal(settings))),
      tokenCheck(settings.networks),
      shopErasure(settings)
    ]),
    Layer.provideMerge(KeyOperator.layer(settings)),
    Layer.provideMerge(routes),
    Layer.provideMerge(context),
    Layer.provide(databaseCheck(settings).pipe(Layer.provide(keyCheck(settings)))),
    Layer.provideMerge(PaymentReversals.layer),
    Layer.provideMerge(StoreTime.layer),
    Layer.provideMerge(guardedServices)
  )
}
