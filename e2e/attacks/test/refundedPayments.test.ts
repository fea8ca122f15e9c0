import { setTimeout } from "node:timers/promises"
import type { FacilitatorClient } from "@till402/core"
import { type PrivateKeyAccount, setSignEntropy } from "viem/accounts"
import { afterEach, expect, vi } from "vitest"
import { attack } from "../src/attack.ts"
import { freshAccount, openAttacker } from "../src/Attacker.ts"
import { calls } from "../src/Calls.ts"
import { countsRefunds, openCountsRefunds } from "../src/CountsRefunds.ts"
import { trackPrice, upstreamCost } from "../src/Dodgers.ts"
import { localChainOfFile } from "../src/LocalChain.ts"
import { tillTarget } from "../src/LossTargets.ts"
import { settleCall } from "../src/Multicall.ts"
import { type Payment, sign } from "../src/Payments.ts"
import { type Server, visit } from "../src/Visitor.ts"

/*
 * Money that is sent after its payment was refused, so that it comes back as a refund.
 */

// Two signatures of one authorization differ.
setSignEntropy(true)

const local = localChainOfFile()
const cycles = 6

afterEach(() => {
  vi.useRealTimers()
})

/** A facilitator whose payer moves the money away before settlement, if it is told to. */
const openReturning = async (payer: PrivateKeyAccount) => {
  const attacker = openAttacker(local())
  await local().chain.mint(payer.address, 2n * trackPrice)
  const haven = freshAccount()
  const honest = local().facilitator.client
  let isDodging = false
  const facilitator: FacilitatorClient = {
    verify: honest.verify,
    settle: async (payment: Payment, requirements) => {
      if (isDodging) await attacker.moveAll(payer, haven.address)
      return honest.settle(payment, requirements)
    }
  }
  return {
    facilitator,
    dodge: () => {
      isDodging = true
    },
    /** Moves the money back, and settles the refused payment with it. */
    settleLater: async (payment: Payment) => {
      await attacker.moveAll(haven, payer.address)
      await attacker.send(settleCall(payment))
      // Stands for the refund.
      await local().chain.mint(payer.address, trackPrice)
    }
  }
}

/** Waits for a response. Tells a call that waits for room that its time is over. */
const impatiently = async <A>(response: Promise<A>): Promise<A> => {
  const ended = { response: false }
  const waiting = response.finally(() => {
    ended.response = true
  })
  for (let polls = 0; !ended.response; polls++) {
    await Promise.race([waiting, setTimeout(100)])
    if (polls >= 5) vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 4_000 })
  }
  return waiting
}

interface Returned {
  readonly worked: bigint
  /** Received for responses, or to be refunded. */
  readonly paid: bigint
  readonly isRefunded: boolean
}

/** Has work done whose payment is refused, settles it then, presents it again, and repeats that with the refund. */
const returnMoney = async (
  open: (facilitator: FacilitatorClient) => Promise<Server>,
  isKnown: boolean
): Promise<Returned> => {
  const payer = freshAccount()
  const { dodge, facilitator, settleLater } = await openReturning(payer)
  const server = await open(facilitator)
  const visitor = visit(server)
  const payNow = () => visitor.payFor(calls.track, { account: payer })
  if (isKnown) expect((await visitor.present(calls.track, await payNow())).status).toBe(200)
  dodge()
  let isRefunded = true
  for (let cycle = 0; cycle < cycles; cycle++) {
    const before = upstreamCost(server.goods)
    const payment = await payNow()
    await impatiently(visitor.present(calls.track, payment))
    if (upstreamCost(server.goods) === before) break
    await settleLater(payment)
    const { authorization } = payment.payload
    const second = await sign(await visitor.challenge(calls.track), { account: payer, authorization })
    expect(second.payload.signature).not.toBe(payment.payload.signature)
    const response = await visitor.present(calls.track, second)
    expect(response.status).toBe(402)
    isRefunded &&= response.text.includes("payment_refund_due")
  }
  return { worked: upstreamCost(server.goods), paid: isKnown ? trackPrice : 0n, isRefunded }
}

attack("a refused payment that settles later, is refunded, and counts as paid meanwhile", {
  on: countsRefunds,
  lands: async () => {
    for (const isKnown of [false, true]) {
      const { paid, worked } = await returnMoney(
        async (facilitator) => openCountsRefunds(facilitator, local().chain, trackPrice),
        isKnown
      )
      expect(worked).toBe(paid + BigInt(cycles) * trackPrice)
    }
  },
  fails: async () => {
    for (const isKnown of [false, true]) {
      const open = async (facilitator: FacilitatorClient) => {
        const limits = { lossPerHour: "2.00", failedPayerMillis: 0 }
        return (await tillTarget(local(), { limits })(facilitator)).server
      }
      const { isRefunded, paid, worked } = await returnMoney(open, isKnown)
      expect(isRefunded).toBe(true)
      // What the payer has paid and kept, and the one call of a payer who hasn't paid.
      expect(worked - paid).toBeLessThanOrEqual(paid + trackPrice)
    }
  }
})
