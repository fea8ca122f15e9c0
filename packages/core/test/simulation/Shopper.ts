import type { Fate } from "./Fate.ts"
import { forgedSignature } from "./chain/Calls.ts"
import { type Challenge, payChallenge } from "./Payment.ts"
import { chargeKey } from "../../src/toll/ChargeKey.ts"
import { findNetwork } from "../../src/domain/Network.ts"
import { encodeHeader } from "../../src/toll/PaymentHeader.ts"
import { vaultItem } from "./SimulatedHost.ts"
import {
  authorizationOf,
  type Call,
  type Copy,
  newPayment,
  type Payment,
  type Reply,
  type RouteName
} from "./Witness.ts"
import type { World } from "./World.ts"

export const network = findNetwork("base-sepolia")!
const maxAttempts = 6
export const routes: ReadonlyArray<RouteName> = ["search", "buy", "vaultBuy"]

export const callOf = (route: RouteName, shopper: number): Call => {
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

/** The account of an honest payer. */
export const payerAddress = (index: number): string => `0x${index.toString(16).padStart(40, "a")}`

/** Nobody can say yet what became of a payment: it is to be presented again. */
export const isOpen = (reply: Reply | undefined): boolean =>
  reply === undefined || ![200, 400, 402].includes(reply.status)

/**
 * A client that wants one thing: asks its price, pays, and presents its payment again until it is answered
 * or refused. Impatient, now and then: it sends several copies at once, and its answers get lost.
 */
export class Shopper {
  private readonly world: World
  private readonly fate: Fate
  private readonly index: number
  private readonly own: Call
  private readonly account: string
  private signed = 0

  constructor(world: World, fate: Fate, index: number, route?: RouteName) {
    this.world = world
    this.fate = fate
    this.index = index
    this.account = payerAddress(world.adversity.isOnePayer ? 1 : index + 1)
    this.own = world.adversity.isOneWish ? callOf("buy", 0) : callOf(route ?? fate.pick(routes), index)
  }

  async shop(): Promise<void> {
    await this.world.sleep(this.fate.between(0, 8_000))
    for (let purchases = 0; purchases < 2 && this.world.isActive; purchases++) {
      const challenge = await this.askPrice()
      if (challenge === undefined) return
      const payment = this.sign(challenge)
      this.besiege(payment)
      if ((await this.pursue(payment)) !== "refused") return
      await this.world.sleep(this.fate.between(0, 3_000))
    }
  }

  private async askPrice(): Promise<Challenge | undefined> {
    for (let attempt = 0; attempt < 4 && this.world.isActive; attempt++) {
      const reply = await this.world.request(this.own)
      if (reply?.status === 402 && reply.required !== null) {
        return JSON.parse(Buffer.from(reply.required, "base64").toString("utf8")) as Challenge
      }
      await this.world.sleep(this.fate.between(500, 5_000))
    }
    return undefined
  }

  private sign(challenge: Challenge): Payment {
    const { maxTimeoutSeconds } = challenge.accepts[0]!
    const payload = payChallenge(challenge, {
      from: this.account,
      nonce: this.fate.hex(32),
      nowSeconds: Math.floor(this.world.nowMillis / 1000),
      validSeconds: this.fate.chance(0.3) ? this.fate.between(15, 40) : maxTimeoutSeconds,
      version: this.fate.chance(0.2) ? 1 : 2,
      // Where the client does not name the resource, nothing but the till binds the payment to it.
      isBare: this.fate.chance(0.5)
    })
    const payment = newPayment({
      name: `${this.own.route} ${this.index}.${++this.signed}`,
      key: chargeKey(network, payload),
      payload,
      header: encodeHeader(payload),
      own: this.own
    })
    this.world.signed(payment)
    return payment
  }

  private async pursue(payment: Payment): Promise<"answered" | "refused" | "given up"> {
    for (let attempt = 0; attempt < maxAttempts && this.world.isActive; attempt++) {
      const copies = this.fate.chance(attempt === 0 ? 0.3 : 0.1) ? this.fate.between(2, 4) : 1
      const replies = await Promise.all(Array.from({ length: copies }, () => this.present(payment, this.own)))
      if (replies.some((reply) => reply?.status === 200)) {
        // Answered is not always enough: it asks again to see whether it is told the same.
        if (this.fate.chance(0.6)) return "answered"
      } else if (replies.every((reply) => !isOpen(reply))) return "refused"
      // While somebody is at work on it, each attempt waits for long enough.
      const isBusy = replies.some((reply) => reply?.status === 409)
      await this.world.sleep(isBusy ? this.fate.between(10_000, 60_000) : this.fate.between(200, 12_000))
    }
    return "given up"
  }

  private async present(payment: Payment, call: Call, copy: Copy = "authentic"): Promise<Reply | undefined> {
    await this.world.sleep(this.fate.between(0, 40))
    if (copy === "authentic") payment.calls.set(call.name, call)
    return this.world.request(call, { payment, copy })
  }

  /** What others do with a payment that they have seen. */
  private besiege(payment: Payment): void {
    const { adversity } = this.world
    const later = (most: number, happen: () => void): void => {
      this.world.after(this.fate.between(0, most), () => {
        if (this.world.isActive) happen()
      })
    }
    if (this.fate.chance(adversity.thirdPartyChance))
      later(30_000, () => this.world.sendByThirdParty(payment))
    if (this.fate.chance(adversity.cancelChance)) later(20_000, () => this.world.cancel(payment))
    if (this.fate.chance(0.3)) later(20_000, () => void this.present(payment, this.otherCall()))
    if (this.fate.chance(0.2)) later(20_000, () => void this.present(payment, this.own, "forged"))
  }

  /** Another request of the same price: of another route, or of the same with another input. */
  private otherCall(): Call {
    return callOf(this.fate.pick(routes), this.index + 100)
  }
}

/** The header of a payment, or of a copy with a signature that nobody made. */
export const headerOf = (payment: Payment, copy: Copy): string =>
  copy === "authentic"
    ? payment.header
    : encodeHeader({
        ...payment.payload,
        payload: { ...payment.payload.payload, signature: forgedSignature(authorizationOf(payment)) }
      })
