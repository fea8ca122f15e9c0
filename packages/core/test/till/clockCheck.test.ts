import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Clock, Duration, Effect, Layer, ManagedRuntime } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { describe, expect, it, onTestFinished } from "vitest"
import { fakeFacilitator, fakeTracker } from "../../../testing/src/index.ts"
import { Chain, Facilitator, StoreClock, Till, Track, Tracker } from "../../src/effect.ts"
import { findNetwork } from "../../src/domain/Network.ts"
import { type ClockReading, readClock } from "../../src/runtime/ClockReading.ts"
import { memory } from "../../src/stores/memory.ts"
import { clockCheckOf, judgeClock } from "../../src/till/clockCheck.ts"
import { readNodeClock } from "../../src/toll/evidence/NodeClock.ts"
import { baseUrl, track } from "../toll/openTill.ts"
import { type Challenged, headerOf, payChallenge } from "../toll/wallet.ts"
import { settings, testLogger } from "./hosted.ts"

/*
 * The till's clock beside those of facilitators and nodes: a host whose clock is wrong, and one whose clock is right
 * beside a facilitator or a node that isn't.
 */

const minutes = (count: number): number => count * 60_000
const nowMillis = Date.UTC(2026, 10, 28, 12)

/** What a host shows whose clock is ahead of the till's; the request took 40 ms. */
const reading = (host: string, aheadMillis: number, others: Partial<ClockReading> = {}): ClockReading => ({
  host,
  beforeMillis: nowMillis,
  afterMillis: nowMillis + 40,
  dateMillis: Math.floor((nowMillis + 20 + aheadMillis) / 1000) * 1000,
  ...others
})

const blockOnly = (host: string, aheadMillis: number) =>
  reading(host, 0, { dateMillis: undefined, blockMillis: nowMillis + aheadMillis })

const [facilitator, node, other] = ["facilitator.example", "rpc.node.test", "third.example.org"] as const

describe("the till's clock", () => {
  it.each<[string, ReadonlyArray<ClockReading>]>([
    ["two hosts show it 5 minutes behind", [reading(facilitator, minutes(5)), reading(node, minutes(5))]],
    ["two hosts show it an hour ahead", [reading(facilitator, -minutes(60)), reading(node, -minutes(60))]],
    ["they differ by some seconds", [reading(facilitator, minutes(5)), reading(node, minutes(5) - 4_000)]],
    ["one of them shows it by a block", [reading(facilitator, minutes(5)), blockOnly(node, minutes(5))]],
    [
      "a third one confirms it",
      [reading(facilitator, minutes(5)), reading(node, minutes(5)), reading(other, 0)]
    ],
    [
      "a third one is wrong otherwise",
      [reading(other, -minutes(9)), reading(facilitator, minutes(5)), reading(node, minutes(5))]
    ]
  ])("is wrong where %s", (_, readings) => {
    expect(judgeClock(readings).level).toBe("wrong")
  })

  it.each<[string, ReadonlyArray<ClockReading>]>([
    ["one host alone shows another time", [reading(facilitator, minutes(5))]],
    ["another host confirms the till's", [reading(facilitator, minutes(5)), reading(node, 300)]],
    [
      "two hosts of one domain agree",
      [reading("a.node.test", minutes(5)), reading("b.node.test", minutes(5))]
    ],
    ["they contradict each other", [reading(facilitator, minutes(5)), reading(node, -minutes(5))]],
    ["they agree on another second only", [reading(facilitator, minutes(5)), reading(node, minutes(5.5))]],
    ["they show less than a minute", [reading(facilitator, 50_000), reading(node, 50_000)]],
    [
      "as many confirm it as don't",
      [reading(facilitator, minutes(5)), reading(node, minutes(5)), reading("10.0.0.7", 0), reading(other, 0)]
    ]
  ])("is reported, and sells, where %s", (_, readings) => {
    expect(judgeClock(readings).level).toBe("far")
  })

  it.each<[string, ReadonlyArray<ClockReading>]>([
    ["it is a second off", [reading(facilitator, 900), reading(node, -900)]],
    ["it is less than 5 seconds off", [reading(facilitator, 4_900)]],
    ["two nodes lag", [blockOnly(facilitator, -minutes(30)), blockOnly(node, -minutes(30))]],
    ["a node that lags has the right time", [reading(node, 0, { blockMillis: nowMillis - minutes(30) })]],
    ["a chain's blocks are some seconds ahead", [blockOnly(node, 14_000)]],
    [
      "a host contradicts itself",
      [reading(node, -minutes(5), { blockMillis: nowMillis }), reading("b.node.test", minutes(5))]
    ],
    [
      "a slow response shows a time within its request",
      [reading(facilitator, 9_000, { afterMillis: nowMillis + 9_000 })]
    ],
    ["nothing is known", [reading(facilitator, 0, { dateMillis: undefined })]]
  ])("is taken for right where %s", (_, readings) => {
    expect(["near", "unknown"]).toContain(judgeClock(readings).level)
  })

  it("has a check that names hosts, difference and cure", () => {
    const wrong = judgeClock([reading(facilitator, minutes(5)), reading(node, minutes(5))])
    expect(clockCheckOf(wrong, "this server")).toEqual({
      name: "clock",
      status: "fail",
      problem:
        "The clock of this server is 300 s behind that of facilitator.example and rpc.node.test: nothing is sold until it is right",
      cure: "Synchronize the clock of this server (NTP); then sales continue by themselves"
    })
    expect(clockCheckOf(judgeClock([reading(node, -7_000)]), "the database")).toMatchObject({
      status: "warn",
      problem: "The clock of the database is 7 s ahead of that of rpc.node.test"
    })
    expect(clockCheckOf(judgeClock([reading(node, 0)]), "this server")).toEqual({
      name: "clock",
      status: "pass"
    })
  })
})

const listen = async (server: Server): Promise<number> => {
  // For 127.0.0.1 and for localhost, which are two hosts by their names.
  server.listen(0)
  await once(server, "listening")
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

describe("a host's time", () => {
  const read = (url: string) =>
    Effect.flatMap(HttpClient.HttpClient, (client) => readClock(client, HttpClientRequest.get(url))).pipe(
      Effect.provide(FetchHttpClient.layer),
      Effect.runPromise
    )
  const start = async (headers: Record<string, string>, status = 200) =>
    listen(createServer((_, response) => response.writeHead(status, headers).end("{}")))

  it("is its Date, whatever the status", async () => {
    const before = Date.now()
    for (const status of [200, 404, 503]) {
      const found = await read(`http://127.0.0.1:${await start({}, status)}/supported`)
      expect(found?.host).toBe("127.0.0.1")
      expect(found!.dateMillis! + 1_000).toBeGreaterThan(before - 1_000)
      expect(found!.afterMillis).toBeGreaterThanOrEqual(found!.beforeMillis)
    }
  })

  it("isn't that of a cache, nor a Date that is none", async () => {
    const fromCache = await read(`http://127.0.0.1:${await start({ age: "86400" })}`)
    expect(fromCache).toMatchObject({ dateMillis: undefined })
    const noDate = await read(`http://127.0.0.1:${await start({ date: "yesterday" })}`)
    expect(noDate).toMatchObject({ dateMillis: undefined })
    const fresh = await read(`http://127.0.0.1:${await start({ age: "0" })}`)
    expect(fresh?.dateMillis).toBeTypeOf("number")
  })

  it("is that of the host to which it redirects", async () => {
    const target = await start({ date: new Date(nowMillis).toUTCString() })
    const moved = await start({ location: `http://localhost:${target}/` }, 302)
    expect(await read(`http://127.0.0.1:${moved}`)).toMatchObject({
      host: "localhost",
      dateMillis: nowMillis
    })
  })

  it.each<[string, unknown]>([
    ["eip155:8453", { timestamp: `0x${(nowMillis / 1000).toString(16)}`, transactions: ["0x01"] }],
    [
      "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
      {
        context: { slot: 1 },
        value: { data: { program: "sysvar", parsed: { info: { unixTimestamp: nowMillis / 1000 } } } }
      }
    ]
  ])("has the time of the newest block of %s", async (caip2, result) => {
    const from = async (body: unknown) => {
      const server = createServer((_, response) => response.end(JSON.stringify(body)))
      const url = `http://127.0.0.1:${await listen(server)}`
      return Effect.flatMap(HttpClient.HttpClient, (client) => readNodeClock(client, caip2, url)).pipe(
        Effect.provide(FetchHttpClient.layer),
        Effect.runPromise
      )
    }
    const found = await from({ jsonrpc: "2.0", id: 1, result })
    expect(found).toMatchObject({ blockMillis: nowMillis, dateMillis: expect.any(Number) })
    // A node that refuses the call has a clock, too.
    const refused = await from({ jsonrpc: "2.0", id: 1, error: { code: -32_005, message: "too many" } })
    expect(refused).toMatchObject({ blockMillis: undefined, dateMillis: expect.any(Number) })
  })

  it("is unknown where nothing responds", async () => {
    const server = createServer()
    const port = await listen(server)
    server.close()
    server.closeAllConnections()
    expect(await read(`http://127.0.0.1:${port}`)).toBeUndefined()
  })
})

/** The clock of a host, which is off, and in which the pause between two looks is short. */
class HostClock implements Clock.Clock {
  skewMillis: number
  constructor(skewMillis: number) {
    this.skewMillis = skewMillis
  }
  currentTimeMillisUnsafe = (): number => Date.now() + this.skewMillis
  currentTimeMillis = Effect.sync(this.currentTimeMillisUnsafe)
  currentTimeNanosUnsafe = (): bigint => BigInt(this.currentTimeMillisUnsafe()) * 1_000_000n
  currentTimeNanos = Effect.sync(this.currentTimeNanosUnsafe)
  monotonicTimeNanosUnsafe = (): bigint => process.hrtime.bigint()
  monotonicTimeNanos = Effect.sync(this.monotonicTimeNanosUnsafe)
  sleep = (duration: Duration.Duration): Effect.Effect<void> =>
    Effect.callback((resume) => {
      const millis = Duration.toMillis(duration)
      const timer = setTimeout(() => resume(Effect.void), millis === 15_000 ? 10 : millis)
      return Effect.sync(() => clearTimeout(timer))
    })
}

/** What the world shows beside the true time. */
interface World {
  /** How far the clock of the facilitator's host is ahead; `undefined`: it sends no `Date`. */
  facilitatorMillis: number | undefined
  nodeMillis: number
  blockMillis: number
}

const hex = (value: number): string => `0x${value.toString(16)}`

const startServices = async (world: World) => {
  const fake = fakeFacilitator()
  const dateOf = (millis: number) => new Date(Date.now() + millis).toUTCString()
  const settling = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", async () => {
      const { facilitatorMillis } = world
      if (facilitatorMillis === undefined) response.sendDate = false
      else response.setHeader("date", dateOf(facilitatorMillis))
      response.setHeader("content-type", "application/json")
      if (request.url === "/supported") return response.end(JSON.stringify(await fake.getSupported()))
      const { paymentPayload, paymentRequirements } = JSON.parse(Buffer.concat(chunks).toString())
      const call = request.url === "/verify" ? fake.verify : fake.settle
      return response.end(JSON.stringify(await call(paymentPayload, paymentRequirements)))
    })
  })
  const reading = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { id, method } = JSON.parse(Buffer.concat(chunks).toString())
      response.setHeader("date", dateOf(world.nodeMillis))
      response.setHeader("content-type", "application/json")
      const block = {
        number: "0x3e8",
        hash: `0x${"1".repeat(64)}`,
        timestamp: hex(Math.floor((Date.now() + world.blockMillis) / 1000)),
        transactions: []
      }
      const results: Record<string, unknown> = {
        eth_chainId: hex(84_532),
        eth_getBlockByNumber: block,
        eth_getLogs: [],
        eth_getCode: "0x",
        // A balance.
        eth_call: `0x${"f".repeat(10).padStart(64, "0")}`
      }
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] }))
    })
  })
  const facilitatorUrl = `http://127.0.0.1:${await listen(settling)}`
  return { fake, facilitatorUrl, rpcUrl: `http://localhost:${await listen(reading)}` }
}

const startTill = async ({
  skewMillis = 0,
  databaseMillis,
  ...shown
}: Partial<World> & {
  readonly skewMillis?: number
  readonly databaseMillis?: number
} = {}) => {
  const world: World = { facilitatorMillis: 0, nodeMillis: 0, blockMillis: -2_000, ...shown }
  const { facilitatorUrl, fake, rpcUrl } = await startServices(world)
  const clock = new HostClock(skewMillis)
  const { events, layer: logger } = testLogger()
  const chain = Chain.layerRpc([{ ...findNetwork("base-sepolia")!, rpcUrl }])
  const database =
    databaseMillis === undefined
      ? Layer.empty
      : Layer.succeed(StoreClock, { nowMillis: Effect.sync(() => Date.now() + databaseMillis) })
  const runtime = ManagedRuntime.make(
    Till.layer(settings, [Track.layer]).pipe(
      Layer.provide([
        Tracker.layerPromise(fakeTracker()),
        Layer.merge(Facilitator.layerHttp({ url: facilitatorUrl }), chain).pipe(
          Layer.provide(FetchHttpClient.layer)
        ),
        memory()
      ]),
      Layer.provide(database),
      Layer.provideMerge([Layer.succeed(Clock.Clock, clock), logger])
    )
  )
  onTestFinished(() => runtime.dispose())
  const send = (headers: Record<string, string> = {}, method = "GET") =>
    runtime.runPromise(Till.use(({ fetch }) => fetch(new Request(baseUrl + track.path, { headers, method }))))
  const clockEvents = () => events.filter(({ code }) => code.startsWith("clock_"))
  return {
    world,
    clock,
    fake,
    send,
    clockEvents,
    checks: () => runtime.runPromise(Till.use(({ check }) => check)),
    /** Pays as a client whose clock is right. */
    pay: async () => {
      const challenge = await send()
      if (challenge.status !== 402) return challenge
      const encoded = challenge.headers.get("payment-required") ?? ""
      const offered = JSON.parse(Buffer.from(encoded, "base64").toString()) as Challenged
      return send({ "payment-signature": headerOf(await payChallenge(offered)) })
    },
    reported: async () => {
      // Starts the till.
      await send()
      await expect.poll(() => clockEvents().length, { timeout: 60_000 }).toBe(1)
    }
  }
}

const clockOf = (checks: ReadonlyArray<{ readonly name: string; readonly status: string }>) =>
  checks.filter(({ name }) => name === "clock").map(({ status }) => status)

describe("a till whose host's clock is 5 minutes off", () => {
  it.each([
    ["behind", -minutes(5)],
    ["ahead", minutes(5)]
  ])(
    "%s, as two hosts show, sells nothing, says both times, and goes on once it is right",
    async (_, skewMillis) => {
      const till = await startTill({ skewMillis })
      await till.reported()
      const [event] = till.clockEvents()
      expect(event).toMatchObject({ level: "error", code: "clock_refused" })
      expect(event?.message).toMatch(
        /this server is (?:299|300|301) s (?:behind|ahead of) .*127\.0\.0\.1 and localhost/
      )
      const offered = await till.send()
      expect(offered.status).toBe(503)
      expect(offered.headers.get("retry-after")).toBe("60")
      const { code, details, message } = (await offered.json()) as {
        readonly code: string
        readonly message: string
        readonly details: Record<"serverTime" | "actualTime", string>
      }
      expect(code).toBe("CLOCK_WRONG")
      expect(message).toContain(details.serverTime)
      expect(message).toContain(details.actualTime)
      expect(Math.abs(Date.parse(details.actualTime) - Date.now())).toBeLessThan(60_000)
      expect(clockOf(await till.checks())).toEqual(["fail"])

      till.clock.skewMillis = 0
      await expect.poll(async () => (await till.send()).status, { timeout: 60_000 }).toBe(402)
      expect((await till.pay()).status).toBe(200)
      expect(till.clockEvents()).toHaveLength(1)
      expect(clockOf(await till.checks())).toEqual(["pass"])
    }
  )

  it("refuses a payment that was signed before, and charges nothing", async () => {
    const till = await startTill()
    const headOf = async () => {
      const head = await till.send({}, "HEAD")
      return [head.status, await head.text()]
    }
    expect(await headOf()).toEqual([402, ""])
    const encoded = (await till.send()).headers.get("payment-required") ?? ""
    const offered = JSON.parse(Buffer.from(encoded, "base64").toString()) as Challenged
    const payment = { "payment-signature": headerOf(await payChallenge(offered)) }
    const paid = { "payment-signature": headerOf(await payChallenge(offered)) }
    expect((await till.send(paid)).status).toBe(200)
    till.clock.skewMillis = -minutes(5)
    await till.reported()
    const refused = await till.send(payment)
    expect([refused.status, await refused.json()]).toMatchObject([503, { code: "CLOCK_WRONG" }])
    expect(till.fake.settled).toHaveLength(1)
    expect(await headOf()).toEqual([503, ""])
    // What was paid before is replayed all the same.
    expect((await till.send(paid)).status).toBe(200)
  })

  it("as one host shows, is one event, and a refused payment's 402 has both times in its body", async () => {
    const till = await startTill({ skewMillis: -minutes(5), facilitatorMillis: undefined })
    await till.reported()
    expect(till.clockEvents()).toMatchObject([{ level: "warning", code: "clock_skewed" }])
    const unpaid = await till.send()
    expect(unpaid.status).toBe(402)
    const refused = await till.pay()
    expect(refused.status).toBe(402)
    const { error } = (await refused.json()) as { readonly error: string }
    const times = error.match(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g)!.map((time) => Date.parse(time))
    expect(error).toMatch(
      /_valid_after: .*The payment is valid from \S+Z to \S+Z, and the time here is \S+Z$/
    )
    expect(times[2]! - times[0]!).toBeLessThan(-minutes(3))
    expect(atob(refused.headers.get("payment-required")!)).not.toContain("the time here")
    expect(till.clockEvents()).toHaveLength(1)
    expect(clockOf(await till.checks())).toEqual(["warn"])
  })
})

describe("a till whose host's clock is right", () => {
  it("sells beside a facilitator whose Date is wrong, which is one event", async () => {
    const till = await startTill({ facilitatorMillis: minutes(5) })
    await till.reported()
    expect(till.clockEvents()).toMatchObject([{ level: "warning", code: "clock_skewed" }])
    expect(till.clockEvents()[0]?.message).toContain("that of 127.0.0.1. Synchronize")
    expect((await till.pay()).status).toBe(200)
    expect((await till.pay()).status).toBe(200)
    expect(till.clockEvents()).toHaveLength(1)
  })

  it("passes on that a facilitator refuses a payment as expired, with both times", async () => {
    const till = await startTill()
    till.fake.rejectsVerification("invalid_exact_evm_payload_authorization_valid_before")
    const refused = await till.pay()
    expect(refused.status).toBe(402)
    expect(((await refused.json()) as { readonly error: string }).error).toMatch(
      /^invalid_exact_evm_payload_authorization_valid_before: .* is valid from \S+Z to \S+Z, and the time here is \S+Z$/
    )
    till.fake.rejectsVerification("insufficient_funds")
    const poor = await till.pay()
    expect(((await poor.json()) as { readonly error: string }).error).not.toContain("the time here")
  })

  it("sells beside a node that lags, without a word of the clock", async () => {
    const till = await startTill({ blockMillis: -minutes(30) })
    expect((await till.pay()).status).toBe(200)
    expect(clockOf(await till.checks())).toEqual(["pass"])
    expect(till.clockEvents()).toEqual([])
  })
})

describe("a till on its database's clock", () => {
  it("compares that one: a database that is 5 minutes off sells nothing", async () => {
    const till = await startTill({ skewMillis: minutes(5), databaseMillis: minutes(5) })
    await till.reported()
    expect(till.clockEvents()[0]?.message).toMatch(/The clock of the database is (?:299|300|301) s ahead of/)
    expect((await till.send()).status).toBe(503)
  })

  it("doesn't mind that of its process", async () => {
    const till = await startTill({ skewMillis: -45_000, databaseMillis: 0 })
    expect((await till.pay()).status).toBe(200)
    const checks = await till.checks()
    expect(clockOf(checks)).toEqual(["pass"])
    expect(checks.find(({ name }) => name === "database clock")).toMatchObject({ status: "warn" })
  })
})
