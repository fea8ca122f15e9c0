import { inspect } from "node:util"
import { Duration, Effect, Layer, Redacted } from "effect"
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { ConfigurationError, memory, StoreError, Till } from "@till402/core"
import type { TillEvent, TillOptions } from "@till402/core"
import { sqlite } from "@till402/core/sqlite"
import { fakeAssistant, fakeFacilitator, fakeFulfilment, fakeTracker, fakeVaultFiles } from "@till402/testing"
import { keyDigest } from "../../../src/runtime/Secrets.ts"
import { openTill, track } from "../../toll/openTill.ts"
import { configured } from "../configured.ts"

const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
const secret = "a text that nobody can guess, of 32 characters or more"

/** Tokens of the network base, and what is wrong with each. */
const wrongTokens: ReadonlyArray<readonly [string, unknown, RegExp]> = [
  [
    "that is an address",
    payTo,
    /token of base must be an object such as \{ address: "0x…", name: "USD Coin"/
  ],
  ["without an address", { name: "Dollar", version: "1" }, /token\.address of base must be an EVM address/],
  [
    "with a wrong checksum",
    { address: payTo.replace("B", "b"), name: "Dollar", version: "1" },
    /token\.address of base has a wrong checksum/
  ],
  [
    "without a name",
    { address: payTo, name: "", version: "1" },
    /token\.name of base must be text, as in its EIP-712 domain/
  ],
  [
    "whose name is too long to be one",
    { address: payTo, name: "D".repeat(101), version: "1" },
    /token\.name of base must be text/
  ],
  [
    "with a number for its version",
    { address: payTo, name: "Dollar", version: 1 },
    /token\.version of base must be text/
  ]
]

const options = (): TillOptions => ({
  baseUrl: "https://shop.example/api",
  payTo,
  networks: ["base-sepolia"],
  facilitator: fakeFacilitator(),
  secret,
  storage: memory(),
  tracker: fakeTracker(),
  onEvent: () => undefined
})

/** Options of a host without types. */
const written = (change: Record<string, unknown>): TillOptions => ({ ...options(), ...change }) as TillOptions

const faultOf = (given: TillOptions): string => {
  try {
    void Till.make(given).dispose()
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError)
    return (error as Error).message
  }
  return "none"
}

const made = (given: TillOptions) => {
  const till = Till.make(given)
  onTestFinished(() => till.dispose())
  return till
}

describe("A till", () => {
  it("doesn't start with an assistant that may cost what a call earns", async () => {
    const costing = (maxCostUsd: number) => ({ assistant: { ...fakeAssistant(), maxCostUsd } })
    const message =
      "one reply may cost $0.1, and a call of shop costs $0.10. Set maxCostUsd of the assistant below"
    await expect(openTill(costing(0.1))).rejects.toThrow(message)
    await expect(openTill({ ...costing(0.05), prices: { shop: "0.05" } })).rejects.toThrow("prices.shop")
    await openTill(costing(0.099))
  })
})

describe("Till.make refuses", () => {
  const faults: ReadonlyArray<readonly [string, Record<string, unknown>, RegExp]> = [
    [
      "payTo with a wrong checksum",
      { payTo: payTo.replace("B", "b") },
      /payTo has a wrong checksum: .*Copy it again/
    ],
    ["payTo that is no address", { payTo: "0x12" }, /payTo must be/],
    [
      "payTo of zeros, where money is lost",
      { payTo: `0x${"0".repeat(40)}` },
      /payTo must be .*zero address, and money sent there is lost/
    ],
    ["no payTo", { payTo: undefined }, /payTo must be/],
    ["a network's own payTo", { networks: [{ network: "base", payTo: "0x1" }] }, /payTo of base must be/],
    ["an unknown network", { networks: ["base-sepolia", "dogechain"] }, /unknown network "dogechain"/],
    [
      "a node as a network",
      { networks: ["base-sepolia", "https://node.shop/v2/KEY"] },
      /^(?!.*KEY).*networks has an address as a network: give a name, or an object such as/s
    ],
    [
      "a node as an entry's network",
      { networks: ["base-sepolia", { network: "wss://node.shop/v2/KEY" }] },
      /^(?!.*KEY).*networks has an address as a network/s
    ],
    ["a network by its chain id alone", { networks: ["84532"] }, /unknown network "84532"/],
    ["no network", { networks: [] }, /at least one network/],
    [
      "baseUrl with the /x402 that is added",
      { baseUrl: "https://shop.example/x402/" },
      /baseUrl must not end in \/x402: leave it out/
    ],
    [
      "two secrets with one id, which it names",
      {
        secret: [
          { id: "1", secret },
          { id: "1", secret: `${secret}2` }
        ]
      },
      /ids of secrets must differ: "1" is given twice/
    ],
    [
      "an address with a wrong checksum",
      { payTo: payTo.replace("Bc6", "bC6") },
      /payTo has a wrong checksum: "0x209693bC6/
    ],
    ["one origin without a list", { cors: "https://a.example" }, /a list of origins such as \["https/],
    ["a margin in percent", { margin: "2.5%" }, /basis points \(2\.5 % is 250\)/],
    ["networks that are not a list", { networks: "base" }, /at least one network/],
    ["a network twice", { networks: ["base", "eip155:8453"] }, /eip155:8453 is given twice/],
    [
      "no network of version 1",
      { networks: ["eip155:42161", "eip155:1"] },
      /at least one network must be on the version-1 list/
    ],
    ["a price of zero", { prices: { search: "0" } }, /prices.search must be a decimal text above zero/],
    ["a price of 0.000000", { prices: { shop: "0.000000" } }, /prices.shop must be/],
    ["a negative price", { prices: { shop: "-1" } }, /prices.shop must be/],
    ["a price that is a number", { prices: { track: 0.52 } }, /prices.track must be .* got 0.52/],
    [
      "a limit on refunds of zero",
      { refunds: { perPayerPerHour: "0.00" } },
      /refunds.perPayerPerHour must be/
    ],
    [
      "a limit on refunds that is a number",
      { refunds: { perPayerPerHour: 100 } },
      /perPayerPerHour must be .* got 100/
    ],
    ["a price of an unknown operation", { prices: { tracking: "0.01" } }, /prices has no tracking/],
    ["no secret", { secret: undefined }, /secret must be given/],
    ["no keys", { secret: [] }, /secret must be given/],
    ["a short secret", { secret: "hunter2" }, /must have at least 32 characters/],
    [
      "a short older key",
      {
        secret: [
          { id: "2", secret },
          { id: "1", secret: "short" }
        ]
      },
      /secret "1" must/
    ],
    ["retired keys that are no list", { retiredKeys: "1" }, /retiredKeys must be a list of ids of keys/],
    [
      "a retired key that is still in use",
      { retiredKeys: ["0", "1"] },
      /retiredKeys: secret has "1", too: remove it from one of them/
    ],
    ["a key with an invalid id", { secret: [{ id: "last year", secret }] }, /id of a secret must be/],
    [
      "two keys of one id",
      {
        secret: [
          { id: "1", secret },
          { id: "1", secret }
        ]
      },
      /ids of secrets must differ/
    ],
    ["no port", { tracker: undefined }, /no port is configured/],
    [
      "an empty list of marketplaces alone",
      { tracker: undefined, marketplaces: {} },
      /no port is configured/
    ],
    ["baseUrl without scheme", { baseUrl: "shop.example" }, /baseUrl must be/],
    ["baseUrl of another scheme", { baseUrl: "ftp://shop.example" }, /baseUrl must be/],
    ["baseUrl with a query", { baseUrl: "https://shop.example/?a=1" }, /baseUrl must be/],
    ["baseUrl with a fragment", { baseUrl: "https://shop.example/#a" }, /baseUrl must be/],
    ["baseUrl with a user", { baseUrl: "https://ada@shop.example" }, /baseUrl must be/],
    ["no baseUrl", { baseUrl: undefined }, /baseUrl must be/],
    ["no facilitator", { facilitator: undefined }, /facilitator must be given/],
    ["a facilitator elsewhere than http", { facilitator: { url: "shop" } }, /facilitator.url must be/],
    [
      "an rpcUrl elsewhere than http",
      { networks: [{ network: "base", rpcUrl: "ws://x" }] },
      /rpcUrl of base/
    ],
    ...wrongTokens.map(
      ([given, token, message]) =>
        [
          `a token ${given}`,
          { networks: [{ network: "base", rpcUrl: "https://rpc.example", token }] },
          message
        ] as const
    ),
    [
      "a token without an rpcUrl",
      { networks: [{ network: "base", token: { address: payTo, name: "Dollar", version: "1" } }] },
      /rpcUrl of base must be given: the token of base is checked against the chain/
    ],
    ["a time too short to pay in", { maxTimeoutSeconds: 5 }, /maxTimeoutSeconds must be .* from 30 to 600/],
    ["a time that is no number", { upstreamTimeoutMillis: Number.NaN }, /upstreamTimeoutMillis must be/],
    ["a time longer than a lease", { upstreamTimeoutMillis: 60_000 }, /upstreamTimeoutMillis must be/],
    [
      "a marketplace whose host is an address",
      { fulfilment: { ...fakeFulfilment(), generalMarketplace: { hosts: ["https://amazon.com"] } } },
      /fulfilment.generalMarketplace must be an object with hosts/
    ],
    ["a document below /x402", { openapiPath: "/x402/openapi.json" }, /openapiPath must be/],
    ["a document without a path", { discoveryPath: "x402" }, /discoveryPath must be/]
  ]
  it.each(faults)("%s", (_, change, message) => {
    expect(faultOf(written(change))).toMatch(message)
  })

  const provable: ReadonlyArray<readonly [string, Record<string, unknown>]> = [
    ["buy", { fulfilment: fakeFulfilment() }],
    ["vault/buy", { vault: fakeVaultFiles() }]
  ]
  it.each(provable)("%s without an RPC URL to prove a settlement", (_, port) => {
    expect(faultOf(written(port))).toMatch(/network base-sepolia has no rpcUrl/)
    expect(faultOf(written({ ...port, trustFacilitator: false }))).toMatch(/has no rpcUrl/)
    expect(faultOf(written({ ...port, trustFacilitator: true }))).toBe("none")
    const readable = [{ network: "base-sepolia", rpcUrl: "http://127.0.0.1:1" }]
    expect(faultOf(written({ ...port, networks: readable }))).toBe("none")
  })

  it("lists every fault at once, each on its own line", () => {
    const message = faultOf(
      written({
        baseUrl: "",
        payTo: "",
        networks: ["x"],
        prices: { search: "0" },
        secret: "",
        tracker: undefined
      })
    )
    expect(message.split("\n").filter((line) => line.startsWith("- "))).toHaveLength(6)
    for (const name of ["baseUrl", "payTo", "unknown network", "prices.search", "secret", "no port"])
      expect(message).toContain(name)
  })

  it("takes secrets that are wrapped, by the same keys, and shows none of them", () => {
    const settings = {
      baseUrl: "https://shop.example/api",
      payTo,
      networks: ["base-sepolia"],
      secret
    } as const
    const rpcUrl = "https://base.example/v2/a-key-of-the-node"
    const plain = configured({ ...settings, networks: [{ network: "base-sepolia", rpcUrl }] })
    const wrapped = configured({
      ...settings,
      networks: [{ network: "base-sepolia", rpcUrl: Redacted.make(rpcUrl) }],
      secret: Redacted.make(secret)
    })
    expect(wrapped.networks).toEqual(plain.networks)
    expect(wrapped.secret.map(keyDigest)).toEqual(plain.secret.map(keyDigest))
    expect(inspect(wrapped.secret)).not.toContain(secret)
    const older = configured({ ...settings, secret: [{ id: "1", secret: Redacted.make(secret) }] })
    expect(older.secret.map(keyDigest)).toEqual(plain.secret.map(keyDigest))
    expect(faultOf(written({ secret: Redacted.make("hunter2") }))).toMatch(/secret must have at least 32/)
    expect(faultOf(written({ secret: Redacted.make("hunter2") }))).not.toContain("hunter2")
    expect(faultOf(written({ secret: Redacted.make("") }))).toMatch(/secret must be given/)
    // What another copy of Effect has wrapped looks like this one.
    const foreign = Redacted.make(secret)
    Redacted.wipeUnsafe(foreign)
    const why = "It is wrapped by another copy of effect: give its text"
    expect(faultOf(written({ secret: foreign }))).toContain(why)
    expect(faultOf(written({ secret: [{ id: "1", secret: foreign }] }))).toContain(why)
    expect(faultOf(written({ networks: [{ network: "base", rpcUrl: foreign }] }))).toContain(why)
  })

  it("takes durations as milliseconds, text or a Duration, within the same bounds", () => {
    const settings = {
      baseUrl: "https://shop.example/api",
      payTo,
      networks: ["base-sepolia"],
      secret
    } as const
    for (const upstreamTimeoutMillis of [5_000, "5 seconds", Duration.seconds(5)] as const)
      expect(configured({ ...settings, upstreamTimeoutMillis }).upstreamTimeoutMillis).toBe(5_000)
    const facilitator = { url: "https://facilitator.example", verifyTimeoutMillis: "2 seconds" } as const
    expect(faultOf(written({ facilitator }))).toBe("none")
    for (const wrong of ["5 hours", "5", "soon", Duration.infinity, -1, {}])
      expect(faultOf(written({ upstreamTimeoutMillis: wrong }))).toMatch(
        /upstreamTimeoutMillis must be a whole number of milliseconds from/
      )
  })

  it("never repeats a secret", () => {
    expect(faultOf(written({ secret: "canary-canary" }))).not.toContain("canary")
    expect(faultOf(written({ retiredKeys: [`canary-${secret}`] }))).not.toContain("canary")
    for (const key of [
      { id: "a", secret: "canary-canary" },
      { id: "canary, in the place of an id" },
      { id: `${secret} canary`, secret: "short" }
    ])
      expect(faultOf(written({ secret: [key, key] }))).not.toContain("canary")
  })
})

describe("Till.make accepts", () => {
  const fine: ReadonlyArray<readonly [string, Record<string, unknown>]> = [
    ["an address in lower case, which has no checksum", { payTo: payTo.toLowerCase() }],
    ["several networks, one of them on the version-1 list", { networks: ["eip155:1", "base"] }],
    ["baseUrl with a slash at its end", { baseUrl: "https://shop.example/api/" }],
    ["baseUrl with a port", { baseUrl: "http://127.0.0.1:8080" }],
    ["a price of one atomic unit", { prices: { search: "0.000001" } }],
    ["no documents", { openapiPath: false, discoveryPath: false }],
    [
      "a list of keys",
      {
        secret: [
          { id: "2026", secret },
          { id: "2025", secret }
        ]
      }
    ]
  ]
  it.each(fine)("%s", async (_, change) => {
    const till = made(written(change))
    await till.ready
    const response = await till.fetch(new Request("https://shop.example/x402/track"))
    expect(response.status).toBe(402)
    const body = (await response.json()) as { accepts: ReadonlyArray<{ payTo: string; resource: string }> }
    expect(body.accepts.map((option) => option.payTo)).toContain(payTo)
    for (const { resource } of body.accepts) expect(resource).toMatch(/[^/]\/x402\/track$/)
  })
})

describe("storage that can't be opened", () => {
  const rejections: Array<unknown> = []
  const keep = (reason: unknown): void => {
    rejections.push(reason)
  }
  beforeEach(() => {
    rejections.length = 0
    process.on("unhandledRejection", keep)
  })
  afterEach(() => {
    process.off("unhandledRejection", keep)
  })

  const failing: ReadonlyArray<readonly [string, TillOptions["storage"], RegExp]> = [
    ["a folder that is not there", sqlite({ filename: "/nowhere/till.sqlite" }), /folder \/nowhere does not/],
    ["a file that is a folder", sqlite({ filename: "/tmp" }), /\/tmp can't be opened: it is a folder/],
    ["no name", sqlite({ filename: "" }), /filename must not be empty/],
    [
      "an error of the store",
      Layer.effectContext(
        Effect.fail(new StoreError({ operation: "migrate", cause: new Error("disk is full") }))
      ),
      /could not start: .*disk is full/
    ],
    ["a defect", Layer.effectContext(Effect.die(new Error("broken"))), /could not start: broken/]
  ]
  it.each(failing)(
    "%s: ready rejects, fetch returns 503, the process keeps running",
    async (_, storage, message) => {
      const events: Array<TillEvent> = []
      const onEvent = (event: TillEvent): void => void events.push(event)
      const till = made({ ...options(), storage, onEvent })
      for (const request of [
        new Request("https://shop.example/api/x402/track"),
        new Request("https://shop.example/api/x402/track?number=12345", { headers: { "x-payment": "e30=" } })
      ]) {
        const response = await till.fetch(request)
        expect(response.status).toBe(503)
        expect(await response.json()).toMatchObject({ code: "STORAGE_UNAVAILABLE" })
        expect(response.headers.get("retry-after")).toBe("10")
      }
      // `ready` has no handler yet: its rejection must not end the process.
      await new Promise((resolve) => {
        setTimeout(resolve, 20)
      })
      expect(rejections).toEqual([])
      await expect(till.ready).rejects.toThrow(message)
      expect(events).toEqual([
        { level: "error", code: "till_not_started", message: expect.stringMatching(message) }
      ])
      await till.dispose()
      await till.dispose()
    }
  )
})

describe("a till that is disposed", () => {
  it("serves no call any more, not even a 402", async () => {
    const till = made(options())
    await till.ready
    const request = () => new Request("https://shop.example/api/x402/track")
    expect((await till.fetch(request())).status).toBe(402)
    await till.dispose()
    const response = await till.fetch(request())
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({
      code: "STORAGE_UNAVAILABLE",
      message: expect.stringContaining("stopped")
    })
  })

  it("completes and settles a paid call first", async () => {
    const shop = await openTill()
    shop.tracker.track.delays(100)
    const running = shop.present(track, await shop.payFor(track))
    await vi.waitFor(() => expect(shop.tracker.track.calls).toHaveLength(1))
    await shop.till.dispose()
    expect(shop.facilitator.settled).toHaveLength(1)
    expect((await running).status).toBe(200)
  })
})
