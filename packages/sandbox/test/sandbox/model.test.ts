import type { BuyResponse, ShopResponse } from "@till402/core"
import { languageModel } from "@till402/providers/assistant"
import { payingFetch, type Sandbox, startSandbox } from "@till402/sandbox"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  answerWith,
  type ChatRequest,
  scriptedModel,
  searchFor,
  toolResults
} from "../../../providers/test/assistant/scriptedModel.ts"
import { parseArguments } from "../../src/cli/Arguments.ts"

/*
 * Paid calls of `shop` over a model server.
 */

const model = scriptedModel()

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({
    storage: "memory",
    onEvent: () => undefined,
    assistant: languageModel({
      baseUrl: model.baseUrl(),
      model: "scripted",
      retries: 0,
      runDeadlineMillis: 1_500
    })
  })
})
afterAll(() => sandbox.stop())

const headers = { "content-type": "application/json" }
const wallet = () => sandbox.wallets[0]!
const post = (path: string, body: object) =>
  payingFetch(wallet().privateKey)(`${sandbox.baseUrl}${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body)
  })
const balance = () => sandbox.chain.balanceOf(wallet().address)

/** The first product that a search found. */
const firstFound = (request: ChatRequest) => {
  const [result] = toolResults(request) as ReadonlyArray<{
    readonly products: ReadonlyArray<{ readonly id: string; readonly title: string; readonly price: number }>
  }>
  return result!.products[0]!
}

describe("a paid call over a model", () => {
  it("costs ten cents, and its product can be bought", async () => {
    model.use((request, round) => {
      if (round === 0) return searchFor("wireless headphones")
      const { id, price, title } = firstFound(request)
      return answerWith(`The ${title} costs $${price}.`, id)
    })
    const before = await balance()
    const response = await post("/x402/shop", { message: "headphones under $60" })
    expect(response.status).toBe(200)
    const { products, reply }: ShopResponse = JSON.parse(await response.text())
    expect(products).toHaveLength(1)
    expect(reply).toContain(`$${products[0]?.price?.toFixed(2)}`)
    expect(products[0]?.price).toBeLessThan(60)
    expect(before - (await balance())).toBe(100_000n)

    const bought = await post("/x402/buy", {
      asin: products[0]?.asin,
      email: "ada@example.com",
      shippingAddress: {
        name: "Ada Lovelace",
        line1: "1 Main Street",
        city: "Austin",
        state: "TX",
        postalCode: "78701",
        country: "US"
      }
    })
    expect(bought.status).toBe(200)
    const { product }: BuyResponse = JSON.parse(await bought.text())
    expect(product.title).toBe(products[0]?.title)
  })

  it.each([
    ["503", "a model that hangs", { hang: true }],
    ["503", "a broken model", { status: 500 }],
    ["502", "a content filter", { text: "", finish: "content_filter" }],
    ["502", "answers that can't be read", { text: "{" }],
    ["502", "a wrong key", { status: 401 }],
    // The last, because the provider then keeps quiet.
    ["503", "a busy model", { status: 429, headers: { "retry-after": "5" } }]
  ] as const)("ends in a %s with nothing charged: %s", async (status, _, turn) => {
    model.use(() => turn)
    const before = await balance()
    const ask = () => post("/x402/shop", { message: "headphones" })
    let response = await ask()
    // On a busy machine, a call's deadline may pass before the model has answered as often as it is asked.
    for (let more = 4; more > 0 && String(response.status) !== status; more--) response = await ask()
    expect(String(response.status)).toBe(status)
    const { code, message }: { readonly code: string; readonly message: string } = JSON.parse(
      await response.text()
    )
    expect(code).toBe(status === "502" ? "ASSISTANT_ERROR" : "ASSISTANT_UNAVAILABLE")
    expect(message).toContain("Nothing was charged.")
    expect(await balance()).toBe(before)
  })
})

describe("the sandbox command with --model", () => {
  it("refuses what is no address", () => {
    expect(parseArguments(["--model", "qwen3"])).toMatchObject({ _tag: "Wrong" })
    expect(parseArguments(["--model", "http://127.0.0.1:1/v1"])).toMatchObject({
      options: { model: { baseUrl: "http://127.0.0.1:1/v1", name: "default" } }
    })
  })
})
