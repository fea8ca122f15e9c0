import { Clock, Context, Effect, Exit, Layer, Scope } from "effect"
import { assemble } from "../../src/Assembly.ts"
import { type Configuration, configure } from "../../src/Configuration.ts"
import { incoming, toResponse } from "../../src/Exchange.ts"
import { Http } from "../../src/Http.ts"
import type { FacilitatorClient, TillEvent, TillOptions } from "../../src/Options.ts"
import type { HostOrders } from "../../src/orders/OrderApi.ts"
import { hostOrders } from "../../src/orders/hostOrders.ts"
import { ChangeFeed } from "../../src/orders/OrderChanges.ts"
import { Charges } from "../../src/ports/Charges.ts"
import type { Orders } from "../../src/ports/Orders.ts"
import type { Stores } from "../../src/ports/Stores.ts"
import { Secrets } from "../../src/Secrets.ts"
import { Chain } from "../../src/toll/Chain.ts"
import type { RpcRequest } from "./chain/RpcNode.ts"
import type { Process } from "./Process.ts"
import { price } from "./SimulatedHost.ts"
import type { Reply } from "./Witness.ts"

export const baseUrl = "https://shop.example"
export const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"

/** What a process is given of the world. */
export interface Surroundings {
  readonly stores: Context.Context<Stores>
  readonly facilitator: FacilitatorClient
  readonly chain: Chain["Service"]
  /** The node that the chain is read from, without the way there. */
  readonly node: (request: RpcRequest) => unknown
  readonly secrets: Secrets["Service"]
  readonly ports: Pick<TillOptions, "fulfilment" | "mailer" | "marketplaces" | "refundWallet" | "vault">
  readonly maxTimeoutSeconds: number
  readonly unsettledPerPayer: number
  readonly confirmations: number
  readonly finalitySeconds: number
  readonly settlesFirst: boolean
  readonly onEvent: (event: TillEvent) => void
}

const settlementOf = ({ settlesFirst }: Surroundings): Pick<TillOptions, "settlement"> =>
  settlesFirst ? { settlement: { search: "before-work" } } : {}

const optionsOf = (surroundings: Surroundings): TillOptions => ({
  baseUrl,
  payTo,
  networks: [
    {
      network: "base-sepolia",
      rpcUrl: "http://chain.invalid",
      confirmations: surroundings.confirmations,
      finalitySeconds: surroundings.finalitySeconds
    }
  ],
  facilitator: surroundings.facilitator,
  secret: "a text that nobody can guess, of 32 characters or more",
  storage: Layer.succeedContext(surroundings.stores),
  ...surroundings.ports,
  prices: { search: price },
  maxTimeoutSeconds: surroundings.maxTimeoutSeconds,
  ...settlementOf(surroundings),
  limits: { unsettledPerPayer: surroundings.unsettledPerPayer },
  answerLifetimeMillis: 2_592_000_000,
  secretAnswerLifetimeMillis: 86_400_000,
  upstreamTimeoutMillis: 5_000,
  // The documents take most of the time of a start and no part in a payment.
  openapiPath: false,
  discoveryPath: false,
  cors: false,
  onEvent: surroundings.onEvent
})

const configurations = new Map<string, Configuration>()

/** The same options but for the ports give the same configuration. */
const configurationOf = (options: TillOptions, surroundings: Surroundings): Configuration => {
  const { limits, maxTimeoutSeconds, networks } = options
  const key = JSON.stringify([maxTimeoutSeconds, limits, networks, settlementOf(surroundings)])
  const known = configurations.get(key)
  if (known !== undefined) return known
  const made = configure(options)
  configurations.set(key, made)
  return made
}

/** A till in a process: the production code, with its edges in the simulated world. */
export class Server {
  readonly process: Process
  /** What the host's operators have of it. */
  readonly orders: HostOrders
  private readonly http: Http["Service"]
  private readonly context: Context.Context<never>

  private constructor(process: Process, services: Context.Context<Http>) {
    this.process = process
    this.http = Context.get(services, Http)
    this.context = Context.merge(process.context, services as Context.Context<never>)
    this.orders = hostOrders((effect) => this.perform(effect), new ChangeFeed())
  }

  /** As `till.charges.recordRefund`. */
  recordRefund(key: string, transaction: string): Promise<boolean> {
    return this.perform(
      Effect.flatMap(Clock.currentTimeMillis, (nowMillis) =>
        Charges.use((charges) => charges.recordRefund(key, transaction, nowMillis))
      )
    )
  }

  /** As `till.refunds.resume`. */
  resumeRefunds(): Promise<boolean> {
    return this.perform(Charges.use((charges) => charges.resumeRefunds()))
  }

  /** Runs with the till's services; never ends, if the process dies over it. */
  private perform<A, E>(effect: Effect.Effect<A, E, Orders | Charges>): Promise<A> {
    return new Promise((resolve, reject) => {
      // They are in its context, as everything that the till is made of.
      this.process.run(
        effect as Effect.Effect<A, E>,
        (exit) => {
          if (Exit.isSuccess(exit)) resolve(exit.value)
          else reject(new Error("the till could not", { cause: exit.cause }))
        },
        this.context
      )
    })
  }

  /** Builds a till in a process; resolves once it serves. */
  static start(process: Process, surroundings: Surroundings): Promise<Server> {
    const options = optionsOf(surroundings)
    // What it gives beyond the chain takes the place of the services made before it.
    const edges = Context.make(Chain, surroundings.chain).pipe(Context.add(Secrets, surroundings.secrets))
    const layer = assemble(options, configurationOf(options, surroundings), {
      chain: Layer.succeedContext(edges)
    })
    const building = Layer.buildWithMemoMap(layer, Layer.makeMemoMapUnsafe(), Scope.makeUnsafe())
    return new Promise((resolve, reject) => {
      process.run(building, (exit) => {
        if (Exit.isSuccess(exit)) resolve(new Server(process, exit.value))
        else reject(new Error("the till does not start", { cause: exit.cause }))
      })
    })
  }

  /** Answers a request; never, if the process dies over it. */
  answer(request: Request, release: (reply: Reply) => void): void {
    const answering = this.http.answer(incoming(request))
    const responding = Effect.isEffect(answering) ? answering : Effect.succeed(answering)
    const reading = Effect.flatMap(responding, (answered) =>
      Effect.promise(async (): Promise<Reply> => {
        const response = answered instanceof Response ? answered : toResponse(answered)
        return {
          status: response.status,
          text: await response.text(),
          receipt: response.headers.get("payment-response") ?? response.headers.get("x-payment-response"),
          required: response.headers.get("payment-required")
        }
      })
    )
    this.process.run(
      reading,
      (exit) => {
        if (Exit.isFailure(exit)) throw new Error("Http.answer failed", { cause: exit.cause })
        release(exit.value)
      },
      this.context
    )
  }
}
