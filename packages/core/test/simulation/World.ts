import { Context, Effect } from "effect"
import type { TillEvent } from "../../src/Options.ts"
import { VaultItems } from "../../src/ports/VaultItems.ts"
import { type Adversity, drawAdversity } from "./Adversity.ts"
import { Fate } from "./Fate.ts"
import { fuse } from "./Fuse.ts"
import { Link } from "./Link.ts"
import { storesOver } from "./LinkedStores.ts"
import { Machine } from "./Machine.ts"
import type { Mutation } from "./Mutations.ts"
import { reckonOrders } from "./OrderReckoning.ts"
import { reckon } from "./Reckoning.ts"
import { baseUrl, type Server, type Surroundings } from "./Server.ts"
import { headerOf, isOpen, Shopper } from "./Shopper.ts"
import { Attacker } from "./Attacker.ts"
import type { SimulatedChain } from "./chain/SimulatedChain.ts"
import { Economy } from "./Economy.ts"
import { SimulatedFacilitator } from "./SimulatedFacilitator.ts"
import { vaultItem } from "./SimulatedHost.ts"
import { simulatedSecrets } from "./SimulatedSecrets.ts"
import type { Connection, Storage } from "./Storage.ts"
import { Timeline } from "./Timeline.ts"
import { Trace } from "./Trace.ts"
import { Trade } from "./Trade.ts"
import { Troubles } from "./Troubles.ts"
import { authorizationOf, type Call, type Copy, type Payment, type Reply, Witness } from "./Witness.ts"

/** 2026-11-21, 00:00 UTC. */
const startMillis = 1_795_219_200_000
const clientPatienceMillis = 60_000
/** How long after the world has healed it is looked after again: leases, authorizations, backoffs run out. */
const healingPausesMillis = [250_000, 800_000, 4_000_000]
/** One more where a settlement may have been reopened, which begins all over. */
const reopenedMillis = 4_000_000
/** The same for orders, which have hours and days to go yet. */
const orderPausesMillis = [1, 5, 12, 8, 12, 24, 24, 48, 96, 0.1, 1, 1].map((hours) => hours * 3_600_000)
/** How often it is looked whether orders are still under way. */
const aftermathLookMillis = 20_000
/** Far more than a run has: what loops is a failure, not a hang. */
const maxHappenings = 50_000

/** Everything there is in one run, made from its seed. */
export class World {
  readonly trace = new Trace(startMillis)
  readonly witness: Witness
  private readonly economy: Economy
  private readonly storage: Storage
  private readonly mutation: Mutation
  private readonly fate: Fate
  private readonly timeline: Timeline
  private readonly facilitator: SimulatedFacilitator
  private readonly trade: Trade
  private readonly troubles: Troubles
  private readonly machines: ReadonlyArray<Machine>
  private isHealed = false
  private happenings = 0
  /** What the happening at hand still has to bring about. */
  private underway: Array<Promise<void>> = []

  constructor(seed: number, storage: Storage, mutation: Mutation = (surroundings) => surroundings) {
    this.fate = new Fate(seed)
    this.storage = storage
    this.mutation = mutation
    this.timeline = new Timeline(startMillis, this.fate.branch())
    const adversity = drawAdversity(this.fate.branch(), startMillis)
    const now = () => this.timeline.nowMillis
    this.economy = new Economy({
      fate: this.fate.branch(),
      adversity,
      now,
      after: (millis, happen) => this.after(millis, happen),
      payments: () => this.witness.payments.values(),
      note: (what) => this.note("", what),
      count: (what) => this.witness.count(what)
    })
    const { chain, node } = this.economy
    this.witness = new Witness({
      chain,
      lagMillis: () => node.condition.lagMillis,
      now,
      note: (what) => this.note("", what)
    })
    this.troubles = new Troubles(adversity, this.fate.branch(), (what) => this.witness.count(what))
    this.facilitator = new SimulatedFacilitator({
      timeline: this.timeline,
      chain,
      fate: this.fate.branch(),
      temper: adversity.temper,
      asked: (authorization, manner) => this.witness.asked(authorization, manner),
      told: (authorization, settled) => this.witness.told(authorization, settled),
      beforeSend: (authorization) => {
        if (this.isActive) this.economy.beforeSend(authorization)
      },
      note: (what) => this.note("fac", what)
    })
    this.trade = new Trade({
      fate: this.fate,
      adversity,
      startMillis,
      now,
      after: (millis, happen) => this.after(millis, happen),
      chain,
      witness: this.witness,
      server: () => this.serving(),
      hasMisfortune: () => this.isHealed || this.troubles.hasStruck || this.adversity.slowChance > 0,
      note: (what) => this.note("op", what)
    })
    this.witness.orders = this.trade.orders
    this.machines = Array.from({ length: adversity.processes }, (_, index) => new Machine(`p${index}`))
  }

  /** A till that is up; of several, whichever. */
  private serving(): Server | undefined {
    const up = this.machines.flatMap(({ server }) => (server?.process.isFrozen === false ? [server] : []))
    return up.length === 0 ? undefined : this.fate.pick(up)
  }

  get chain(): SimulatedChain {
    return this.economy.chain
  }

  get nowMillis(): number {
    return this.timeline.nowMillis
  }

  get adversity(): Adversity {
    return this.troubles.adversity
  }

  /** The troubles have not ended yet. */
  get isActive(): boolean {
    return !this.isHealed
  }

  /** Lives through the seed: troubles first, then everything is healed and has to come to its end. */
  async run(): Promise<void> {
    const { chain, economy, storage, witness } = this
    await Effect.runPromise(Context.get(await storage.look(), VaultItems).put(vaultItem))
    for (const machine of this.machines) await this.boot(machine)
    const shoppers = this.fate.between(1, 3)
    this.economy.fund(shoppers + 1)
    for (let index = 0; index < shoppers; index++) void new Shopper(this, this.fate.branch(), index).shop()
    if (this.adversity.hasBuyer) void new Shopper(this, this.fate.branch(), shoppers, "buy").shop()
    economy.attackers = Array.from(
      { length: this.adversity.attackers },
      (_, index) => new Attacker(this, this.fate.branch(), index)
    )
    for (const attacker of economy.attackers) void attacker.attack()
    this.rounds()
    economy.scheduleReorganizations(() => this.isActive)
    await this.pass(this.adversity.activeMillis)
    for (let passed = 0; passed < this.adversity.aftermathMillis; passed += aftermathLookMillis) {
      if (witness.orders.isAllAtRest) break
      await this.pass(aftermathLookMillis)
    }
    await this.heal()
    await this.liveOn()
    const { mailer, upstream } = this.trade
    await reckon({ chain, storage, witness })
    await reckonOrders({ chain, storage, witness, mailer, upstream })
    await economy.judge({ storage, witness, upstream })
  }

  after(millis: number, happen: () => void): void {
    this.timeline.after(millis, happen)
  }

  sleep(millis: number): Promise<void> {
    return new Promise((resolve) => this.timeline.after(millis, resolve))
  }

  signed(payment: Payment): void {
    this.witness.signed(payment)
    this.note("", `signs ${payment.name}: ${authorizationOf(payment).nonce.slice(0, 10)}`)
  }

  sendByThirdParty(payment: Payment): void {
    const { outcome } = this.chain.send(authorizationOf(payment))
    this.note("", `a third party sends ${payment.name}: ${outcome}`)
    this.witness.count(`third party: ${outcome}`)
  }

  cancel(payment: Payment): void {
    const cancelled = this.economy.cancel(authorizationOf(payment))
    this.note("", `the payer cancels ${payment.name}: ${cancelled}`)
    if (cancelled) this.witness.count("cancelled")
  }

  /** Sends a request to one of the processes; `undefined`: no answer came. */
  request(call: Call, paid?: { readonly payment: Payment; readonly copy: Copy }): Promise<Reply | undefined> {
    const machine = this.isActive ? this.fate.pick(this.machines) : this.machines[0]!
    const isLost = this.fate.chance(this.adversity.lossChance)
    return new Promise((resolve) => {
      const give = (reply: Reply | undefined) => {
        if (!isLost && reply?.status === 200) paid?.payment.received.add(call.name)
        resolve(isLost ? undefined : reply)
      }
      this.timeline.after(clientPatienceMillis, () => resolve(undefined))
      this.timeline.after(this.fate.between(1, 60), () => this.arrive(machine, call, paid, give))
    })
  }

  private arrive(
    machine: Machine,
    call: Call,
    paid: { readonly payment: Payment; readonly copy: Copy } | undefined,
    give: (reply: Reply | undefined) => void
  ): void {
    const { server } = machine
    if (server === undefined) return give(undefined)
    if (server.process.isFrozen) {
      server.process.deliver(0, () => this.arrive(machine, call, paid, give))
      return
    }
    const arrivedMillis = this.nowMillis
    if (paid !== undefined) paid.payment.presentedMillis ??= arrivedMillis
    const name = paid === undefined ? "unpaid" : `with ${paid.payment.name} (${paid.copy})`
    this.note(machine.name, `is asked ${call.name}, ${name}`)
    const answered = (reply: Reply | undefined): void => {
      machine.requests.delete(answered)
      this.timeline.after(this.fate.between(1, 60), () => give(reply))
    }
    machine.requests.add(answered)
    server.answer(requestOf(call, paid), (reply) => {
      this.note(machine.name, `answers ${name}: ${reply.status} ${reply.text.slice(0, 90)}`)
      if (reply.status === 500) this.witness.violation(paid?.payment, `answered 500: ${reply.text}`)
      if (paid !== undefined) this.witness.released(paid.payment, { ...paid, call, arrivedMillis }, reply)
      answered(reply)
    })
  }

  private async boot(machine: Machine): Promise<void> {
    const { storage, timeline, trace } = this
    await machine.boot({
      timeline,
      storage,
      fate: this.fate.branch(),
      skewMillis: this.adversity.skewMillis[this.machines.indexOf(machine)]!,
      surroundings: (process, connection) => {
        const link = new Link({
          process,
          timeline,
          trace,
          journey: (name) => this.troubles.journey(name, machine.requests.size > 0),
          die: () => this.kill(machine)
        })
        return this.mutation(this.surroundingsOf(machine, link, connection))
      },
      quiet: () => this.quiet()
    })
    this.note(machine.name, "is up")
  }

  private surroundingsOf(machine: Machine, link: Link, connection: Connection): Surroundings {
    const { facilitator } = this
    return {
      stores: storesOver(connection, link, this.witness, this.storage.isLocal),
      facilitator: {
        verify: (payment) => link.call("facilitator.verify", () => facilitator.verify(payment)),
        settle: (payment) => {
          let fromMillis = 0
          const settle = () => {
            const settled = facilitator.settle(payment)
            fromMillis = settled.fromMillis
            return settled.answer
          }
          return link.call("facilitator.settle", settle, () => fromMillis)
        }
      },
      chain: this.economy.portOf(link),
      node: (request) => this.economy.node.respond(request),
      confirmations: this.adversity.confirmations,
      finalitySeconds: this.adversity.finalitySeconds,
      settlesFirst: this.adversity.settlesFirst,
      secrets: simulatedSecrets(this.fate.branch()),
      ports: this.trade.host.portsOf(link),
      maxTimeoutSeconds: this.adversity.maxTimeoutSeconds,
      unsettledPerPayer: this.adversity.unsettledPerPayer,
      onEvent: (event) => this.hear(machine, event)
    }
  }

  private hear(machine: Machine, { data, level, message }: TillEvent): void {
    // Stack traces are not the same each time.
    const { at: _, ...said } = data
    this.note(machine.name, `says ${level}: ${message} ${JSON.stringify(said)}`)
    this.witness.count(`says ${level}`)
  }

  private kill(machine: Machine): void {
    machine.crash()
    if (!this.isActive) return
    this.timeline.after(this.fate.between(50, 15_000), () => {
      if (this.isActive) this.underway.push(this.boot(machine))
    })
  }

  /** Has time pass. */
  private async pass(millis: number): Promise<void> {
    const untilMillis = this.nowMillis + millis
    for (;;) {
      const next = this.timeline.next(untilMillis)
      if (next === undefined) break
      if (++this.happenings > maxHappenings) throw new Error("the world does not come to rest")
      next.happen()
      await this.quiet()
      if (fuse.isBlown) throw new Error("a verb of the store neither ended nor failed without power")
      while (this.underway.length > 0) await this.underway.pop()
    }
    this.timeline.nowMillis = untilMillis
  }

  /** Lets every process run on until all of it waits for something from outside. */
  private async quiet(): Promise<void> {
    let isBusy: boolean
    do {
      // Past this, every promise that is settled by now has told whoever waits for it.
      await new Promise(setImmediate)
      await this.storage.settle?.()
      isBusy = false
      for (const machine of this.machines) if (machine.turn()) isBusy = true
    } while (isBusy)
  }

  private async heal(): Promise<void> {
    this.note("", "the world heals")
    this.isHealed = true
    this.troubles.end()
    this.economy.node.condition = this.adversity.node
    this.facilitator.temper = this.adversity.temper
    this.trade.become(this.adversity)
    for (const machine of this.machines) this.kill(machine)
    const machine = this.machines[0]!
    await this.boot(machine)
    const pauses = this.chain.isReorganized ? [...healingPausesMillis, reopenedMillis] : healingPausesMillis
    for (const pauseMillis of pauses) {
      // A process that sleeps through the pause does on waking what is due by then.
      machine.process!.freeze(pauseMillis)
      await this.pass(pauseMillis + 2_000)
      await this.presentAgain()
    }
  }

  /** The operator looks around, now and then, for as long as the troubles last. */
  private rounds(): void {
    this.timeline.after(this.fate.between(5_000, 60_000), () => {
      if (!this.isActive) return
      this.trade.operator.round()
      this.rounds()
    })
  }

  /** Orders take days: what lies between is slept through, as nothing happens in it. */
  private async liveOn(): Promise<void> {
    const process = this.machines[0]!.process!
    for (const pauseMillis of orderPausesMillis) {
      if (this.trade.orders.isAllAtRest) return
      process.freeze(pauseMillis)
      await this.pass(pauseMillis)
      for (let look = 0; look < 3 && !this.trade.orders.isAllAtRest; look++) {
        await this.pass(6_000)
        this.trade.operator.round()
      }
      await this.pass(6_000)
    }
  }

  /** Presents every payment once more, and again for as long as nobody can say what became of it. */
  private async presentAgain(): Promise<void> {
    const payments = Array.from(this.witness.payments.values())
    const presenting = payments.map(async (payment) => {
      for (const call of payment.calls.values()) await this.insist(payment, call)
    })
    const state = { isOver: false }
    void Promise.all(presenting).then(() => {
      state.isOver = true
    })
    while (!state.isOver) await this.pass(1_000)
  }

  private async insist(payment: Payment, call: Call): Promise<void> {
    for (let attempt = 0; attempt < 5; attempt++) {
      const reply = await this.request(call, { payment, copy: "authentic" })
      payment.last.set(call.name, reply)
      // The lease of a dead process is not waited for; after the next pause it has run out.
      if (!isOpen(reply) || reply?.status === 409) return
      await this.sleep(3_000)
    }
  }

  /** Notes what somebody else did. */
  noteAs(who: string, what: string): void {
    this.note(who, what)
  }

  private note(who: string, what: string): void {
    this.trace.add(this.timeline.nowMillis, who, what)
  }
}

const requestOf = (
  call: Call,
  paid: { readonly payment: Payment; readonly copy: Copy } | undefined
): Request => {
  const headers: Record<string, string> = { "content-type": "application/json" }
  if (paid !== undefined) headers["payment-signature"] = headerOf(paid.payment, paid.copy)
  return new Request(
    baseUrl + call.path,
    call.body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(call.body) }
  )
}
