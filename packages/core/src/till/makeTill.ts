import { Cause, Context, Effect, Exit, Layer, Logger, ManagedRuntime, References, Tracer } from "effect"
import { ApiFailure } from "../domain/ApiFailure.ts"
import { assemble, httpSettings, type HttpShared } from "./assemble.ts"
import { reconcileOnce } from "./background.ts"
import { PricedHandling, TillService, tillService } from "./TillService.ts"
import { eventLogger, report, toStandardError } from "../runtime/events.ts"
import { Chain } from "../toll/evidence/Chain.ts"
import { Facilitator } from "../toll/facilitator/Facilitator.ts"
import { type ConfiguredSettings, configureOptions } from "./settings/Configuration.ts"
import { facilitatorName } from "../toll/facilitator/FacilitatorOptions.ts"
import { contractIds, settingFields } from "./settings/Settings.ts"
import { ConfigurationError } from "../domain/Errors.ts"
import type { Handled, Handling } from "../http/Http.ts"
import { type Caller, incoming, incomingCopy, type IncomingRequest, toResponse } from "../http/HttpMessage.ts"
import { type AddedRoute, PricedRoutes } from "../http/PricedRoutes.ts"
import { UnreadNetworks, WithdrawnNetworks } from "../http/WithdrawnNetworks.ts"
import { WrongClock } from "../http/WrongClock.ts"
import type { PricedRouteOptions } from "../operations/PricedRouteOptions.ts"
import type { PricedRoute } from "./PricedRoute.ts"
import { maxPathLength, pathHandler } from "../http/Router.ts"
import type { CallTraces } from "./settings/CallTraces.ts"
import type { TillOptions } from "./settings/TillOptions.ts"
import type { RunningTill } from "./RunningTill.ts"
import { operatorCalls } from "./operatorCalls.ts"
import { startFailure } from "./startFailure.ts"
import { CallTracer } from "../runtime/span.ts"
import { loadedLayer } from "../runtime/loadedLayer.ts"
import { PaymentFeed } from "../runtime/PaymentEvents.ts"
import { ChangeFeed } from "../shop/orders/OrderChanges.ts"
import { healthWithout, type TillHealth } from "./Health.ts"
import { KeyOperator } from "./keyCheck.ts"
import { printProviderFailure } from "../ports/ProviderFailure.ts"
import { dnsRecordOf, documentPathsOf } from "../api/Listings.ts"
import { failureResponse, notFoundBelow } from "../http/Responses.ts"

const notStarted = new ApiFailure({
  status: 503,
  code: "STORAGE_UNAVAILABLE",
  message: "The service has not started. Nothing was charged by this request; send it again later.",
  retryAfterSeconds: 10
})

const stopped = new ApiFailure({
  status: 503,
  code: "STORAGE_UNAVAILABLE",
  message: "The service has been stopped. Nothing was charged by this request.",
  retryAfterSeconds: 10
})

/** For hosts that don't await `ready`: their callers get 503 from here on. */
const reportNotStarted = ({ onEvent = toStandardError }: TillOptions, { message }: Error): void =>
  Effect.runSync(
    Effect.provide(
      report("Error", "till_not_started", `${message.replace(/\.$/, "")}. Every call gets 503`),
      Logger.layer([eventLogger(onEvent)])
    )
  )

/** Loaded only where a till starts, as are its operations: they take a part of the time of importing core. */
const httpClient = loadedLayer(
  () => import("./platformHttp.ts"),
  ({ platformHttp }) => platformHttp
)
const loadOperations = Effect.promise(() => import("./pickOperations.ts"))

const facilitatorLayer = (facilitator: TillOptions["facilitator"]): Layer.Layer<Facilitator> =>
  "verify" in facilitator
    ? Facilitator.layerClient(facilitator)
    : Facilitator.layerSeveral(Array.isArray(facilitator) ? facilitator : [facilitator]).pipe(
        Layer.provide(httpClient)
      )

/** The layer of `Till` over the plain functions of a host. */
const layerOf = (
  options: TillOptions,
  configuration: ConfiguredSettings,
  shared: {
    readonly changes: ChangeFeed
    readonly payments: PaymentFeed
    readonly pricedRoutes: PricedRoutes
    readonly http: HttpShared
  }
) =>
  Layer.unwrap(
    Effect.map(loadOperations, ({ pickOperations }) =>
      tillService(configuration, options).pipe(
        Layer.provideMerge(assemble(configuration, options, pickOperations(options), shared)),
        Layer.provideMerge([
          options.storage,
          facilitatorLayer(options.facilitator),
          Chain.layerRpc(configuration.networks).pipe(Layer.provide(httpClient))
        ]),
        Layer.provideMerge([
          Logger.layer([eventLogger(options.onEvent ?? toStandardError)]),
          Layer.succeed(References.MinimumLogLevel, "Info"),
          // Without `traces`, nobody would see the spans, which cost a tenth of a call.
          Layer.succeed(References.TracerEnabled, false)
        ])
      )
    )
  )

interface Services {
  readonly till: TillService["Service"]
  readonly pricedHandling: PricedHandling["Service"]
}

/** The priced routes of a till, whose ids and paths none of its other routes has. */
const makePricedRoutes = (
  configuration: ConfiguredSettings,
  options: TillOptions,
  shared: HttpShared
): PricedRoutes => {
  const { operations = [], publicRoutes = {} } = options
  const onError = options.onProviderError ?? printProviderFailure
  return new PricedRoutes(httpSettings(configuration, options, shared), onError, {
    ids: [...contractIds, ...operations.map(({ id }) => id)],
    paths: [
      ...documentPathsOf(configuration),
      ...Object.keys(publicRoutes),
      ...operations.map(({ path }) => path)
    ]
  })
}

const wrongPath = ({ id, path }: AddedRoute, pathname: string) =>
  new ConfigurationError({
    message: `priced route ${id}: its path ${path} doesn't match the request ${pathname}. Give the path below the base URL, as the framework has it`
  })

type Run = (
  handling: Effect.Effect<Handled, unknown>,
  request: IncomingRequest
) => ReturnType<typeof Effect.runFork<Handled, unknown>>

/** Runs calls, and with `traces` each in the span of its request. Background work has no spans. */
const runnerOf = (context: Context.Context<never>, traces: CallTraces | undefined): Run => {
  const run = Effect.runForkWith(context)
  if (traces === undefined) return (handling) => run(handling)
  const traced = Context.add(context, CallTracer, traces.tracer)
  return (handling, request) => {
    const parent = traces.parentOf(request)
    const own = parent === undefined ? traced : Context.add(traced, Tracer.ParentSpan, parent)
    return Effect.runForkWith(own)(handling)
  }
}

const webResponse = (response: Handled): Response =>
  response instanceof Response ? response : toResponse(response)

const closed = () =>
  new Error(
    "The till was closed by dispose(). Make a new one; a call that was running may have taken effect."
  )

/**
 * Makes a till: the paid commerce API over the host's own ports. Mount it with an adapter, or call `fetch`.
 *
 * @throws ConfigurationError that names every fault of the options at once
 *
 * @example
 * const till = Till.make({
 *   baseUrl: "https://shop.example",
 *   payTo: process.env["PAY_TO"] ?? "",
 *   networks: [{ network: "base", rpcUrl: "https://base.example" }],
 *   facilitator: { url: "https://facilitator.example" },
 *   secret: process.env.TILL_SECRET ?? "",
 *   storage: sqlite({ filename: "till.sqlite" }),
 *   tracker: { track: async ({ number }) => lookUp(number) }
 * })
 * await till.ready
 */
export const makeTill = (options: TillOptions): RunningTill => {
  const configuration = configureOptions(options)
  const feed = new ChangeFeed(options.onOrderChange)
  const payments = new PaymentFeed()
  const http = {
    withdrawn: new WithdrawnNetworks(),
    unread: new UnreadNetworks(),
    wrongClock: new WrongClock(),
    listedResources: new Map()
  }
  const pricedRoutes = makePricedRoutes(configuration, options, http)
  const shared = { changes: feed, payments, pricedRoutes, http }
  const runtime = ManagedRuntime.make(layerOf(options, configuration, shared))
  let disposing: Promise<void> | undefined
  let startProblem: string | undefined

  let started: (Services & { readonly run: Run }) | undefined
  const starting = runtime
    .runPromiseExit(
      Effect.all({ till: TillService, pricedHandling: PricedHandling, context: Effect.context<never>() })
    )
    .then((exit) => {
      if (Exit.isFailure(exit)) {
        const failure = startFailure("The till could not start", exit.cause)
        if (!Cause.hasInterruptsOnly(exit.cause)) reportNotStarted(options, failure)
        startProblem = failure.message
        throw failure
      }
      const { context, ...services } = exit.value
      started = { ...services, run: runnerOf(context, options.traces) }
    })
  const ready = starting.then(() => undefined)
  // `fetch` returns 503 after a failed start; a host that doesn't await `ready` must not crash.
  ready.catch(() => undefined)

  const runOnceStarted = async (
    request: IncomingRequest,
    handlingOf: (services: Services) => Handling
  ): Promise<Handled> => {
    await ready.catch(() => undefined)
    return started === undefined
      ? failureResponse(notStarted, configuration.cors, request.header("origin"))
      : run(request, handlingOf)
  }

  // The executor's own promise: an `async` function would wrap it in another.
  const run = (request: IncomingRequest, handlingOf: (services: Services) => Handling): Promise<Handled> =>
    new Promise((resolve, reject) => {
      if (disposing !== undefined)
        return resolve(failureResponse(stopped, configuration.cors, request.header("origin")))
      if (started === undefined) return resolve(runOnceStarted(request, handlingOf))
      const handling = handlingOf(started)
      if (!Effect.isEffect(handling)) return resolve(handling)
      // A client that disconnects never interrupts a call: a paid response is finished and stored.
      started.run(handling, request).addObserver((exit) => {
        if (Exit.isSuccess(exit)) resolve(exit.value)
        else reject(Cause.squash(exit.cause))
      })
    })

  const handle = (request: IncomingRequest, caller?: Caller): Promise<Handled> =>
    run(request, ({ till }) => till.handle(request, caller))

  const price = (routeOptions: PricedRouteOptions): PricedRoute => {
    const route = pricedRoutes.add(routeOptions)
    const handlePriced: PricedRoute["handle"] = async (request, respond, caller) => {
      const { pathname } = request.url
      return run(request, ({ pricedHandling }) => {
        const match = route.find(pathname)
        if (match !== undefined)
          return pricedHandling.handle({ match, request, respond: async (writes) => respond(writes) }, caller)
        // A caller can send this, too long for a 402 to name; any other path is a fault of the host's setup.
        if (pathname.length <= maxPathLength) throw wrongPath(route, pathname)
        return failureResponse(notFoundBelow(configuration), configuration.cors, request.header("origin"))
      })
    }
    return {
      handle: handlePriced,
      fetch: async (request, respond, caller) =>
        webResponse(await handlePriced(incomingCopy(request), respond, caller))
    }
  }

  /** Runs an operator's call; one that the end of the till cuts off rejects with `closed`. */
  const operate: typeof runtime.runPromise = async (effect, options) => {
    if (disposing !== undefined) throw closed()
    const exit = await runtime.runPromiseExit(effect, options)
    if (Exit.isSuccess(exit)) return exit.value
    throw Cause.hasInterruptsOnly(exit.cause) ? closed() : Cause.squash(exit.cause)
  }

  const isRunning = () => started !== undefined && disposing === undefined
  const health = async (): Promise<TillHealth> => {
    if (startProblem !== undefined) return healthWithout("failed", startProblem, new Date())
    const whenClosed = () => healthWithout("closed", "The till was closed", new Date())
    if (disposing !== undefined) return whenClosed()
    if (started === undefined) return healthWithout("starting", "The till is starting", new Date())
    // A till that closes meanwhile rejects.
    return operate(Effect.flatMap(TillService, (till) => till.health)).catch(whenClosed)
  }
  const isReady = async (): Promise<boolean> =>
    isRunning() &&
    (await operate(Effect.flatMap(TillService, (till) => till.isReady)).catch(() => false)) &&
    isRunning()

  const close = async (): Promise<void> => {
    await runtime.dispose()
    feed.close()
    payments.close()
  }

  return {
    handle,
    fetch: async (request, caller) => {
      if (!URL.canParse(request.url))
        throw new TypeError(
          "till.fetch takes a web Request. In Express, Fastify and Koa, mount the till with its adapter: see docs/mounting.md"
        )
      return webResponse(await handle(incoming(request), caller))
    },
    price,
    handles: pathHandler(
      { ...configuration, publicRoutes: new Map(Object.entries(options.publicRoutes ?? {})) },
      (options.operations ?? []).map(({ path }) => path)
    ),
    settings: async () => {
      const { settingsInForce } = await import("./settings/settingsInForce.ts")
      return settingsInForce(configuration, options, {
        names: Object.keys(settingFields({})),
        facilitators: [options.facilitator].flat().map(facilitatorName)
      })
    },
    dnsRecord: dnsRecordOf(configuration),
    ready,
    dispose: () => (disposing ??= close()),
    check: () => operate(Effect.flatMap(TillService, ({ check }) => check)),
    health,
    isLive: async () => startProblem === undefined,
    isReady,
    reconcile: () => operate(reconcileOnce()),
    keys: () => operate(KeyOperator.use(({ list }) => list)),
    payments: () => payments.subscribe(),
    ...operatorCalls(operate, feed)
  }
}
