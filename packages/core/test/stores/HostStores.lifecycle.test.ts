import { assert, describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, ManagedRuntime } from "effect"
import { TestClock } from "effect/testing"
import { ConfigurationError, StoreError } from "../../src/domain/Errors.ts"
import { Charges } from "../../src/ports/Charges.ts"
import { DeadlineExceeded } from "../../src/runtime/Deadline.ts"
import { type HostStores, type HostStoresSettings, storageFrom } from "../../src/stores/HostStores.ts"
import { StoreClock } from "../../src/ports/StoreClock.ts"
import { storesOf, plainMemory, withPorts } from "../ports/plainStores.ts"

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
        earliestDue = () => Promise.resolve(undefined)
        reschedule = () => Promise.resolve(false)
        forget = () => Promise.resolve(0)
        countSales = () => Promise.resolve(0)
        countUnderKey = () => Promise.resolve(0)
        countDownload = () => Promise.resolve(true)
        releaseDownload = () => Promise.resolve()
        redeem = () => Promise.resolve("Redeemed" as const)
        renewToken = () => Promise.resolve({ _tag: "NotGranted" } as const)
        list = () => Promise.resolve([])
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

  it.effect("that lacks verbs of a store is refused, with all that is missing", () =>
    Effect.gen(function* () {
      const stores = plainMemory()
      const { takeOver: _takeOver, totals: _totals, ...charges } = stores.charges
      const { take: _take, ...orders } = stores.orders
      const faults = yield* configurationFault({ ...stores, charges, orders } as HostStores)
      assert.strictEqual(
        faults,
        "storage: charges.takeOver is missing; charges.totals is missing; orders.take is missing"
      )
    })
  )

  it.effect("needs no store but that of charges", () =>
    Effect.gen(function* () {
      const { charges, ...others } = plainMemory()
      assert.strictEqual(yield* configurationFault(others as HostStores), "storage: charges is missing")
      const find = Charges.use((store) => store.find("key"))
      assert.isUndefined(yield* Effect.provide(find, storageFrom({ charges })))
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

  /** Stores that record their calls, in order. */
  const observed = (
    hooks: { readonly open?: () => Promise<void>; readonly close?: () => Promise<void> } = {}
  ) => {
    const seen: Array<string> = []
    const recording =
      (what: string, then: () => Promise<void> = () => Promise.resolve()) =>
      async () => {
        seen.push(what)
        await then()
      }
    const stores = {
      ...storesOf((name, verb) => recording(`${name}.${verb}`)),
      open: recording("open", hooks.open),
      close: recording("close", hooks.close)
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

  it.effect("that can't be opened fails, and is closed", () =>
    Effect.gen(function* () {
      const { seen, stores } = observed({ open: () => Promise.reject(new Error("no such database")) })
      const error = yield* Effect.flip(withPorts(stores, () => Effect.void))
      assert.instanceOf(error, StoreError)
      assert.strictEqual(error.operation, "open")
      assert.strictEqual((error.cause as Error).message, "no such database")
      assert.deepStrictEqual(seen, ["open", "close"])
    })
  )

  it.effect("returns the database's time where it can, and nothing else", () =>
    Effect.gen(function* () {
      const clockOf = (nowMillis?: () => Promise<number>) =>
        Effect.provide(
          Effect.flatMap(StoreClock, Effect.succeed),
          storageFrom(nowMillis === undefined ? plainMemory() : { ...plainMemory(), nowMillis })
        )
      assert.isUndefined(yield* clockOf())
      const opened = yield* clockOf(() => Promise.resolve(1_000.5))
      assert.strictEqual(yield* opened!.nowMillis, 1_000.5)
      for (const wrong of [Number.NaN, "1000"]) {
        const clock = yield* clockOf(() => Promise.resolve(wrong as number))
        const error = yield* Effect.flip(clock!.nowMillis)
        assert.strictEqual(error.operation, "nowMillis")
      }
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

  it("that can't be closed makes dispose() reject", async () => {
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
