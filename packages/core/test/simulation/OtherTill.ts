import { Context, Effect } from "effect"
import { VaultItems } from "../../src/shop/ports/VaultItems.ts"
import { ClientNetwork } from "./ClientNetwork.ts"
import type { DrawnOptions } from "./DrawnOptions.ts"
import type { Economy } from "./Economy.ts"
import { FaultInjector } from "./FaultInjector.ts"
import { type FaultPlan, withoutFaults } from "./FaultPlan.ts"
import { HostSystems } from "./HostSystems.ts"
import { InvariantChecker } from "./InvariantChecker.ts"
import { Machines } from "./Machines.ts"
import { type Call, newPayment, type Payment, type Reply } from "./Payment.ts"
import { PowerLoss } from "./PowerLoss.ts"
import { environmentOf } from "./ProcessEnvironment.ts"
import type { SeededRandom } from "./SeededRandom.ts"
import { SimulatedFacilitator } from "./SimulatedFacilitator.ts"
import { vaultItem } from "./SimulatedHost.ts"
import { memoryStorage, type Storage } from "./Storage.ts"
import type { Timeline } from "./Timeline.ts"
import type { Trace } from "./Trace.ts"

/** What another till shares with the one that is tested. */
interface Shared {
  readonly random: SeededRandom
  readonly drawn: DrawnOptions
  readonly timeline: Timeline
  readonly trace: Trace
  readonly economy: Economy
  readonly count: (what: string) => void
  readonly note: (what: string) => void
}

/** Nothing fails, and it sends no refunds. */
const planOf = (faultPlan: FaultPlan): FaultPlan => {
  const plan = withoutFaults(faultPlan)
  return { ...plan, operator: { ...plan.operator, sendsRefunds: true } }
}

/**
 * A till with stores of its own and the same `payTo`, as no host should have it (docs/threats/limits.md, "What no server can
 * promise"): a payment that both get at the same moment may buy a response at both. That is the only loss allowed.
 */
export class OtherTill {
  private readonly checker: InvariantChecker
  private readonly machines: Machines
  private readonly network: ClientNetwork
  private readonly storage: Storage

  static readonly open = async (shared: Shared): Promise<OtherTill> => {
    const storage = await memoryStorage()
    await Effect.runPromise(Context.get(await storage.stores(), VaultItems).put(vaultItem))
    const till = new OtherTill(shared, storage)
    await till.machines.boot(till.machines.first)
    return till
  }

  private constructor({ count, drawn, economy, note, random, timeline, trace }: Shared, storage: Storage) {
    const now = () => timeline.nowMillis
    const faultPlan = planOf(drawn.faultPlan)
    const checker = new InvariantChecker({
      chain: economy.chain,
      isFinal: (mined) => economy.isFinal(mined),
      lagMillis: () => economy.lagMillis,
      now,
      note
    })
    const facilitator = new SimulatedFacilitator({
      timeline,
      rail: economy.settlement(random.stream("settlement"), note),
      random: random.stream("facilitator"),
      behavior: faultPlan.facilitator,
      onSettleRequested: (authorization, mode) => checker.settleRequested(authorization, mode),
      onSettleResponded: (authorization, settled) => checker.settleResponded(authorization, settled),
      note
    })
    const { host, orders } = new HostSystems({
      random: random.stream("host"),
      drawn: { ...drawn, faultPlan },
      now,
      after: (millis, action) => timeline.after(millis, action),
      economy,
      checker,
      server: () => undefined,
      hasFault: () => true,
      searched: () => undefined,
      note
    })
    checker.orders = orders
    const faultInjector = new FaultInjector(faultPlan, random.stream("calls"), () => undefined)
    faultInjector.stop()
    const powerLoss = new PowerLoss({
      failures: { times: 0, chance: 0 },
      random: random.stream("power"),
      schedule: () => undefined
    })
    const secretsRandom = random.stream("secrets")
    this.checker = checker
    this.storage = storage
    this.machines = new Machines({
      prefix: "other",
      machines: 1,
      timeline,
      random: random.stream("machines"),
      storage,
      trace,
      faultInjector,
      isActive: () => false,
      environment: (link, connection, onEvent) =>
        environmentOf({
          link,
          connection,
          storage,
          checker,
          powerLoss,
          facilitator,
          economy,
          host,
          faultPlan,
          random: secretsRandom,
          now,
          outages: [],
          areOutagesOver: () => true,
          onEvent
        }),
      count: (what) => count(`other till: ${what}`),
      note: (actor, message) => trace.add(now(), actor, message)
    })
    this.network = new ClientNetwork({
      timeline,
      random: random.stream("network"),
      checker,
      pickMachine: () => this.machines.first,
      lossChance: () => 0,
      note: (actor, message) => trace.add(now(), actor, message)
    })
  }

  /** Presents a payment to it. */
  present(payment: Payment, call: Call): Promise<Reply | undefined> {
    const known = this.checker.payments.get(payment.key)
    const own = known ?? newPayment({ ...payment, name: `${payment.name} at the other till` })
    if (known === undefined) this.checker.paymentSigned(own)
    own.calls.set(call.name, call)
    return this.network.request(call, { payment: own, copy: "authentic" })
  }

  runUntilIdle(): Promise<void> {
    return this.machines.runUntilIdle()
  }

  /** Stops it for good. */
  async stop(): Promise<void> {
    this.machines.crash(this.machines.first)
    await this.storage.dispose()
  }

  /** What is wrong with it. `payments`: those of the till that is tested. */
  faults(payments: ReadonlyMap<string, Payment>, count: (what: string) => void): ReadonlyArray<string> {
    const { checker } = this
    const faults = [...checker.violations]
    for (const own of checker.payments.values()) {
      if (own.delivered.size === 0) continue
      count("served by the other till")
      if ((payments.get(own.key)?.delivered.size ?? 0) > 0) count("served by two tills")
      if (checker.wasPublic(own) && !checker.isDeceived(own, own.ownCall.route))
        faults.push(`${own.name}: it was on the chain before it was presented, but bought a response`)
    }
    return faults
  }
}
