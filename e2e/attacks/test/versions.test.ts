import { fakeFacilitator } from "@till402/testing"
import { expect } from "vitest"
import { attack } from "../src/attack.ts"
import { calls } from "../src/Calls.ts"
import { expectRefused } from "../src/expectations.ts"
import { workDone } from "../src/Goods.ts"
import { localChainOfFile } from "../src/LocalChain.ts"
import { midMigration, openMidMigration } from "../src/MidMigration.ts"
import { official, openOfficial } from "../src/Official.ts"
import { openOurs } from "../src/Ours.ts"
import { headerOf, type Payment, type Requirements } from "../src/Payments.ts"
import { introduce, standings } from "../src/Standing.ts"
import { visit } from "../src/Visitor.ts"

const local = localChainOfFile()

const openOnChain = () =>
  openOurs(local().facilitator.client, {
    networks: [{ network: "base-sepolia", rpcUrl: local().chain.rpcUrl }],
    trustFacilitator: false
  })

attack("a version-2 payment that calls itself version 1", {
  on: official,
  lands: async () => {
    const visitor = visit(openOfficial(fakeFacilitator()))
    const payment = await visitor.payFor(calls.track)
    // The payer claims to have accepted other terms.
    const accepted = { ...payment.accepted, amount: "1", asset: payment.accepted.payTo }
    expect((await visitor.present(calls.track, { ...payment, accepted })).status).toBe(402)
    expect((await visitor.present(calls.track, { ...payment, accepted, x402Version: 1 })).status).toBe(200)
  },
  fails: async () => {
    for (const standing of standings) {
      const server = await openOnChain()
      const visitor = visit(server)
      await introduce(visitor, standing)
      for (const x402Version of [1, 0, 3, -1, 1.5, "2", "1", null, true, [2], { 2: 2 }]) {
        const payment = await visitor.payFor(calls.track)
        const accepted = { ...payment.accepted, amount: "1", asset: payment.accepted.payTo }
        expectRefused(
          await visitor.present(calls.track, { ...payment, accepted, x402Version }),
          "invalid_payload"
        )
        const { x402Version: _, ...unversioned } = payment
        expectRefused(await visitor.present(calls.track, unversioned), "invalid_payload")
      }
      expect(workDone(server.goods)).toBe(0)
    }
  }
})

attack("both payment headers at once, with different payments", {
  on: midMigration,
  lands: async () => {
    const facilitator = fakeFacilitator()
    const visitor = visit(openMidMigration(facilitator))
    const dear = await visitor.payFor(calls.track)
    for (let time = 1; time <= 3; time++) {
      const cheap = await visitor.payFor(calls.search)
      const headers = { "payment-signature": headerOf(dear), "x-payment": headerOf(cheap) }
      expect((await visitor.send(calls.track, headers)).status).toBe(200)
    }
    // The expensive one is still unspent.
    expect(facilitator.settled.map(({ amountAtomic }) => amountAtomic)).toEqual(["10000", "10000", "10000"])
  },
  fails: async () => {
    for (const standing of standings) {
      const server = await openOnChain()
      const visitor = visit(server)
      await introduce(visitor, standing)
      const before = await local().received()
      const [dear, cheap] = [await visitor.payFor(calls.track), await visitor.payFor(calls.search)]
      for (const [one, other] of [
        [dear, cheap],
        [cheap, dear],
        [dear, ""],
        [dear, "e30="],
        ["null", dear]
      ] as const) {
        const textOf = (header: Payment | string) => (typeof header === "string" ? header : headerOf(header))
        const headers = { "payment-signature": textOf(one), "x-payment": textOf(other) }
        expectRefused(await visitor.send(calls.track, headers), "invalid_payload")
      }
      expect([workDone(server.goods), (await local().received()) - before]).toEqual([0, 0n])
      // The same payment in both is one payment.
      const both = { "payment-signature": headerOf(dear), "x-payment": headerOf(dear) }
      expect((await visitor.send(calls.track, both)).status).toBe(200)
      expect((await visitor.send(calls.track, { "x-payment": headerOf(dear) })).status).toBe(200)
      expect([workDone(server.goods), (await local().received()) - before]).toEqual([1, 520_000n])
    }
  }
})

/** A payment with the fields of both versions, which contradict each other. */
const mixed = (payment: Payment, x402Version: 1 | 2): object => ({
  ...payment,
  x402Version,
  scheme: "exact",
  network: x402Version === 1 ? "base-sepolia" : "base",
  maxAmountRequired: "1",
  payTo: "0x000000000000000000000000000000000000dEaD",
  ...(x402Version === 1 ? { accepted: { ...payment.accepted, network: "eip155:8453", amount: "1" } } : {})
})

attack("fields of both versions mixed in one payment", {
  on: midMigration,
  lands: async () => {
    // A facilitator for many networks settles a version-1 payment on the network named at its top level.
    const settledOn: Array<unknown> = []
    const facilitator = fakeFacilitator()
    facilitator.settle.returns(
      (document: { x402Version: number; network?: string; accepted: Requirements }) => {
        settledOn.push(document.x402Version === 1 ? document.network : document.accepted.network)
        return { success: true, transaction: `0x${"ab".repeat(32)}` }
      }
    )
    const visitor = visit(openMidMigration(facilitator))
    const payment = await visitor.payFor(calls.track)
    const onTestnet = { ...payment, x402Version: 1, scheme: "exact", network: "avalanche-fuji" }
    expect((await visitor.present(calls.track, onTestnet)).status).toBe(200)
    expect(settledOn).toEqual(["avalanche-fuji"])
  },
  fails: async () => {
    const server = await openOnChain()
    const visitor = visit(server)
    const before = await local().received()
    const payment = await visitor.payFor(calls.track)
    const onTestnet = { ...payment, x402Version: 1, scheme: "exact", network: "avalanche-fuji" }
    expectRefused(await visitor.present(calls.track, onTestnet), "invalid_network")
    expect([workDone(server.goods), (await local().received()) - before]).toEqual([0, 0n])
    // Read by its version alone, each is a payment of the whole price, whatever other fields it has.
    for (const [index, version] of ([1, 2] as const).entries()) {
      const whole = mixed(await visitor.payFor(calls.track), version)
      const response = await visitor.present(calls.track, whole)
      expect([200, 402]).toContain(response.status)
      const paid = response.status === 200
      expect(workDone(server.goods)).toBe(paid ? index + 1 : index)
      expect((await local().received()) - before).toBe(520_000n * BigInt(workDone(server.goods)))
    }
  }
})

attack("one payment presented as both versions", {
  on: official,
  lands: async () => {
    const facilitator = fakeFacilitator()
    const server = openOfficial(facilitator)
    server.goods.tracker.track.delays(20)
    const visitor = visit(server)
    const payment = await visitor.payFor(calls.track)
    await Promise.all([
      visitor.present(calls.track, payment),
      visitor.present(calls.track, { ...payment, x402Version: 1 })
    ])
    expect([server.goods.tracker.track.calls.length, facilitator.settled.length]).toEqual([2, 1])
  },
  fails: async () => {
    for (const standing of standings) {
      const server = await openOnChain()
      const visitor = visit(server)
      await introduce(visitor, standing)
      const before = await local().received()
      const payment = await visitor.payFor(calls.track)
      const legacy = { x402Version: 1, scheme: "exact", network: "base-sepolia", payload: payment.payload }
      const responses = await Promise.all(
        Array.from({ length: 10 }, (_, copy) =>
          visitor.send(
            calls.track,
            copy % 2 === 0 ? { "payment-signature": headerOf(payment) } : { "x-payment": headerOf(legacy) }
          )
        )
      )
      // The same authorization and signature in both: one payment, one response.
      expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
      expect([workDone(server.goods), (await local().received()) - before]).toEqual([1, 520_000n])
    }
  }
})
