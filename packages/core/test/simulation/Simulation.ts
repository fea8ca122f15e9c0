import { Context, Effect } from "effect"
import { VaultItems } from "../../src/shop/ports/VaultItems.ts"
import { maxSettleTimeoutMillis } from "../../src/till/settings/Facilitators.ts"
import { leaseLengthMillis } from "../../src/toll/perform/LeaseLength.ts"
import { ClientNetwork, type PresentedPayment } from "./ClientNetwork.ts"
import { checkMoney, moneyState, type Economy, type EconomyOptions } from "./Economy.ts"
import { EvmEconomy } from "./EvmEconomy.ts"
import { SolanaEconomy } from "./solana/SolanaEconomy.ts"
import { type DrawnOptions, drawOptions } from "./DrawnOptions.ts"
import { FaultInjector } from "./FaultInjector.ts"
import type { FaultPlan } from "./FaultPlan.ts"
import { checkFinalState } from "./FinalChecks.ts"
import { checkFinalOrders } from "./FinalOrderChecks.ts"
import { HostSystems } from "./HostSystems.ts"
import { InvariantChecker } from "./InvariantChecker.ts"
import { Machines } from "./Machines.ts"
import { authorizationOf, type Call, type Payment, type Reply } from "./Payment.ts"
import { OtherTill } from "./OtherTill.ts"
import { powerCut } from "./PowerCut.ts"
import { PowerLoss } from "./PowerLoss.ts"
import { environmentOf } from "./ProcessEnvironment.ts"
import { Recovery } from "./Recovery.ts"
import { SeededRandom } from "./SeededRandom.ts"
import { upstreamTimeoutMillis } from "./Server.ts"
import { searchNamed, Shopper } from "./Shopper.ts"
import type { SimulationOptions } from "./simulate.ts"
import { SimulatedFacilitator } from "./SimulatedFacilitator.ts"
import { vaultItem } from "./SimulatedHost.ts"
import type { Storage } from "./Storage.ts"
import { Timeline } from "./Timeline.ts"
import { Trace } from "./Trace.ts"
import { UnpaidWork } from "./UnpaidWork.ts"

/** 2026-11-21, 00:00 UTC. */
const startMillis = 1_795_219_200_000
/** The longest lease: that of a charge. */
const leaseMillis = leaseLengthMillis({
  settleMillis: maxSettleTimeoutMillis,
  workMillis: upstreamTimeoutMillis,
  readsChain: true
})
/** Interval at which unfinished orders are checked. */
const aftermathStepMillis = 20_000
/** Far more than a normal run has: an endless loop fails instead of hanging. */
const maxEvents = 50_000

/** One complete run, created from its seed. */
export class Simulation {
  readonly trace = new Trace(startMillis)
  readonly checker: InvariantChecker
  readonly economy: Economy
  private readonly storage: Storage
  /** What was drawn for this world. */
  readonly drawn: DrawnOptions
  private readonly streams: SeededRandom
  private readonly timeline: Timeline
  private readonly facilitator: SimulatedFacilitator
  private readonly network: ClientNetwork
  readonly hostSystems: HostSystems
  private readonly faultInjector: FaultInjector
  readonly machines: Machines
  private readonly powerLoss: PowerLoss
  private otherTill: OtherTill | undefined
  readonly work: UnpaidWork
  private powerFailing: Promise<void> | undefined
  private areFaultsOver = false
  private eventCount = 0

  constructor(
    seed: number,
    storage: Storage,
    {
      isFlushed,
      mutation = (environment) => environment,
      rail = "evm",
      world = (drawn) => drawn
    }: SimulationOptions
  ) {
    this.streams = new SeededRandom(seed)
    const { streams } = this
    this.storage = storage
    this.drawn = world(drawOptions(streams, { rail, isLocal: storage.isLocal, startMillis }))
    const { clockFaults, faultPlan, outages, relay, solana } = this.drawn
    this.timeline = new Timeline(startMillis, streams.stream("order of events"))
    const now = () => this.timeline.nowMillis
    const walletRandom = streams.stream("wallets")
    const economyOptions: EconomyOptions = {
      random: streams.stream("economy"),
      faultPlan,
      now,
      after: (millis, action) => this.after(millis, action),
      payments: () => this.checker.payments.values(),
      note: (what) => this.note("", what),
      count: (what) => this.checker.count(what),
      readsNonces: this.drawn.readsNonces,
      pickWallet: (wallets) => walletRandom.pick(wallets.slice(0, this.drawn.refundWallets))
    }
    this.economy =
      solana === undefined
        ? new EvmEconomy(economyOptions, relay && { faults: relay, random: streams.stream("relayer") })
        : new SolanaEconomy(economyOptions, startMillis, solana)
    const { chain } = this.economy
    this.checker = new InvariantChecker({
      chain,
      isFinal: (mined) => this.economy.isFinal(mined),
      lagMillis: () => this.economy.lagMillis,
      now,
      note: (what) => this.note("", what)
    })
    this.faultInjector = new FaultInjector(
      faultPlan,
      streams.stream("calls"),
      (what) => this.checker.count(what),
      clockFaults
    )
    if (clockFaults.some(({ byMillis }) => Math.abs(byMillis) > leaseMillis))
      this.checker.count("clocks differ by more than a lease")
    this.powerLoss = new PowerLoss({
      failures: this.drawn.powerFailures,
      random: streams.stream("power"),
      ...(isFlushed !== undefined && { isFlushed }),
      schedule: (millis) =>
        this.after(millis, () => {
          if (this.isActive) this.powerFailing = this.failPower()
        })
    })
    const facilitatorRandom = streams.stream("facilitator")
    const facilitatorNote = (what: string) => this.note("fac", what)
    this.facilitator = new SimulatedFacilitator({
      timeline: this.timeline,
      rail: this.economy.settlement(facilitatorRandom, facilitatorNote),
      random: facilitatorRandom,
      behavior: faultPlan.facilitator,
      onSettleRequested: (authorization, mode) => this.checker.settleRequested(authorization, mode),
      onSettleResponded: (authorization, settled) => this.checker.settleResponded(authorization, settled),
      note: facilitatorNote
    })
    this.hostSystems = new HostSystems({
      random: streams.stream("host"),
      drawn: this.drawn,
      now,
      after: (millis, action) => this.after(millis, action),
      economy: this.economy,
      checker: this.checker,
      server: () => this.machines.runningServer(),
      hasFault: () =>
        this.areFaultsOver || this.faultInjector.hasInjectedFault || this.faultPlan.slowChance > 0,
      searched: (query) => this.work.searched(searchNamed(query)),
      note: (what) => this.note("op", what)
    })
    this.checker.orders = this.hostSystems.orders
    this.work = new UnpaidWork({
      state: () => moneyState(this.economy, { checker: this.checker, upstream: this.hostSystems.upstream }),
      runs: () => this.machines.runs,
      violation: (what) => this.checker.violation(undefined, what)
    })
    const networkRandom = streams.stream("network")
    this.network = new ClientNetwork({
      timeline: this.timeline,
      random: networkRandom,
      checker: this.checker,
      pickMachine: () => (this.isActive ? networkRandom.pick(this.machines.all) : this.machines.first),
      lossChance: () => this.faultPlan.lossChance,
      note: (actor, message) => this.note(actor, message)
    })
    const secretsRandom = streams.stream("secrets")
    this.machines = new Machines({
      prefix: "p",
      machines: faultPlan.processes,
      timeline: this.timeline,
      random: streams.stream("machines"),
      storage,
      trace: this.trace,
      faultInjector: this.faultInjector,
      isActive: () => this.isActive,
      environment: (link, connection, onEvent) =>
        mutation(
          environmentOf({
            link,
            connection,
            storage,
            checker: this.checker,
            powerLoss: this.powerLoss,
            facilitator: this.facilitator,
            economy: this.economy,
            host: this.hostSystems.host,
            faultPlan: this.faultPlan,
            random: secretsRandom,
            now,
            outages,
            areOutagesOver: () => this.areFaultsOver,
            onEvent
          })
        ),
      count: (what) => this.checker.count(what),
      note: (actor, message) => this.note(actor, message)
    })
  }

  get nowMillis(): number {
    return this.timeline.nowMillis
  }

  get faultPlan(): FaultPlan {
    return this.faultInjector.faultPlan
  }

  /** Whether faults still happen. */
  get isActive(): boolean {
    return !this.areFaultsOver
  }

  /** Runs the seed: first with faults, then without them until everything has finished. */
  async run(): Promise<void> {
    const { economy, storage, checker } = this
    const { chain } = economy
    await Effect.runPromise(Context.get(await storage.stores(), VaultItems).put(vaultItem))
    for (const machine of this.machines.all) await this.machines.boot(machine)
    if (this.drawn.hasOtherTill) this.otherTill = await this.openOtherTill()
    const { shoppers } = this.drawn
    economy.fund(shoppers + 1)
    const ofShopper = (index: number) => this.streams.stream(`shopper ${index}`)
    for (let index = 0; index < shoppers; index++) void new Shopper(this, ofShopper(index), index).shop()
    if (this.faultPlan.hasBuyer) void new Shopper(this, ofShopper(shoppers), shoppers, "buy").shop()
    economy.openAttackers(this, (index) => this.streams.stream(`attacker ${index}`))
    this.scheduleOperatorRounds()
    economy.scheduleReorganizations(() => this.isActive)
    await this.advance(this.faultPlan.activeMillis)
    for (let passed = 0; passed < this.faultPlan.aftermathMillis; passed += aftermathStepMillis) {
      if (checker.orders.areAllFinished) break
      await this.advance(aftermathStepMillis)
    }
    await this.endFaults()
    const recovery = new Recovery(this)
    await recovery.presentPayments()
    await recovery.finishOrders()
    const { mailer, upstream } = this.hostSystems
    await checkFinalState({ chain, storage, checker })
    await checkFinalOrders({ chain, hostAccounts: economy.accounts, storage, checker, mailer, upstream })
    await checkMoney(economy, { storage, checker, upstream })
    this.work.check()
    const ofOther = this.otherTill?.faults(checker.payments, (what) => checker.count(what))
    for (const fault of ofOther ?? []) checker.violation(undefined, fault)
  }

  private openOtherTill(): Promise<OtherTill> {
    const { drawn, economy, streams, timeline, trace } = this
    return OtherTill.open({
      random: streams.stream("other till"),
      drawn,
      timeline,
      trace,
      economy,
      count: (what) => this.checker.count(what),
      note: (what) => this.note("other", what)
    })
  }

  /** Presents a payment also to the other till with the same `payTo`, if there is one. */
  presentElsewhere(payment: Payment, call: Call): void {
    if (this.otherTill === undefined || !this.isActive) return
    this.checker.count("presented to the other till")
    void this.otherTill.present(payment, call)
  }

  after(millis: number, action: () => void): void {
    this.timeline.after(millis, action)
  }

  sleep(millis: number): Promise<void> {
    return new Promise((resolve) => this.timeline.after(millis, resolve))
  }

  paymentSigned(payment: Payment): void {
    this.checker.paymentSigned(payment)
    this.note("", `signs ${payment.name}: ${authorizationOf(payment).nonce.slice(0, 10)}`)
  }

  sendByThirdParty(payment: Payment): void {
    const outcome = this.economy.sendByThirdParty(payment)
    this.note("", `a third party sends ${payment.name}: ${outcome}`)
    this.checker.count(`third party: ${outcome}`)
  }

  cancel(payment: Payment): void {
    const cancelled = this.economy.cancel(payment)
    this.note("", `the payer cancels ${payment.name}: ${cancelled}`)
    if (cancelled) this.checker.count("cancelled")
  }

  /** Sends a request to one of the machines; resolves to `undefined` if no reply arrives. */
  request(call: Call, paid?: PresentedPayment): Promise<Reply | undefined> {
    return this.network.request(call, paid)
  }

  /** Advances the virtual time. */
  async advance(millis: number): Promise<void> {
    const untilMillis = this.nowMillis + millis
    for (;;) {
      const next = this.timeline.next(untilMillis)
      if (next === undefined) break
      if (++this.eventCount > maxEvents) throw new Error("the simulation doesn't come to rest")
      next.action()
      await this.powerFailing
      await this.machines.runUntilIdle()
      await this.otherTill?.runUntilIdle()
      if (powerCut.hasOccurred)
        throw new Error("a store operation neither completed nor failed after the power cut")
      await this.machines.finishRestarts()
    }
    this.timeline.nowMillis = untilMillis
  }

  /** The machine of the database loses power; with a store of the process's own, the process is on it. */
  private async failPower(): Promise<void> {
    this.note("", "the machine of the database loses power")
    // A machine that is down is restarted already.
    const running = this.machines.all.filter(({ process }) => process?.isAlive === true)
    if (this.storage.isLocal) for (const machine of running) this.machines.crash(machine)
    const lost = await this.powerLoss.lose(await this.storage.stores())
    for (const key of lost) this.checker.claimLost(key)
    this.checker.count(lost.length > 0 ? "power loss takes a claim" : "power loss")
    this.note("", `${lost.length} charges are lost`)
  }

  private async endFaults(): Promise<void> {
    this.note("", "all faults end")
    this.areFaultsOver = true
    this.faultInjector.stop()
    await this.otherTill?.stop()
    this.economy.endFaults(this.faultPlan)
    this.facilitator.behavior = this.faultPlan.facilitator
    this.hostSystems.setBehavior(this.faultPlan)
    for (const machine of this.machines.all) this.machines.crash(machine)
    await this.machines.boot(this.machines.first)
  }

  /** The operator inspects orders from time to time while faults last. */
  private scheduleOperatorRounds(random = this.streams.stream("operator")): void {
    this.timeline.after(random.between(5_000, 60_000), () => {
      if (!this.isActive) return
      this.hostSystems.operator.inspectOrders()
      this.scheduleOperatorRounds(random)
    })
  }

  /** Adds a trace line for another actor. */
  noteAs(who: string, what: string): void {
    this.note(who, what)
  }

  private note(who: string, what: string): void {
    this.trace.add(this.timeline.nowMillis, who, what)
  }
}
