import { Effect, Layer, Schema } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { describe, expect, it } from "vitest"
import { Api, ApiError, PaymentRequired } from "@till402/core/effect"
import { type Challenged, headerOf, payChallenge } from "../../toll/wallet.ts"
import { baseUrl, buy, openTill, search, trackingNumber, vaultBuy } from "../../toll/openTill.ts"

type Shop = Awaited<ReturnType<typeof openTill>>

/** The typed client of the contract, over the till itself instead of a network. */
const clientOf = ({ till }: Shop, payment?: string) =>
  HttpApiClient.make(Api, {
    baseUrl,
    transformClient: (client) =>
      payment === undefined
        ? client
        : HttpClient.mapRequest(client, HttpClientRequest.setHeader("payment-signature", payment))
  }).pipe(
    Effect.provide(
      FetchHttpClient.layer.pipe(
        Layer.provide(
          Layer.succeed(FetchHttpClient.Fetch, (input, init) => till.fetch(new Request(input, init)))
        )
      )
    )
  )

type Client = Effect.Success<ReturnType<typeof clientOf>>
/** Calls, and gives what came back or what it failed with. */
const send = <A, E>(shop: Shop, call: (client: Client) => Effect.Effect<A, E>, payment?: string) =>
  Effect.runPromise(Effect.result(Effect.flatMap(clientOf(shop, payment), call)))

const isPaymentRequired = Schema.is(PaymentRequired)
const isApiError = Schema.is(ApiError)

describe("the typed client of Api", () => {
  it("gets a 402 as a PaymentRequired it can pay, and then a typed response", async () => {
    const shop = await openTill()
    const query = { q: "tote", page: 1 }
    const unpaid = await send(shop, (client) => client.search({ query }))
    expect(unpaid._tag === "Failure" && isPaymentRequired(unpaid.failure)).toBe(true)
    expect(unpaid).toMatchObject({
      failure: { x402Version: 1, accepts: [{ maxAmountRequired: "10000", network: "base-sepolia" }] }
    })
    const paid = await send(shop, (client) => client.search({ query }), await shop.payFor(search))
    expect(paid).toMatchObject({ _tag: "Success", success: { page: 1, totalResults: 5, hasMore: false } })
    expect(paid._tag === "Success" && paid.success.products[0]!.isExpedited).toBe(true)
  })

  it("pays from the body of the 402 alone, in version 1", async () => {
    const shop = await openTill()
    const unpaid = await send(shop, (client) => client.track({ query: { number: trackingNumber } }))
    if (unpaid._tag !== "Failure" || !isPaymentRequired(unpaid.failure)) throw new Error("no 402")
    const [option] = unpaid.failure.accepts
    const challenge: Challenged = {
      resource: { url: option!.resource },
      accepts: [
        {
          scheme: "exact",
          network: option!.network,
          amount: option!.maxAmountRequired,
          asset: option!.asset,
          payTo: option!.payTo,
          maxTimeoutSeconds: option!.maxTimeoutSeconds,
          extra: option!.extra as Record<string, string>
        }
      ]
    }
    const payment = headerOf(await payChallenge(challenge, { version: 1 }))
    const paid = await send(shop, (client) => client.track({ query: { number: trackingNumber } }), payment)
    expect(paid).toMatchObject({ success: { number: trackingNumber, status: "InTransit" } })
  })

  it("buys, and downloads what it bought", async () => {
    const shop = await openTill()
    const payload = vaultBuy.body as { slug: string; walletAddress: string; email: string }
    const bought = await send(shop, (client) => client.vaultBuy({ payload }), await shop.payFor(vaultBuy))
    if (bought._tag !== "Success") throw new Error("not bought")
    const { downloadToken, purchaseId } = bought.success
    const request = { params: { purchaseId }, query: { downloadToken } }
    const path = `/x402/vault/download/${purchaseId}?downloadToken=${downloadToken}`
    const archive = await send(shop, (client) => client.vaultDownload(request), await shop.payFor({ path }))
    expect(archive._tag === "Success" && archive.success.subarray(0, 2)).toEqual(new Uint8Array([0x50, 0x4b]))
  })

  it("gets every other failure as an ApiError", async () => {
    const shop = await openTill()
    shop.marketplace.search.failsOnceWith(new Error("reset by peer"))
    const payment = await shop.payFor(search)
    const failed = await send(shop, (client) => client.search({ query: { q: "tote", page: 1 } }), payment)
    expect(failed._tag === "Failure" && isApiError(failed.failure)).toBe(true)
    expect(failed).toMatchObject({ failure: { code: "MARKETPLACE_ERROR" } })
  })

  it("sends nothing that is not valid", async () => {
    const shop = await openTill()
    const payload = { ...(buy.body as object), email: "ada" } as never
    const refused = await send(shop, (client) => client.buy({ payload }))
    expect(refused._tag).toBe("Failure")
    expect(shop.fulfilment.quote.calls).toHaveLength(0)
  })
})
