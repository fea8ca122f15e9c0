import { Effect, Layer, ManagedRuntime, Schema } from "effect"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { Operation, Till } from "../../src/effect.ts"
import { operation, type TillOptions } from "../../src/index.ts"
import { memory } from "../../src/stores/memory.ts"
import { fakes, settings } from "../till/hosted.ts"
import { type Call, challengeOf, expectFailed, jsonOf, openTill, readResponse } from "../toll/openTill.ts"
import { headerOf, otherPayer, payChallenge, type PayOptions } from "../toll/wallet.ts"

/*
 * A function of the host computes the price of each request: how often strangers can have it called.
 */

const quote = (text: string): Call => ({ path: `/quote?text=${text}` })
const [first, second] = ["192.0.2.1", "192.0.2.2"]

/** A till with such a route, and the inputs that its function was called with. */
const priced = async (options: Partial<TillOptions> = {}, settlement?: "before-work") => {
  const calls: Array<string> = []
  let failing = 0
  const route = operation({
    id: "quote",
    method: "GET",
    path: "/quote",
    description: "Counts letters",
    input: Schema.toStandardSchemaV1(Schema.Struct({ text: Schema.String })),
    price: {
      min: "0.01",
      max: "1.00",
      of: ({ text }) => {
        calls.push(text)
        return (text.length / 100).toFixed(2)
      }
    },
    ...(settlement === undefined ? {} : { settlement }),
    work: ({ text }) => {
      if (failing-- > 0) throw new Error("no letters")
      return { letters: text.length }
    }
  })
  const shop = await openTill({ operations: [route], ...options })
  /** Requests a price once, and signs any number of payments of it. */
  const signerOf = async (call: Call) => {
    const challenge = await shop.challenge(call)
    return async (how: PayOptions = {}): Promise<string> => headerOf(await payChallenge(challenge, how))
  }
  const failNext = (): void => {
    failing = 1
  }
  return { ...shop, calls, signerOf, failNext }
}

const twoPerMinute = { quotesPerClientPerMinute: 2 }

describe("a computed price", () => {
  it("is computed for unpaid requests within the budget of quotes of their client", async () => {
    const { calls, send } = await priced({ limits: { quotesPerClientPerMinute: 2 } })
    expect((await send(quote("a"), {}, first)).status).toBe(402)
    expect((await send(quote("b"), { "payment-signature": "e30=" }, first)).status).toBe(402)
    const over = await send(quote("c"), {}, first)
    expectFailed(over, 429, "RATE_LIMITED")
    expect(Number(over.headers.get("retry-after"))).toBeGreaterThan(0)
    expect((await send(quote("d"), {}, second)).status).toBe(402)
    expect(calls).toEqual(["a", "b", "d"])
  })

  it("is computed for a payment, whatever unpaid requests have used up", async () => {
    const { payFor, present, send } = await priced({ limits: { quotesPerMinute: 1 } })
    const payment = await payFor(quote("abc"))
    expectFailed(await send(quote("d"), {}, first), 429, "RATE_LIMITED")
    expect(jsonOf(await present(quote("abc"), payment, first))).toEqual({ letters: 3 })
  })

  it("is computed for worthless payments within a budget of their client", async () => {
    const { calls, payFor, present } = await priced({ limits: { quotesPerClientPerMinute: 2 } })
    const [good, bad] = [await payFor(quote("abc")), await payFor(quote("a"), { account: otherPayer })]
    calls.length = 0
    for (const text of ["ab", "abc"]) expect((await present(quote(text), bad, first)).status).toBe(402)
    expectFailed(await present(quote("abcd"), bad, first), 429, "RATE_LIMITED")
    expect(calls).toEqual(["ab", "abc"])
    expect((await present(quote("abc"), good, second)).status).toBe(200)
  })

  it("is computed within that budget while payments can't be verified", async () => {
    const { calls, facilitator, present, signerOf } = await priced({ limits: twoPerMinute })
    const sign = await signerOf(quote("abc"))
    calls.length = 0
    facilitator.verify.failsWith(new Error("down"))
    for (let payment = 0; payment < 2; payment++)
      expectFailed(await present(quote("abc"), await sign(), first), 503, "FACILITATOR_UNAVAILABLE")
    const over = await present(quote("abc"), await sign(), first)
    expectFailed(over, 429, "RATE_LIMITED")
    expect(over.text).toContain("Nothing was charged")
    expect(calls).toHaveLength(2)
  })

  it("is computed for any number of payments that are accepted", async () => {
    const { present, signerOf } = await priced({ limits: twoPerMinute })
    const sign = await signerOf(quote("abc"))
    for (let paid = 0; paid < 6; paid++) {
      const account = privateKeyToAccount(generatePrivateKey())
      expect((await present(quote("abc"), await sign({ account }), first)).status).toBe(200)
    }
  })

  it("is computed for copies of a payment that is accepted, and counts for none of them", async () => {
    const { facilitator, present, signerOf } = await priced({ limits: { quotesPerClientPerMinute: 3 } })
    const sign = await signerOf(quote("abc"))
    facilitator.delays(20)
    for (const payment of [await sign(), await sign()]) {
      const copies = [1, 2, 3].map(() => present(quote("abc"), payment, first))
      expect((await Promise.all(copies)).map(({ status }) => status)).toEqual([200, 200, 200])
    }
    const newcomer = await sign({ account: otherPayer })
    expect((await present(quote("abc"), newcomer, first)).status).toBe(200)
  })

  it("is computed for payers who have paid, whatever strangers at their address used up", async () => {
    const { calls, present, signerOf } = await priced({ limits: twoPerMinute })
    const sign = await signerOf(quote("abc"))
    expect((await present(quote("abc"), await sign())).status).toBe(200)
    const worthless = await sign({ account: otherPayer })
    for (const text of ["a", "ab"]) expect((await present(quote(text), worthless)).status).toBe(402)
    expectFailed(await present(quote("a"), worthless), 429, "RATE_LIMITED")
    for (let paid = 0; paid < 4; paid++) expect((await present(quote("abc"), await sign())).status).toBe(200)
    // Their own worthless payments have a budget, too.
    const mine = await sign()
    calls.length = 0
    for (const text of ["a", "ab"]) expect((await present(quote(text), mine)).status).toBe(402)
    expectFailed(await present(quote("a"), mine), 429, "RATE_LIMITED")
    expect(calls).toEqual(["a", "ab"])
  })

  it("is not computed to refuse a payment that was used, which uses up nothing of the others", async () => {
    const { calls, present, signerOf } = await priced({ limits: { quotesPerClientPerMinute: 4 } })
    const sign = await signerOf(quote("abc"))
    const used = await sign()
    expect((await present(quote("abc"), used, second)).status).toBe(200)
    for (let copy = 0; copy < 4; copy++) expect((await present(quote("a"), used, first)).status).toBe(402)
    calls.length = 0
    const newcomer = await sign({ account: otherPayer })
    expect((await present(quote("abc"), newcomer, first)).status).toBe(200)
    expect(calls).toEqual(["abc"])
  })

  it("is never computed for a replay where settlement comes first", async () => {
    const { calls, payFor, present } = await priced({}, "before-work")
    const payment = await payFor(quote("abc"))
    calls.length = 0
    for (let copy = 0; copy < 5; copy++) expect((await present(quote("abc"), payment)).status).toBe(200)
    expect(calls).toEqual(["abc"])
  })

  it("is computed again for work that settled first and failed", async () => {
    const { calls, failNext, payFor, present } = await priced({}, "before-work")
    const payment = await payFor(quote("abc"))
    calls.length = 0
    failNext()
    expect((await present(quote("abc"), payment)).status).toBeGreaterThanOrEqual(500)
    expect((await present(quote("abc"), payment)).status).toBe(200)
    expect(calls).toEqual(["abc", "abc"])
  })

  it("is computed once for a payment, refused or not, and never for a replay", async () => {
    const { calls, payFor, present } = await priced()
    const payment = await payFor(quote("abc"))
    calls.length = 0
    expect((await present(quote("abcd"), payment)).status).toBe(402)
    expect(calls).toEqual(["abcd"])
    expect((await present(quote("abc"), payment)).status).toBe(200)
    expect((await present(quote("abc"), payment)).status).toBe(200)
    expect(calls).toEqual(["abcd", "abc"])
  })

  it("is shown as the lowest to a GET without input, and can't be paid so", async () => {
    const { calls, payFor, present, send } = await priced()
    const unpaid = await send({ path: "/quote" })
    expect([unpaid.status, challengeOf(unpaid).accepts[0]?.amount]).toEqual([402, "10000"])
    expect(challengeOf(unpaid).error).toContain("indicative")
    const probe = { path: "/quote" }
    expectFailed(await present(probe, await payFor(probe)), 400, "VALIDATION_ERROR")
    expectFailed(await send({ path: "/quote?txt=a" }), 400, "VALIDATION_ERROR")
    expect(calls).toEqual([])
  })

  it("counts as the exposure of its payer", async () => {
    let working = 0
    const gate = Promise.withResolvers<void>()
    const entered = Promise.withResolvers<void>()
    const route = operation({
      id: "quote",
      method: "GET",
      path: "/quote",
      description: "Counts letters",
      input: Schema.toStandardSchemaV1(Schema.Struct({ text: Schema.String })),
      price: { min: "0.01", max: "1.00", of: ({ text }) => (text.length / 100).toFixed(2) },
      work: async () => {
        working += 1
        if (working === 2) entered.resolve()
        await gate.promise
        return {}
      }
    })
    const { payFor, present } = await openTill({
      operations: [route],
      limits: { exposurePerPayer: "0.10" }
    })
    const call = (letters: number) => quote("a".repeat(letters))
    const [four, six, one] = [await payFor(call(4)), await payFor(call(6)), await payFor(call(1))]
    const running = [present(call(4), four), present(call(6), six)]
    await entered.promise
    // 0.04 + 0.06 is all of it. The lowest price would leave room for the third, the highest none for the second.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    const limited = present(call(1), one)
    await vi.advanceTimersByTimeAsync(11_000)
    expect((await limited).status).toBe(429)
    vi.useRealTimers()
    gate.resolve()
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200])
    expect((await present(call(1), one)).status).toBe(200)
  })
})

describe("an operation made with Effect", () => {
  const served = async (work: (input: { readonly text: string }) => Effect.Effect<string>) => {
    const { chainLayer, facilitator, facilitatorLayer } = fakes()
    const Quote = Operation.make({
      id: "quote",
      method: "GET",
      path: "/quote",
      description: "Counts letters",
      input: Schema.Struct({ text: Schema.String }),
      output: Schema.String,
      price: { min: "0.01", max: "1.00", of: ({ text }) => (text.length / 100).toFixed(2) },
      work
    })
    const runtime = ManagedRuntime.make(
      Till.layer({ ...settings, upstreamTimeoutMillis: 500 }, [Quote]).pipe(
        Layer.provide([chainLayer, facilitatorLayer, memory()])
      )
    )
    onTestFinished(() => runtime.dispose())
    const send = async ({ path }: Call, headers: Record<string, string> = {}) => {
      const request = new Request(settings.baseUrl + path, { headers })
      return readResponse(await runtime.runPromise(Till.use(({ fetch }) => fetch(request))))
    }
    return { facilitator, send }
  }

  it("shows the lowest of a computed price to a GET without input", async () => {
    const { send } = await served(() => Effect.succeed(""))
    const unpaid = await send({ path: "/quote" })
    expect([unpaid.status, challengeOf(unpaid).accepts[0]?.amount]).toEqual([402, "10000"])
    expectFailed(await send({ path: "/quote?txt=a" }), 400, "VALIDATION_ERROR")
  })

  it("charges nothing for work that misses its deadline, and interrupts it", async () => {
    let interrupted = false
    const { facilitator, send } = await served(() =>
      Effect.onInterrupt(Effect.never, () =>
        Effect.sync(() => {
          interrupted = true
        })
      )
    )
    const challenge = challengeOf(await send(quote("abc")))
    const payment = headerOf(await payChallenge(challenge, {}))
    expectFailed(await send(quote("abc"), { "payment-signature": payment }), 503, "OPERATION_TIMEOUT")
    expect([interrupted, facilitator.settle.calls.length]).toEqual([true, 0])
  })
})
