import type { Product } from "@till402/core"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { builtReply, checkDraft, keptText, replyText } from "../../../src/assistant/reply/ReplyText.ts"
import { context } from "./replies.ts"

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
  it("keeps no price, and the reply has only those of products", () => {
    fc.assert(
      fc.property(products, ramblings, (list, text) => {
        const about = context({ products: list, limits: [], request: "anything" })
        const prices = list.flatMap(({ price }) => price ?? [])
        return (
          !/[$€%]/.test(keptText(text, about)) &&
          dollarsIn(replyText(text, about)).every((amount) => prices.includes(amount))
        )
      }),
      { numRuns: 500 }
    )
  })

  it("claims no stock, shipping or discount, and passes the check a second time", () => {
    fc.assert(
      fc.property(products, ramblings, (list, text) => {
        const about = context({ products: list, limits: [], request: "anything" })
        const kept = keptText(text, about)
        return (
          !/stock|shipping|off|cheapest|costs|rated|stars|reviews|dollars/.test(kept) &&
          checkDraft(kept, about).every(({ fault }) => fault === undefined)
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
    "x@",
    "(1",
    "at $1",
    ", rated 4 by 1",
    "here are ",
    "a\n",
    "ab\n"
  ])("is bounded for %s again and again", (text) => {
    const about = context()
    // What takes exponential time ends by the time limit of the test.
    expect(replyText(text.repeat(5_000), about)).not.toBe("")
  })

  it("is that of 200 sentences at most, and of none without words", () => {
    expect(checkDraft("ab\n".repeat(1_500), context())).toHaveLength(200)
    expect(checkDraft(`${"a\n".repeat(2_000)}It is light.`, context())).toMatchObject([
      { text: "It is light.", fault: undefined }
    ])
  })
})
