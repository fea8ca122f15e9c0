import { inspect } from "node:util"
import { describe, expect, it, onTestFinished } from "vitest"
import { privateKeyToAccount } from "viem/accounts"
import { memory } from "../../../src/stores/memory.ts"
import { Till } from "../../../src/till/PlainTill.ts"
import { fakeFacilitator, fakeTracker } from "../../../../testing/src/index.ts"

const secretWord = "SECRET"
/** Of no wallet with money. */
const privateKey = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"

/** A till with a secret in every option that may hold one. */
const openTill = () => {
  const till = Till.make({
    baseUrl: "https://shop.example/api",
    payTo: "0x1111111111111111111111111111111111111111",
    networks: [
      {
        network: "base-sepolia",
        rpcUrl: `https://user:${secretWord}@node.example:8443/${secretWord}?key=${secretWord}`
      },
      "avalanche"
    ],
    secret: [
      { id: "2", secret: `${secretWord}-rDq3+Zk0vT8nJ1xYwB5uLe7hQm2sGc9f` },
      { id: "1", secret: `${secretWord}-aDq3+Zk0vT8nJ1xYwB5uLe7hQm2sGc9f` }
    ],
    facilitator: [
      {
        url: `https://facilitator.example/x402`,
        headers: async () => ({ authorization: `Bearer ${secretWord}` })
      },
      { ...fakeFacilitator(), name: "mine" }
    ],
    storage: memory(),
    tracker: fakeTracker(),
    refundWallet: Object.assign(privateKeyToAccount(privateKey), { privateKey, note: secretWord }),
    mailer: { send: async () => undefined, apiKey: secretWord } as never,
    trustFacilitator: true,
    allowPlayMoney: true,
    prices: { track: "0.60" },
    limits: { unsettled: 7 },
    margin: () => ({ atomic: 0n, currency: "USD" }) as never,
    llmsPath: false,
    examples: { track: { number: `${secretWord}12345` } },
    onEvent: () => undefined
  })
  onTestFinished(till.dispose)
  return till
}

describe("till.settings()", () => {
  it("has what the host gave and every default, by the names of the options", async () => {
    const { options, ...settings } = await openTill().settings()
    expect(settings).toEqual({
      baseUrl: "https://shop.example/api",
      networks: [
        {
          network: "eip155:84532",
          payTo: "0x1111111111111111111111111111111111111111",
          asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
          node: "node.example:8443",
          confirmations: expect.any(Number),
          finalitySeconds: expect.any(Number)
        },
        expect.objectContaining({ network: "eip155:43114", node: undefined })
      ],
      facilitators: ["facilitator.example/x402", "mine"],
      keyIds: ["2", "1"],
      given: ["storage", "tracker", "refundWallet", "mailer", "onEvent"],
      documents: { openapi: "/openapi.json", listing: "/.well-known/x402", llms: undefined }
    })
    expect(options).toMatchObject({
      "prices.track": 600_000n,
      "prices.search": 10_000n,
      "limits.unsettled": 7,
      "limits.lossPerHour": 20_000_000n,
      "settlement.track": "after-work",
      margin: "a function",
      trustFacilitator: true,
      cors: "*",
      retiredKeys: [],
      support: undefined
    })
  })

  it("has no secret, wherever one may be", async () => {
    const text = inspect(await openTill().settings(), { depth: 9 })
    expect(text).not.toContain(secretWord)
    expect(text).not.toContain(privateKey.slice(2))
    expect(text).not.toContain("user")
  })

  it("has the plain settings alone, so that a new port is never shown by mistake", async () => {
    const { options } = await openTill().settings()
    const groups = new Set(Object.keys(options).map((name) => name.replace(/\..*/, "")))
    expect([...groups].toSorted().join(" ")).toBe(
      "allowPlayMoney cors duplicateOrderMillis iconUrl limits margin maxTimeoutSeconds owedResponseMillis personalDataLifetimeMillis prices proofAbove refunds refuseUnknownFields responseLifetimeMillis retiredKeys secretResponseLifetimeMillis serviceName settlement statusPath support tags trustFacilitator upstreamTimeoutMillis"
    )
  })
})
