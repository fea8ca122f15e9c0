import { type Chain, type LocalFacilitator, startChain, startFacilitator } from "@till402/sandbox"
import {
  ChainRpc,
  Facilitator,
  memory,
  Operation,
  Till,
  type TillEvent,
  type TillSettings
} from "@till402/core/effect"
import { Clock, Effect, Fiber, Layer, Logger, Schema } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { createServer } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest"
import { type Challenged, headerOf, payChallenge } from "../../packages/core/test/toll/wallet.ts"
import { eventLogger } from "../../packages/core/src/runtime/events.ts"

/*
 * A facilitator that reports settlements and moves no money, over real sockets and on a real chain. The minutes until that
 * is certain pass by the till's clock service, which the blocks of the chain follow.
 */

let chain: Chain
let official: LocalFacilitator
beforeAll(async () => {
  chain = await startChain({ blockSeconds: 0 })
  official = await startFacilitator({ chain })
})
afterAll(async () => {
  await official.stop()
  await chain.stop()
})

type Settle = LocalFacilitator["client"]["settle"]

/** Serves the official facilitator, with a `settle` of its own. Returns its address. */
const serve = async (settle: Settle): Promise<string> => {
  const { getSupported, verify } = official.client
  const server = createServer((request, response) => {
    const respond = async () => {
      const chunks: Array<Buffer> = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const { paymentPayload, paymentRequirements } = JSON.parse(Buffer.concat(chunks).toString() || "{}")
      if (request.url === "/supported") return getSupported()
      return request.url === "/verify"
        ? verify(paymentPayload, paymentRequirements)
        : settle(paymentPayload, paymentRequirements)
    }
    // Its clock is the machine's, and the till's is ahead.
    response.sendDate = false
    respond().then(
      (body) => response.end(JSON.stringify(body)),
      (error: unknown) => response.writeHead(500).end(String(error))
    )
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const sold = (id: string, proof?: "chain") =>
  Operation.make({
    id,
    method: "GET",
    path: `/${id}`,
    description: "Weather, now",
    price: "0.02",
    output: Schema.Struct({ celsius: Schema.Finite }),
    ...(proof === undefined ? {} : { proof }),
    work: () => Effect.succeed({ celsius: 21 })
  })

const payTo = privateKeyToAccount(generatePrivateKey()).address

const settings = (): TillSettings => ({
  baseUrl: "https://shop.example",
  payTo,
  networks: [{ network: "base-sepolia", rpcUrl: chain.rpcUrl }],
  secret: generatePrivateKey()
})

const realPause = (millis: number) =>
  Effect.promise(() => new Promise((resolve) => setTimeout(resolve, millis)))

/** Requests to the chain that have no response yet. */
let open = 0
const countedFetch: typeof fetch = async (...request) => {
  open++
  try {
    return await fetch(...request)
  } finally {
    open--
  }
}

/** Waits until the chain is no longer read: a step of the clock would end the deadlines of reads. */
const idle = Effect.gen(function* () {
  for (let tries = 0, quiet = 0; tries < 1_000 && quiet < 4; tries++) {
    yield* realPause(20)
    quiet = open === 0 ? quiet + 1 : 0
  }
})

/** Moves the till's clock, and the chain's after it. */
const pass = Effect.fnUntraced(function* (seconds: number) {
  yield* TestClock.adjust(seconds * 1000)
  const nowSeconds = BigInt(Math.floor((yield* Clock.currentTimeMillis) / 1000))
  yield* Effect.promise(async () => {
    const { timestamp } = await chain.client.getBlock()
    if (nowSeconds > timestamp) await chain.client.setNextBlockTimestamp({ timestamp: nowSeconds })
    await chain.client.mine({ blocks: 1 })
  })
  yield* idle
})

/** Waits for a response: at first without the clock, which deadlines of its calls follow. */
const responseOf = Effect.fnUntraced(function* (path: string, headers: Record<string, string> = {}) {
  const { fetch } = yield* Till
  const request = new Request(`https://shop.example${path}`, { headers })
  const fiber = yield* Effect.forkChild(fetch(request))
  for (let tries = 0; tries < 3_000 && fiber.pollUnsafe() === undefined; tries++)
    yield* tries < 20 ? realPause(50) : pass(1)
  return yield* Fiber.join(fiber)
})

const challengeOf = Effect.fnUntraced(function* (path: string) {
  const { headers } = yield* responseOf(path)
  const text = Buffer.from(headers.get("payment-required") ?? "", "base64").toString("utf8")
  return JSON.parse(text) as Challenged
})

/** Pays a route from a wallet of its own. */
const pay = Effect.fnUntraced(function* (path: string) {
  const challenge = yield* challengeOf(path)
  const account = privateKeyToAccount(generatePrivateKey())
  yield* Effect.promise(() => chain.mint(account.address, 1_000_000n))
  const nowSeconds = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  // The official facilitator judges it by the machine's clock.
  const payment = yield* Effect.promise(() =>
    payChallenge(challenge, { account, nowSeconds, authorization: { validAfter: "0" } })
  )
  const response = yield* responseOf(path, { "payment-signature": headerOf(payment) })
  return { status: response.status, text: yield* Effect.promise(() => response.text()) }
})

const received = Effect.promise(() => chain.balanceOf(payTo))

/** Runs a test on a till with these facilitators. */
const onTill = (
  facilitators: ReadonlyArray<{ readonly name: string; readonly url: string }>,
  test: (codes: () => ReadonlyArray<string>) => Effect.Effect<void, unknown, Till>
) => {
  const seen = new Set(["receipt_false", "facilitator_withheld", "network_not_supported", "chain_withdrawn"])
  const events: Array<TillEvent> = []
  const codes = () =>
    events
      .filter(({ code }) => seen.has(code))
      .map(({ code, facilitator }) => (facilitator === undefined ? code : `${code} ${facilitator}`))
  const shop = settings()
  const till = Till.layer(shop, [sold("cheap"), sold("proven", "chain")]).pipe(
    Layer.provide([Facilitator.layerSeveral(facilitators), ChainRpc.layer(shop), memory()]),
    Layer.provide(FetchHttpClient.layer),
    Layer.provide(Layer.succeed(FetchHttpClient.Fetch, countedFetch))
  )
  // The chain may be ahead of the machine's clock by an earlier test.
  const start = Effect.flatMap(
    Effect.promise(() => chain.client.getBlock()),
    ({ timestamp }) => TestClock.setTime(Math.max(Date.now(), Number(timestamp) * 1000))
  )
  return Effect.andThen(start, Effect.provide(test(codes), till)).pipe(
    Effect.provide([TestClock.layer(), Logger.layer([eventLogger((event) => events.push(event))])]),
    Effect.runPromise
  )
}

const lying: Settle = async () => ({ success: true, transaction: `0x${"ab".repeat(32)}` })

it("what needs the chain's proof is refused, and a false receipt ends the sales through it", async () => {
  const [liar, honest] = [await serve(lying), await serve(official.client.settle)]
  await onTill(
    [
      { name: "liar", url: liar },
      { name: "honest", url: honest }
    ],
    (codes) =>
      Effect.gen(function* () {
        // A facilitator's response is enough for two cents; where the chain must show it, nothing is served.
        expect((yield* pay("/cheap")).status).toBe(200)
        const proven = yield* pay("/proven")
        expect([proven.status, JSON.parse(proven.text).code]).toEqual([503, "SETTLEMENT_PENDING"])
        expect(proven.text).not.toContain("celsius")
        expect([yield* received, codes()]).toEqual([0n, []])

        for (let half = 0; half < 400 && codes().length < 2; half++) yield* pass(30)
        expect(codes()).toEqual(["receipt_false liar", "facilitator_withheld liar"])

        // The network goes on through the other one.
        expect((yield* challengeOf("/cheap")).accepts).toHaveLength(1)
        expect((yield* pay("/cheap")).status).toBe(200)
        expect((yield* pay("/proven")).status).toBe(200)
        expect(yield* received).toBe(40_000n)
      })
  )
})

it("an honest facilitator of the same network goes on", async () => {
  await onTill([{ name: "honest", url: await serve(official.client.settle) }], (codes) =>
    Effect.gen(function* () {
      const before = yield* received
      expect([(yield* pay("/cheap")).status, (yield* pay("/proven")).status]).toEqual([200, 200])
      for (let half = 0; half < 60; half++) yield* pass(30)
      expect(codes()).toEqual([])
      expect((yield* pay("/cheap")).status).toBe(200)
      expect((yield* received) - before).toBe(60_000n)
    })
  )
})
