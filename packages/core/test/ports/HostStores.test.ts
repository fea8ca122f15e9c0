import { assert, describe, expect, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, ManagedRuntime } from "effect"
import { TestClock } from "effect/testing"
import { ConfigurationError, StoreError } from "../../src/domain/Errors.ts"
import { memory } from "../../src/ports/memory/memory.ts"
import { Charges } from "../../src/ports/Charges.ts"
import { MalformedResponse } from "../../src/runtime/causeName.ts"
import { DeadlineExceeded } from "../../src/runtime/causeName.ts"
import { type HostStores, type HostStoresSettings, storageFrom } from "../../src/ports/HostStores.ts"
import { Orders } from "../../src/ports/Orders.ts"
import { Quotes } from "../../src/ports/Quotes.ts"
import type { Stores } from "../../src/ports/Stores.ts"
import { VaultItems } from "../../src/ports/VaultItems.ts"
import { VaultPurchases } from "../../src/ports/VaultPurchases.ts"
import { storeTests } from "../../src/testing/storeTests.ts"
import { StoreContractViolation } from "../../src/testing/storeContract.ts"

type StoreName = "charges" | "quotes" | "orders" | "vaultItems" | "vaultPurchases"
type Verbs = Record<string, (...input: ReadonlyArray<unknown>) => unknown>

const portsOf = (context: Context.Context<Stores>): Record<StoreName, object> => ({
  charges: Context.get(context, Charges),
  quotes: Context.get(context, Quotes),
  orders: Context.get(context, Orders),
  vaultItems: Context.get(context, VaultItems),
  vaultPurchases: Context.get(context, VaultPurchases)
})

const inMemory = (): Record<StoreName, object> =>
  portsOf(Effect.runSync(Effect.scoped(Layer.build(memory()))))

/** Every verb of every port, by the ports themselves. */
const verbs = Object.entries(inMemory()).flatMap(([name, port]) =>
  Object.keys(port).map((verb) => [name as StoreName, verb] as const)
)

/** Stores whose verbs are all made by one function. */
const storesOf = (make: (name: StoreName, verb: string) => (...input: ReadonlyArray<unknown>) => unknown) => {
  const stores: Record<string, Verbs> = {}
  for (const [name, verb] of verbs) (stores[name] ??= {})[verb] = make(name, verb)
  return stores as unknown as HostStores
}

/** The stores in memory as a host without Effect would have written them. */
const plainMemory = (): HostStores => {
  const ports = inMemory()
  return storesOf((name, verb) => (...input) => {
    const run = (ports[name] as Record<string, (...input: ReadonlyArray<unknown>) => Effect.Effect<unknown>>)[
      verb
    ]!
    // The context is not for the port.
    return Effect.runPromise(run(...input.slice(0, -1)))
  })
}

const withPorts = <A, E>(
  stores: HostStores,
  use: (
    ports: Record<
      StoreName,
      Record<string, (...input: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>>
    >
  ) => Effect.Effect<A, E>,
  settings?: HostStoresSettings
) =>
  Effect.scoped(
    Effect.flatMap(Layer.build(storageFrom(stores, settings)), (context) => use(portsOf(context) as never))
  )

/** Tests of a storage in memory, with other charges than its own where `change` says so. */
const testsOfMemory = (
  change: (charges: HostStores["charges"]) => Partial<HostStores["charges"]> = () => ({})
) => {
  let stores = plainMemory()
  return storeTests({
    empty: () => {
      stores = plainMemory()
    },
    connect: () => ({ ...stores, charges: { ...stores.charges, ...change(stores.charges) } })
  })
}

describe("stores in plain promises", () => {
  for (const { name, run } of testsOfMemory()) it(name, run)
})

describe("a store that breaks its promise", () => {
  const race = /exactly one claims/

  it("is told so", async () => {
    const racing = testsOfMemory(() => ({ claim: async () => ({ _tag: "Claimed" }) })).find(({ name }) =>
      race.test(name)
    )
    await expect(racing!.run()).rejects.toThrow(StoreContractViolation)
  })

  it("is told from one that fails, and which verb failed", async () => {
    const failing = testsOfMemory(() => ({ claim: () => Promise.reject(new Error("disk full")) })).find(
      ({ name }) => race.test(name)
    )
    await expect(failing!.run()).rejects.toThrow("charges.claim failed: disk full")
  })

  it("is told when it forgets what it knew before a restart", async () => {
    const broken = storeTests({ empty: () => undefined, connect: plainMemory }).filter(({ name }) =>
      /restart/.test(name)
    )
    expect(broken.length).toBeGreaterThan(0)
    for (const { run } of broken) await expect(run()).rejects.toThrow(StoreContractViolation)
  })
})

describe.each(verbs)("%s.%s", (name, verb) => {
  const say = (ask: (...input: ReadonlyArray<unknown>) => unknown, settings?: HostStoresSettings) =>
    withPorts(
      storesOf((...asked) => (asked.join(".") === `${name}.${verb}` ? ask : () => undefined)),
      (ports) => ports[name][verb]!("first", "second"),
      settings
    )

  it.effect("gets the arguments, and a signal behind them", () =>
    Effect.gen(function* () {
      const asked: Array<ReadonlyArray<unknown>> = []
      yield* Effect.exit(say((...input) => void asked.push(input)))
      const [[first, second, context, ...rest]] = asked as [ReadonlyArray<unknown>]
      assert.deepStrictEqual([first, second, rest], ["first", "second", []])
      assert.strictEqual((context as { readonly signal: AbortSignal }).signal.aborted, false)
    })
  )

  it.effect.each([
    ["a rejection", () => Promise.reject(new Error("no"))],
    [
      "a throw on the spot",
      () => {
        throw new Error("no")
      }
    ]
  ] as const)("names itself in the failure: %s", ([, ask]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(say(ask))
      assert.instanceOf(error, StoreError)
      assert.strictEqual(error.operation, `${name}.${verb}`)
      assert.strictEqual((error.cause as Error).message, "no")
    })
  )

  it.effect("is given up after five seconds, or as long as the host says", () =>
    Effect.gen(function* () {
      for (const [settings, millis] of [
        [undefined, 5_000],
        [{ timeoutMillis: 70 }, 70]
      ] as const) {
        let signal: AbortSignal | undefined
        const asking = yield* Effect.forkChild(
          Effect.flip(
            say((_first, _second, context) => {
              signal = (context as { readonly signal: AbortSignal }).signal
              return new Promise(() => undefined)
            }, settings)
          )
        )
        yield* TestClock.adjust(millis - 1)
        assert.isUndefined(asking.pollUnsafe())
        assert.strictEqual(signal?.aborted, false)
        yield* TestClock.adjust(1)
        const error = yield* Fiber.join(asking)
        assert.instanceOf(error, StoreError)
        assert.strictEqual(error.operation, `${name}.${verb}`)
        assert.instanceOf(error.cause, DeadlineExceeded)
        assert.strictEqual(signal?.aborted, true)
      }
    })
  )
})

describe("results of the wrong type", () => {
  const respondWith = (name: StoreName, verb: string, response: unknown) =>
    withPorts(
      storesOf(() => () => Promise.resolve(response)),
      (ports) => ports[name][verb]!()
    )
  const claimed = { _tag: "Claimed" }
  const cases: ReadonlyArray<
    readonly [StoreName, string, right: ReadonlyArray<unknown>, wrong: ReadonlyArray<unknown>]
  > = [
    ["charges", "advance", [true, false], [undefined, null, 1, "true", {}]],
    [
      "charges",
      "claim",
      [
        claimed,
        { _tag: "Limited", by: "charges" },
        { _tag: "Limited", by: "exposure" },
        { _tag: "Existing", charge: {} }
      ],
      [undefined, true, "Claimed", { _tag: "Existing" }, { _tag: "Taken" }, { _tag: "Limited" }]
    ],
    [
      "charges",
      "complete",
      [{ _tag: "Completed" }, { _tag: "NotOpen" }, { _tag: "TransferTaken" }],
      [undefined, true, false, "Completed", {}, { _tag: "Claimed" }]
    ],
    [
      "charges",
      "payerActivity",
      [
        { openAtomic: "0", settledAtomic: "10000" },
        { openAtomic: "9".repeat(78), settledAtomic: "0" }
      ],
      [
        undefined,
        {},
        { openAtomic: "0" },
        { openAtomic: 0, settledAtomic: 0 },
        { openAtomic: 1n, settledAtomic: 0n },
        { openAtomic: "-1", settledAtomic: "0" },
        { openAtomic: "1e3", settledAtomic: "0" },
        { openAtomic: "", settledAtomic: "0" }
      ]
    ],
    [
      "charges",
      "startRefund",
      [{ _tag: "Started" }, { _tag: "NotDue" }, { _tag: "OverLimit" }, { _tag: "ExceedsReceived" }],
      [undefined, true, "Started", {}, { _tag: "Due" }]
    ],
    ["charges", "refundStop", [undefined, { reason: "no", atMillis: 1 }], [false, [], "stopped"]],
    ["charges", "stopRefunds", [true, false], [undefined, null, 1]],
    ["charges", "releaseVoided", [0, 7], [undefined, -1, true]],
    ["charges", "voidedDue", [[], [{}]], [undefined, {}, true]],
    ["charges", "find", [undefined, {}], [false, [], "charge"]],
    ["charges", "list", [[], [{}]], [undefined, {}, "charges"]],
    ["charges", "expire", [0, 7], [undefined, -1, 0.5, "7", 7n]],
    ["quotes", "put", [{}], [undefined, null, true, []]],
    ["vaultPurchases", "take", [[], [{}]], [undefined, {}, true]],
    ["vaultPurchases", "reschedule", [true, false], [undefined, null, 1]],
    ["vaultPurchases", "forget", [0, 7], [undefined, -1, true]],
    [
      "vaultItems",
      "search",
      [undefined, { items: [], nextCursor: null }, { items: [], nextCursor: "x" }],
      [[], {}, { items: [] }, { items: {}, nextCursor: null }, { items: [], nextCursor: 7 }]
    ]
  ]
  for (const [name, verb, right, wrong] of cases) {
    it.effect(`${name}.${verb}`, () =>
      Effect.gen(function* () {
        for (const response of right) assert.strictEqual(yield* respondWith(name, verb, response), response)
        for (const response of wrong) {
          const error = yield* Effect.flip(respondWith(name, verb, response))
          assert.instanceOf(error, StoreError)
          assert.strictEqual(error.operation, `${name}.${verb}`)
          assert.instanceOf(error.cause, MalformedResponse)
          assert.match(error.cause.message, /^must return .*, not /)
        }
      })
    )
  }

  it.effect("null means nothing found, and a method without a result may return anything", () =>
    Effect.gen(function* () {
      for (const [name, verb] of [
        ["charges", "find"],
        ["charges", "refundStop"],
        ["quotes", "findLive"],
        ["quotes", "findConsumed"],
        ["orders", "find"],
        ["vaultItems", "findBySlug"],
        ["vaultItems", "search"],
        ["vaultPurchases", "find"]
      ] as const) {
        assert.isUndefined(yield* respondWith(name, verb, null))
      }
      assert.isUndefined(yield* respondWith("orders", "create", { rows: 1 }))
    })
  )
})

describe("a storage", () => {
  const configurationFault = (stores: HostStores, settings?: HostStoresSettings) =>
    Effect.map(Effect.flip(withPorts(stores, () => Effect.void, settings)), (error) => {
      assert.instanceOf(error, ConfigurationError)
      return error.message
    })

  it.effect("may be made of classes", () =>
    Effect.gen(function* () {
      class Purchases {
        readonly #known = new Set(["p-1"])
        reserve = () => Promise.resolve()
        cancel = () => Promise.resolve()
        take = () => Promise.resolve([])
        reschedule = () => Promise.resolve(false)
        forget = () => Promise.resolve(0)
        async find() {
          return undefined
        }
        async grant(id: string) {
          return this.#known.has(id)
        }
      }
      const granted = yield* withPorts(
        { ...plainMemory(), vaultPurchases: new Purchases() },
        ({ vaultPurchases }) => vaultPurchases["grant"]!("p-1")
      )
      assert.strictEqual(granted, true)
    })
  )

  it.effect("that lacks verbs or a whole store is refused, with all that is missing", () =>
    Effect.gen(function* () {
      const { orders: _, ...stores } = plainMemory()
      const { takeOver: _takeOver, totals: _totals, ...charges } = stores.charges
      const faults = yield* configurationFault({ ...stores, charges } as HostStores)
      assert.strictEqual(
        faults,
        "storage: charges.takeOver is missing; charges.totals is missing; orders is missing"
      )
    })
  )

  it.effect("is refused with a deadline that is none", () =>
    Effect.gen(function* () {
      for (const timeoutMillis of [0, -1, 30_001, Number.NaN, Number.POSITIVE_INFINITY]) {
        const faults = yield* configurationFault(plainMemory(), { timeoutMillis })
        assert.strictEqual(faults, "storage: timeoutMillis must be between 1 and 30000")
      }
      for (const openTimeoutMillis of [0, 3_600_001, Number.NaN, Number.POSITIVE_INFINITY]) {
        const faults = yield* configurationFault(plainMemory(), { openTimeoutMillis })
        assert.strictEqual(faults, "storage: openTimeoutMillis must be between 1 and 3600000")
      }
    })
  )

  /** Stores that say what happens to them, in order. */
  const observed = (
    hooks: { readonly open?: () => Promise<void>; readonly close?: () => Promise<void> } = {}
  ) => {
    const seen: Array<string> = []
    const saying =
      (what: string, then: () => Promise<void> = () => Promise.resolve()) =>
      async () => {
        seen.push(what)
        await then()
      }
    const stores = {
      ...storesOf((name, verb) => saying(`${name}.${verb}`)),
      open: saying("open", hooks.open),
      close: saying("close", hooks.close)
    }
    return { seen, stores }
  }

  it.effect("is opened before the first verb and closed after the last, once, wherever it is provided", () =>
    Effect.gen(function* () {
      const { seen, stores } = observed()
      const storage = storageFrom(stores)
      const find = Charges.use((charges) => charges.find("key"))
      const twice = Layer.effectDiscard(find).pipe(Layer.provide(storage), Layer.provideMerge(storage))
      yield* Effect.provide(find, twice)
      assert.deepStrictEqual(seen, ["open", "charges.find", "charges.find", "close"])
    })
  )

  it.effect("that can't be opened says so, and is closed", () =>
    Effect.gen(function* () {
      const { seen, stores } = observed({ open: () => Promise.reject(new Error("no such database")) })
      const error = yield* Effect.flip(withPorts(stores, () => Effect.void))
      assert.instanceOf(error, StoreError)
      assert.strictEqual(error.operation, "open")
      assert.strictEqual((error.cause as Error).message, "no such database")
      assert.deepStrictEqual(seen, ["open", "close"])
    })
  )

  it.effect("has a minute to open", () =>
    Effect.gen(function* () {
      const { stores } = observed({ open: () => new Promise(() => undefined) })
      const opening = yield* Effect.forkChild(Effect.flip(withPorts(stores, () => Effect.void)))
      yield* TestClock.adjust(59_999)
      assert.isUndefined(opening.pollUnsafe())
      yield* TestClock.adjust(1)
      const error = yield* Fiber.join(opening)
      assert.instanceOf(error, StoreError)
      assert.instanceOf(error.cause, DeadlineExceeded)
    })
  )

  it("that can't be closed says so to who disposes of it", async () => {
    const { stores } = observed({ close: () => Promise.reject(new Error("still in use")) })
    const runtime = ManagedRuntime.make(storageFrom(stores))
    await runtime.runPromise(Charges.use((charges) => charges.find("key")))
    const closing = await Effect.runPromiseExit(runtime.disposeEffect)
    assert.isTrue(Exit.isFailure(closing))
    await expect(
      Effect.runPromise(Effect.failCause((closing as Exit.Failure<never, never>).cause))
    ).rejects.toMatchObject({
      _tag: "StoreError",
      operation: "close"
    })
  })
})
