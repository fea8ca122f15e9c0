import type { Authorization } from "../../src/domain/PaymentPayload.ts"
import { type ContractCall, multicallAddress, transferCall } from "./chain/Calls.ts"
import type { SimulatedChain } from "./chain/SimulatedChain.ts"
import type { SeededRandom } from "./SeededRandom.ts"
import { TransactionComposer, describeCall } from "./TransactionComposer.ts"
import { callOf, routes } from "./Shopper.ts"
import {
  authorizationOf,
  type Call,
  challengeIn,
  type Challenge,
  type Copy,
  newPayment,
  type OpenRoute,
  type Payment,
  type Reply
} from "./Payment.ts"
import type { Simulation } from "./Simulation.ts"

/** The address of an attacker's account: each attacker has several and opens new ones. */
export const attackerAddress = (attacker: number, account: number): string =>
  `0x${(attacker * 0x100 + account).toString(16).padStart(40, "b")}`

const isAttacker = (address: string): boolean => address.toLowerCase().startsWith("0xbbbb")

/** Whether a sender's unsolicited transfers to the till's account are expected: attackers only. */
export const sendsForeign = (address: string): boolean =>
  isAttacker(address) || address.toLowerCase() === multicallAddress

const attemptsPerPayment = 4
const hidingAccount = 99

/**
 * Signs and presents payments like a client, and submits competing transactions with the same nonces and
 * balance.
 *
 * Some transactions target a known weakness; most are drawn at random.
 */
export class Attacker {
  private readonly simulation: Simulation
  private readonly chain: SimulatedChain
  private readonly random: SeededRandom
  private readonly index: number
  private readonly composer: TransactionComposer
  private accounts = 1
  private readonly signed: Array<Authorization> = []
  /** Authorizations of others that were visible as pending transactions. */
  private readonly seen: Array<Payment> = []
  private challenges = new Map<OpenRoute, Challenge>()
  private calls = 0
  private isReturning = false

  constructor(simulation: Simulation, chain: SimulatedChain, random: SeededRandom, index: number) {
    this.simulation = simulation
    this.chain = chain
    this.random = random
    this.index = index
    this.composer = new TransactionComposer({
      random,
      signed: this.signed,
      accounts: () => ({ account: this.account, hiding: attackerAddress(index, hidingAccount) }),
      balanceOf: (address) => chain.token.balanceOf(address),
      onHidden: (hiding, account) => {
        if (random.chance(0.6)) this.later(30_000, () => this.moveBalance(hiding, account))
      }
    })
  }

  /** The current account. */
  private get account(): string {
    return attackerAddress(this.index, this.accounts)
  }

  private get ownAccounts(): ReadonlyArray<string> {
    return Array.from({ length: this.accounts }, (_, index) => attackerAddress(this.index, index + 1))
  }

  async attack(): Promise<void> {
    const { random, simulation } = this
    await simulation.sleep(random.between(0, 8_000))
    const campaigns = random.between(1, 2)
    for (let campaign = 0; campaign < campaigns && simulation.isActive; campaign++) {
      const kind = random.weighted({ campaign: 8, waitAndPresent: 1, returnMoney: 3 })
      await this[kind]()
      await simulation.sleep(random.between(0, 5_000))
    }
  }

  /** Called when a transaction becomes visible before it is mined: the attacker may overtake it. */
  onPending(authorization: Authorization): void {
    const { random, simulation } = this
    if (isAttacker(authorization.from)) {
      if (this.owns(authorization.from) && !this.isReturning && random.chance(0.4))
        this.submitComposed("overtakes")
      return
    }
    const payment = simulation.checker.paymentOf(authorization)
    if (payment === undefined || this.seen.includes(payment)) return
    this.seen.push(payment)
    if (random.chance(0.15))
      this.submit("overtakes", [
        this.composer.relayed(transferCall(authorization)),
        ...this.composer.randomCalls(1)
      ])
    if (random.chance(0.15)) this.later(30_000, () => void this.present(payment, this.newCall("search")))
  }

  /** Returns transactions that a reorganization puts first in the new blocks. */
  atReorganization(): ReadonlyArray<ReadonlyArray<ContractCall>> {
    if (!this.random.chance(0.6)) return []
    this.simulation.checker.count("attacker: rewrites blocks")
    return [this.composer.compose()]
  }

  private owns(address: string): boolean {
    return this.ownAccounts.includes(address.toLowerCase())
  }

  /** Signs some payments, presents them at once, and submits transactions at the same time. */
  private async campaign(): Promise<void> {
    const { random } = this
    const count = random.pick([1, 2, 2, 3, 4])
    // The shop sells one vault item and one product, but any number of searches.
    const route = random.weighted<OpenRoute>({ search: 3, buy: 2, vaultBuy: 2 })
    const signed: Array<Payment> = []
    for (let index = 0; index < count; index++) {
      const payment = await this.sign(random.chance(0.8) ? route : random.pick(routes))
      if (payment !== undefined) signed.push(payment)
    }
    for (let strikes = random.between(1, 3); strikes > 0; strikes--)
      this.later(random.pick([300, 3_000, 30_000]), () => this.submitComposed("sends"))
    await Promise.all(signed.map((payment) => this.presentUntilDecided(payment)))
  }

  /** Presents a payment long after its transfer, right after another one that was paid normally. */
  private async waitAndPresent(): Promise<void> {
    const { random, simulation } = this
    const late = await this.sign("search")
    if (late === undefined) return
    this.submit("sends", [this.composer.relayed(transferCall(authorizationOf(late)))])
    await simulation.sleep(random.between(25_000, 40_000))
    const prompt = await this.sign("search")
    if (prompt !== undefined) await this.present(prompt, prompt.ownCall)
    await simulation.sleep(random.between(15_000, 25_000))
    if (simulation.isActive) await this.present(late, late.ownCall)
  }

  /**
   * Takes the money away while its payment is worked for, then brings it back, settles the refused payment itself, and
   * presents it with another signature, so that it is refunded. Repeats that: the refund may pay for the next time.
   */
  private async returnMoney(): Promise<void> {
    const { random, simulation } = this
    const hiding = attackerAddress(this.index, hidingAccount)
    this.isReturning = true
    for (let times = random.between(3, 6); times > 0 && simulation.isActive; times--) {
      const payment = await this.sign("search")
      if (payment === undefined) break
      const { account } = this
      let isWorkedFor = false
      simulation.work.onSearch(payment.ownCall, () => {
        isWorkedFor = true
        this.moveBalance(account, hiding)
      })
      const reply = await this.present(payment, payment.ownCall)
      // A payer who could not pay is remembered for a moment.
      await simulation.sleep(random.between(5_000, 9_000))
      this.moveBalance(hiding, account)
      if (reply?.status !== 402 || !isWorkedFor) {
        // The money is back with the next block.
        await simulation.sleep(random.between(2_000, 5_000))
        continue
      }
      this.submit("settles it itself", [this.composer.relayed(transferCall(authorizationOf(payment)))])
      for (let attempt = random.between(1, 3); attempt > 0 && simulation.isActive; attempt--) {
        await simulation.sleep(random.between(2_000, 8_000))
        await this.present(payment, payment.ownCall, "second")
      }
    }
    this.isReturning = false
  }

  private async presentUntilDecided(payment: Payment): Promise<void> {
    const { random, simulation } = this
    // The transfer may be old by the time the payment is presented.
    await simulation.sleep(random.chance(0.1) ? random.between(46_000, 60_000) : random.between(0, 500))
    for (let attempt = 0; attempt < attemptsPerPayment && simulation.isActive; attempt++) {
      await this.present(payment, random.chance(0.9) ? payment.ownCall : this.newCall(random.pick(routes)))
      await simulation.sleep(random.pick([200, 4_000, 20_000]))
    }
  }

  private present(
    payment: Payment,
    call: Call,
    copy: Exclude<Copy, "forged"> = "authentic"
  ): Promise<Reply | undefined> {
    const { random, simulation } = this
    payment.calls.set(call.name, call)
    payment.copies.add(copy)
    if (random.chance(0.3))
      this.later(random.pick([100, 3_000, 40_000]), () => simulation.presentElsewhere(payment, call))
    return simulation.request(call, { payment, copy })
  }

  private newCall(route: OpenRoute): Call {
    return callOf(route, 1_000 * (this.index + 1) + ++this.calls)
  }

  private async sign(route: OpenRoute): Promise<Payment | undefined> {
    const { random, simulation } = this
    const own = this.newCall(route)
    // A quote is for one request; the other prices are the same for all.
    const known = route === "buy" ? undefined : this.challenges.get(route)
    const challenge = known ?? (await this.requestPrice(own))
    if (challenge === undefined) return undefined
    this.challenges.set(route, challenge)
    if (this.signed.length > 0 && random.chance(0.15)) this.openAccount()
    const { maxTimeoutSeconds } = challenge.accepts[0]!
    const signed = simulation.economy.pay(challenge, {
      from: this.account,
      nonce: random.hex(32),
      nowSeconds: Math.floor(simulation.nowMillis / 1000),
      validSeconds: random.chance(0.2) ? random.between(15, 40) : maxTimeoutSeconds,
      version: 2,
      isBare: random.chance(0.7),
      rewrites: random.chance(0.3)
    })
    const payment = newPayment({
      name: `attack ${this.index}.${this.signed.length + 1}`,
      ...signed,
      ownCall: own
    })
    simulation.paymentSigned(payment)
    this.signed.push(authorizationOf(payment))
    return payment
  }

  private async requestPrice(call: Call): Promise<Challenge | undefined> {
    return challengeIn(await this.simulation.request(call))
  }

  /** Opens a new account and moves the remaining balance to it. */
  private openAccount(): void {
    const before = this.account
    this.accounts++
    this.moveBalance(before, this.account)
    this.simulation.checker.count("attacker: fresh key")
  }

  private moveBalance(from: string, to: string): void {
    const value = this.chain.token.balanceOf(from)
    if (value > 0n) this.submit("moves a balance", [{ sender: from, call: { _tag: "transfer", to, value } }])
  }

  private later(mostMillis: number, action: () => void): void {
    this.simulation.after(this.random.between(0, mostMillis), () => {
      if (this.simulation.isActive) action()
    })
  }

  private submitComposed(how: string): void {
    const calls = this.composer.compose()
    if (calls.length > 0) this.submit(how, calls)
  }

  private submit(how: string, calls: ReadonlyArray<ContractCall>): void {
    const { revertReason } = this.chain.submit(calls)
    this.simulation.checker.count(`attacker: ${how}`)
    for (const { call } of calls) this.simulation.checker.count(`attacker: ${call._tag}`)
    const described = calls.map(({ call }) => describeCall(call)).join(", ")
    this.simulation.noteAs(
      `x${this.index}`,
      `${how}: ${described}${revertReason === undefined ? "" : `: ${revertReason}`}`
    )
  }
}
