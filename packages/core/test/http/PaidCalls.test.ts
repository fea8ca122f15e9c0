import { Effect, Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import { describe, expect, it } from "vitest"
import { PaidCalls } from "../../src/http/PaidCalls.ts"
import { toResponse } from "../../src/http/HttpMessage.ts"
import { openApiDocument } from "../../src/api/OpenApi.ts"
import { makeRouter } from "../../src/http/Router.ts"
import type { Price } from "../../src/operations/Operation.ts"
import { StatusPages } from "../../src/ports/StatusPages.ts"
import { Secrets } from "../../src/runtime/Secrets.ts"
import { decodePayment, type HeaderReading } from "../../src/toll/request/PaymentHeader.ts"
import { Toll } from "../../src/toll/Toll.ts"
import type { Outcome } from "../../src/toll/request/TollRequest.ts"
import { challengeOf, jsonOf, type ReceivedResponse, readResponse } from "../toll/openTill.ts"
import { headerOf, payChallenge } from "../toll/wallet.ts"
import { operationOf, settings } from "./sampleOperation.ts"

/*
 * Paid calls over a toll that refuses as a test scripts it: what the caller gets while a copy of the payment may buy.
 */

const path = "/x402/weather"

const refused = (code: string): Outcome => ({ _tag: "Refused", refusal: { code, message: "why" } })

interface Script {
  /** The toll's outcomes, in order; the last one stays. */
  readonly outcomes: ReadonlyArray<Outcome>
  /** Whether a copy of the payment is under way, at each look; the last one stays. */
  readonly copies?: ReadonlyArray<boolean>
  readonly price?: "Quoted" | "Fixed"
}

const at = <A>(list: ReadonlyArray<A>, index: number): A => list[Math.min(index, list.length - 1)]!

const noPages = { kindOf: () => undefined, kinds: () => [], nowMillis: () => 0 }

const open = async ({ copies = [false], outcomes, price = "Quoted" }: Script) => {
  let [attempts, looks, quotes] = [0, 0, 0]
  const indicative = { atomic: 10_000n, description: "Weather", extra: {} }
  const quoted: Price<unknown> = {
    _tag: "Quoted",
    quote: () => Effect.sync(() => ({ ...indicative, extra: { quoteId: `quote-${++quotes}` } })),
    currentQuote: () => Effect.die("the toll is scripted"),
    indicative,
    minAtomic: 1n,
    maxAtomic: 20_000n
  }
  const endpoint = HttpApiEndpoint.get("weather", path, { query: { city: Schema.String } })
  const operation = operationOf(endpoint, price === "Quoted" ? { price: quoted } : {})
  const match = makeRouter(settings, [operation], { operations: [] }, openApiDocument, noPages)(path)
  if (match?._tag !== "Operation") throw new Error("no operation")
  const paidCalls = await Effect.runPromise(
    PaidCalls.make(settings).pipe(
      Effect.provideService(
        Toll,
        Toll.of({
          pay: () => Effect.sync(() => at(outcomes, attempts++)),
          isUnderWay: () => Effect.sync(() => at(copies, looks++)),
          isKnownPayer: () => Effect.succeed(false),
          lossesUsedAt: () => 0
        })
      ),
      Effect.provide(StatusPages.layer(undefined)),
      Effect.provide(Secrets.layer([{ id: "k1", secret: "s".repeat(40) }]))
    )
  )
  const url = { pathname: path, search: "?city=oslo" }
  const call = async (header: HeaderReading): Promise<ReceivedResponse> => {
    const request = {
      method: "GET",
      url,
      header: () => null,
      toRequest: () => new Request("http://a.example")
    }
    const paid = {
      match,
      request,
      header,
      corsOrigin: null,
      clientAddress: () => undefined,
      handler: undefined
    }
    const handled = await Effect.runPromise(paidCalls.handle(paid))
    return readResponse(handled instanceof Response ? handled : toResponse(handled))
  }
  const unpaid = await call({ _tag: "None" })
  const payment = decodePayment(headerOf(await payChallenge(challengeOf(unpaid))))
  return { pay: () => call(payment), seen: () => ({ attempts, looks, quotes }) }
}

describe("a payment that is refused", () => {
  it("is presented again while a copy of it is under way, three times at most", async () => {
    const { pay, seen } = await open({ outcomes: [refused("quote_expired")], copies: [true] })
    const response = await pay()
    expect([response.status, jsonOf(response)["code"]]).toEqual([409, "PAYMENT_IN_PROGRESS"])
    expect(response.headers.get("payment-required")).toBeNull()
    expect(seen()).toMatchObject({ attempts: 3, looks: 3 })
  })

  it("gets the new price once no copy of it is under way", async () => {
    const { pay, seen } = await open({ outcomes: [refused("quote_expired")], copies: [true, false] })
    const response = await pay()
    expect([response.status, jsonOf(response)["error"]]).toEqual([402, "quote_expired: why"])
    expect(seen().attempts).toBe(2)
    // The last of the quotes: one for the unpaid request, one for each refusal.
    expect(challengeOf(response).accepts[0]!.extra).toMatchObject({ quoteId: "quote-3" })
  })

  it.each(["payment_already_used", "payment_refund_due"])(
    "for good, as %s, isn't presented again",
    async (code) => {
      const { pay, seen } = await open({ outcomes: [refused(code)], copies: [true] })
      const response = await pay()
      expect([response.status, jsonOf(response)["error"]]).toEqual([402, `${code}: why`])
      expect(seen()).toMatchObject({ attempts: 1, looks: 0 })
    }
  )

  it("at a fixed price isn't presented again: its 402 takes no time to make", async () => {
    const { pay, seen } = await open({
      outcomes: [refused("insufficient_funds")],
      copies: [true],
      price: "Fixed"
    })
    expect((await pay()).status).toBe(402)
    expect(seen()).toEqual({ attempts: 1, looks: 0, quotes: 0 })
  })

  it("and then accepted gets its response", async () => {
    const paid: Outcome = {
      _tag: "Paid",
      response: { status: 200, contentType: "application/json", body: { _tag: "Text", text: '{"sun":1}' } },
      receipt: {
        success: true,
        payer: "0x90f79bf6eb2c4f870365e785982e1f101e93b906",
        transaction: "0x1",
        network: "eip155:84532"
      }
    }
    const { pay, seen } = await open({ outcomes: [refused("quote_expired"), paid], copies: [true] })
    const response = await pay()
    expect([response.status, response.text]).toEqual([200, '{"sun":1}'])
    expect(response.headers.get("payment-response")).toBeTruthy()
    expect(seen().attempts).toBe(2)
  })
})
