import { fakeFacilitator } from "@till402/testing"
import { setTimeout as sleep } from "node:timers/promises"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { afterEach, expect, vi } from "vitest"
import { attack } from "../src/attack.ts"
import { calls } from "../src/Calls.ts"
import { limitedFailures } from "../src/FailedWorkLimit.ts"
import { workDone } from "../src/Goods.ts"
import { official, openOfficial } from "../src/Official.ts"
import { openOurs } from "../src/Ours.ts"
import { limitedByPayer, perPayer } from "../src/PayerLimit.ts"
import { payer, type Payment, stranger } from "../src/Payments.ts"
import { type Standing, standings } from "../src/Standing.ts"
import { countOf, type Server, visit, type Visitor } from "../src/Visitor.ts"

/*
 * Limits on work for payers who don't pay must not be turned against those who do.
 */

/** Payments in `payer`'s name, forged by somebody else with signatures of the given length. */
const inTheNameOfPayer = async (visitor: Visitor, bytes: number): Promise<ReadonlyArray<Payment>> => {
  const made: Array<Payment> = []
  for (let count = 0; count < perPayer * 2; count++) {
    const own = await visitor.payFor(calls.track, {
      account: stranger,
      authorization: { from: payer.address }
    })
    const signature = bytes === 65 ? own.payload.signature : `0x${"5a".repeat(bytes)}`
    made.push({ ...own, payload: { ...own.payload, signature } })
  }
  return made
}

/** A slow facilitator that rejects the stranger's forgeries. */
const slowFacilitator = (genuine: () => Payment) => {
  const facilitator = fakeFacilitator().delays(150)
  facilitator.verify.returns((payment: Payment) =>
    payment.payload.signature === genuine().payload.signature
      ? { isValid: true }
      : { isValid: false, invalidReason: "invalid_exact_evm_payload_signature" }
  )
  return facilitator
}

/** Returns the payer's response while a stranger's forgeries in their name are in flight. */
const callAmongForgeries = async (
  open: (facilitator: ReturnType<typeof slowFacilitator>) => Promise<Server> | Server,
  bytes: number,
  standing: Standing = "new"
) => {
  let genuine: Payment | undefined
  const server = await open(slowFacilitator(() => genuine!))
  const visitor = visit(server)
  if (standing === "known") {
    genuine = await visitor.payFor(calls.vaultSearch)
    expect((await visitor.present(calls.vaultSearch, genuine)).status).toBe(200)
  }
  genuine = await visitor.payFor(calls.track)
  const forged = await inTheNameOfPayer(visitor, bytes)
  const [response, ...others] = await Promise.all([
    new Promise((resolve) => setTimeout(resolve, 50)).then(() => visitor.present(calls.track, genuine!)),
    ...forged.map((payment) => visitor.present(calls.track, payment))
  ])
  return { response, others, server }
}

attack("forged payments in a payer's name, to use up that payer's limit", {
  on: `${official}, behind a limit per payer`,
  lands: async () => {
    const { response } = await callAmongForgeries(
      (facilitator) => limitedByPayer(openOfficial(facilitator)),
      65
    )
    expect(response.status).toBe(429)
  },
  fails: async () => {
    const open = (facilitator: ReturnType<typeof slowFacilitator>) =>
      openOurs(facilitator, { limits: { unsettledPerPayer: perPayer } })
    for (const standing of standings) {
      const { response, others, server } = await callAmongForgeries(open, 65, standing)
      expect(response.status, response.text).toBe(200)
      expect([countOf(others, 402), workDone(server.goods)]).toEqual([others.length, 1])
    }
  }
})

attack("forged contract-wallet signatures in a payer's name, to use up that payer's limit", {
  on: `${official}, behind a limit per payer`,
  lands: async () => {
    const { response } = await callAmongForgeries(
      (facilitator) => limitedByPayer(openOfficial(facilitator)),
      96
    )
    expect(response.status).toBe(429)
  },
  fails: async () => {
    const open = (facilitator: ReturnType<typeof slowFacilitator>) =>
      openOurs(facilitator, { limits: { unsettledPerPayer: perPayer } })
    for (const standing of standings) {
      const { response, server } = await callAmongForgeries(open, 96, standing)
      expect(response.status, response.text).toBe(200)
      expect(workDone(server.goods)).toBe(1)
    }
  }
})

afterEach(() => {
  vi.useRealTimers()
})

/** Waits for something while the clock runs ahead: a call that gets no work done is only refused after seconds. */
const hurry = async <A>(awaited: Promise<A>): Promise<A> => {
  const running = new Set([awaited])
  const end = () => running.delete(awaited)
  awaited.then(end, end)
  while (running.size > 0) {
    await vi.advanceTimersByTimeAsync(100)
    // What waits for the machine must not see its payment expire: ten seconds of the clock take one.
    await sleep(10)
  }
  return awaited
}

/** Has one payer's calls fail until no more work is done for them; returns the calls and a newcomer's response. */
const failOften = async (server: Server, account = payer, newcomer = stranger) => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] })
  const visitor = visit(server)
  const { tracker } = server.goods
  tracker.track.failsWith(new Error("no such shipment"))
  const present = async () => visitor.present(calls.track, await visitor.payFor(calls.track, { account }))
  const earlier = tracker.track.calls.length
  const failedCalls = () => tracker.track.calls.length - earlier
  let isServed = true
  while (isServed && failedCalls() < 40) {
    const before = failedCalls()
    await hurry(present())
    isServed = failedCalls() > before
  }
  const failed = failedCalls()
  tracker.track.reset()
  const payment = await visitor.payFor(calls.track, { account: newcomer })
  const response = await hurry(visitor.present(calls.track, payment))
  return { response, failed }
}

attack("work that fails for one payer, to use up the budget of new payers", {
  on: `${official}, with a budget of failed work`,
  lands: async () => {
    const { failed, response } = await failOften(limitedFailures(openOfficial(fakeFacilitator()), 38))
    expect([failed, response.status]).toEqual([38, 429])
  },
  fails: async () => {
    const server = await openOurs(fakeFacilitator())
    const third = privateKeyToAccount(generatePrivateKey())
    // A tenth of 20.00 is three calls. The newcomer is the next attacker: known by one call, which covers one more.
    for (const [account, newcomer, most] of [
      [payer, stranger, 3],
      [stranger, third, 4]
    ] as const) {
      const { failed, response } = await failOften(server, account, newcomer)
      expect(response.status, response.text).toBe(200)
      expect(failed).toBe(most)
    }
  }
})
