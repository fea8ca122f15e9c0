import { fakeFacilitator } from "@till402/testing"
import { expect, vi } from "vitest"
import { attack } from "../src/attack.ts"
import { address, buyOf, type Call, searchFor, shopFor, vaultBuyOf } from "../src/Calls.ts"
import { expectRefused } from "../src/expectations.ts"
import { slowWork } from "../src/Goods.ts"
import { official, openOfficial } from "../src/Official.ts"
import { openOurs } from "../src/Ours.ts"
import { type Standing, standings } from "../src/Standing.ts"
import { visit } from "../src/Visitor.ts"
import { presentTogether, openHeld } from "./heldPayments.ts"

/** Both calls at once with one payment for the first: how many responses it bought on a naive server. */
const swapOnOfficial = async (paid: Call, swapped: Call) => {
  const facilitator = fakeFacilitator()
  const server = openOfficial(facilitator)
  slowWork(server.goods, 30)
  const visitor = visit(server)
  const payment = await visitor.payFor(paid)
  await presentTogether(visitor, payment, [paid, swapped])
  expect(facilitator.settled).toHaveLength(1)
  return server
}

/** The swapped call during and after the paid one: it gets nothing, nor does it harm the paid one. */
const swapOnOurs = async (paid: Call, swapped: Call, standing: Standing) => {
  const { claim, facilitator, letGo, server, visitor } = await openHeld(standing)
  const payment = await visitor.payFor(paid)
  const buying = await claim(paid, payment)
  expectRefused(await visitor.present(swapped, payment), "payment_already_used")
  letGo()
  const bought = await buying.response
  expect(bought.status).toBe(200)
  expectRefused(await visitor.present(swapped, payment), "payment_already_used")
  expect((await visitor.present(paid, payment)).text).toBe(bought.text)
  expect(facilitator.settle.calls).toHaveLength(1)
  return server
}

attack("query swapped under a payment", {
  on: official,
  lands: async () => {
    const { goods } = await swapOnOfficial(searchFor("tote"), searchFor("laptop"))
    expect(goods.marketplace.search.calls.map(([{ q }]) => q)).toEqual(["tote", "laptop"])
  },
  fails: async () => {
    for (const standing of standings) {
      const { goods } = await swapOnOurs(searchFor("tote"), searchFor("laptop"), standing)
      expect(goods.marketplace.search.calls.map(([{ q }]) => q)).toEqual(["tote"])
    }
  }
})

attack("body swapped under a payment", {
  on: official,
  lands: async () => {
    const { goods } = await swapOnOfficial(shopFor("a bag"), shopFor("a laptop"))
    expect(goods.assistant.reply.calls.map(([{ message }]) => message)).toEqual(["a bag", "a laptop"])
  },
  fails: async () => {
    for (const standing of standings) {
      const { goods } = await swapOnOurs(shopFor("a bag"), shopFor("a laptop"), standing)
      expect(goods.assistant.reply.calls.map(([{ message }]) => message)).toEqual(["a bag"])
    }
  }
})

const elsewhere = { ...address, line1: "2 Other Street", city: "Hoboken" }

attack("shipping address swapped under a payment", {
  on: official,
  lands: async () => {
    const facilitator = fakeFacilitator()
    const server = openOfficial(facilitator)
    const visitor = visit(server)
    const payment = await visitor.payFor(buyOf("B000000001"))
    // Quoted for one address, shipped to another: the price happens to be the same.
    expect((await visitor.present(buyOf("B000000001", elsewhere), payment)).status).toBe(200)
    expect(server.goods.fulfilment.place.calls[0]![0].shippingAddress.city).toBe("Hoboken")
  },
  fails: async () => {
    const facilitator = fakeFacilitator()
    const server = await openOurs(facilitator)
    const visitor = visit(server)
    const payment = await visitor.payFor(buyOf("B000000001"))
    // Not even where the other address has been quoted too, at the same price.
    await visitor.challenge(buyOf("B000000001", elsewhere))
    expectRefused(await visitor.present(buyOf("B000000001", elsewhere), payment), "quote_expired")
    expect(facilitator.settle.calls).toHaveLength(0)
    expect((await visitor.present(buyOf("B000000001"), payment)).status).toBe(200)
    expectRefused(await visitor.present(buyOf("B000000001", elsewhere), payment), "payment_already_used")
    await vi.waitFor(() => expect(server.goods.fulfilment.orders.size).toBe(1))
    expect(server.goods.fulfilment.place.calls.map(([{ shippingAddress }]) => shippingAddress.city)).toEqual([
      "Newark"
    ])
  }
})

attack("vault slug swapped under a payment", {
  on: official,
  lands: async () => {
    const facilitator = fakeFacilitator()
    const server = openOfficial(facilitator)
    const visitor = visit(server)
    const payment = await visitor.payFor(vaultBuyOf("launch-plan"))
    const swapped = [vaultBuyOf("launch-plan"), vaultBuyOf("press-kit")]
    await presentTogether(visitor, payment, swapped)
    expect(server.purchases.map(({ slug }) => slug)).toEqual(["launch-plan", "press-kit"])
    expect(facilitator.settled).toHaveLength(1)
  },
  fails: async () => {
    for (const standing of standings) {
      const { goods } = await swapOnOurs(vaultBuyOf("launch-plan"), vaultBuyOf("press-kit"), standing)
      await vi.waitFor(() => expect(goods.mailer.sent).toHaveLength(1))
      expect(goods.mailer.sent[0]!.subject).toContain("Vault item 1")
    }
    // A payment of another price buys nothing at all, first or not.
    const facilitator = fakeFacilitator()
    const visitor = visit(await openOurs(facilitator))
    const payment = await visitor.payFor(vaultBuyOf("launch-plan"))
    expectRefused(
      await visitor.present(vaultBuyOf("brand-voice"), payment),
      "invalid_exact_evm_payload_authorization_value_mismatch"
    )
    expect(facilitator.settle.calls).toHaveLength(0)
  }
})
