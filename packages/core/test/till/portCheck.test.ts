import { Effect, Layer, Schema } from "effect"
import { FetchHttpClient } from "effect/http"
import { expect, it } from "vitest"
import {
  Assistant,
  Buy,
  Catalogue,
  Chain,
  ConfigurationError,
  Facilitator,
  type FacilitatorOptions,
  Fulfilment,
  Mailer,
  Marketplaces,
  Operation,
  Search,
  Shop,
  Till,
  Track,
  Tracker,
  VaultBuy,
  VaultDownload,
  VaultFiles
} from "../../src/effect.ts"
import { memory } from "../../src/stores/memory.ts"
import {
  fakeAssistant,
  fakeFulfilment,
  fakeMailer,
  fakeMarketplace,
  fakeTracker,
  fakeVaultFiles
} from "../../../testing/src/index.ts"
import { fakes, settings } from "./hosted.ts"

/*
 * Ports that are layers, as hosts get them wrong: named at start, as the options of plain hosts are.
 */

const done = () => Effect.die("not called")
const marketplace = { source: "marketplace_a", search: done } as const
const honest = {
  Marketplaces: [marketplace],
  Assistant: { reply: done },
  Fulfilment: { quote: done, place: done },
  Tracker: { track: done },
  VaultFiles: { open: done },
  Mailer: { send: done }
}
type Ports = { readonly [Name in keyof typeof honest]: unknown }

const allRoutes = [
  Search.layer,
  Shop.layer,
  Buy.layer,
  Track.layer,
  VaultBuy.layer,
  VaultDownload.layer
] as const

const own = (path: string) =>
  Operation.make({
    id: "own",
    method: "GET",
    path,
    description: "Own",
    price: "0.02",
    output: Schema.Struct({}),
    work: () => Effect.succeed({})
  })

const layersOf = ({ Marketplaces: sources, ...ports }: Ports) =>
  Layer.mergeAll(
    Layer.succeed(Marketplaces, sources as never),
    Layer.succeed(Assistant, ports.Assistant as never),
    Layer.succeed(Fulfilment, ports.Fulfilment as never),
    Layer.succeed(Tracker, ports.Tracker as never),
    Layer.succeed(VaultFiles, ports.VaultFiles as never),
    Layer.succeed(Mailer, ports.Mailer as never)
  )

const { chainLayer, facilitatorLayer } = fakes()
const common = Layer.mergeAll(chainLayer, facilitatorLayer, memory())

/** Starts a till: why it doesn't start. */
const start = <A, E>(till: Layer.Layer<A, E>): Promise<string | undefined> =>
  Effect.runPromise(
    Effect.scoped(
      Layer.build(till).pipe(
        Effect.match({
          onSuccess: () => undefined,
          onFailure: (error) => {
            expect(error).toBeInstanceOf(ConfigurationError)
            return (error as ConfigurationError).message
          }
        })
      )
    )
  )

const trusting = { ...settings, trustFacilitator: true }

const startWith = (change: Partial<Ports>) =>
  start(Till.layer(trusting, allRoutes).pipe(Layer.provide([layersOf({ ...honest, ...change }), common])))

it.each<[string, Partial<Ports>, string]>([
  ["maxDownloads of 0", { VaultFiles: { open: done, maxDownloads: 0 } }, "VaultFiles.maxDownloads must be"],
  ["maxDownloads of text", { VaultFiles: { open: done, maxDownloads: "3" } }, "VaultFiles.maxDownloads must"],
  [
    "maxAgeMillis of days",
    { VaultFiles: { open: done, maxAgeMillis: 30 } },
    "VaultFiles.maxAgeMillis must be"
  ],
  [
    "maxAgeMillis of NaN",
    { VaultFiles: { open: done, maxAgeMillis: Number.NaN } },
    "VaultFiles.maxAgeMillis"
  ],
  [
    "freeReaccess of text",
    { VaultFiles: { open: done, freeReaccess: "no" } },
    "VaultFiles.freeReaccess must"
  ],
  ["no marketplace", { Marketplaces: [] }, "Marketplaces is empty: give one, or leave Search.layer out"],
  [
    "an object of marketplaces",
    { Marketplaces: { marketplace_a: marketplace } },
    "Marketplaces must be a list of marketplaces such as { source, search }: got an object"
  ],
  ["one source twice", { Marketplaces: [marketplace, marketplace] }, "two have the source marketplace_a"],
  [
    "an unknown source",
    { Marketplaces: [{ ...marketplace, source: "amazon" }] },
    'marketplace_b: got "amazon"'
  ],
  ["no time for a search", { Marketplaces: [{ ...marketplace, timeoutMillis: 0 }] }, "timeoutMillis must be"],
  ["a cost of text", { Assistant: { reply: done, maxCostUsd: "0.05" } }, "Assistant.maxCostUsd must be"],
  ["another method", { Tracker: { trakc: done } }, "Tracker has no trakc: did you mean track?"],
  ["no method", { Mailer: {} }, "give Mailer an object such as { send: (…) => Effect.succeed(…) }"],
  ["half of a fulfilment", { Fulfilment: { quote: done } }, "Fulfilment has no method place"],
  [
    "an async function",
    { Tracker: { track: async () => undefined } },
    "Tracker.track is an async function, and must return an Effect: provide async functions by Tracker.layerPromise"
  ],
  [
    "an async function of a marketplace",
    { Marketplaces: [{ ...marketplace, search: async () => undefined }] },
    "Marketplaces.search is an async function, and must return an Effect: provide async functions by Marketplaces.layerPromise"
  ],
  [
    "find that is none",
    { Fulfilment: { ...honest.Fulfilment, find: true } },
    "Fulfilment.find must be a function"
  ],
  [
    "placesOnce of text",
    { Fulfilment: { ...honest.Fulfilment, placesOnce: "true" } },
    "Fulfilment.placesOnce must"
  ]
])("a port that is a layer is refused at start: %s", async (_, change, text) => {
  expect(await startWith(change)).toContain(text)
})

it("mocks are taken, which have every member as a function", async () => {
  const mocks = Layer.mergeAll(
    Layer.mock(Tracker, { carriers: undefined }),
    Layer.mock(Mailer, {}),
    Layer.mock(Chain, { canRead: () => false })
  )
  const till = Till.layer(trusting, [Track.layer]).pipe(Layer.provide([mocks, facilitatorLayer, memory()]))
  expect(await start(till)).toBeUndefined()
})

it("all faults are in one error", async () => {
  const message = await startWith({ Tracker: {}, Mailer: {}, VaultFiles: { open: done, maxDownloads: 0 } })
  for (const name of ["Tracker", "Mailer", "VaultFiles"])
    expect(message).toMatch(new RegExp(`^- ${name}`, "m"))
})

it("ports that work are taken: with options, with members of their own, of classes, and from functions", async () => {
  class Shelf {
    readonly stock = 3
    open() {
      return done()
    }
  }
  expect(await startWith({})).toBeUndefined()
  expect(
    await startWith({
      Marketplaces: [
        { ...marketplace, timeoutMillis: 60_000 },
        { ...marketplace, source: "marketplace_b" }
      ],
      Assistant: { reply: done, maxCostUsd: 0 },
      Fulfilment: { ...honest.Fulfilment, placesOnce: () => true, find: done, status: undefined, log: 1 },
      VaultFiles: new Shelf()
    })
  ).toBeUndefined()
  const fromFunctions = Layer.mergeAll(
    Marketplaces.layerPromise({ marketplace_b: fakeMarketplace("marketplace_b") }),
    Fulfilment.layerPromise(fakeFulfilment()),
    Tracker.layerPromise(fakeTracker()),
    VaultFiles.layerPromise({ ...fakeVaultFiles(), maxDownloads: 3, maxAgeMillis: 60_000 }),
    Mailer.layerPromise(fakeMailer())
  )
  const assistant = Assistant.layerPromise(fakeAssistant()).pipe(
    Layer.provide(Catalogue.layer),
    Layer.provide(fromFunctions)
  )
  const till = Till.layer(trusting, allRoutes).pipe(Layer.provide([fromFunctions, assistant, common]))
  expect(await start(till)).toBeUndefined()
})

it("an assistant needs no marketplace", async () => {
  const ports = Layer.merge(Layer.succeed(Marketplaces, []), Layer.succeed(Assistant, { reply: done }))
  expect(await start(Till.layer(settings, [Shop.layer]).pipe(Layer.provide([ports, common])))).toBeUndefined()
})

it.each([
  [
    "/openapi.json",
    "operation own: the path /openapi.json belongs to a document, a public route or a status page"
  ],
  [
    "/x402-status/orders/:id",
    "operation own: the path /x402-status/orders/:id belongs to a document, a public route or a status page"
  ],
  ["/hello", "operation own: the path /hello belongs to a document, a public route or a status page"],
  ["/weather", undefined]
])("a route of the host at %s", async (path, message) => {
  const given = { ...settings, publicRoutes: { "/hello": () => new Response("hello") } }
  const refusal = await start(Till.layer(given, [own(path)]).pipe(Layer.provide(common)))
  if (message === undefined) expect(refusal).toBeUndefined()
  else expect(refusal).toContain(message)
})

it.each<[string, Layer.Layer<Facilitator | Chain>, string]>([
  [
    "a facilitator of async functions",
    Layer.merge(
      chainLayer,
      Layer.succeed(Facilitator, {
        verify: async () => ({}),
        settle: done,
        supported: Effect.succeed([])
      } as never)
    ),
    "Facilitator.verify is an async function, and must return an Effect: provide async functions by Facilitator.layerClient"
  ],
  [
    "a facilitator that lists what it settles by a function",
    Layer.merge(
      chainLayer,
      Layer.succeed(Facilitator, { verify: done, settle: done, supported: () => [] } as never)
    ),
    "Facilitator.supported must be an Effect: got a function"
  ],
  ...(
    [
      [
        "settlements without a time",
        { settleTimeoutMillis: Number.NaN },
        "settleTimeoutMillis must be a whole"
      ],
      [
        "endless settlements",
        { settleTimeoutMillis: Infinity },
        "settleTimeoutMillis must be a whole number"
      ],
      ["addresses in an object", { addresses: { own: "https://own.example" } }, "addresses must be a Map"]
    ] as const
  ).map(([name, members, text]): [string, Layer.Layer<Facilitator | Chain>, string] => [
    name,
    Layer.merge(
      chainLayer,
      Layer.succeed(Facilitator, {
        verify: done,
        settle: done,
        supported: Effect.succeed([]),
        ...members
      } as never)
    ),
    `Facilitator.${text}`
  ]),
  ...(
    [
      ["an Effect", () => Effect.succeed(false), "got an object"],
      ["a promise", () => Promise.resolve(false), "got an object"],
      [
        "nothing, since it throws",
        () => {
          throw new TypeError("own")
        },
        "it threw TypeError"
      ]
    ] as const
  ).map(([name, canRead, text]): [string, Layer.Layer<Facilitator | Chain>, string] => [
    `a chain whose canRead returns ${name}`,
    Layer.merge(facilitatorLayer, Layer.mock(Chain, { canRead: canRead as never })),
    `Chain.canRead must return true or false: ${text}`
  ]),
  [
    "half of a chain",
    Layer.merge(facilitatorLayer, Layer.succeed(Chain, { canRead: () => false, evidenec: done } as never)),
    "Chain has no evidenec: did you mean evidence?"
  ]
])("%s is refused at start", async (_, services, text) => {
  const till = Till.layer(settings, [own("/own")]).pipe(Layer.provide([services, memory()]))
  expect(await start(till)).toContain(text)
})

it("an operation of an async function is refused at start", async () => {
  const wrong = Operation.make({
    id: "own",
    method: "GET",
    path: "/own",
    description: "Own",
    price: "0.02",
    output: Schema.Struct({}),
    work: (async () => ({})) as never
  })
  expect(await start(Till.layer(settings, [wrong]).pipe(Layer.provide(common)))).toContain(
    "operation own: work is an async function, and must return an Effect: wrap promises in Effect.tryPromise"
  )
})

it.each([
  ["facilitator.example", "facilitator.url must be an http(s) URL"],
  ["https://facilitator.example/settle", "facilitator.url must not end in /settle"]
])("a facilitator at %s ends the start", async (url, text) => {
  await expectRefused({ url }, text)
})

it.each([
  [
    { setleTimeoutMillis: 60_000 },
    "facilitator has no setleTimeoutMillis: did you mean settleTimeoutMillis?"
  ],
  [
    { timeout: 60_000 },
    "facilitator has no timeout; it has url, name, networks, headers, verifyTimeoutMillis"
  ]
])("a facilitator with %o ends the start", async (option, text) => {
  await expectRefused({ url: "https://facilitator.example", ...option }, text)
})

const expectRefused = async (options: FacilitatorOptions, text: string) => {
  const facilitator = Facilitator.layerHttp(options).pipe(Layer.provide(FetchHttpClient.layer))
  const till = Till.layer(settings, [own("/own")]).pipe(Layer.provide([facilitator, chainLayer, memory()]))
  await expect(Effect.runPromise(Effect.scoped(Layer.build(till)))).rejects.toThrow(text)
}

it.each<[string, ReadonlyArray<unknown>, string]>([
  ["none", [], "facilitator must list 1 to 5 facilitators: got 0"],
  [
    "text",
    ["https://facilitator.example"],
    "facilitator must be given as { url }, or as an object with verify"
  ],
  [
    "two of one name",
    [{ url: "https://facilitator.example" }, { url: "https://facilitator.example" }],
    'facilitator[1]: two facilitators are called "facilitator.example": give one a name'
  ],
  [
    "an unknown network",
    [{ url: "https://facilitator.example", networks: ["bsae"] }],
    'facilitator.networks: unknown network "bsae"'
  ],
  [
    "headers that are an object",
    [{ url: "https://facilitator.example", headers: { authorization: "a key" } }],
    "facilitator.headers must be a function that returns the headers of one call"
  ],
  ["half of a client", [{ verify: done }], "facilitator has no method settle"]
])("facilitators of a layer are checked as those of plain hosts: %s", async (_, sources, text) => {
  const facilitators = Facilitator.layerSeveral(sources as never).pipe(Layer.provide(FetchHttpClient.layer))
  const till = Till.layer(settings, [own("/own")]).pipe(Layer.provide([facilitators, chainLayer, memory()]))
  expect(await start(till)).toContain(text)
})

it.each<[string, Layer.Layer<Tracker>, string]>([
  ["misspelled", Tracker.layerPromise({ trakc: done } as never), "Tracker has no trakc: did you mean track?"],
  [
    "missing",
    Tracker.layerPromise({} as never),
    "Tracker has no method track: give Tracker an object such as { track: async (…) => … }"
  ]
])("a plain function of layerPromise that is %s is named at start", async (_, tracker, text) => {
  const till = Till.layer(settings, [Track.layer]).pipe(Layer.provide([tracker, common]))
  expect(await start(till)).toContain(text)
})

it("a misspelled option of layerPromise is named at start", async () => {
  const files = VaultFiles.layerPromise({ ...fakeVaultFiles(), maxDownload: 3 } as never)
  const till = Till.layer(trusting, [VaultDownload.layer]).pipe(Layer.provide([files, common]))
  expect(await start(till)).toContain("VaultFiles has no maxDownload: did you mean maxDownloads?")
})

it("options of Till.make, and no operation, are refused with what to do", async () => {
  const given = { ...settings, facilitator: { url: "https://facilitator.example" }, tracker: fakeTracker() }
  const message = await start(Till.layer(given, [own("/own")]).pipe(Layer.provide(common)))
  for (const name of ["facilitator", "tracker"])
    expect(message).toContain(`${name} is an option of Till.make: provide its layer to Till.layer`)
  const none: Layer.Layer<Till, ConfigurationError> = Reflect.apply(Till.layer, undefined, [settings, []])
  expect(await start(none)).toContain("no operation is given, such as Track.layer")
})

it("a misspelled option of an operation is refused, and the host's own isn't", async () => {
  const make = (option: object) =>
    Operation.make({
      id: "own",
      method: "GET",
      path: "/own",
      description: "Own",
      price: "0.02",
      output: Schema.Struct({}),
      work: () => Effect.succeed({}),
      ...option
    })
  const startWithOption = (option: object) =>
    start(Till.layer(settings, [make(option)]).pipe(Layer.provide(common)))
  expect(await startWithOption({ prof: "chain" })).toContain(
    "operation own: it has no prof: did you mean proof?"
  )
  expect(await startWithOption({ team: "weather", title: "Own" })).toBeUndefined()
})
