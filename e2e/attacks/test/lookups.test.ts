import { NoTrackingInfo } from "@till402/core"
import { fakeFacilitator, sampleTrackResult } from "@till402/testing"
import { setImmediate } from "node:timers/promises"
import { afterEach, expect, vi } from "vitest"
import { attack } from "../src/attack.ts"
import { official, openOfficial } from "../src/Official.ts"
import { openOurs } from "../src/Ours.ts"
import { type Server, visit } from "../src/Visitor.ts"

/*
 * Look-ups that aren't charged, since they find nothing: what they cost, and what they give away.
 */

afterEach(() => void vi.useRealTimers())

/** Awaits what waits for room, while the clock runs ahead. */
const hurry = async <A>(awaited: Promise<A>): Promise<A> => {
  const running = new Set([awaited])
  const end = () => running.delete(awaited)
  awaited.then(end, end)
  while (running.size > 0) {
    await vi.advanceTimersByTimeAsync(100)
    await setImmediate()
  }
  return awaited
}

const present = async (server: Server, path: string) => {
  const visitor = visit(server)
  const call = { path }
  return visitor.present(call, await visitor.payFor(call))
}

const unknown = (costUsd: number) => new NoTrackingInfo({ message: "No carrier knows it.", costUsd })
const numbers = 100

/** Looks up a hundred random numbers, each with a payment of its own; returns what was sent upstream, and for how long. */
const lookUpRandom = async (server: Server) => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] })
  const startMillis = Date.now()
  server.goods.tracker.track.failsWith(unknown(0.25))
  const paths = Array.from({ length: numbers }, (_, number) => `/x402/track?number=RANDOM${number}`)
  for (let from = 0; from < numbers; from += 50)
    await hurry(Promise.all(paths.slice(from, from + 50).map((path) => present(server, path))))
  const hours = Math.ceil((Date.now() - startMillis) / 3_600_000)
  return { sent: server.goods.tracker.track.calls.length, hours }
}

attack("a hundred random tracking numbers, each of which costs a look-up", {
  on: official,
  lands: async () => {
    expect((await lookUpRandom(openOfficial(fakeFacilitator()))).sent).toBe(numbers)
  },
  fails: async () => {
    const { hours, sent } = await lookUpRandom(await openOurs(fakeFacilitator()))
    expect(sent).toBeGreaterThan(0)
    // One payer loses at most a tenth of 20.00 in an hour: eight look-ups.
    expect(sent).toBeLessThanOrEqual(8 * (hours + 1))
  }
})

const right = "5550029"

/** Guesses a phone number fifty times; returns the responses with the shipment, and what was sent upstream. */
const guessPhone = async (server: Server) => {
  // A refused guess waits for room, of which there is none until an hour has passed. All of them wait less than that.
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] })
  const { track } = server.goods.tracker
  track.returns(async ({ number, phone }) => {
    if (phone === right) return sampleTrackResult(number)
    throw unknown(0)
  })
  const paths = Array.from({ length: 50 }, (_, guess) => {
    const phone = `555${String(guess).padStart(4, "0")}`
    return `/x402/track?number=1Z999AA10123456784&phone=${phone}`
  })
  let found = 0
  for (const path of paths) found += (await hurry(present(server, path))).status === 200 ? 1 : 0
  return { found, sent: track.calls.length }
}

attack("fifty guesses of the phone number that a shipment needs", {
  on: official,
  lands: async () => {
    expect(await guessPhone(openOfficial(fakeFacilitator()))).toEqual({ found: 1, sent: 50 })
  },
  fails: async () => {
    expect(await guessPhone(await openOurs(fakeFacilitator()))).toEqual({ found: 0, sent: 10 })
  }
})
