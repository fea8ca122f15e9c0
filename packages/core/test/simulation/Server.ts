import { Clock, Context, Effect, Exit, Layer, Logger, References, Scope, Struct } from "effect"
import { assemble } from "../../src/till/assemble.ts"
import { pickOperations } from "../../src/till/pickOperations.ts"
import { type ConfiguredSettings, configureOptions } from "../../src/till/settings/Configuration.ts"
import { incoming, toResponse } from "../../src/http/HttpMessage.ts"
import { Http } from "../../src/http/Http.ts"
import { eventLogger, type TillEvent } from "../../src/runtime/events.ts"
import type { TillOptions } from "../../src/till/settings/TillOptions.ts"
import type { NetworkOptions } from "../../src/till/settings/NetworkOptions.ts"
import type { FacilitatorClient } from "../../src/toll/facilitator/FacilitatorOptions.ts"
import type { HostOrders } from "../../src/shop/orders/HostOrders.ts"
import { toHostOrders } from "../../src/shop/orders/toHostOrders.ts"
import { ChangeFeed } from "../../src/shop/orders/OrderChanges.ts"
import { Charges } from "../../src/ports/Charges.ts"
import type { OrderOperator } from "../../src/shop/orders/OrderOperator.ts"
import { type DatabaseClock, StoreClock } from "../../src/ports/StoreClock.ts"
import type { SolanaRefunds } from "../../src/ports/SolanaRefunds.ts"
import type { Stores } from "../../src/stores/Stores.ts"
import { Secrets } from "../../src/runtime/Secrets.ts"
import { Chain } from "../../src/toll/evidence/Chain.ts"
import { makeClientFacilitator } from "../../src/toll/facilitator/ClientFacilitator.ts"
import { Facilitator } from "../../src/toll/facilitator/Facilitator.ts"
import { FeePayers } from "../../src/toll/exact/FeePayers.ts"
import { FacilitatorGroup } from "../../src/toll/facilitator/FacilitatorGroup.ts"
import type { RpcRequest } from "./chain/RpcNode.ts"
import type { FacilitatorChange } from "./Economy.ts"
import { facilitatorNames } from "./FacilitatorOutages.ts"
import type { Process } from "./Process.ts"
import { type Ports, price } from "./SimulatedHost.ts"
import type { Reply } from "./Payment.ts"
import type { NodeChange } from "./solana/SolanaNetwork.ts"

export const baseUrl = "https://shop.example"
export const evmPayTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"

/** A till starts in no virtual time, so no node could respond to what it checks at start. */
const unchecked = (chain: Chain["Service"]): Chain["Service"] => Struct.omit(chain, ["facts"])

/** Work without payment that one process does in an hour, in dollars. */
export const lossPerHour = "20.00"

/** Deadline of an upstream, on which the length of a lease depends. */
export const upstreamTimeoutMillis = 5_000

/** What a process has of a chain. */
export interface ChainEnvironment {
  readonly chain: Chain["Service"]
  /** The chain's node, called directly instead of over the link. */
  readonly node: (request: RpcRequest) => unknown
  /** On Solana, reads the chain, or sends refunds, through a change of the node's responses. */
  readonly readThrough?: (change: NodeChange) => Chain["Service"]
  readonly walletThrough?: (change: NodeChange) => SolanaRefunds
  /** The till's only network. */
  readonly network: NetworkOptions & { readonly payTo: string }
}

/** Everything that a process receives from the simulation. */
export interface Environment extends ChainEnvironment {
  readonly stores: Context.Context<Stores>
  /** The database's clock, where machines share one. */
  readonly storeClock: DatabaseClock | undefined
  readonly facilitator: FacilitatorClient
  /** With it, the till has two. */
  readonly secondFacilitator: FacilitatorClient | undefined
  /** Where a till settles by itself: its facilitator, through a change. */
  readonly settlesThrough?: (change: FacilitatorChange) => FacilitatorClient | undefined
  readonly secrets: Secrets["Service"]
  readonly ports: Ports
  readonly maxTimeoutSeconds: number
  readonly unsettledPerPayer: number
  readonly settlesFirst: boolean
  readonly onEvent: (event: TillEvent) => void
}

const settlementOf = ({ settlesFirst }: Environment): Pick<TillOptions, "settlement"> =>
  settlesFirst ? { settlement: { search: "before-work", vaultDownload: "before-work" } } : {}

const facilitatorsOf = ({ facilitator, secondFacilitator }: Environment): FacilitatorGroup => {
  const [first, second] = facilitatorNames
  const members = [makeClientFacilitator({ ...facilitator, name: first }, {})]
  if (secondFacilitator !== undefined)
    members.push(makeClientFacilitator({ ...secondFacilitator, name: second }, {}))
  return new FacilitatorGroup(members)
}

const optionsOf = (environment: Environment): TillOptions => ({
  baseUrl,
  payTo: environment.network.payTo,
  networks: [environment.network],
  facilitator: environment.facilitator,
  secret: "a text that nobody can guess, of 32 characters or more",
  storage: Layer.merge(
    Layer.succeedContext(environment.stores),
    Layer.succeed(StoreClock, environment.storeClock)
  ),
  ...environment.ports,
  prices: { search: price, vaultDownload: price },
  maxTimeoutSeconds: environment.maxTimeoutSeconds,
  ...settlementOf(environment),
  limits: { unsettledPerPayer: environment.unsettledPerPayer, lossPerHour },
  responseLifetimeMillis: 2_592_000_000,
  secretResponseLifetimeMillis: 86_400_000,
  upstreamTimeoutMillis,
  // Generating documents takes most of the start time and doesn't affect payments.
  openapiPath: false,
  discoveryPath: false,
  cors: false,
  onEvent: environment.onEvent,
  onProviderError: () => undefined
})

const configurations = new Map<string, ConfiguredSettings>()
/** Each keeps its world, and worlds rarely share one. */
const maxConfigurations = 16

/** Caches configurations: the same options except for ports give the same configuration. */
const configurationOf = (options: TillOptions, environment: Environment): ConfiguredSettings => {
  const { limits, maxTimeoutSeconds, networks } = options
  const key = JSON.stringify([maxTimeoutSeconds, limits, networks, settlementOf(environment)])
  const known = configurations.get(key) ?? configureOptions(options)
  if (configurations.size > maxConfigurations) configurations.clear()
  configurations.set(key, known)
  return {
    ...known,
    // A process learns the fee payers for itself.
    networks: known.networks.map((network) =>
      network.family === "solana" ? { ...network, feePayers: new FeePayers() } : network
    )
  }
}

/** A till in a process: the production code with simulated services. */
export class Server {
  readonly process: Process
  /** The order API that the host's operators use. */
  readonly orders: HostOrders
  private readonly http: Http["Service"]
  private readonly context: Context.Context<never>
  private reads = 0

  private constructor(process: Process, services: Context.Context<Http>) {
    this.process = process
    this.http = Context.get(services, Http)
    this.context = Context.merge(process.context, services as Context.Context<never>)
    this.orders = toHostOrders((effect) => this.perform(effect), new ChangeFeed())
  }

  /** As `till.charges.recordRefund`. */
  recordRefund(key: string, transaction: string): Promise<boolean> {
    return this.perform(
      Effect.flatMap(Clock.currentTimeMillis, (nowMillis) =>
        Charges.use((charges) => charges.recordManualRefund(key, transaction, 0, nowMillis))
      )
    )
  }

  /** As `till.refunds.resume`. */
  resumeRefunds(): Promise<boolean> {
    return this.perform(Charges.use((charges) => charges.resumeRefunds()))
  }

  /** Runs with the till's services; never resolves if the process crashes. */
  private perform<A, E>(effect: Effect.Effect<A, E, OrderOperator | Charges>): Promise<A> {
    return new Promise((resolve, reject) => {
      // The context holds these services, like everything else of the till.
      this.process.run(
        effect as Effect.Effect<A, E>,
        (exit) => {
          if (Exit.isSuccess(exit)) resolve(exit.value)
          else reject(new Error("the till failed", { cause: exit.cause }))
        },
        this.context
      )
    })
  }

  /** Builds a till in a process; resolves once it has started. */
  static start(process: Process, environment: Environment): Promise<Server> {
    const options = optionsOf(environment)
    const configuration = configurationOf(options, environment)
    const layer = assemble(configuration, options, pickOperations(options), {
      secrets: Layer.succeed(Secrets, environment.secrets)
    }).pipe(
      Layer.provideMerge([
        options.storage,
        Layer.succeed(Facilitator, facilitatorsOf(environment)),
        Layer.succeed(Chain, unchecked(environment.chain))
      ]),
      Layer.provideMerge([
        Logger.layer([eventLogger(environment.onEvent)]),
        Layer.succeed(References.MinimumLogLevel, "Info")
      ])
    )
    const building = Layer.buildWithMemoMap(layer, Layer.makeMemoMapUnsafe(), Scope.makeUnsafe())
    return new Promise((resolve, reject) => {
      process.run(building, (exit) => {
        if (Exit.isSuccess(exit)) resolve(new Server(process, exit.value))
        else reject(new Error("the till failed to start", { cause: exit.cause }))
      })
    })
  }

  /** A response's body is being read: that takes turns of the event loop, and no virtual time. */
  get isReading(): boolean {
    return this.reads > 0
  }

  /** Handles a request; never responds if the process crashes. */
  handle(request: Request, release: (reply: Reply) => void): void {
    const handling = this.http.handle(incoming(request))
    const responding = Effect.isEffect(handling) ? handling : Effect.succeed(handling)
    const reading = Effect.flatMap(responding, (handled) =>
      Effect.promise(async (): Promise<Reply> => {
        const response = handled instanceof Response ? handled : toResponse(handled)
        this.reads++
        const text = await response.text().finally(() => this.reads--)
        return {
          status: response.status,
          text,
          receipt: response.headers.get("payment-response") ?? response.headers.get("x-payment-response"),
          required: response.headers.get("payment-required")
        }
      })
    )
    this.process.run(
      reading,
      (exit) => {
        if (Exit.isFailure(exit)) throw new Error("Http.handle failed", { cause: exit.cause })
        release(exit.value)
      },
      this.context
    )
  }
}
