import { fakeFacilitator } from "@till402/testing"
import { concatHex, encodeAbiParameters, type Hex } from "viem"
import { expect, vi } from "vitest"
import { attack, type Pair } from "../src/attack.ts"
import { calls } from "../src/Calls.ts"
import { slowWork, workDone } from "../src/Goods.ts"
import { localChainOfFile } from "../src/LocalChain.ts"
import { official, openOfficial } from "../src/Official.ts"
import { openOptimistic, optimistic } from "../src/Optimistic.ts"
import { openOurs } from "../src/Ours.ts"
import type { Payment } from "../src/Payments.ts"
import { countOf, visit } from "../src/Visitor.ts"

/*
 * One signature has many encodings: a server that remembers payments by signature bytes can be shown one again.
 */

const local = localChainOfFile()
const price = 520_000n

type Respell = (signature: string) => string

const respelled = (payment: Payment, respell: Respell): Payment => ({
  ...payment,
  payload: { ...payment.payload, signature: respell(payment.payload.signature) }
})

/** Pays, waits for the settlement, and pays again with each other encoding. */
const landsOnOptimistic =
  (...spellings: ReadonlyArray<Respell>) =>
  async (): Promise<void> => {
    for (const respell of spellings) {
      const server = openOptimistic(local().facilitator.client)
      const visitor = visit(server)
      const before = await local().received()
      const payment = await visitor.payFor(calls.track)
      expect((await visitor.present(calls.track, payment)).status).toBe(200)
      await vi.waitFor(async () => expect((await visitor.present(calls.track, payment)).status).toBe(402))
      const served = server.goods.tracker.track.calls.length
      const again = respelled(payment, respell)
      expect(again.payload.signature).not.toBe(payment.payload.signature)
      expect((await visitor.present(calls.track, again)).status).toBe(200)
      expect(server.goods.tracker.track.calls).toHaveLength(served + 1)
      expect((await local().received()) - before).toBe(price)
    }
  }

type Order = (first: Payment, second: Payment) => ReadonlyArray<ReadonlyArray<Payment>>

/** Sends the payments of one list at once. */
const orders: ReadonlyArray<Order> = [
  (genuine, other) => [[genuine], [other], [other]],
  (genuine, other) => [[other], [genuine], [other]],
  (genuine, other) => [[genuine, other, other, genuine]],
  (genuine, other) => [[other, genuine, other, genuine]]
]

/** Whatever the order of the encodings, there is at most one effect, and one per settlement. */
const failsOnOurs =
  (...spellings: ReadonlyArray<Respell>) =>
  async (): Promise<void> => {
    const server = await openOurs(local().facilitator.client, {
      networks: [{ network: "base-sepolia", rpcUrl: local().chain.rpcUrl }],
      trustFacilitator: false
    })
    const visitor = visit(server)
    for (const respell of spellings)
      for (const order of orders) {
        const before = { received: await local().received(), work: workDone(server.goods) }
        const genuine = await visitor.payFor(calls.track)
        const responses = []
        for (const together of order(genuine, respelled(genuine, respell)))
          responses.push(
            ...(await Promise.all(together.map((payment) => visitor.present(calls.track, payment))))
          )
        const bought = responses.filter(({ status }) => status === 200)
        expect(new Set(bought.map(({ text }) => text)).size).toBeLessThanOrEqual(1)
        expect(bought.length + countOf(responses, 402) + countOf(responses, 409)).toBe(responses.length)
        const worked = workDone(server.goods) - before.work
        expect(worked).toBeLessThanOrEqual(1)
        expect(worked).toBe(bought.length > 0 ? 1 : 0)
        expect((await local().received()) - before.received).toBe(price * BigInt(worked))
      }
    expect(await server.till.ledger.check()).toMatchObject({ isBalanced: true })
  }

const spelt = (...spellings: ReadonlyArray<Respell>): Pair => ({
  on: optimistic,
  lands: landsOnOptimistic(...spellings),
  fails: failsOnOurs(...spellings)
})

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const word = (value: bigint): string => value.toString(16).padStart(64, "0")
const [r, s, v] = [
  (signature: string) => signature.slice(2, 66),
  (signature: string) => BigInt(`0x${signature.slice(66, 130)}`),
  (signature: string) => Number.parseInt(signature.slice(130, 132), 16)
]

const highS: Respell = (signature) =>
  `0x${r(signature)}${word(order - s(signature))}${v(signature) === 27 ? "1c" : "1b"}`
const smallV: Respell = (signature) => `${signature.slice(0, 130)}${v(signature) === 27 ? "00" : "01"}`
const highSAndSmallV: Respell = (signature) =>
  `0x${r(signature)}${word(order - s(signature))}${v(signature) === 27 ? "01" : "00"}`

attack("a signature with a high s", spelt(highS))

attack("a signature with v of 0 or 1 for 27 or 28", spelt(smallV))

attack("a high s and v of 0 or 1 together", spelt(highSAndSmallV))

attack(
  "a signature in upper case",
  spelt((signature) => `0x${signature.slice(2).toUpperCase()}`)
)

const magic: Hex = `0x${"6492".repeat(16)}`

/** ERC-6492 for a contract wallet that need not be deployed: contains the ordinary signature. */
const wrapped: Respell = (signature) =>
  concatHex([
    encodeAbiParameters(
      [{ type: "address" }, { type: "bytes" }, { type: "bytes" }],
      ["0x0000000000000000000000000000000000000000", "0x", signature as Hex]
    ),
    magic
  ])

const longer: ReadonlyArray<Respell> = [
  (signature) => `${signature}00`,
  (signature) => `${signature}${"00".repeat(31)}`,
  (signature) => signature + signature.slice(2)
]

attack("bytes after the signature", {
  on: optimistic,
  lands: landsOnOptimistic(...longer),
  fails: failsOnOurs(...longer, wrapped)
})

attack("two encodings of one signature, with a facilitator that accepts both", {
  on: official,
  lands: async () => {
    for (const respell of [highS, smallV, highSAndSmallV, ...longer]) {
      const facilitator = fakeFacilitator()
      const server = openOfficial(facilitator)
      slowWork(server.goods, 5)
      const visitor = visit(server)
      const payment = await visitor.payFor(calls.track)
      const both = [payment, respelled(payment, respell)]
      await Promise.all(both.map((spelling) => visitor.present(calls.track, spelling)))
      expect([workDone(server.goods), facilitator.settled.length]).toEqual([2, 1])
    }
  },
  fails: async () => {
    const facilitator = fakeFacilitator()
    const server = await openOurs(facilitator)
    slowWork(server.goods, 5)
    const visitor = visit(server)
    let times = 0
    for (const respell of [highS, smallV, highSAndSmallV, ...longer])
      for (const order of orders) {
        const payment = await visitor.payFor(calls.track)
        for (const together of order(payment, respelled(payment, respell)))
          await Promise.all(together.map((spelling) => visitor.present(calls.track, spelling)))
        times++
        // One of all encodings triggers work; one that no token accepts never reaches the facilitator.
        if (!longer.includes(respell))
          expect(facilitator.verify.calls.at(-1)![0]).toMatchObject({ payload: payment.payload })
        const facilitated = [facilitator.verify.calls.length, facilitator.settle.calls.length]
        expect([workDone(server.goods), ...facilitated]).toEqual([times, times, times])
      }
  }
})
