import { Api, ApiError, PaymentRequired } from "@till402/core/effect"
import { payingFetch, type Sandbox, startSandbox } from "@till402/sandbox"
import { Effect, Layer, Result, Schema } from "effect"
import { FetchHttpClient } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { unzipSync } from "fflate"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

/*
 * A typed client, derived from the exported contract, calls a till through a socket. Its `fetch` is the official
 * version-2 client, which pays every 402 on a real chain.
 */

const shippingAddress = {
  name: "Ada Lovelace",
  line1: "12 Analytical Way",
  city: "San Francisco",
  state: "CA",
  postalCode: "94105",
  country: "US"
}
const email = "ada@example.com"
const walletAddress = "So11111111111111111111111111111111111111112"

const clientOver = (fetchImplementation: typeof fetch) =>
  HttpApiClient.make(Api, { baseUrl: sandbox.baseUrl }).pipe(
    Effect.provide(
      FetchHttpClient.layer.pipe(Layer.provide(Layer.succeed(FetchHttpClient.Fetch, fetchImplementation)))
    )
  )
type Client = Effect.Success<ReturnType<typeof clientOver>>

/** Runs calls with a client that pays from the sandbox's wallet, or from none. */
const run = <A, E>(
  call: (client: Client) => Effect.Effect<A, E>,
  fetchImplementation = payingFetch(sandbox.wallets[0]!.privateKey)
): Promise<A> => Effect.runPromise(Effect.flatMap(clientOver(fetchImplementation), call))

/** The error with which a call fails. */
const errorOf = async <A, E>(
  call: (client: Client) => Effect.Effect<A, E>,
  fetchImplementation?: typeof fetch
): Promise<E> => {
  const result = await run((client) => Effect.result(call(client)), fetchImplementation)
  if (Result.isSuccess(result)) throw new Error("The call did not fail.")
  return result.failure
}

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ storage: "memory", onEvent: () => undefined })
})
afterAll(() => sandbox.stop())

const balances = async () => ({
  payer: await sandbox.chain.balanceOf(sandbox.wallets[0]!.address),
  payee: await sandbox.chain.balanceOf(sandbox.payTo)
})

describe("a client made from Api", () => {
  it("pays all seven routes and gets their decoded responses", async () => {
    const before = await balances()
    const { archive, bought, order, reply, shelf, tracked } = await run(
      Effect.fnUntraced(function* (client) {
        const found = yield* client.search({ query: { q: "noise cancelling headphones", page: 1 } })
        const { asin, productUrl, source } = found.products[0]!
        expect(found.page).toBe(1)
        expect(source satisfies "marketplace_a" | "marketplace_b").toMatch(/^marketplace_/)
        const reply = yield* client.shop({ payload: { message: "a quiet keyboard" } })
        const order = yield* client.buy({
          payload: { asin, productUrl: productUrl!, email, shippingAddress }
        })
        const tracked = yield* client.track({ query: { number: "TILL-DELIVERED" } })
        const shelf = yield* client.vaultSearch({ query: { limit: 2 } })
        const { slug } = shelf.items[0]!
        const bought = yield* client.vaultBuy({ payload: { slug, walletAddress, email } })
        const { downloadToken, purchaseId } = bought
        const archive = yield* client.vaultDownload({ params: { purchaseId }, query: { downloadToken } })
        return { archive, bought, order, reply, shelf, tracked }
      })
    )
    expect(reply.products[0]?.title).toBeTypeOf("string")
    expect(order).toMatchObject({ status: "processing", totalPrice: { currency: "USD" } })
    expect(tracked).toMatchObject({ number: "TILL-DELIVERED", status: "Delivered", delivered: true })
    expect(shelf.items).toHaveLength(2)
    expect(bought.item.slug).toBe(shelf.items[0]!.slug)
    expect(Object.keys(unzipSync(archive)).length).toBeGreaterThan(0)

    const after = await balances()
    const total = BigInt(order.totalPrice.amount.replace(".", "")) * 10_000n
    const fixed = 10_000n + 100_000n + 520_000n + 10_000n + 10_000n
    const spent = fixed + total + BigInt(bought.item.price) * 1_000_000n
    expect(before.payer - after.payer).toBe(spent)
    expect(after.payee - before.payee).toBe(spent)
  })

  it("fails an unpaid call with a PaymentRequired", async () => {
    const error = await errorOf((client) => client.search({ query: { q: "lamp", page: 1 } }), fetch)
    if (!Schema.is(PaymentRequired)(error)) throw error
    expect(error.accepts).toMatchObject([{ maxAmountRequired: "10000", network: "base-sepolia" }])
  })

  it("fails with an ApiError if the till refuses an input, without a charge", async () => {
    const before = await balances()
    const codeOf = async <A, E>(
      call: (client: Client) => Effect.Effect<A, E>,
      base?: typeof fetch
    ): Promise<string> => {
      const error = await errorOf(call, payingFetch(sandbox.wallets[0]!.privateKey, 1_000, base))
      if (!Schema.is(ApiError)(error)) throw error
      return error.code
    }
    const unknown = { slug: "no-such-item", walletAddress, email }
    expect(await codeOf((client) => client.vaultBuy({ payload: unknown }))).toBe("ITEM_NOT_FOUND")
    const download = {
      params: { purchaseId: "7d0c5b1a-92b4-4b43-8a3e-1f0f5a3f6b11" },
      query: { downloadToken: "no token" }
    }
    expect(await codeOf((client) => client.vaultDownload(download))).toBe("PURCHASE_NOT_FOUND")
    // As sent by a client with looser schemas.
    const oversized: typeof fetch = (input, init) => {
      const request = new Request(input, init)
      return fetch(new Request(request.url.replace("limit=2", "limit=1000"), request))
    }
    expect(await codeOf((client) => client.vaultSearch({ query: { limit: 2 } }), oversized)).toBe(
      "VALIDATION_ERROR"
    )
    expect(await balances()).toEqual(before)
  })

  it("sends no request if its schema refuses the input", async () => {
    let requests = 0
    const counting: typeof fetch = (input, init) => {
      requests++
      return fetch(input, init)
    }
    const address = { ...shippingAddress, postalCode: "no postal code" }
    const payload = { asin: "B0ABCDEFGH", email, shippingAddress: address }
    const error = await errorOf((client) => client.buy({ payload }), counting)
    expect(Schema.isSchemaError(error)).toBe(true)
    expect(requests).toBe(0)
  })
})
