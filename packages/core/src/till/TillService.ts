import { documentPathsOf } from "../api/Listings.ts"
import { Clock, Context, Effect, Layer } from "effect"
import { Http, type Handling, type PricedCall } from "../http/Http.ts"
import { type Caller, type IncomingRequest, incoming, toResponse } from "../http/HttpMessage.ts"
import { pathHandler } from "../http/Router.ts"
import { Operations } from "../operations/Operation.ts"
import type { BackgroundWork } from "../runtime/BackgroundWork.ts"
import { reconcileOnce } from "./background.ts"
import type { Check } from "./Check.ts"
import { Checks } from "./Checks.ts"
import { Health, healthOf, type TillHealth } from "./Health.ts"
import type { ConfiguredSettings } from "./settings/Configuration.ts"
import { InFlightRequests } from "./InFlightRequests.ts"
import { StoreTime } from "./storeTime.ts"
import type { TillHooks } from "./settings/TillHooks.ts"
import type { StoreError } from "../domain/Errors.ts"
import type { SettlementRunner } from "../toll/perform/SettlementRunner.ts"
import type { Reconciliation } from "../toll/perform/Reconciler.ts"

/** How long a till waits for its running calls when its layer is released. */
const drainMillis = 30_000

/** A running till, for hosts with Effect. */
export class TillService extends Context.Service<
  TillService,
  {
    /** Handles a request for a path below the mount: at once, or by an effect that can't be interrupted. */
    readonly handle: (request: IncomingRequest, caller?: Caller) => Handling
    /** The same for a web `Request`. */
    readonly fetch: (request: Request, caller?: Caller) => Effect.Effect<Response>
    /** Whether the till handles a path, with or without the prefix of `baseUrl`. */
    readonly handles: (pathname: string) => boolean
    /** Paths of the till's routes below the mount: `/x402/*`, its status pages, documents, public routes and own operations. */
    readonly paths: ReadonlyArray<`/${string}`>
    /** Path of `baseUrl`: `""` or `"/api"`. */
    readonly prefix: "" | `/${string}`
    /** Finishes charges, orders and purchases that other processes left, at once. */
    readonly reconcile: Effect.Effect<Reconciliation, StoreError>
    /**
     * Makes the checks of the start now, and returns them all. Reads facilitators, nodes and storage anew, for up to some
     * seconds: for operators, not for callers.
     */
    readonly check: Effect.Effect<ReadonlyArray<Check>>
    /** These checks with those of the running till, at most once in ten seconds, however many ask. */
    readonly health: Effect.Effect<TillHealth>
    /** Whether its storage answers, read at most once a second: for load balancers. No third party counts. */
    readonly isReady: Effect.Effect<boolean>
  }
>()("@till402/core/Till") {}

/** Handles requests for the priced routes of `Till.make`. */
export class PricedHandling extends Context.Service<
  PricedHandling,
  { readonly handle: (call: PricedCall, caller?: Caller) => Handling }
>()("@till402/core/PricedHandling") {}

type NotedCall = readonly [request: IncomingRequest, caller?: Caller]

const pathOf = ({ match }: PricedCall): string => match.paidRoute.operation.endpoint.path

/** Loaded where a till starts, with the other checks. */
const loadRequestChecks = Effect.promise(() => import("./moneyCheck.ts"))

/** The service over the parts that `assemble` makes. */
export const tillService = (
  configured: ConfiguredSettings,
  { clientAddress, publicRoutes = {} }: TillHooks
) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const http = yield* Http
      const context = yield* Effect.context<SettlementRunner | BackgroundWork>()
      const own = (yield* (yield* Operations).all)
        .map(({ endpoint }) => endpoint.path as `/${string}`)
        .filter((path) => !path.startsWith("/x402/"))
      const { prefix, statusPath } = configured
      const { clock } = yield* StoreTime
      const checks = yield* Checks
      const { health, isReady } = yield* Health
      const onTime = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
        clock === undefined ? effect : Effect.provideService(effect, Clock.Clock, clock)
      const calls = new InFlightRequests()
      yield* Effect.addFinalizer(() => calls.drain(drainMillis))

      const counted = (handling: Handling): Handling => {
        if (!Effect.isEffect(handling)) return handling
        return Effect.suspend(() => {
          calls.enter()
          // A caller that goes away must not interrupt a call that it has paid for.
          return onTime(Effect.uninterruptible(calls.leftAfter(handling)))
        })
      }
      const { MountCheck, ProxyCheck } = yield* loadRequestChecks
      const routes = new Map(Object.entries(publicRoutes))
      const handles = pathHandler({ ...configured, publicRoutes: routes }, own)
      const mounts = new MountCheck(configured, handles)
      const proxies = new ProxyCheck(clientAddress)
      const noting = (handling: Handling, paths: ReadonlyArray<string>, ...call: NotedCall): Handling =>
        proxies.noting(mounts.noting(handling, paths, ...call), ...call)
      const seen = (): ReadonlyArray<Check> => [...mounts.found(), ...proxies.found()]
      const handle = (request: IncomingRequest, caller?: Caller): Handling =>
        noting(counted(http.handle(request, caller)), own, request, caller)
      const fetch = (request: Request, caller?: Caller): Effect.Effect<Response> =>
        Effect.suspend(() => {
          const handling = handle(incoming(request), caller)
          const handled = Effect.isEffect(handling) ? handling : Effect.succeed(handling)
          return Effect.map(handled, (response) =>
            response instanceof Response ? response : toResponse(response)
          )
        })
      const till = TillService.of({
        handle,
        fetch,
        handles,
        paths: [
          "/x402/*",
          ...(statusPath === undefined ? [] : [`${statusPath}/*`]),
          ...documentPathsOf(configured),
          ...routes.keys(),
          ...own
        ] as ReadonlyArray<`/${string}`>,
        prefix,
        reconcile: onTime(Effect.provide(reconcileOnce(), context)),
        check: Effect.map(onTime(checks), (found) => [...found, ...seen()]),
        health: Effect.map(onTime(health), (found) => healthOf([...found.checks, ...seen()], found)),
        isReady
      })
      const priced = PricedHandling.of({
        handle: (call, caller) =>
          noting(counted(http.handlePriced(call, caller)), [pathOf(call)], call.request, caller)
      })
      return Context.make(TillService, till).pipe(Context.add(PricedHandling, priced))
    })
  )
