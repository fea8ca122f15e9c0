import { fakeFulfilment, fakeMarketplace } from "@till402/testing"

export const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
export const secret = "a text that nobody can guess, of 32 characters or more"
/** Stands for a secret that a host gave in a wrong place. */
export const canary = "canary-9f3c"

export const method = async (): Promise<unknown> => undefined
export const storages =
  "Give sqlite({ filename }) of @till402/core/sqlite, postgres({ url }) of @till402/core/postgres, memory() for tests, or storageFrom(stores)"
export const generate = "Generate one with: npx till402 secret"

export type Case = readonly [given: string, change: Record<string, unknown>, message: string]

/** Never printed either. */
export const privateKey = `0x${"9f3c".repeat(16)}`

export const misspelled: ReadonlyArray<Case> = [
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
    "symbol of a token",
    {
      networks: [
        {
          network: "base",
          rpcUrl: "https://rpc.example",
          token: { address: payTo, name: "USD Coin", version: "2", symbol: "USDC" }
        }
      ]
    },
    "the token of base has no symbol; it has address, name, version"
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

export const missing: ReadonlyArray<Case> = [
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
    "the methods of refunds on Solana",
    { solanaRefunds: { network: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", address: payTo, find: method } },
    "solanaRefunds must be what solanaRefunds() of @till402/providers/solana-refunds returns, or an object with network (CAIP-2), address, find and refund"
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
