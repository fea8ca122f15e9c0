import type { Authorization } from "../../src/domain/PaymentPayload.ts"
import { chargeKey } from "../../src/toll/ChargeKey.ts"
import { encodeHeader } from "../../src/toll/PaymentHeader.ts"
import { type ContractCall, multicallAddress, transferCall } from "./chain/Calls.ts"
import type { Fate } from "./Fate.ts"
import { type Challenge, payChallenge } from "./Payment.ts"
import { Moves, sayCall } from "./Moves.ts"
import { callOf, network, routes } from "./Shopper.ts"
import { authorizationOf, type Call, newPayment, type Payment, type RouteName } from "./Witness.ts"
import type { World } from "./World.ts"

/** The account of an attacker: each has several, and opens new ones. */
export const attackerAddress = (attacker: number, account: number): string =>
  `0x${(attacker * 0x100 + account).toString(16).padStart(40, "b")}`

const isAttacker = (address: string): boolean => address.toLowerCase().startsWith("0xbbbb")

/** Whether a sender is an attacker's: what such a one sends to the till's account unasked is named as foreign. */
export const sendsForeign = (address: string): boolean =>
  isAttacker(address) || address.toLowerCase() === multicallAddress

const attemptsPerPayment = 4
const hidingAccount = 99

/**
 * An attacker: signs payments like a client, presents them like a client, and composes transactions out of everything
 * that a payer can do on the chain with the same nonces and the same balance. Some of the moves are aimed at a known
 * weakness, most are drawn at random.
 */
export class Attacker {
  private readonly world: World
  private readonly fate: Fate
  private readonly index: number
  private readonly moves: Moves
  private accounts = 1
  private readonly signed: Array<Authorization> = []
  /** Authorizations of others, once they were to be seen on their way to the chain. */
  private readonly seen: Array<Payment> = []
  private challenges = new Map<RouteName, Challenge>()
  private calls = 0

  constructor(world: World, fate: Fate, index: number) {
    this.world = world
    this.fate = fate
    this.index = index
    this.moves = new Moves({
      fate,
      signed: this.signed,
      purse: () => ({ account: this.account, hiding: attackerAddress(index, hidingAccount) }),
      balanceOf: (address) => world.chain.token.balanceOf(address),
      onHidden: (hiding, account) => {
        if (fate.chance(0.6)) this.later(30_000, () => this.moveBalance(hiding, account))
      }
    })
  }

  /** The account in use. */
  private get account(): string {
    return attackerAddress(this.index, this.accounts)
  }

  private get ownAccounts(): ReadonlyArray<string> {
    return Array.from({ length: this.accounts }, (_, index) => attackerAddress(this.index, index + 1))
  }

  async attack(): Promise<void> {
    const { fate, world } = this
    await world.sleep(fate.between(0, 8_000))
    const campaigns = fate.between(1, 2)
    for (let campaign = 0; campaign < campaigns && world.isActive; campaign++) {
      await (fate.chance(0.1) ? this.waitAndPresent() : this.campaign())
      await world.sleep(fate.between(0, 5_000))
    }
  }

  /** A transaction is on its way that everybody can see: may be overtaken by one of the attacker's. */
  seesPending(authorization: Authorization): void {
    const { fate, world } = this
    if (isAttacker(authorization.from)) {
      if (this.owns(authorization.from) && fate.chance(0.4)) this.strike("overtakes")
      return
    }
    const payment = world.witness.paymentOf(authorization)
    if (payment === undefined || this.seen.includes(payment)) return
    this.seen.push(payment)
    if (fate.chance(0.15))
      this.submit("overtakes", [this.moves.mixed(transferCall(authorization)), ...this.moves.moves(1)])
    if (fate.chance(0.15)) this.later(30_000, () => void this.present(payment, this.callAnew("search")))
  }

  /** The latest blocks are replaced: transactions that come before all others in the new ones. */
  atReorganization(): ReadonlyArray<ReadonlyArray<ContractCall>> {
    if (!this.fate.chance(0.6)) return []
    this.world.witness.count("attacker: rewrites blocks")
    return [this.moves.compose()]
  }

  private owns(address: string): boolean {
    return this.ownAccounts.includes(address.toLowerCase())
  }

  /** Signs some payments, presents them at once, and moves on the chain meanwhile. */
  private async campaign(): Promise<void> {
    const { fate } = this
    const count = fate.pick([1, 2, 2, 3, 4])
    // The shop sells one item of the vault and one of the marketplace, but any number of searches.
    const route = fate.weighted<RouteName>({ search: 3, buy: 2, vaultBuy: 2 })
    const signed: Array<Payment> = []
    for (let index = 0; index < count; index++) {
      const payment = await this.sign(fate.chance(0.8) ? route : fate.pick(routes))
      if (payment !== undefined) signed.push(payment)
    }
    for (let strikes = fate.between(1, 3); strikes > 0; strikes--)
      this.later(fate.pick([300, 3_000, 30_000]), () => this.strike("sends"))
    await Promise.all(signed.map((payment) => this.insist(payment)))
  }

  /** Presents a payment whose transfer is long over, right after another one that was paid as it should be. */
  private async waitAndPresent(): Promise<void> {
    const { fate, world } = this
    const late = await this.sign("search")
    if (late === undefined) return
    this.submit("sends", [this.moves.mixed(transferCall(authorizationOf(late)))])
    await world.sleep(fate.between(25_000, 40_000))
    const prompt = await this.sign("search")
    if (prompt !== undefined) await this.present(prompt, prompt.own)
    await world.sleep(fate.between(15_000, 25_000))
    if (world.isActive) await this.present(late, late.own)
  }

  private async insist(payment: Payment): Promise<void> {
    const { fate, world } = this
    // A transfer may be long over before the payment is presented.
    await world.sleep(fate.chance(0.1) ? fate.between(46_000, 60_000) : fate.between(0, 500))
    for (let attempt = 0; attempt < attemptsPerPayment && world.isActive; attempt++) {
      await this.present(payment, fate.chance(0.9) ? payment.own : this.callAnew(fate.pick(routes)))
      await world.sleep(fate.pick([200, 4_000, 20_000]))
    }
  }

  private present(payment: Payment, call: Call): Promise<unknown> {
    payment.calls.set(call.name, call)
    return this.world.request(call, { payment, copy: "authentic" })
  }

  private callAnew(route: RouteName): Call {
    return callOf(route, 1_000 * (this.index + 1) + ++this.calls)
  }

  private async sign(route: RouteName): Promise<Payment | undefined> {
    const { fate, world } = this
    const own = this.callAnew(route)
    // A quote is for one request; the other prices are the same for all.
    const known = route === "buy" ? undefined : this.challenges.get(route)
    const challenge = known ?? (await this.askPrice(own))
    if (challenge === undefined) return undefined
    this.challenges.set(route, challenge)
    if (this.signed.length > 0 && fate.chance(0.15)) this.openAccount()
    const { maxTimeoutSeconds } = challenge.accepts[0]!
    const payload = payChallenge(challenge, {
      from: this.account,
      nonce: fate.hex(32),
      nowSeconds: Math.floor(world.nowMillis / 1000),
      validSeconds: fate.chance(0.2) ? fate.between(15, 40) : maxTimeoutSeconds,
      version: 2,
      isBare: true
    })
    const payment = newPayment({
      name: `attack ${this.index}.${this.signed.length + 1}`,
      key: chargeKey(network, payload),
      payload,
      header: encodeHeader(payload),
      own
    })
    world.signed(payment)
    this.signed.push(authorizationOf(payment))
    return payment
  }

  private async askPrice(call: Call): Promise<Challenge | undefined> {
    const reply = await this.world.request(call)
    return reply?.status === 402 && reply.required !== null
      ? (JSON.parse(Buffer.from(reply.required, "base64").toString("utf8")) as Challenge)
      : undefined
  }

  /** A fresh key, with what was left on the one before. */
  private openAccount(): void {
    const before = this.account
    this.accounts++
    this.moveBalance(before, this.account)
    this.world.witness.count("attacker: fresh key")
  }

  private moveBalance(from: string, to: string): void {
    const value = this.world.chain.token.balanceOf(from)
    if (value > 0n) this.submit("moves a balance", [{ sender: from, call: { _tag: "transfer", to, value } }])
  }

  private later(mostMillis: number, happen: () => void): void {
    this.world.after(this.fate.between(0, mostMillis), () => {
      if (this.world.isActive) happen()
    })
  }

  private strike(how: string): void {
    const calls = this.moves.compose()
    if (calls.length > 0) this.submit(how, calls)
  }

  private submit(how: string, calls: ReadonlyArray<ContractCall>): void {
    const { revertReason } = this.world.chain.submit(calls)
    this.world.witness.count(`attacker: ${how}`)
    for (const { call } of calls) this.world.witness.count(`attacker: ${call._tag}`)
    const said = calls.map(({ call }) => sayCall(call)).join(", ")
    this.world.noteAs(
      `x${this.index}`,
      `${how}: ${said}${revertReason === undefined ? "" : `: ${revertReason}`}`
    )
  }
}
