import { DatabaseSync } from "node:sqlite"
import { setTimeout } from "node:timers/promises"
import { Effect, Exit, Layer, Logger } from "effect"
import { FetchHttpClient } from "effect/http"
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { logMailer } from "../../../providers/src/mail/log/index.ts"
import { sampleShop } from "../../../sandbox/src/shop/index.ts"
import {
  fakeAssistant,
  fakeFacilitator,
  fakeFulfilment,
  fakeMailer,
  fakeMarketplace,
  fakeTracker,
  fakeVaultFiles
} from "../../../testing/src/index.ts"
import {
  Chain,
  Facilitator,
  type NamedFacilitatorClient,
  Till as TillLayers,
  Track,
  Tracker,
  type TrackerOptions
} from "../../src/effect.ts"
import type { TillEvent } from "../../src/runtime/events.ts"
import { StorageRisks } from "../../src/ports/StorageMarks.ts"
import { sqlite } from "../../src/sqlite.ts"
import { memory } from "../../src/stores/memory.ts"
import type { AnyPlainOperation } from "../../src/operations/PlainOperation.ts"
import { risksOf } from "../../src/till/moneyRisks.ts"
import { Till } from "../../src/till/PlainTill.ts"
import type { TillOptions } from "../../src/till/settings/TillOptions.ts"
import { type Challenged, headerOf, payChallenge } from "../toll/wallet.ts"
import { configured } from "./configured.ts"
import { ownPort } from "./ownPort.ts"
import { settling } from "./settling.ts"
import { keepThreads } from "../stores/sqlite/keptThreads.ts"
import { temporaryFiles } from "../stores/sql/folder.ts"
import { keptInMemory } from "../stores/sql/keptInMemory.ts"

/*
 * Settings of a test where real money is paid, as a host meets them: outside of a test runner.
 */

keepThreads()

const nextFile = temporaryFiles()
const examplePayTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
const ownPayTo = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"
const keyless = "is an address that nobody can spend from"
const tillKey = "rDq3+Zk0vT8nJ1xYwB5uLe7hQm2sGc9f"

/** Stores in memory that a till takes for ones that outlive it: most tests are about other settings. */
const kept = (): TillOptions["storage"] => Layer.merge(memory(), Layer.succeed(StorageRisks, []))

/** The settings of a shop that takes real money. */
const live = (): TillOptions => ({
  baseUrl: "https://goods.shop",
  payTo: ownPayTo,
  networks: ["base"],
  secret: tillKey,
  facilitator: settling(),
  storage: kept(),
  tracker: ownPort(fakeTracker())
})

/** Starts a till: why it doesn't start, and what it reports. */
const start = async (options: Partial<TillOptions>) => {
  const events: Array<TillEvent> = []
  const till = Till.make({ ...live(), ...options, onEvent: (event) => events.push(event) })
  onTestFinished(till.dispose)
  const refusal = await till.ready.then(
    () => undefined,
    (error: unknown) => String((error as Error).message)
  )
  const codes = new Set(["risky_setting", "service_changed"])
  return {
    refusal,
    reported: events
      // Where the files of tests are is the machine's matter.
      .filter(
        ({ code, message }) =>
          codes.has(code) && !message.startsWith("The SQLite file is") && !ofPlayMoney.test(message)
      )
      .map(({ message, reason }) => `${reason}: ${message}`)
  }
}

/** A schema that wants days of one type. */
const wanting = (type: string): AnyPlainOperation["input"] => ({
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value: unknown) =>
      typeof (value as { readonly days?: unknown }).days === type
        ? { value }
        : { issues: [{ message: `must be a ${type}`, path: ["days"] }] }
  }
})
const [wantingNumber, wantingText] = [wanting("number"), wanting("string")]

const failing = (thrown: unknown): AnyPlainOperation["input"] => ({
  "~standard": {
    version: 1,
    vendor: "test",
    validate: () => {
      throw thrown
    }
  }
})

const tides = (options: object): AnyPlainOperation => ({
  id: "tides",
  method: "GET",
  path: "/tides/:port",
  description: "Tides of a port",
  price: "0.02",
  example: { input: { port: "oslo", days: 3 }, output: { high: "12:40" } },
  work: () => ({ high: "12:40" }),
  ...options
})

const nothing = { refusal: undefined, reported: [] }
/** Is reported after the start. */
const ofPlayMoney = /^All networks have play money.*If this is a trial, nothing is wrong/

beforeEach(() => {
  vi.stubEnv("NODE_ENV", "production")
})
afterEach(() => {
  vi.unstubAllEnvs()
})

describe("a till that takes play money alone", () => {
  const play = { networks: ["base-sepolia"] } as const

  const till = async (options: Partial<TillOptions>) => {
    const messages: Array<string> = []
    const made = Till.make({ ...live(), ...options, onEvent: ({ message }) => messages.push(message) })
    onTestFinished(made.dispose)
    await made.ready
    return { ...made, found: () => messages.filter((message) => ofPlayMoney.test(message)) }
  }

  it("is reported once in production, since nothing that is paid has any value", async () => {
    const { check, found } = await till(play)
    await expect.poll(found).toHaveLength(1)
    expect(
      (await check()).filter(({ problem = "" }) => problem.startsWith("All networks have"))
    ).toHaveLength(1)
  })

  it("is not reported on this machine, where the host allows it, or outside of production", async () => {
    const tills = [
      await till({ ...play, baseUrl: "http://localhost:3000" }),
      await till({ ...play, baseUrl: "http://shop.test" }),
      await till({ ...play, baseUrl: "http://till.internal/api" }),
      await till({ ...play, allowPlayMoney: true })
    ]
    for (const environment of ["", "test", "development"]) {
      vi.stubEnv("NODE_ENV", environment)
      tills.push(await till(play))
    }
    vi.stubEnv("NODE_ENV", "production")
    const alone = await till(play)
    await expect.poll(alone.found).toHaveLength(1)
    expect(tills.flatMap(({ found }) => found())).toEqual([])
  })

  it("is not reported beside one that takes real money, whichever starts first", async () => {
    const before = await till(play)
    const real = await till({})
    const after = await till(play)
    await setTimeout(6_000)
    expect([...before.found(), ...after.found()]).toEqual([])
    expect(
      (await before.check()).filter(({ problem = "" }) => problem.startsWith("All networks have"))
    ).toEqual([])
    await real.dispose()
    const alone = await till(play)
    await expect.poll(alone.found).toHaveLength(1)
  })
})

describe("a till that takes real money", () => {
  it("starts without a word with the settings of a shop", async () => {
    expect(await start({ storage: sqlite({ filename: nextFile() }) })).toEqual(nothing)
    expect(await start({})).toEqual(nothing)
  })

  it("refuses a facilitator that moves no money, also as one of several", async () => {
    const fault = /facilitator moves no money, so everything is free on base\. Give one that settles/
    expect((await start({ facilitator: fakeFacilitator() })).refusal).toMatch(fault)
    const two = [Object.assign(settling(), { name: "real" }), fakeFacilitator()]
    expect((await start({ facilitator: two as never })).refusal).toMatch(fault)
    const elsewhere = Object.assign(fakeFacilitator(), { networks: ["base-sepolia"] })
    expect(await start({ facilitator: [two[0], elsewhere] as never })).toEqual(nothing)
  })

  it("reports one in its process that takes a payment which nobody has signed, and asks no other one", async () => {
    const fake = fakeFacilitator()
    const wrapped: NamedFacilitatorClient = {
      verify: (payment, requirements) => fake.verify(payment, requirements),
      settle: (payment, requirements) => fake.settle(payment, requirements),
      getSupported: () => fake.getSupported()
    }
    expect((await start({ facilitator: wrapped })).reported).toEqual([
      expect.stringMatching(/^facilitator: facilitator calls a payment valid that nobody has signed/)
    ])
    fake.verify.failsWith(new Error("no node"))
    expect(await start({ facilitator: wrapped })).toEqual(nothing)
    const { verify } = fake.reset()
    const remote = { url: "https://facilitator.shop" }
    expect(await start({ facilitator: [remote, { ...wrapped, name: "own" }] })).toEqual(nothing)
    expect(verify.calls).toEqual([])
    await start({ facilitator: wrapped, networks: ["base-sepolia"] })
    expect(verify.calls).toEqual([])
  })

  it.each([
    [examplePayTo, "is that of the documents' examples, which isn't yours"],
    ["0x8626f6940e2eb28930efb4cef49b2d1f2c9c1199", "is an account of Anvil and Hardhat"],
    [examplePayTo.toLowerCase(), "is that of the documents' examples"],
    ["0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "is the dollar's own contract on base"],
    ["0x036CbD53842c5426634e7929541eC2318f3dCF7e", "is the dollar's own contract on base-sepolia"],
    ["0x0000000000000000000000000000000000000001", keyless],
    ["0x000000000000000000000000000000000000dEaD", keyless],
    ["0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE", keyless],
    ["0x1111111111111111111111111111111111111111", keyless],
    ["0x1234567890123456789012345678901234567890", keyless],
    ["0x1234567890abcdef1234567890abcdef12345678", keyless],
    ["0xDeaDbeefdEAdbeefdEadbEEFdeadbeEFdEaDbeeF", keyless],
    ["0x742d35Cc6634C0532925a3b844Bc454e4438f44e", "is an exchange's, which examples everywhere name"],
    ["0xcA11bde05977b3631167028862bE2a173976CA11", "is Multicall3, from which everybody can take"],
    [
      "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
      "is an account of Anvil and Hardhat, whose key everybody knows"
    ]
  ])("refuses payTo %s", async (payTo, why) => {
    const { refusal } = await start({ payTo })
    expect(refusal).toContain(why)
    expect(refusal).toContain("money sent there is lost. Give your own wallet's")
    expect(refusal).toContain("allowPlayMoney: true")
    const ofNetwork = { networks: [{ network: "base", payTo }], payTo: ownPayTo }
    expect((await start(ofNetwork)).refusal).toContain(why)
  })

  it.each([
    ["the incinerator", "1nc1nerator11111111111111111111111111111111"],
    ["the mint of wrapped SOL", "So11111111111111111111111111111111111111112"]
  ])("refuses payTo on Solana: %s", async (_, payTo) => {
    const { refusal } = await start({ networks: [{ network: "solana", payTo }] })
    expect(refusal).toContain("is an address that nobody can spend from: money sent there is lost")
  })

  it("refuses payTo of the sandbox on Solana", async () => {
    const payTo = "HYMWE4ph7gviGqVqrgHbb3zkxkVtgfUWemwqBPKtSHEz"
    const { refusal } = await start({ networks: [{ network: "solana", payTo }] })
    expect(refusal).toContain("is the sandbox's, whose key everybody knows: money sent there is lost")
  })

  it.each<[string, Partial<TillOptions>, RegExp]>([
    ["memory", { storage: memory() }, /^storage: Charges are in memory/],
    ["SQLite in memory", { storage: sqlite({ filename: ":memory:" }) }, /^storage: Charges are in memory/],
    ["SQLite's URI in memory", { storage: sqlite({ filename: "file:a?mode=memory" }) }, /^storage: /],
    ["an http address", { baseUrl: "http://goods.shop" }, /^baseUrl: baseUrl is http/],
    [
      "the address of the documents",
      { baseUrl: "https://shop.example/api" },
      /^baseUrl: .* is of an example: callers and indexes are sent there/
    ],
    [
      "an address of this machine",
      { baseUrl: "http://localhost:3000" },
      /^baseUrl: .* is only reached from this machine.* Give the public address/
    ],
    [
      "a facilitator by http",
      { facilitator: { url: "http://facilitator.shop" } },
      /^facilitator: A facilitator's address is http: .* Give https/
    ],
    [
      "a node by http",
      { networks: [{ network: "base", rpcUrl: "http://node.shop:1" }], allowPlayMoney: false },
      /^networks: rpcUrl of base is http: .* Give https/
    ],
    ["a placeholder as secret", { secret: "replace-me-with-a-longer-text-32" }, /^secret: /],
    ["a secret that repeats", { secret: "wJ8#kQ2!zR5@".repeat(3) }, /^secret: A secret looks guessable/],
    ["a secret of few characters", { secret: "a".repeat(40) }, /^secret: A secret looks guessable/],
    [
      "a secret of words",
      { secret: "this is my secret, do not tell it!" },
      /^secret: A secret looks guessable/
    ],
    [
      "a secret in quotes",
      { secret: `"${tillKey}"` },
      /^secret: A secret begins or ends with a quote or white space/
    ],
    [
      "the same text under two ids",
      {
        secret: [
          { id: "2", secret: tillKey },
          { id: "1", secret: tillKey }
        ]
      },
      /^secret: Two keys of secret have the same text: the rotation changed nothing/
    ],
    ["a secret with a line break", { secret: `${tillKey}\n` }, /^secret: A secret begins or ends/],
    [
      "the key of a wallet as secret",
      { secret: `0x${"9f3c51d7".repeat(7)}0a2b4e68` },
      /^secret: A secret looks like the/
    ],
    [
      "orders that may be repeated after a second",
      { duplicateOrderMillis: 600 },
      /^duplicateOrderMillis: .* is 600 milliseconds, which looks like seconds\. If it is, give 600000$/
    ],
    ["a response that is kept for a minute", { responseLifetimeMillis: 86_400 }, /^responseLifetimeMillis: /],
    ["a port's deadline in seconds", { upstreamTimeoutMillis: 20 }, /^upstreamTimeoutMillis: .* give 20000$/],
    [
      "a settlement's deadline in seconds",
      { facilitator: { url: "https://facilitator.shop", settleTimeoutMillis: 30 } },
      /^settleTimeoutMillis: .* is 30 milliseconds, which looks like seconds/
    ],
    [
      "a week in seconds",
      { responseLifetimeMillis: 604_800 },
      /^responseLifetimeMillis: .* is 604800 milliseconds, which looks like seconds\. If it is, give 604800000$/
    ],
    [
      "a purchase that ends after some minutes",
      {
        vault: { open: async () => ({ body: new Uint8Array([80]) }), maxAgeMillis: 30 * 86_400 },
        trustFacilitator: true,
        mailer: ownPort(fakeMailer())
      },
      /^vault\.maxAgeMillis: vault\.maxAgeMillis is 2592000 milliseconds, which looks like seconds/
    ],
    [
      "work that outlasts its payment",
      { maxTimeoutSeconds: 30, upstreamTimeoutMillis: 40_000 },
      /^maxTimeoutSeconds: Work may take 40 seconds .* expires after 30 .* Give maxTimeoutSeconds 46 or more/
    ],
    [
      "a margin in percent",
      { margin: 5 },
      /^margin: margin is 5 basis points, which looks like percent\. If it is, give 500$/
    ],
    [
      "a price above all that may be lost",
      { operations: [tides({ price: "50.00" })] },
      /^limits\.lossPerHour: The price of tides is above limits\.lossPerHour: one such call that isn't paid stops/
    ],
    [
      "no losses at all, for work before its payment",
      { limits: { lossPerHour: "0.00" } },
      /^limits\.lossPerHour: The price of track is above/
    ],
    ["a bound without its point", { proofAbove: "1000000" }, /^proofAbove: .* above 10,000 dollars/],
    [
      "an input that takes no text",
      { operations: [tides({ input: wantingNumber })] },
      /^operations\.tides: .* refuses its own example: .*days must be a number.* z\.coerce/
    ],
    [
      "an input with another name than the path",
      { operations: [tides({ example: { input: { town: "oslo", days: 3 } } })] },
      /^operations\.tides: operation tides: its example lacks port of its path \/tides\/:port\. .* same name in input/
    ],
    [
      "an input that fails, without its words",
      { operations: [tides({ input: failing(new Error("connect postgres://shop:hunter2@db")) })] },
      /^operations\.tides: .* refuses its own example: Error\. Correct/
    ],
    [
      "an input that throws what is no error",
      { operations: [tides({ input: failing(Object.create(null)) })] },
      /^operations\.tides: .* refuses its own example: object\. Correct/
    ],
    [
      "a node whose address is not set",
      { networks: [{ network: "base", rpcUrl: undefined } as never] },
      /^networks: rpcUrl of base is undefined, as a variable .* that isn't set: .* the chain is not read\. Set that variable/
    ],
    [
      "a network's own wallet that is not set",
      { networks: [{ network: "base", payTo: undefined } as never] },
      /^networks: payTo of base is undefined, .* goes to the payTo of all networks\. Set that variable/
    ],
    [
      "one confirmation where blocks are replaced",
      { networks: [{ network: "polygon", rpcUrl: "https://node.shop", confirmations: 1 }] },
      /^networks: confirmations of polygon is 1, and 3 is usual: a reorganization can take back/
    ],
    [
      "finality in milliseconds",
      { networks: [{ network: "base", rpcUrl: "https://node.shop", finalitySeconds: 60_000 }] },
      /^networks: finalitySeconds of base is 60000, which looks like milliseconds.* If it is, give 60$/
    ],
    [
      "an example that no header has room for",
      { operations: [tides({ example: { input: { port: "oslo", text: "a".repeat(5_000) } } })] },
      /^operations: The 402 of tides has more headers than many proxies and clients take.* Shorten description/
    ],
    [
      "a price without its point",
      { prices: { track: "5200000" } },
      /^prices: The price of track is above 10,000/
    ]
  ])("reports %s, once", async (_, options, text) => {
    const { refusal, reported } = await start(options)
    expect(refusal).toBeUndefined()
    expect(reported).toEqual([expect.stringMatching(text)])
  })

  it("takes durations that are off, or short on purpose, and an example that its input accepts", async () => {
    expect(
      await start({
        duplicateOrderMillis: 0,
        secretResponseLifetimeMillis: 0,
        responseLifetimeMillis: 3_600_000,
        owedResponseMillis: 600_000,
        upstreamTimeoutMillis: 500,
        facilitator: { url: "https://facilitator.shop", settleTimeoutMillis: 30_000 },
        operations: [tides({ input: wantingText }), tides({ id: "moon", path: "/moon", example: undefined })]
      })
    ).toEqual(nothing)
  })

  it("takes amounts that are meant", async () => {
    expect(
      await start({
        margin: 25,
        maxTimeoutSeconds: 30,
        upstreamTimeoutMillis: 24_000,
        limits: { lossPerHour: "0.00" },
        settlement: { track: "before-work" },
        operations: [tides({ price: "50.00", settlement: "before-work" })]
      })
    ).toEqual(nothing)
    expect(await start({ margin: () => "0.05" })).toEqual(nothing)
    const rpcUrl = "https://node.shop"
    for (const finalitySeconds of [0, 900, 7_200, 36_000, 86_400])
      expect(await start({ networks: [{ network: "base", rpcUrl, finalitySeconds }] })).toEqual(nothing)
    for (const confirmations of [3, 64])
      expect(await start({ networks: [{ network: "polygon", rpcUrl, confirmations }] })).toEqual(nothing)
    // What a quote promises is bought after its payment has settled, and lasts as long as it takes.
    expect(
      await start({
        settlement: { track: "before-work" },
        fulfilment: ownPort(fakeFulfilment()),
        mailer: ownPort(fakeMailer()),
        trustFacilitator: true,
        maxTimeoutSeconds: 30,
        upstreamTimeoutMillis: 40_000
      })
    ).toEqual(nothing)
    for (const maxAgeMillis of [60_000, 3_600_000, 7_200_000, 10_800_000])
      expect(
        await start({
          vault: { open: async () => ({ body: new Uint8Array([80]) }), maxAgeMillis },
          trustFacilitator: true,
          mailer: ownPort(fakeMailer())
        })
      ).toEqual(nothing)
  })

  it("takes a network without a node, and one of play money whose node's address is not set", async () => {
    const played = { network: "base-sepolia", rpcUrl: undefined } as never
    expect(await start({ networks: [{ network: "base" }, played], storage: kept() })).toEqual(nothing)
  })

  it("reports goods that are handed over on a facilitator's word alone, and none that the chain proves", async () => {
    const facilitator = { url: "https://facilitator.shop" }
    const selling = { facilitator, fulfilment: ownPort(fakeFulfilment()), mailer: ownPort(fakeMailer()) }
    const trusting = { ...selling, trustFacilitator: true }
    expect((await start(trusting)).reported).toEqual([
      expect.stringMatching(/^trustFacilitator: .*buy hand over what a facilitator says is paid/)
    ])
    expect(await start({ ...trusting, networks: ["base-sepolia"] })).toEqual(nothing)
    expect(await start({ facilitator, trustFacilitator: true })).toEqual(nothing)
    // A facilitator of this process is the host's own.
    expect(await start({ ...trusting, facilitator: settling() })).toEqual(nothing)
  })

  it("reports sales without a mailer, and none with one", async () => {
    const selling = { fulfilment: ownPort(fakeFulfilment()), trustFacilitator: true }
    expect((await start(selling)).reported).toEqual([
      expect.stringMatching(
        /^mailer: Buyers get no mail: one who loses the response has nothing\. Give mailer/
      )
    ])
    expect(await start({ ...selling, mailer: ownPort(fakeMailer()) })).toEqual(nothing)
  })

  it("reports refunds of another network of Solana, and none of the right one", async () => {
    const wallet = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU"
    const [mainnet, devnet] = [
      "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
      "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1"
    ]
    const refundsOn = (network: string) =>
      start({
        networks: ["solana"],
        payTo: wallet,
        solanaRefunds: {
          network,
          address: wallet,
          find: async () => [],
          refund: async () => undefined
        } as never
      })
    expect((await refundsOn(devnet!)).reported).toEqual([
      expect.stringMatching(
        /^solanaRefunds: solanaRefunds sends on solana:EtWTR\w+, so nothing is refunded on solana\./
      )
    ])
    expect(await refundsOn(mainnet!)).toEqual(nothing)
  })

  it("reports payTo on Solana that is a facilitator's own account, and no other one", async () => {
    const facilitator = settling()
    const { kinds } = await facilitator.getSupported!()
    const { feePayer } = kinds.find(({ network }) => network.startsWith("solana:5eykt"))!.extra!
    const paidTo = (payTo: unknown) =>
      start({ facilitator, networks: ["base", { network: "solana", payTo: String(payTo) }] })
    expect((await paidTo(feePayer)).reported).toEqual([
      expect.stringMatching(
        /^payTo: payTo \w+ is an account from which a facilitator pays fees on Solana.* Give your own/
      )
    ])
    expect(await paidTo("7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU")).toEqual(nothing)
  })

  it("refuses a wallet for refunds whose key everybody knows", async () => {
    const address = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
    const { refusal } = await start({ refundWallet: { address, signTypedData: async () => "0x" } as never })
    expect(refusal).toContain(
      `refundWallet ${address} is an account of Anvil and Hardhat, whose key everybody knows: money sent there is lost`
    )
  })

  it("reports a wallet for refunds whose signatures no token takes", async () => {
    const refundWallet = { address: ownPayTo, signTypedData: async () => `0x${"11".repeat(64)}00` } as never
    expect((await start({ refundWallet })).reported).toContainEqual(
      expect.stringMatching(/^refundWallet: What refundWallet signs isn't accepted of its address 0x5a/)
    )
  })

  it("reports refunds that nothing confirms", async () => {
    const refundWallet = { address: ownPayTo, signTypedData: async () => "0x" } as never
    expect((await start({ refundWallet })).reported).toEqual([
      expect.stringMatching(/^refundWallet: Refunds can't be confirmed on base without an rpcUrl/)
    ])
  })

  it.each<[string, Partial<TillOptions>, object]>([
    ["on a network of play money", { networks: ["base-sepolia"] }, nothing],
    ["where the host allows it", { allowPlayMoney: true, baseUrl: "http://shop.test" }, nothing]
  ])("takes what suits a test %s", async (_, options, outcome) => {
    const test = {
      facilitator: fakeFacilitator(),
      payTo: examplePayTo,
      storage: memory(),
      secret: "a".repeat(40)
    }
    expect(await start({ ...test, ...options })).toEqual(outcome)
  })

  it("reports once that all is free in production, and not on this machine or where money moves", async () => {
    const allowed = { facilitator: fakeFacilitator(), allowPlayMoney: true }
    expect(await start(allowed)).toEqual({
      refusal: undefined,
      reported: [
        expect.stringMatching(
          /^facilitator: facilitator moves no money, .*everything is free on base\. .* leave allowPlayMoney out/
        )
      ]
    })
    for (const unusual of ["", "prod"]) {
      vi.stubEnv("NODE_ENV", unusual)
      expect((await start(allowed)).reported).toHaveLength(1)
    }
    expect(await start({ ...allowed, baseUrl: "http://localhost:3000" })).toEqual(nothing)
    expect(await start({ ...allowed, networks: ["base-sepolia"] })).toEqual(nothing)
    vi.stubEnv("NODE_ENV", "development")
    expect(await start(allowed)).toEqual(nothing)
  })

  it("reports what it would refuse or report, where play money is allowed and money moves in production", async () => {
    const left = { allowPlayMoney: true, payTo: examplePayTo, storage: memory(), secret: "a".repeat(40) }
    const { refusal, reported } = await start({ ...left, tracker: fakeTracker() })
    expect(refusal).toBeUndefined()
    expect(reported).toEqual([
      expect.stringMatching(/^tracker: tracker is of a sample shop or a test/),
      expect.stringMatching(
        /^payTo: .*money sent there is lost.*leave allowPlayMoney out where real customers/
      ),
      expect.stringMatching(/^secret: A secret looks guessable/),
      expect.stringMatching(/^storage: Charges are in memory/)
    ])
    expect(await start({ ...left, baseUrl: "http://localhost:3000" })).toEqual(nothing)
    expect(await start({ ...left, networks: ["base-sepolia"] })).toEqual(nothing)
    expect(await start({ allowPlayMoney: true })).toEqual(nothing)
    vi.stubEnv("NODE_ENV", "development")
    expect(await start(left)).toEqual(nothing)
    vi.stubEnv("NODE_ENV", "test")
    expect(await start(left)).toEqual(nothing)
  })

  it("refuses ports of a sample shop or a test, given as options or as layers", async () => {
    const madeUp: Record<string, Partial<TillOptions>> = {
      marketplaces: { marketplaces: { marketplace_b: fakeMarketplace("marketplace_b") } },
      assistant: { assistant: fakeAssistant() },
      fulfilment: { fulfilment: fakeFulfilment(), trustFacilitator: true, mailer: ownPort(fakeMailer()) },
      tracker: { tracker: { ...fakeTracker() } },
      vault: { vault: fakeVaultFiles(), trustFacilitator: true, mailer: ownPort(fakeMailer()) }
    }
    for (const [name, options] of Object.entries(madeUp)) {
      const { refusal } = await start(options)
      expect(refusal).toContain(
        `${name} is of a sample shop or a test: real money is paid for what is made up. Give your own`
      )
      expect(await start({ ...options, networks: ["base-sepolia"] })).toEqual(nothing)
      vi.stubEnv("NODE_ENV", "test")
      expect(await start(options)).toEqual(nothing)
      vi.stubEnv("NODE_ENV", "production")
    }
    const shop = { ...sampleShop().ports, trustFacilitator: true }
    expect((await start(shop)).refusal).toContain(
      "marketplaces, assistant, fulfilment, tracker, vault are of a sample shop or a test"
    )
    expect(await start({ ...shop, networks: ["base-sepolia"] })).toEqual(nothing)
    const messages: Array<string> = []
    const layers = (tracker: TrackerOptions, facilitator = Facilitator.layerClient(settling())) =>
      Effect.runPromiseExit(
        Effect.scoped(
          Layer.build(
            TillLayers.layer(
              { baseUrl: "https://goods.shop", payTo: ownPayTo, networks: ["base"], secret: tillKey },
              [Track.layer]
            ).pipe(
              Layer.provide([
                Tracker.layerPromise(tracker),
                facilitator,
                Chain.layerRpc([]).pipe(Layer.provide(FetchHttpClient.layer)),
                kept()
              ]),
              Layer.provide(
                Logger.layer([Logger.make(({ message }) => void messages.push(JSON.stringify(message)))])
              )
            )
          )
        )
      )
    expect(String(await layers(fakeTracker()))).toContain("tracker is of a sample shop or a test")
    expect(Exit.isSuccess(await layers(ownPort(fakeTracker())))).toBe(true)
    expect(messages.join("\n")).not.toContain("nobody has signed")
    const answering = (tag: "Valid" | "Invalid") =>
      Layer.succeed(Facilitator, {
        verify: () => Effect.succeed({ _tag: tag, reason: "invalid_signature" } as never),
        settle: () => Effect.die("not called"),
        supported: Effect.succeed([])
      })
    for (const [tag, count] of [
      ["Invalid", 0],
      ["Valid", 1]
    ] as const) {
      expect(Exit.isSuccess(await layers(ownPort(fakeTracker()), answering(tag)))).toBe(true)
      expect(messages.filter((message) => message.includes("nobody has signed"))).toHaveLength(count)
    }
  })

  it("reports a mailer that sends none, where sales have mails", async () => {
    const selling = { fulfilment: ownPort(fakeFulfilment()), trustFacilitator: true }
    const unsent = [
      expect.stringMatching(/^mailer: Buyers get no mail: mailer sends none, as a fake or a log/)
    ]
    for (const mailer of [fakeMailer(), logMailer(() => undefined)]) {
      expect(await start({ ...selling, mailer })).toEqual({ refusal: undefined, reported: unsent })
      expect(await start({ mailer })).toEqual(nothing)
      expect(await start({ ...selling, mailer, networks: ["base-sepolia"] })).toEqual(nothing)
    }
  })

  it("takes it in Node's own test runner", async () => {
    vi.stubEnv("NODE_TEST_CONTEXT", "child-v8")
    expect(await start({ facilitator: fakeFacilitator(), payTo: examplePayTo, storage: memory() })).toEqual(
      nothing
    )
  })

  it("takes it in a test", async () => {
    vi.stubEnv("NODE_ENV", "test")
    const test = { facilitator: fakeFacilitator(), payTo: examplePayTo, storage: memory() }
    expect(await start(test)).toEqual(nothing)
  })

  it("takes http within a machine or a cluster", async () => {
    expect(await start({ baseUrl: "http://till.internal/api" })).toEqual(nothing)
    for (const url of [
      "http://127.0.0.1:1",
      "http://facilitator:8080",
      "http://10.1.2.3",
      "http://[fd00::1]"
    ])
      expect(await start({ facilitator: { url } })).toEqual(nothing)
    vi.stubEnv("NODE_ENV", "")
    for (const baseUrl of ["http://localhost:3000", "http://127.0.0.1", "http://[::1]:3000"])
      expect(await start({ baseUrl })).toEqual(nothing)
  })
})

describe("the token of a live till", () => {
  const of = (name: string) => {
    const token = { address: "0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42".toLowerCase(), name, version: "2" }
    const networks = [{ network: "base", rpcUrl: "https://node.shop", token }]
    return risksOf({
      settings: configured({ baseUrl: "https://goods.shop", payTo: ownPayTo, secret: tillKey, networks }),
      movesNoMoney: () => false,
      madeUp: [],
      facilitators: [],
      deadlines: [],
      refundWallet: undefined,
      refundsOnSolana: undefined,
      prices: new Map(),
      onCredit: new Set(),
      proven: [],
      known: []
    }).map(({ problem }) => problem)
  }

  it("is reported if it isn't called a dollar: each would count as one", () => {
    expect(of("EURC")).toEqual([
      "The token of base isn't called a dollar, and prices are dollars: each counts as one"
    ])
    expect(of("Mexican Peso")).toHaveLength(1)
    for (const name of ["PayPal USD", "Global Dollar", "USDC", "Ripple USD"]) expect(of(name)).toEqual([])
  })
})

describe("a database", () => {
  const on = async (storage: TillOptions["storage"], options: Partial<TillOptions> = {}) =>
    start({ storage, ...options })

  it("is used again by the same service without a word", async () => {
    const file = sqlite({ filename: nextFile() })
    expect(await on(file)).toEqual(nothing)
    expect(await on(file)).toEqual(nothing)
  })

  it("of play money is refused for real money, and the other way round, unless the host allows it", async () => {
    const real = await keptInMemory()
    const play = await keptInMemory()
    await on(real)
    await on(play, { networks: ["base-sepolia"] })
    expect((await on(play)).refusal).toMatch(/this database holds play money .*this till takes real money/)
    expect((await on(real, { networks: ["base-sepolia"] })).refusal).toMatch(
      /this database holds real money, and this till takes play money .*a database of its own, or set allowPlayMoney/
    )
    // A staging copy of a database.
    expect((await on(real, { networks: ["base-sepolia"], allowPlayMoney: true })).refusal).toBeUndefined()
    expect(await on(await keptInMemory(), { networks: ["base", "base-sepolia"] })).toMatchObject({
      refusal: expect.stringMatching(/one ledger would have both/)
    })
    const both = { networks: ["base", "base-sepolia"], allowPlayMoney: true }
    expect(await on(await keptInMemory(), both)).toEqual({
      refusal: undefined,
      reported: [expect.stringMatching(/^networks: base-sepolia pays for the same goods .* no value/)]
    })
  })

  it("reports another address or wallet once, with both, and not a network that is new", async () => {
    const storage = await keptInMemory()
    await on(storage)
    const moved = { baseUrl: "https://other.shop" }
    expect((await on(storage, moved)).reported).toEqual([
      expect.stringMatching(
        /^baseUrl: .*used with baseUrl https:\/\/goods\.shop, and now with https:\/\/other\.shop/
      )
    ])
    expect(await on(storage, moved)).toEqual(nothing)
    const rotated = { payTo: "0x2222b6053f3e94c9b9a09f33669435e7ef1beaed", networks: ["base", "polygon"] }
    expect((await on(storage, rotated)).reported).toEqual([
      expect.stringMatching(
        /^payTo on eip155:8453: .*with payTo on eip155:8453 0x5aAe.*, and now with 0x2222/
      )
    ])
    // Back again: known.
    expect(await on(storage)).toEqual(nothing)
  })

  it("may be copied for staging, which leaves the first as it was", async () => {
    const filename = nextFile()
    const onFile = (name: string, options: Partial<TillOptions> = {}) =>
      on(sqlite({ filename: name }), options)
    await onFile(filename)
    const [sameMoney, playMoney] = [nextFile(), nextFile()]
    const database = new DatabaseSync(filename)
    for (const copy of [sameMoney, playMoney]) database.exec(`VACUUM INTO '${copy}'`)
    database.close()
    const staging = { baseUrl: "https://staging.goods.shop" }
    const { refusal, reported } = await onFile(sameMoney, staging)
    expect([refusal, reported.length]).toEqual([undefined, 1])
    expect(await onFile(sameMoney, staging)).toEqual(nothing)
    const withPlayMoney = { ...staging, networks: ["base-sepolia"] }
    expect((await onFile(playMoney, withPlayMoney)).refusal).toContain("this database holds real money")
    expect((await onFile(playMoney, { ...withPlayMoney, allowPlayMoney: true })).refusal).toBeUndefined()
    expect(await onFile(filename)).toEqual(nothing)
  })

  it("has the totals of real money and play money apart, where one option allows both", async () => {
    const till = Till.make({
      ...live(),
      facilitator: settling(),
      networks: ["base", "base-sepolia"],
      allowPlayMoney: true,
      onEvent: () => undefined
    })
    onTestFinished(till.dispose)
    await till.ready
    const send = (headers: Record<string, string> = {}) =>
      till.fetch(new Request("https://goods.shop/x402/track?number=1Z999AA10123456784", { headers }))
    const unpaid = await send()
    const challenge: Challenged = JSON.parse(
      Buffer.from(unpaid.headers.get("payment-required")!, "base64").toString("utf8")
    )
    for (const option of [0, 0, 1]) {
      const payment = headerOf(await payChallenge(challenge, { option }))
      expect((await send({ "payment-signature": payment })).status).toBe(200)
    }
    const day = 86_400_000
    const totals = await till.ledger.totals({
      from: new Date(Date.now() - day),
      to: new Date(Date.now() + day)
    })
    expect(totals.map(({ amountAtomic, network }) => [network, amountAtomic]).toSorted()).toEqual([
      ["eip155:8453", 1_040_000n],
      ["eip155:84532", 520_000n]
    ])
  })

  it("of real money is refused for a test with play money, which the test leaves as it was", async () => {
    const storage = await keptInMemory()
    await on(storage)
    vi.stubEnv("NODE_ENV", "test")
    const refusal =
      /this database holds real money, and this process is a test.* Give tests a database of their own/
    expect((await on(storage, { networks: ["base-sepolia"] })).refusal).toMatch(refusal)
    expect((await on(storage, { facilitator: fakeFacilitator() })).refusal).toMatch(refusal)
    const copy = { facilitator: fakeFacilitator(), allowPlayMoney: true }
    expect(await on(storage, copy)).toEqual(nothing)
    vi.stubEnv("NODE_ENV", "production")
    expect(await on(storage)).toEqual(nothing)
  })

  it("of tests takes any networks, addresses and wallets of tests, and no real money later", async () => {
    vi.stubEnv("NODE_ENV", "test")
    const storage = await keptInMemory()
    expect(await on(storage)).toEqual(nothing)
    expect(await on(storage, { facilitator: fakeFacilitator() })).toEqual(nothing)
    expect(await on(storage, { networks: ["base", "base-sepolia"], baseUrl: "https://a.test" })).toEqual(
      nothing
    )
    expect(await on(storage)).toEqual(nothing)
    vi.stubEnv("NODE_ENV", "production")
    expect((await on(storage)).refusal).toMatch(/this database holds play money/)
    expect(await on(storage, { networks: ["base-sepolia"] })).toEqual(nothing)
  })

  it("of a shop that ran with NODE_ENV=test by mistake is used on", async () => {
    const storage = await keptInMemory()
    vi.stubEnv("NODE_ENV", "test")
    expect(await on(storage)).toEqual(nothing)
    vi.stubEnv("NODE_ENV", "production")
    expect(await on(storage)).toEqual(nothing)
  })

  it("that is refused isn't marked", async () => {
    const empty = await keptInMemory()
    expect((await on(empty, { facilitator: fakeFacilitator() })).refusal).toContain("moves no money")
    expect(await on(empty, { networks: ["base-sepolia"] })).toEqual(nothing)
    const storage = await keptInMemory()
    await on(storage)
    await on(storage, { networks: ["base-sepolia"] })
    expect(await on(storage)).toEqual(nothing)
  })
})
