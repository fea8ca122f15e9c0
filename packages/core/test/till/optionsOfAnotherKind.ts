import { memory } from "@till402/core"
import { fakeMarketplace } from "@till402/testing"
import { canary, method, generate, privateKey, type Case, storages } from "./wrongOptions.ts"

const portOf = (name: string, methods: string, example: string): string =>
  `${name} must be an object with ${methods}, such as { ${example} }`
const supportRule = "support must be an email address or an https address, up to 200 characters"
const tagRule = `tags must list up to 5 different tags of up to 32 printable ASCII characters each, such as ["shopping", "parcels"]`
const iconRule = (given: string): string =>
  `iconUrl must be an http(s) address with a public host name and without a user: got "${given}"`
const corsRule = `cors must be "*" for every origin (the default), a list of origins such as ["https://agents.example"], or false for none`
const originRule = `cors must list origins as browsers send them, such as "https://agents.example", without a path`

export const ofAnotherKind: ReadonlyArray<Case> = [
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
  [
    "text as maxCostUsd",
    { assistant: { reply: method, maxCostUsd: "0.05" } },
    'assistant.maxCostUsd must be US dollars, 0 or more: got "0.05"'
  ],
  [
    "a cost below zero",
    { assistant: { reply: method, maxCostUsd: -1 } },
    "assistant.maxCostUsd must be US dollars, 0 or more: got -1"
  ],
  [
    "text as placesOnce",
    { fulfilment: { quote: method, place: method, placesOnce: "true" } },
    `fulfilment.placesOnce must be true, false or a function of a quote's reference: got "true"`
  ],
  [
    "the address of a facilitator's call",
    { facilitator: { url: "https://x.example/x402/verify" } },
    "facilitator.url must not end in /verify: leave it out, it is added for each call"
  ],
  [
    "a key in the address of a facilitator",
    { facilitator: { url: `https://x.example?key=${canary}` } },
    "facilitator.url must be an http(s) URL without query, fragment or user: give keys by headers"
  ],
  [
    "a user in the address of a facilitator",
    { facilitator: { url: `https://x:${canary}@x.example` } },
    "facilitator.url must be an http(s) URL without query, fragment or user: give keys by headers"
  ],
  [
    "one path for both documents",
    { openapiPath: "/docs", discoveryPath: "/docs" },
    "openapiPath and discoveryPath are both /docs"
  ],
  [
    "a public route at the path of a document",
    { publicRoutes: { "/openapi.json": method } },
    "publicRoutes: /openapi.json is the path of a document: move that with openapiPath, discoveryPath or llmsPath"
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
  [
    "options of PostgreSQL as storage",
    { storage: { url: `postgres://u:${canary}@h/db` } },
    "storage must be a storage layer: it is an object of options. Give postgres({ url }) of @till402/core/postgres"
  ],
  [
    "an unknown object as storage",
    { storage: { get: method } },
    `storage must be a storage layer: it is another object. ${storages}`
  ],
  [
    "an operation as operations",
    { operations: { id: "weather" } },
    "operations must be a list of operations such as operation({ id, method, path, price, work }): got an object"
  ],
  [
    "text as an operation",
    { operations: ["weather"] },
    `operations[0] must be an object such as { id, method, path, price, work }: got "weather"`
  ],
  [
    "a service's name in other letters",
    { serviceName: "Müller" },
    'serviceName must be text of up to 32 printable ASCII characters: got "Müller"'
  ],
  ["the same tag twice", { tags: ["lamps", "Lamps"] }, tagRule],
  ["six tags", { tags: ["a", "b", "c", "d", "e", "f"] }, tagRule],
  [
    "an icon on this machine",
    { iconUrl: "https://localhost/icon.png" },
    iconRule("https://localhost/icon.png")
  ],
  ["an icon at a number", { iconUrl: "https://10.0.0.7/icon.png" }, iconRule("https://10.0.0.7/icon.png")],
  [
    "a service that takes more of a 402's header than there is",
    { serviceName: "Lamps", iconUrl: `https://lamps.example/${"i".repeat(150)}.png` },
    "serviceName, tags and iconUrl take 210 bytes of each 402's header: they share 200. Shorten them"
  ],
  [
    "an example of no route",
    { examples: { weather: {} } },
    "examples has no weather; it has search, shop, track, vaultSearch, vaultDownload, buy, vaultBuy"
  ],
  [
    "an example that takes more of a 402's header than there is",
    { examples: { search: { q: "q".repeat(300) } } },
    "examples.search must have at most 256 bytes of JSON: got 308"
  ],
  ["a name as support", { support: "Ada" }, `${supportRule}: got "Ada"`],
  [
    "a mailto: address as support",
    { support: "mailto:a@a.example" },
    `${supportRule}: got "mailto:a@a.example"`
  ],
  ["an http address as support", { support: "http://a.example" }, `${supportRule}: got "http://a.example"`],
  ["true as cors", { cors: true }, `${corsRule}: got true`],
  ["text as cors", { cors: "https://a.example" }, `${corsRule}: got "https://a.example"`],
  ["an origin with a path", { cors: ["https://a.example/"] }, `${originRule}: got "https://a.example/"`],
  ["an origin in capitals", { cors: ["https://A.example"] }, `${originRule}: got "https://A.example"`],
  [
    "an origin with its default port",
    { cors: ["https://a.example:443"] },
    `${originRule}: got "https://a.example:443"`
  ],
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
    `clientAddress must be a function that isn't async, such as (request) => request.headers.get("x-real-ip") ?? undefined: got "x-real-ip"`
  ],
  [
    "an async function as clientAddress",
    { clientAddress: async () => "203.0.113.1" },
    `clientAddress must be a function that isn't async, such as (request) => request.headers.get("x-real-ip") ?? undefined: got a function`
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
    "a private key as refunds on Solana",
    { solanaRefunds: canary },
    "solanaRefunds must be what solanaRefunds() of @till402/providers/solana-refunds returns, or an object with network (CAIP-2), address, find and refund"
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
    `margin must be basis points (2.5 % is 250), a whole number from 0 to 10000, or a function: got "2.5%"`
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
    "a baseUrl of a variable that isn't set",
    { baseUrl: "https://undefined/api" },
    'baseUrl has "undefined" in it: the variable that it is made of is not set'
  ],
  [
    "a node whose key isn't set",
    { networks: [{ network: "base-sepolia", rpcUrl: "https://node.example/v2/undefined" }] },
    'rpcUrl of base-sepolia has "undefined" in it: the variable that it is made of is not set'
  ],
  [
    "a facilitator of a variable that isn't set",
    { facilitator: { url: "https://undefined:8080/x402" } },
    'facilitator.url has "undefined" in it: the variable that it is made of is not set'
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
    "a function as public routes",
    { publicRoutes: method },
    "publicRoutes must be an object from paths to functions: got a function"
  ],
  [
    "a function as templates",
    { mailTemplates: method },
    "mailTemplates must be an object with any of OrderConfirmed, OrderShipped, OrderFailed, OrderRefunded, VaultPurchased: got a function"
  ],
  [
    "a template that is none",
    { mailTemplates: { OrderShipped: "Dear" } },
    `mailTemplates.OrderShipped must be a function: got "Dear"`
  ]
]
