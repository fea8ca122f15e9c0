import { quoteMemo } from "../../../src/toll/exact/Solana.ts"
import { type Instruction, memo, type SolanaWallet } from "../../toll/solana.ts"
import {
  type Call,
  type Challenge,
  challengeIn,
  newPayment,
  type OpenRoute,
  type Payment
} from "../Payment.ts"
import type { SeededRandom } from "../SeededRandom.ts"
import { callOf, routes } from "../Shopper.ts"
import type { Simulation } from "../Simulation.ts"
import type { SolanaEconomy } from "./SolanaEconomy.ts"
import {
  attackerNamed,
  paymentInstructions,
  payTo,
  plainTransfer,
  secondTransferOf,
  selfPaid,
  signedBy,
  tokenAccountOf,
  transferOf
} from "./SolanaWallets.ts"
import type { WireTransaction } from "./WireTransaction.ts"

/** Accounts that each attacker uses; the last one hides its balance. */
export const attackerAccounts = 3
const attemptsPerPayment = 4

/**
 * Signs payments in every form that a transaction can have, presents each for several requests, and sends other
 * transactions at the same time: with the same balance, the same amount, and of others.
 */
export class SolanaAttacker {
  private readonly simulation: Simulation
  private readonly economy: SolanaEconomy
  private readonly random: SeededRandom
  private readonly index: number
  private readonly payments: Array<Payment> = []
  /** Payments of others that became visible. */
  private readonly seen = new Set<Payment>()
  private calls = 0

  constructor(simulation: Simulation, economy: SolanaEconomy, random: SeededRandom, index: number) {
    this.simulation = simulation
    this.economy = economy
    this.random = random
    this.index = index
  }

  async attack(): Promise<void> {
    const { random, simulation } = this
    await simulation.sleep(random.between(0, 8_000))
    for (let campaign = random.between(1, 2); campaign > 0 && simulation.isActive; campaign--) {
      await this.campaign()
      await simulation.sleep(random.between(0, 5_000))
    }
  }

  /** A transaction became visible: the attacker may present it as its own, or be faster with the same balance. */
  onPublic({ digest }: WireTransaction): void {
    const { random, simulation } = this
    if (!simulation.isActive) return
    const payment = this.economy.paymentOfDigest(digest)
    if (payment === undefined || this.seen.has(payment)) return
    this.seen.add(payment)
    if (this.payments.includes(payment)) {
      if (random.chance(0.3)) this.move()
      return
    }
    if (random.chance(0.15)) this.later(30_000, () => void this.present(payment, this.newCall("search")))
  }

  /** Signs some payments, presents them at once, and sends transactions at the same time. */
  private async campaign(): Promise<void> {
    const { random } = this
    const route = random.weighted<OpenRoute>({ search: 3, buy: 2, vaultBuy: 2 })
    const signed: Array<Payment> = []
    for (let count = random.pick([1, 2, 2, 3, 4]); count > 0; count--) {
      const payment = await this.sign(random.chance(0.8) ? route : random.pick(routes))
      if (payment !== undefined) signed.push(payment)
    }
    for (let strikes = random.between(1, 3); strikes > 0; strikes--)
      this.later(random.pick([300, 3_000, 30_000]), () => this.move())
    await Promise.all(signed.map((payment) => this.presentRepeatedly(payment)))
  }

  private async presentRepeatedly(payment: Payment): Promise<void> {
    const { random, simulation } = this
    if (random.chance(0.2)) {
      this.count("settles it first")
      simulation.sendByThirdParty(payment)
    }
    // The transfer may be old, or its blockhash about to expire, by the time the payment is presented.
    await simulation.sleep(random.chance(0.15) ? random.between(20_000, 60_000) : random.between(0, 500))
    for (let attempt = 0; attempt < attemptsPerPayment && simulation.isActive; attempt++) {
      await this.present(payment, random.chance(0.8) ? payment.ownCall : this.newCall(random.pick(routes)))
      await simulation.sleep(random.pick([200, 4_000, 20_000]))
    }
  }

  private present(payment: Payment, call: Call): Promise<unknown> {
    const { random, simulation } = this
    payment.calls.set(call.name, call)
    if (random.chance(0.3))
      this.later(random.pick([100, 3_000, 40_000]), () => simulation.presentElsewhere(payment, call))
    return simulation.request(call, { payment, copy: "authentic" })
  }

  private newCall(route: OpenRoute): Call {
    return callOf(route, 1_000 * (this.index + 1) + ++this.calls)
  }

  private async sign(route: OpenRoute): Promise<Payment | undefined> {
    const { economy, random, simulation } = this
    const own = this.newCall(route)
    const challenge = challengeIn(await simulation.request(own))
    if (challenge === undefined) return undefined
    const blockhash = economy.blockhashFor(random.chance(0.3) ? random.between(3, 30) : 600)
    const wire = signedBy(this.account(), blockhash, this.instructionsFor(challenge))
    // The same message is the same payment, however often it is signed.
    if (economy.paymentOfDigest(wire.digest) !== undefined) return undefined
    const payment = newPayment({
      name: `attack ${this.index}.${this.payments.length + 1}`,
      ...economy.paymentOf(challenge, wire, {
        isBare: random.chance(0.7),
        rewrites: random.chance(0.3),
        version: random.pick([1, 2, 2])
      }),
      ownCall: own
    })
    simulation.paymentSigned(payment)
    this.payments.push(payment)
    return payment
  }

  /** A payment as it should be, or one that pays in another way. */
  private instructionsFor({ accepts: [accepted] }: Challenge): ReadonlyArray<Instruction> {
    const { random } = this
    const { amount, extra, payTo: to } = accepted!
    const { address } = this.account()
    const text = extra["memo"] ?? random.hex(8)
    const regular = paymentInstructions(address, to, BigInt(amount), text)
    const [limit, price, transfer, note] = regular as [Instruction, Instruction, Instruction, Instruction]
    const form = random.weighted({
      regular: 6,
      noMemo: 2,
      otherQuote: 1,
      twoMemos: 2,
      twoTransfers: 1,
      takenBack: 1,
      secondAccount: 1,
      less: 1,
      plain: 1
    })
    this.count(`signs ${form}`)
    switch (form) {
      case "regular":
        return regular
      case "noMemo":
        return [limit, price, transfer]
      case "otherQuote":
        return paymentInstructions(address, to, BigInt(amount), quoteMemo(random.hex(16).slice(2)))
      case "twoMemos":
        return [...regular, memo(random.hex(8))]
      case "twoTransfers":
        return [limit, price, transfer, transfer, note]
      case "takenBack":
        return [limit, price, transferOf(address, this.hiding, BigInt(amount)), note, transfer]
      case "secondAccount":
        return [limit, price, secondTransferOf(address, to, BigInt(amount)), note]
      case "less":
        return [limit, price, transferOf(address, to, BigInt(amount) - 1n), note]
      case "plain":
        return [limit, price, plainTransfer(address, to, BigInt(amount)), note]
    }
  }

  /** Sends a transaction beside the payments. */
  private move(): void {
    const { economy, random } = this
    const move = random.weighted({ drain: 2, imitate: 3, resend: 3, giveAway: 2, return: 1 })
    this.count(move)
    switch (move) {
      case "drain":
        return this.transfer(this.account(), this.hiding, this.balance)
      case "return":
        return this.transfer(
          attackerNamed(this.index, attackerAccounts),
          this.account().address,
          economy.chain.token.balanceOf(this.hiding)
        )
      case "imitate": {
        // As a payment in everything but its fee payer.
        const payment = this.payments.length === 0 ? undefined : random.pick(this.payments)
        const amount = BigInt(payment?.authorization.value ?? "1")
        const instructions = paymentInstructions(this.account().address, payTo, amount, random.hex(8))
        return economy.network.submit(selfPaid(this.account(), economy.blockhashFor(600), instructions))
      }
      case "resend":
        return economy.resendAny(random)
      case "giveAway":
        if (this.payments.length > 0) this.simulation.sendByThirdParty(random.pick(this.payments))
        return
    }
  }

  private transfer(from: SolanaWallet, to: string, amount: bigint): void {
    const { economy, random } = this
    const instructions = [transferOf(from.address, to, amount), memo(random.hex(8))]
    economy.network.submit(selfPaid(from, economy.blockhashFor(600), instructions))
  }

  private account(): SolanaWallet {
    return attackerNamed(this.index, 1)
  }

  private get hiding(): string {
    return attackerNamed(this.index, attackerAccounts).address
  }

  private get balance(): bigint {
    return this.economy.chain.accounts.balanceOf(tokenAccountOf(this.account().address))
  }

  private later(mostMillis: number, action: () => void): void {
    this.simulation.after(this.random.between(0, mostMillis), () => {
      if (this.simulation.isActive) action()
    })
  }

  private count(move: string): void {
    this.simulation.checker.count(`attacker: ${move}`)
    this.simulation.noteAs(`x${this.index}`, move)
  }
}
