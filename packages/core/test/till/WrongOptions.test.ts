import { describe, expect, it } from "vitest"
import { ConfigurationError, memory, Till } from "@till402/core"
import { fakeFacilitator, fakeFulfilment, fakeMarketplace, fakeTracker } from "@till402/core/testing"

const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
const secret = "a text that nobody can guess, of 32 characters or more"
/** Stands for a secret that a host gave in a wrong place. */
const canary = "canary-9f3c"

const right = {
  baseUrl: "https://shop.example/api",
  payTo,
  networks: ["base-sepolia"],
  facilitator: fakeFacilitator(),
  trustFacilitator: true,
  secret,
  storage: memory(),
  tracker: fakeTracker(),
  onEvent: () => undefined
}

/** Calls `Till.make` as a host without types may. */
const messageOf = (options: unknown): string => {
  try {
    void Reflect.apply(Till.make, undefined, [options]).dispose()
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError)
    return error instanceof Error ? error.message : ""
  }
  return "accepted"
}

const changed = (change: Record<string, unknown>): string =>
  messageOf({ ...right, ...change }).replace("Till402 can't start: ", "")

const method = async (): Promise<unknown> => undefined
const storages =
  "Give sqlite({ filename }) of @till402/core/sqlite, postgres({ url }) of @till402/core/postgres, memory() for tests, or storageFrom(stores)"
const generate = "Generate one with: openssl rand -base64 32"

type Case = readonly [given: string, change: Record<string, unknown>, message: string]

/** Never printed either. */
const privateKey = `0x${"9f3c".repeat(16)}`

const misspelled: ReadonlyArray<Case> = [
  ["vualt", { vualt: {} }, "there is no option vualt: did you mean vault?"],
  ["baseURL", { baseURL: "x" }, "there is no option baseURL: did you mean baseUrl?"],
  [
    "fulfillment",
    { fulfillment: fakeFulfilment() },
    "there is no option fulfillment: did you mean fulfilment?"
  ],
  ["webhooks", { webhooks: [] }, "there is no option webhooks; docs/options.md lists the options"],
  [
    "a limit at the top",
    { unsettledPerPayer: 3 },
    "there is no option unsettledPerPayer: did you mean limits.unsettledPerPayer?"
  ],
  ["rpcUrl at the top", { rpcUrl: canary }, "there is no option rpcUrl: did you mean networks[].rpcUrl?"],
  ["limits.unsetled", { limits: { unsetled: 3 } }, "limits has no unsetled: did you mean unsettled?"],
  ["prices.serach", { prices: { serach: "1" } }, "prices has no serach: did you mean search?"],
  [
    "prices.buy",
    { prices: { buy: "1" } },
    "prices has no buy; it has search, shop, track, vaultSearch, vaultDownload"
  ],
  [
    "refunds.perPayer",
    { refunds: { perPayer: "1" } },
    "refunds has no perPayer: did you mean perPayerPerHour?"
  ],
  [
    "settlement.tarck",
    { settlement: { tarck: "before-work" } },
    "settlement has no tarck: did you mean track?"
  ],
  [
    "settlement.buy",
    { settlement: { buy: "before-work" } },
    "settlement has no buy: it always delivers after settlement. Leave it out"
  ],
  [
    "rpcURL of a network",
    { networks: [{ network: "base", rpcURL: `https://${canary}` }] },
    "the entry of network base has no rpcURL: did you mean rpcUrl?"
  ],
  [
    "marketplaces.marketplaceA",
    { marketplaces: { marketplaceA: fakeMarketplace() } },
    "marketplaces has no marketplaceA: did you mean marketplace_a?"
  ],
  [
    "a marketplace for marketplaces",
    { marketplaces: { search: method } },
    "marketplaces has no search; it has marketplace_a, marketplace_b"
  ],
  [
    "facilitator.ulr",
    { facilitator: { ulr: "https://x.example", url: "https://x.example" } },
    "facilitator has no ulr: did you mean url?"
  ],
  ["a method of a port", { tracker: { trakc: method } }, "tracker has no trakc: did you mean track?"],
  [
    "an optional method of a port",
    { fulfilment: { quote: method, place: method, stauts: method } },
    "fulfilment has no stauts: did you mean status?"
  ],
  [
    "a mail template",
    { mailTemplates: { OrderConfirmd: () => "" } },
    "mailTemplates has no OrderConfirmd: did you mean OrderConfirmed?"
  ],
  [
    "a key's secret",
    { secret: [{ id: "1", secret, secrt: canary }] },
    "a key of secret has no secrt: did you mean secret?"
  ]
]

const missing: ReadonlyArray<Case> = [
  [
    "the secret",
    { secret: undefined },
    `secret must be given: it is not set. If it comes from an environment variable, that variable is missing. ${generate}`
  ],
  [
    'an empty secret, as of process.env.X ?? ""',
    { secret: "" },
    `secret must be given: it is empty. If it comes from an environment variable, that variable is missing. ${generate}`
  ],
  ["an empty list of keys", { secret: [] }, `secret must be given: the list is empty. ${generate}`],
  [
    "the secret of a key",
    { secret: [{ id: "2027", secret: undefined }] },
    `secret "2027" must have at least 32 characters: it is not set. ${generate}`
  ],
  ["the storage", { storage: undefined }, `storage must be a storage layer: it is not set. ${storages}`],
  [
    "the facilitator",
    { facilitator: undefined },
    "facilitator must be given as { url }, or as an object with verify and settle: it is not set"
  ],
  ["its address", { facilitator: {} }, "facilitator.url must be an http(s) URL: it is not set"],
  [
    "payTo",
    { payTo: undefined },
    "payTo must be an EVM address (0x and 40 hexadecimal digits), with a valid checksum or all in lower case: it is not set"
  ],
  [
    "a required method",
    { tracker: {} },
    "tracker has no method track: give tracker an object such as { track: async (…) => … }"
  ],
  [
    "settle of a facilitator",
    { facilitator: { verify: method } },
    "facilitator has no method settle: give facilitator an object such as { verify: async (…) => …, settle: async (…) => … }"
  ],
  [
    "signTypedData of a wallet",
    { refundWallet: { address: payTo } },
    "refundWallet has no method signTypedData: a LocalAccount of viem has one"
  ],
  [
    "the name of a network",
    { networks: [{ rpcUrl: canary }] },
    `networks has an entry without network: give a name, or an object such as { network: "base", rpcUrl }`
  ]
]

const portOf = (name: string, methods: string, example: string): string =>
  `${name} must be an object with ${methods}, such as { ${example} }`
const corsRule = `cors must be "*" for every origin (the default), a list of origins, or false for none`
const originRule = `cors must list origins such as "https://agents.example", without a path`

const ofAnotherKind: ReadonlyArray<Case> = [
  [
    "a function as tracker",
    { tracker: method },
    `${portOf("tracker", "track", "track: async (…) => …")}: got a function`
  ],
  [
    "a function as mailer",
    { mailer: method },
    `${portOf("mailer", "send", "send: async (…) => …")}: got a function`
  ],
  [
    "text as assistant",
    { assistant: "gpt" },
    `${portOf("assistant", "reply", "reply: async (…) => …")}: got "gpt"`
  ],
  ["null as vault", { vault: null }, `${portOf("vault", "open", "open: async (…) => …")}: got null`],
  [
    "a function as marketplace",
    { marketplaces: { marketplace_a: method } },
    `${portOf("marketplaces.marketplace_a", "search", "search: async (…) => …")}: got a function`
  ],
  [
    "a list of marketplaces",
    { marketplaces: [fakeMarketplace()] },
    "marketplaces must be an object with marketplace_a or marketplace_b: got a list"
  ],
  ["a method that is none", { tracker: { track: 5 } }, "tracker.track must be a function: got 5"],
  [
    "text as storage",
    { storage: "till.sqlite" },
    `storage must be a storage layer: it is text. For a file, give sqlite({ filename: "till.sqlite" }) of @till402/core/sqlite`
  ],
  [
    "a database's address as storage",
    { storage: `postgres://u:${canary}@h/db` },
    "storage must be a storage layer: it is the address of a database. Give postgres({ url }) of @till402/core/postgres"
  ],
  [
    "an uncalled function as storage",
    { storage: memory },
    "storage must be a storage layer: it is a function. Call it, and give what it returns"
  ],
  [
    "options as storage",
    { storage: { filename: "a" } },
    "storage must be a storage layer: it is an object of options. Give sqlite({ filename }) of @till402/core/sqlite"
  ],
  [
    "stores as storage",
    { storage: { charges: {} } },
    "storage must be a storage layer: it is an object of stores. Give storageFrom(stores) of @till402/core"
  ],
  ["true as cors", { cors: true }, `${corsRule}: got true`],
  ["text as cors", { cors: "https://a.example" }, `${corsRule}: got "https://a.example"`],
  ["an origin with a path", { cors: ["https://a.example/"] }, `${originRule}: got "https://a.example/"`],
  ["a wildcard in a list", { cors: ["*"] }, `${originRule}: got "*"`],
  [
    "text as onEvent",
    { onEvent: "console" },
    `onEvent must be a function such as (event) => console.log(event): got "console"`
  ],
  [
    "an object as onEvent",
    { onEvent: console },
    "onEvent must be a function such as (event) => console.log(event): got an object"
  ],
  [
    "text as onProviderError",
    { onProviderError: "console" },
    `onProviderError must be a function such as ({ error, port, operation }) => …: got "console"`
  ],
  [
    "an object as onOrderChange",
    { onOrderChange: {} },
    "onOrderChange must be a function such as ({ order, from }) => …: got an object"
  ],
  [
    "a header as clientAddress",
    { clientAddress: "x-real-ip" },
    `clientAddress must be a function such as (request) => request.headers.get("x-real-ip") ?? undefined: got "x-real-ip"`
  ],
  [
    "an address as facilitator",
    { facilitator: `https://${canary}` },
    "facilitator must be given as { url }, or as an object with verify and settle: it is text"
  ],
  [
    "headers that are no function",
    { facilitator: { url: "https://x.example", headers: { a: canary } } },
    "facilitator.headers must be a function that returns the headers of one call"
  ],
  [
    "a timeout in words",
    { facilitator: { url: "https://x.example", verifyTimeoutMillis: "5s" } },
    `facilitator.verifyTimeoutMillis must be a whole number of milliseconds from 1 to 20000 (20 seconds): got "5s"`
  ],
  [
    "a private key as payTo",
    { payTo: privateKey },
    "payTo must be an EVM address (0x and 40 hexadecimal digits), with a valid checksum or all in lower case: it looks like a private key"
  ],
  [
    "a private key as wallet",
    { refundWallet: `0x${canary}` },
    "refundWallet must be a LocalAccount of viem, or an object with address and signTypedData: it is text. Give privateKeyToAccount(key) of viem/accounts"
  ],
  [
    "text as networks",
    { networks: "base" },
    `networks must be a list of at least one network, e.g. base or base-sepolia: got "base"`
  ],
  [
    "text as trustFacilitator",
    { trustFacilitator: "false" },
    `trustFacilitator must be true or false: got "false"`
  ],
  [
    "text for a number",
    { limits: { unsettled: "64" } },
    `limits.unsettled must be a whole number of payments from 1 to 100000: got "64"`
  ],
  [
    "a number for dollars",
    { limits: { lossPerHour: 20 } },
    `limits.lossPerHour must be a decimal text in dollars, e.g. "20.00": got 20`
  ],
  [
    "a percentage as margin",
    { margin: "2.5%" },
    `margin must be basis points, a whole number from 0 to 10000, or a function: got "2.5%"`
  ],
  [
    "endless storage of personal data",
    { personalDataLifetimeMillis: Number.POSITIVE_INFINITY },
    "personalDataLifetimeMillis must be a whole number of milliseconds from 86400000 (1 day) to 315360000000 (3650 days): got Infinity"
  ],
  [
    "null as a path",
    { openapiPath: null },
    "openapiPath must be a path such as /openapi.json, outside /x402, or false: got null"
  ],
  [
    "a password in baseUrl",
    { baseUrl: `https://ada:${canary}@shop.example` },
    "baseUrl must be the public http(s) address of the mount, without query, fragment or user: it contains a user name"
  ],
  [
    "one key as secret",
    { secret: { id: "1", secret: canary } },
    `secret must be given: it must be text, or a list of { id, secret }. ${generate}`
  ],
  ["texts as keys", { secret: [canary] }, "secret must be text, or a list of objects { id, secret }"],
  [
    "text as settlement",
    { settlement: "before-work" },
    `settlement must be an object such as { shop: "before-work" }: got "before-work"`
  ],
  [
    "another time of settlement",
    { settlement: { shop: "before" } },
    `settlement.shop must be "after-work" or "before-work": got "before"`
  ],
  [
    "a public route without a slash",
    { publicRoutes: { hook: () => new Response() } },
    `publicRoutes: a path must be like /webhooks/orders, outside /x402: got "hook"`
  ],
  [
    "a public route that is none",
    { publicRoutes: { "/hook": "x" } },
    `publicRoutes["/hook"] must be a function of a request: got "x"`
  ],
  [
    "a template that is none",
    { mailTemplates: { OrderShipped: "Dear" } },
    `mailTemplates.OrderShipped must be a function: got "Dear"`
  ]
]

describe("a wrong configuration is refused, with what was given and what to give", () => {
  it("accepts the options that the cases change", () => {
    expect(messageOf(right)).toBe("accepted")
  })

  const expectRefusal = (change: Record<string, unknown>, message: string): void => {
    const refusal = changed(change)
    expect(refusal).toBe(message)
    expect(refusal).not.toContain(canary)
  }
  it.each(misspelled)("misspelled: %s", (_, change, message) => expectRefusal(change, message))
  it.each(missing)("missing: %s", (_, change, message) => expectRefusal(change, message))
  it.each(ofAnotherKind)("of another kind: %s", (_, change, message) => expectRefusal(change, message))

  it.each([
    [undefined, "none was given"],
    [null, "got null"],
    ["till.json", `got "till.json"`],
    [[], "got a list"],
    [() => right, "got a function"]
  ])("options that are no object: %s", (options, state) => {
    expect(messageOf(options)).toBe(
      `The options of Till.make must be an object: ${state}. See docs/options.md`
    )
  })

  it("lists faults of every level at once", () => {
    const message = changed({ vualt: {}, limits: { unsetled: 1 }, tracker: method, cors: true, storage: "x" })
    expect(message.split("\n").filter((line) => line.startsWith("- "))).toHaveLength(5)
  })
})

describe("a port may have members of its own", () => {
  it("as an object", () => {
    expect(changed({ tracker: { track: method, carriers: [], lastCall: undefined } })).toBe("accepted")
  })

  it("as an instance of a class", () => {
    class Tracker {
      readonly calls = 0
      async track(): Promise<unknown> {
        return this.calls
      }
    }
    expect(changed({ tracker: new Tracker() })).toBe("accepted")
  })

  it("as a function that has its methods", () => {
    expect(changed({ tracker: Object.assign(method, { track: method }) })).toBe("accepted")
  })
})
