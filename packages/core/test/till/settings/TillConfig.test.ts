import { inspect } from "node:util"
import { Config, ConfigProvider, Effect, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { describe, expect, it } from "vitest"
import {
  Facilitator,
  memory,
  TillClients,
  tillConfig,
  tillConfigWithFacilitator,
  Tracker
} from "@till402/core/effect"
import { fakeFacilitator } from "@till402/testing"
import * as Track from "../../../src/shop/routes/Track.ts"
import { unwrapped } from "../../../src/runtime/SecretText.ts"
import { configured } from "../configured.ts"
import { testLogger } from "../hosted.ts"
import { Till } from "../../../src/till/Till.ts"
import { Chain } from "../../../src/toll/evidence/Chain.ts"
import { variableOf, variablePaths } from "../../../src/till/settings/TillConfig.ts"

const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
const secret = "a-text-that-nobody-can-guess-of-32-characters-or-more"
const canary = "canary-9f3c"

const required = {
  TILL_BASE_URL: "https://shop.example/api",
  TILL_PAY_TO: payTo,
  TILL_NETWORKS: "base-sepolia",
  TILL_SECRET: secret
}

const read = <A>(config: Config.Config<A>, values: Record<string, unknown>): A =>
  Effect.runSync(config.parse(ConfigProvider.fromUnknown(values)))

/** Both as an object and as an environment. */
const settingsOf = (change: Record<string, string> = {}) => {
  const env = { ...required, ...change }
  const settings = read(tillConfig, env)
  expect(Effect.runSync(tillConfig.parse(ConfigProvider.fromEnv({ env })))).toEqual(settings)
  return settings
}

const faultOf = <A>(config: Config.Config<A>, values: Record<string, unknown>): string => {
  const error = Effect.runSync(Effect.flip(config.parse(ConfigProvider.fromUnknown(values))))
  expect(error).toBeInstanceOf(Config.ConfigError)
  return error.message
}

describe("tillConfig", () => {
  it("needs four variables", () => {
    expect(settingsOf()).toEqual({
      baseUrl: "https://shop.example/api",
      payTo,
      networks: [{ network: "base-sepolia" }],
      secret: Redacted.make(secret)
    })
    expect(Redacted.value(settingsOf().secret as Redacted.Redacted<string>)).toBe(secret)
    expect(inspect(settingsOf())).not.toContain(secret)
  })

  it("reads every kind of setting", () => {
    expect(
      settingsOf({
        TILL_PRICES_VAULT_SEARCH: "0.05",
        TILL_LIMITS_UNSETTLED_PER_PAYER: "32",
        TILL_LIMITS_LOSS_PER_HOUR: "5",
        TILL_REFUNDS_PER_PAYER_PER_HOUR: "900.00",
        TILL_MARGIN: "250",
        TILL_MAX_TIMEOUT_SECONDS: "90",
        TILL_OWED_RESPONSE_MILLIS: "60000",
        TILL_TRUST_FACILITATOR: "true",
        TILL_SETTLEMENT_BEFORE_WORK: "shop, track",
        TILL_OPENAPI_PATH: "/x402-openapi.json",
        TILL_DISCOVERY_PATH: "false",
        TILL_CORS: "https://a.example, https://b.example"
      })
    ).toMatchObject({
      prices: { vaultSearch: "0.05" },
      limits: { unsettledPerPayer: 32, lossPerHour: "5" },
      refunds: { perPayerPerHour: "900.00" },
      margin: 250,
      maxTimeoutSeconds: 90,
      owedResponseMillis: 60_000,
      trustFacilitator: true,
      settlement: { shop: "before-work", track: "before-work" },
      openapiPath: "/x402-openapi.json",
      discoveryPath: false,
      cors: ["https://a.example", "https://b.example"]
    })
    expect(
      settingsOf({ TILL_TAGS: "lamps, shopping", TILL_EXAMPLES: '{"track":{"number":"EE123456785US"}}' })
    ).toMatchObject({ tags: ["lamps", "shopping"], examples: { track: { number: "EE123456785US" } } })
    expect(settingsOf({ TILL_CORS: "*" }).cors).toBe("*")
    expect(settingsOf({ TILL_CORS: "false" }).cors).toBe(false)
  })

  it("reads the options of each network from variables with its name", () => {
    const settings = settingsOf({
      TILL_NETWORKS: "base, eip155:42161",
      TILL_RPC_URL_BASE: "https://base.example",
      TILL_CONFIRMATIONS_BASE: "2",
      TILL_RPC_URL_EIP155_42161: "https://arbitrum.example",
      TILL_PAY_TO_EIP155_42161: "0x857b06519E91e3A54538791bDbb0E22373e36b66",
      TILL_FINALITY_SECONDS_EIP155_42161: "600"
    })
    expect(settings.networks).toEqual([
      { network: "base", rpcUrl: "https://base.example", confirmations: 2 },
      {
        network: "eip155:42161",
        rpcUrl: "https://arbitrum.example",
        payTo: "0x857b06519E91e3A54538791bDbb0E22373e36b66",
        finalitySeconds: 600
      }
    ])
  })

  it("keeps options of a network whose variables are empty as undefined, so that a live till reports them", () => {
    for (const name of ["rpcUrl", "payTo"]) {
      const env = { ...required, [variableOf(name, "base-sepolia")]: "", TILL_SERVICE_NAME: "" }
      const settings = Effect.runSync(
        Effect.provideService(tillConfig, ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
      )
      expect(settings.networks.map((entry) => Object.keys(entry).toSorted())).toEqual([
        ["network", name].toSorted()
      ])
      expect(configured(settings).networks).toMatchObject([{ lacks: [name], payTo }])
    }
    expect(configured(settingsOf()).networks).toMatchObject([{ lacks: [] }])
    const env = {
      ...required,
      TILL_NETWORKS: "base,base-sepolia",
      TILL_RPC_URL_BASE_SEPOLIA: "https://a.example"
    }
    const [base] = Effect.runSync(
      Effect.provideService(tillConfig, ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
    ).networks
    expect(Object.keys(base!)).toEqual(["network"])
  })

  it("reads the ids of retired keys", () => {
    const keys = { TILL_SECRET_ID: "2027", TILL_RETIRED_KEYS: "2026, 1" }
    expect(settingsOf(keys).retiredKeys).toEqual(["2026", "1"])
    expect(faultOf(tillConfig, { ...required, TILL_RETIRED_KEYS: "1" })).toMatch(
      /TILL_RETIRED_KEYS: secret has "1", too/
    )
  })

  it("reads older secrets by their ids", () => {
    expect(
      configured(
        settingsOf({ TILL_SECRET_ID: "2027", TILL_OLDER_SECRETS: `2026:${secret}:b, 1:${secret}` })
      ).secret.map((key) => ({ id: key.id, secret: unwrapped(key.secret) }))
    ).toEqual([
      { id: "2027", secret },
      { id: "2026", secret: `${secret}:b` },
      { id: "1", secret }
    ])
  })

  it("returns settings that a till accepts", () => {
    const settings = configured(settingsOf({ TILL_LIMITS_QUOTES_PER_MINUTE: "9" }))
    expect(settings).toMatchObject({ limits: { quotesPerMinute: 9 }, prefix: "/api", cors: "*" })
  })

  it("returns settings that accept hooks, and no ports, beside them", () => {
    expect(configured({ ...settingsOf(), onOrderChange: () => undefined })).toMatchObject({ prefix: "/api" })
    const withWrong = (change: object) => () =>
      Reflect.apply(configured, undefined, [{ ...settingsOf(), ...change }])
    expect(withWrong({ tracker: {} })).toThrow("tracker is an option of Till.make")
    expect(withWrong({ onEvent: () => undefined })).toThrow(
      "onEvent is an option of Till.make: with Till.layer, events go to Effect's logger"
    )
    expect(withWrong({ onOrderChange: 5 })).toThrow("onOrderChange must be a function")
  })

  const wrong: ReadonlyArray<readonly [string, string, RegExp]> = [
    ["TILL_BASE_URL", "shop.example", /TILL_BASE_URL must be the public http.* got "shop.example"/],
    ["TILL_PAY_TO", "0x12", /TILL_PAY_TO must be an EVM address/],
    ["TILL_NETWORKS", "base, dogechain", /TILL_NETWORKS: unknown network "dogechain"/],
    ["TILL_PAY_TO_BASE_SEPOLIA", "0x12", /TILL_PAY_TO_BASE_SEPOLIA must be an EVM address/],
    ["TILL_RPC_URL_BASE_SEPOLIA", canary, /TILL_RPC_URL_BASE_SEPOLIA must be an http\(s\) URL/],
    ["TILL_TOKEN_BASE_SEPOLIA", "0x12,USD Coin,2", /TILL_TOKEN_BASE_SEPOLIA must be an EVM address/],
    ["TILL_CONFIRMATIONS_BASE_SEPOLIA", "x", /TILL_CONFIRMATIONS_BASE_SEPOLIA must be .* got "x"/],
    ["TILL_SECRET", canary, /TILL_SECRET must have at least 32 characters/],
    ["TILL_OLDER_SECRETS", canary, /TILL_OLDER_SECRETS: the id of a secret must be/],
    ["TILL_LIMITS_UNSETTLED", "many", /TILL_LIMITS_UNSETTLED must be .* got "many"/],
    ["TILL_LIMITS_UNSETTLED", "0", /TILL_LIMITS_UNSETTLED must be .* got 0/],
    ["TILL_LIMITS_LOSS_PER_HOUR", "$5", /TILL_LIMITS_LOSS_PER_HOUR must be a decimal text .* got "\$5"/],
    ["TILL_PRICES_SHOP", "0", /TILL_PRICES_SHOP must be .* got "0"/],
    ["TILL_TRUST_FACILITATOR", "yes", /TILL_TRUST_FACILITATOR must be true or false: got "yes"/],
    ["TILL_SETTLEMENT_BEFORE_WORK", "tarck", /TILL_SETTLEMENT_BEFORE_WORK has no tarck: did you mean track/],
    ["TILL_OPENAPI_PATH", "openapi.json", /TILL_OPENAPI_PATH must be a path .* or false/],
    ["TILL_MARGIN", "2.5", /TILL_MARGIN must be basis points/],
    ["TILL_CORS", "a.example", /TILL_CORS must list origins .* got "a.example"/],
    ["TILL_EXAMPLES", "{", /TILL_EXAMPLES must be an object such as .* got "\{"/],
    ["TILL_EXAMPLES", '{"trak":{}}', /TILL_EXAMPLES has no trak; it has search/]
  ]
  it.each(wrong)("names %s where it is %s", (name, value, message) => {
    const text = faultOf(tillConfig, { ...required, [name]: value })
    expect(text).toMatch(message)
    expect(text).not.toContain(canary)
  })

  it("lists every missing variable at once", () => {
    const text = faultOf(tillConfig, {})
    for (const name of Object.keys(required)) expect(text).toMatch(new RegExp(`^- ${name} must `, "m"))
  })
})

/** Reads settings from an environment, and from an object; returns the settings or the fault, and the events. */
const started = async (env: Record<string, string>, config: Config.Config<unknown> = tillConfig) => {
  const [fromEnv, fromObject] = await Promise.all(
    [ConfigProvider.fromEnv({ env }), ConfigProvider.fromUnknown(env)].map(async (provider) => {
      const { events, layer } = testLogger()
      const settings = Effect.catch(config.parse(provider), ({ message }) => Effect.succeed(message))
      return { settings: await Effect.runPromise(Effect.provide(settings, layer)), events }
    })
  )
  expect(fromObject).toEqual(fromEnv)
  return fromEnv!
}

describe("a variable that nothing reads", () => {
  it.each([
    ["TILL_PRICE_TRACK", "TILL_PRICES_TRACK"],
    ["TILL_TRACK_PRICE", "TILL_PRICES_TRACK"],
    ["TILL_VAULT_SEARCH_PRICE", "TILL_PRICES_VAULT_SEARCH"],
    ["TILL_BASE_SEPOLIA_RPC_URL", "TILL_RPC_URL_BASE_SEPOLIA"],
    ["TILL_PRICES_TRAKC", "TILL_PRICES_TRACK"],
    ["TILL_OPEN_API_PATH", "TILL_OPENAPI_PATH"],
    ["TILL_RPCURL_BASE_SEPOLIA", "TILL_RPC_URL_BASE_SEPOLIA"],
    ["TILL_PAY_TO_EIP155_84532", "TILL_PAY_TO_BASE_SEPOLIA"],
    ["TILL_TRUST_FACILITATR", "TILL_TRUST_FACILITATOR"]
  ])("is refused where it misspells another: %s", async (name, meant) => {
    const { settings } = await started({ ...required, [name]: canary })
    expect(settings).toMatch(`there is no variable ${name}: did you mean ${meant}?`)
    expect(settings).not.toContain(canary)
  })

  it("is named where it shortens one that is missing", async () => {
    const environment = { ...required, TILL_FACILITATOR: canary }
    const { settings } = await started(environment, tillConfigWithFacilitator)
    expect(settings).toContain("there is no variable TILL_FACILITATOR: did you mean TILL_FACILITATOR_URL?")
    expect(settings).not.toContain(canary)
    const alone = await started(environment)
    expect(alone.events[0]?.message).toContain("TILL_FACILITATOR (did you mean TILL_FACILITATOR_URL?)")
  })

  it("stands in the one error with all other faults", async () => {
    const { settings } = await started({ TILL_NETWORKS: "base", TILL_PRICE_TRACK: "1", TILL_CORS: "x" })
    for (const fault of ["TILL_BASE_URL", "TILL_PAY_TO", "TILL_SECRET", "TILL_CORS", "TILL_PRICE_TRACK"])
      expect(settings).toContain(fault)
  })

  it("is not reported where it is for a network of another till in the same environment", async () => {
    const { events, settings } = await started({ ...required, TILL_RPC_URL_BASE: canary })
    expect(settings).toMatchObject({ payTo })
    expect(events).toEqual([])
  })

  // A host's own names.
  it.each(["TILL_ADMIN_PASSWORD", "TILL_SECRET_V2", "TILL_RPC_URL"])(
    "is reported, and stops no till: %s",
    async (name) => {
      const { events, settings } = await started({ ...required, TILL_PRICES_TRACK: "1", [name]: canary })
      expect(settings).toMatchObject({ prices: { track: "1" } })
      expect(events).toMatchObject([{ code: "unknown_variable", message: expect.stringContaining(name) }])
      expect(JSON.stringify(events)).not.toContain(canary)
    }
  )

  it.each([
    ["TILL_RPC_BASE_SEPOLIA", "TILL_RPC_URL_BASE_SEPOLIA"],
    ["TILL_FACILITATOR_TIMEOUT_MILLIS", "TILL_FACILITATOR_VERIFY_TIMEOUT_MILLIS"]
  ])("is reported with the one that it shortens: %s", async (name, meant) => {
    const { events } = await started(
      { ...required, TILL_FACILITATOR_URL: "https://facilitator.example", [name]: canary },
      tillConfigWithFacilitator
    )
    expect(events).toMatchObject([{ code: "unknown_variable" }])
    expect(events[0]?.message).toContain(`${name} (did you mean ${meant}?)`)
  })

  it.each(["TILL_SECRET_1", "TILL_SECRET_2027", "TILL_RPC_URL_EIP155_42170"])(
    "stops no till where its name ends in a number: %s",
    (name) => {
      expect(settingsOf({ [name]: canary })).toMatchObject({ payTo })
    }
  )

  it("is reported where the right one is set beside it", async () => {
    const { events, settings } = await started({
      ...required,
      TILL_PRICES_TRACK: "1",
      TILL_PRICE_TRACK: "2"
    })
    expect(settings).toMatchObject({ prices: { track: "1" } })
    expect(events).toMatchObject([{ level: "warning", code: "unknown_variable" }])
  })

  it("isn't one that a till, its facilitator or the command till402 reads", async () => {
    const { events } = await started({
      ...required,
      TILL_FACILITATOR_URL: "https://facilitator.example",
      TILL_DATABASE: "till.sqlite",
      TILL_FILES: "/srv/vault",
      TILL_RPC_URL_BASE_SEPOLIA: "https://rpc.example",
      TILL: "x",
      TILLAGE_RATE: "x"
    })
    expect(events).toEqual([])
  })

  it("isn't looked for in a source that can't list its names", async () => {
    const values: Readonly<Record<string, string>> = { ...required, TILL_PRICE_TRACK: "1" }
    const provider = ConfigProvider.make((path) =>
      path.length === 1
        ? Effect.succeed(
            values[String(path[0])] === undefined
              ? undefined
              : ConfigProvider.makeValue(String(values[String(path[0])]))
          )
        : Effect.fail(new ConfigProvider.SourceError({ message: "no list" }))
    )
    expect(await Effect.runPromise(tillConfig.parse(provider))).toMatchObject({ payTo })
  })
})

describe("tillConfigWithFacilitator", () => {
  const address = { TILL_FACILITATOR_URL: "https://facilitator.example" }

  it("reads the address and timeouts of the facilitator beside the settings", () => {
    const env = { ...required, ...address, TILL_FACILITATOR_VERIFY_TIMEOUT_MILLIS: "3000" }
    expect(read(tillConfigWithFacilitator, env)).toMatchObject({
      payTo,
      facilitator: { url: "https://facilitator.example", verifyTimeoutMillis: 3_000 }
    })
  })

  it("lists the faults of both in one error", () => {
    const text = faultOf(tillConfigWithFacilitator, {
      TILL_NETWORKS: "base-sepolia",
      TILL_FACILITATOR_SETTLE_TIMEOUT_MILLIS: "1h",
      TILL_PRICE_SHOP: "1"
    })
    for (const fault of [
      "TILL_BASE_URL must be",
      "TILL_PAY_TO must be",
      "TILL_SECRET must be",
      "TILL_FACILITATOR_URL must be an http(s) URL: it is not set",
      "TILL_FACILITATOR_SETTLE_TIMEOUT_MILLIS must be a whole number of milliseconds",
      "did you mean TILL_PRICES_SHOP?"
    ])
      expect(text).toContain(fault)
  })

  it("is what TillClients.layerConfig reads, and Till.layerConfig over it reports once", async () => {
    const launch = (env: Record<string, string>) => {
      const { events, layer } = testLogger()
      const till = Till.layerConfig([Track.layer]).pipe(
        Layer.provide([TillClients.layerConfig, Layer.mock(Tracker, { carriers: undefined }), memory()]),
        Layer.provide([FetchHttpClient.layer, ConfigProvider.layer(ConfigProvider.fromEnv({ env })), layer])
      )
      return Effect.runPromise(
        Effect.scoped(
          Layer.build(till).pipe(
            Effect.match({ onFailure: ({ message }) => message, onSuccess: () => "started" }),
            Effect.map((outcome) => ({ outcome, events }))
          )
        )
      )
    }
    const { outcome } = await launch({})
    for (const name of ["BASE_URL", "PAY_TO", "NETWORKS", "SECRET", "FACILITATOR_URL"])
      expect(outcome).toMatch(new RegExp(`^- TILL_${name} must `, "m"))
    const { events, outcome: started } = await launch({ ...required, ...address, TILL_ADMIN: "x" })
    expect(started).toBe("started")
    expect(events.filter(({ code }) => code === "unknown_variable")).toHaveLength(1)
  })
})

describe("Till.layerConfig", () => {
  const ports = Layer.mergeAll(
    Layer.mock(Tracker, { carriers: undefined }),
    Facilitator.layerClient(fakeFacilitator()),
    Layer.mock(Chain, { canRead: () => false }),
    memory()
  )
  const priced = (env: Record<string, string>) =>
    Effect.gen(function* () {
      const till = yield* Till
      const response = yield* till.fetch(new Request("https://shop.example/api/x402/track"))
      return (yield* Effect.promise(() => response.json())) as { readonly accepts: ReadonlyArray<unknown> }
    }).pipe(
      Effect.provide(Till.layerConfig([Track.layer]).pipe(Layer.provide(ports))),
      Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(env)))
    )

  it("serves with the settings of the host's ConfigProvider", async () => {
    const { accepts } = await Effect.runPromise(priced({ ...required, TILL_PRICES_TRACK: "0.75" }))
    expect(accepts).toMatchObject([{ maxAmountRequired: "750000", payTo, network: "base-sepolia" }])
  })

  it("fails with the variables that are missing", async () => {
    const error = await Effect.runPromise(Effect.flip(priced({})))
    expect(error).toBeInstanceOf(Config.ConfigError)
    expect(error.message).toContain("TILL_BASE_URL must be")
  })
})

describe("the variables", () => {
  it("have names of their own", () => {
    const names = variablePaths.map((path) => variableOf(path))
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(name).toMatch(/^TILL_[A-Z0-9_]+$/)
  })
})
