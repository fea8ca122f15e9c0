import type { SeededRandom } from "./SeededRandom.ts"
import { vaultItem } from "./SimulatedHost.ts"
import {
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

const maxAttempts = 6
export const routes: ReadonlyArray<OpenRoute> = ["search", "buy", "vaultBuy"]

export const callOf = (route: OpenRoute, shopper: number): Call => {
  const name = `${route} ${shopper}`
  switch (route) {
    case "search":
      return { name, route, path: `/x402/search?q=tote-${shopper}` }
    case "buy":
      return {
        name,
        route,
        path: "/x402/buy",
        body: {
          asin: "B000000001",
          email: `shopper-${shopper}@mail.example`,
          shippingAddress: {
            name: `Shopper ${shopper}`,
            line1: "1 Analytical Way",
            city: "Newark",
            state: "NJ",
            postalCode: "07102",
            country: "US"
          }
        }
      }
    case "vaultBuy":
      return {
        name,
        route,
        path: "/x402/vault/buy",
        body: {
          slug: vaultItem.slug,
          walletAddress: "So11111111111111111111111111111111111111112",
          email: `shopper-${shopper}@mail.example`
        }
      }
  }
}

/** The name of the call that searches for this. */
export const searchNamed = (query: string): string => query.replace(/^tote-/, "search ")

/** The download of what a `vaultBuy` bought. */
const downloadOf = ({ text }: Reply, shopper: number): Call => {
  const { downloadToken, purchaseId } = JSON.parse(text) as {
    readonly downloadToken: string
    readonly purchaseId: string
  }
  return {
    name: `download ${shopper}`,
    route: "download",
    path: `/x402/vault/download/${purchaseId}?downloadToken=${downloadToken}`
  }
}

/** The outcome of a payment is still unknown: it has to be presented again. */
export const isUndecided = (reply: Reply | undefined): boolean =>
  reply === undefined || ![200, 400, 402].includes(reply.status)

/**
 * A client with one request: gets its price, pays, and presents its payment until it is paid or refused. It downloads
 * the vault item that it bought.
 *
 * It sometimes sends several copies at once, and its responses can get lost.
 */
export class Shopper {
  private readonly simulation: Simulation
  private readonly random: SeededRandom
  private readonly index: number
  private readonly ownCall: Call
  private readonly account: string
  private signed = 0

  constructor(simulation: Simulation, random: SeededRandom, index: number, route?: OpenRoute) {
    this.simulation = simulation
    this.random = random
    this.index = index
    this.account = simulation.economy.payerAddress(simulation.faultPlan.isOnePayer ? 1 : index + 1)
    this.ownCall = simulation.faultPlan.isOneRequest
      ? callOf("buy", 0)
      : callOf(route ?? random.pick(routes), index)
  }

  async shop(): Promise<void> {
    await this.simulation.sleep(this.random.between(0, 8_000))
    for (let purchases = 0; purchases < 2 && this.simulation.isActive; purchases++) {
      const challenge = await this.requestPrice(this.ownCall)
      if (challenge === undefined) return
      const payment = this.sign(challenge, this.ownCall)
      this.scheduleInterference(payment)
      const outcome = await this.payUntilDecided(payment)
      if (outcome === "paid" && this.ownCall.route === "vaultBuy") await this.download(payment)
      if (outcome !== "refused") return
      await this.simulation.sleep(this.random.between(0, 3_000))
    }
  }

  /** Downloads at once, perhaps before the purchase is granted. */
  private async download({ firstResponse }: Payment): Promise<void> {
    if (firstResponse === undefined) return
    const call = downloadOf(firstResponse.reply, this.index)
    const challenge = await this.requestPrice(call)
    if (challenge !== undefined) await this.payUntilDecided(this.sign(challenge, call))
  }

  private async requestPrice(call: Call): Promise<Challenge | undefined> {
    for (let attempt = 0; attempt < 4 && this.simulation.isActive; attempt++) {
      const reply = await this.simulation.request(call)
      const challenge = challengeIn(reply)
      if (challenge !== undefined) return challenge
      await this.simulation.sleep(this.random.between(500, 5_000))
    }
    return undefined
  }

  private sign(challenge: Challenge, ownCall: Call): Payment {
    const { maxTimeoutSeconds } = challenge.accepts[0]!
    const signed = this.simulation.economy.pay(challenge, {
      from: this.account,
      nonce: this.random.hex(32),
      nowSeconds: Math.floor(this.simulation.nowMillis / 1000),
      validSeconds: this.random.chance(0.3) ? this.random.between(15, 40) : maxTimeoutSeconds,
      version: this.random.chance(0.2) ? 1 : 2,
      // Without a resource in the payload, only the till binds the payment to its request.
      isBare: this.random.chance(0.5),
      rewrites: this.random.chance(0.2)
    })
    // On Solana, the same message is the same payment, however often it is signed.
    const known = this.simulation.checker.payments.get(signed.key)
    if (known !== undefined) return known
    const payment = newPayment({
      name: `${ownCall.route} ${this.index}.${++this.signed}`,
      ...signed,
      ownCall
    })
    this.simulation.paymentSigned(payment)
    return payment
  }

  private async payUntilDecided(payment: Payment): Promise<"paid" | "refused" | "gave up"> {
    for (let attempt = 0; attempt < maxAttempts && this.simulation.isActive; attempt++) {
      const copies = this.random.chance(attempt === 0 ? 0.3 : 0.1) ? this.random.between(2, 4) : 1
      const replies = await Promise.all(
        Array.from({ length: copies }, () => this.present(payment, payment.ownCall))
      )
      if (replies.some((reply) => reply?.status === 200)) {
        // Sometimes requests again after success, to compare the responses.
        if (this.random.chance(0.6)) return "paid"
      } else if (replies.every((reply) => !isUndecided(reply))) return "refused"
      // While another attempt is in flight, each attempt waits longer.
      const isBusy = replies.some((reply) => reply?.status === 409)
      await this.simulation.sleep(
        isBusy ? this.random.between(10_000, 60_000) : this.random.between(200, 12_000)
      )
    }
    return "gave up"
  }

  private async present(payment: Payment, call: Call, copy: Copy = "authentic"): Promise<Reply | undefined> {
    await this.simulation.sleep(this.random.between(0, 40))
    if (copy === "authentic") payment.calls.set(call.name, call)
    return this.simulation.request(call, { payment, copy })
  }

  /** Schedules what others do with a payment they have seen. */
  private scheduleInterference(payment: Payment): void {
    const { faultPlan } = this.simulation
    const later = (most: number, action: () => void): void => {
      this.simulation.after(this.random.between(0, most), () => {
        if (this.simulation.isActive) action()
      })
    }
    if (this.random.chance(faultPlan.thirdPartyChance))
      later(30_000, () => this.simulation.sendByThirdParty(payment))
    if (this.random.chance(faultPlan.cancelChance)) later(20_000, () => this.simulation.cancel(payment))
    if (this.random.chance(0.3)) later(20_000, () => void this.present(payment, this.otherCall()))
    if (this.random.chance(0.2)) later(20_000, () => void this.present(payment, this.ownCall, "forged"))
  }

  /** A different request of the same price. */
  private otherCall(): Call {
    return callOf(this.random.pick(routes), this.index + 100)
  }
}
