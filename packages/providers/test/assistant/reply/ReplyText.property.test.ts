import type { Product } from "@till402/core"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readNumber } from "../../../src/assistant/reply/Numbers.ts"
import { checkReply } from "../../../src/assistant/reply/ReplyCheck.ts"
import { builtReply, trueText } from "../../../src/assistant/reply/ReplyText.ts"
import { context, faults } from "./replies.ts"

/*
 * Whatever a model writes, the reply states only what is true of the products.
 */

const names = [
  "Anker Soundcore Q45",
  "Sony WH-CH520",
  "Lumo Desk Lamp",
  "Nordwind Kettle 17",
  "Kestrel Tent 2P"
]
const cents = fc.integer({ min: 1, max: 500_000 })
const product = (name: string): fc.Arbitrary<Product> =>
  fc
    .record({
      price: fc.option(
        cents.map((amount) => amount / 100),
        { freq: 10 }
      ),
      rating: fc.option(
        fc.integer({ min: 10, max: 50 }).map((tenths) => tenths / 10),
        { freq: 10 }
      ),
      reviewCount: fc.option(fc.nat(90_000), { freq: 10 })
    })
    .map((facts) => ({
      ...facts,
      asin: `B0${name.replace(/\W/g, "").slice(0, 8).toUpperCase()}`,
      title: `${name}, Black`,
      currency: "USD",
      imageUrl: null,
      productUrl: null,
      source: "marketplace_a"
    }))
const products = fc
  .subarray(names, { minLength: 1 })
  .chain((chosen) => fc.tuple(...chosen.map(product)))
  .map((list): ReadonlyArray<Product> => list)

const formats: ReadonlyArray<(price: number) => string> = [
  (price) => `$${price.toFixed(2)}`,
  (price) => `$${price.toLocaleString("en-US", { minimumFractionDigits: 2 })}`,
  (price) => `US$ ${price.toFixed(2)}`,
  (price) => `USD ${price.toFixed(2)}`,
  (price) => `${price.toFixed(2)} dollars`,
  (price) => `${price.toLocaleString("de-DE", { minimumFractionDigits: 2 })} USD`,
  (price) => `${price.toLocaleString("fr-FR", { minimumFractionDigits: 2 })} $`,
  (price) => `${price.toLocaleString("de-CH", { minimumFractionDigits: 2 })} USD`
]
const format = fc.constantFrom(...formats)

describe("prices in any notation", () => {
  it("a product's own price is accepted", () => {
    fc.assert(
      fc.property(product("Lumo Desk Lamp"), cents, format, (lamp, amount, write) => {
        const price = amount / 100
        const sentence = `The Lumo Desk Lamp costs ${write(price)}.`
        return faults(sentence, { products: [{ ...lamp, price }], limits: [] }).length === 0
      })
    )
  })

  it("any other price is rejected", () => {
    fc.assert(
      fc.property(products, cents, format, fc.constantFrom(...names), (list, amount, write, name) => {
        const price = amount / 100
        const written = write(price)
        const meant = readNumber(written.replace(/[^\d.,' ]/g, "").trim())
        fc.pre(
          list.every((each) => each.price === null || (each.price !== price && !meant.includes(each.price)))
        )
        return faults(`The ${name} costs ${written}.`, { products: list, limits: [] }).length === 1
      })
    )
  })

  it("another product's price is rejected", () => {
    fc.assert(
      fc.property(product("Lumo Desk Lamp"), product("Nordwind Kettle 17"), format, (lamp, kettle, write) => {
        fc.pre(lamp.price !== null && kettle.price !== null && lamp.price !== kettle.price)
        const both = { products: [lamp, kettle], limits: [] }
        return (
          faults(`The Lumo Desk Lamp costs ${write(kettle.price ?? 0)}.`, both).length === 1 &&
          faults(`Both cost ${write(kettle.price ?? 0)}.`, both).length === 1
        )
      })
    )
  })
})

const piece = fc.oneof(
  fc.constantFrom(
    ...names,
    "The",
    "It",
    "Both",
    "costs",
    "is",
    "and",
    "only",
    "under",
    "over",
    "rated",
    "stars",
    "reviews",
    "dollars",
    "out of 5",
    "in stock",
    "free shipping",
    "cheapest",
    "not",
    ".",
    ",",
    "\n",
    "(",
    ")",
    "€",
    "50% off"
  ),
  cents.map((amount) => `$${amount / 100}`),
  fc.nat(5_000).map(String),
  fc.integer({ min: 10, max: 50 }).map((tenths) => `${tenths / 10} stars`),
  fc.string({ unit: "grapheme", maxLength: 6 })
)
const ramblings = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(" "))

/** Amounts with a dollar sign, read without the code under test. */
const dollarsIn = (text: string): ReadonlyArray<number> =>
  Array.from(text.matchAll(/\$\s?(\d+(?:\.\d+)?)/g), ([, digits]) => Number(digits))

describe("any text of a model", () => {
  it("has only prices of products left, and limits that all of them meet", () => {
    fc.assert(
      fc.property(products, ramblings, (list, text) => {
        const about = context({ products: list, limits: [], request: "anything" })
        const reply = trueText(text, about)
        const prices = list.flatMap(({ price }) => price ?? [])
        return dollarsIn(reply).every(
          (amount) =>
            prices.includes(amount) ||
            (prices.length === list.length &&
              (prices.every((price) => price <= amount) || prices.every((price) => price >= amount)))
        )
      }),
      { numRuns: 500 }
    )
  })

  it("claims no stock, shipping or discount, and passes the check a second time", () => {
    fc.assert(
      fc.property(products, ramblings, (list, text) => {
        const about = context({ products: list, limits: [], request: "anything" })
        const reply = trueText(text, about)
        return (
          !/in stock|free shipping|% off/.test(reply) &&
          trueText(reply, about) === reply &&
          checkReply(reply, about).every(({ fault }) => fault === undefined)
        )
      }),
      { numRuns: 500 }
    )
  })
})

describe("a reply made of the products", () => {
  it("is true and bounded for any titles", () => {
    fc.assert(
      fc.property(products, fc.array(ramblings, { minLength: 5, maxLength: 5 }), (list, titles) => {
        const about = context({
          products: list.map((each, index) => ({ ...each, title: `${titles[index] ?? ""} lamp` })),
          limits: [],
          request: "anything"
        })
        const reply = builtReply(about)
        const prices = list.flatMap(({ price }) => price ?? [])
        return (
          reply.length <= 2_000 &&
          dollarsIn(reply).every((amount) => prices.includes(amount)) &&
          !/in stock|free shipping/.test(reply)
        )
      }),
      { numRuns: 300 }
    )
  })
})

describe("the time of a check", () => {
  it.each([
    "$1 ",
    "1,",
    "[a](",
    "<a ",
    "百千",
    "www.",
    "wireless headphones ",
    "prices has has ",
    "twenty-",
    "x@"
  ])("is bounded for %s again and again", (text) => {
    const about = context({ secrets: ["the instructions of the model ".repeat(50)] })
    const startedAt = performance.now()
    trueText(text.repeat(5_000), about)
    expect(performance.now() - startedAt).toBeLessThan(2_000)
  })
})
