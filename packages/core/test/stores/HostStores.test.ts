import { assert, describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { StoreError } from "../../src/domain/Errors.ts"
import { DeadlineExceeded } from "../../src/runtime/Deadline.ts"
import { type HostStores, type HostStoresSettings } from "../../src/stores/HostStores.ts"
import { storeTests } from "../../../testing/src/storeTests.ts"
import { StoreContractViolation } from "../../../testing/src/storeContract.ts"
import { verbs, storesOf, plainMemory, withPorts } from "../ports/plainStores.ts"

/** Tests of a storage in memory, with the methods of charges that `change` replaces. */
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

describe("charges in plain promises, without the stores of the shop", () => {
  let charges = plainMemory().charges
  const tests = storeTests({
    empty: () => {
      charges = plainMemory().charges
    },
    connect: () => ({ charges }),
    without: ["quotes", "orders", "vault"]
  })
  const random = tests.filter(({ name }) => /random operations/.test(name))
  for (const { name, run } of random) it(name, run)

  it("have no tests of other stores", () => {
    expect(random.length).toBeGreaterThan(0)
    expect(tests.length).toBeGreaterThan(100)
    expect(tests.filter(({ name }) => !name.startsWith("Charges: "))).toEqual([])
  })
})

describe("a store that breaks its promise", () => {
  const race = /exactly one claims/

  it("is reported as a violation of the contract", async () => {
    const racing = testsOfMemory(() => ({ claim: async () => ({ _tag: "Claimed" }) })).find(({ name }) =>
      race.test(name)
    )
    await expect(racing!.run()).rejects.toThrow(StoreContractViolation)
  })

  it("is distinguished from one that fails, and the failed verb is named", async () => {
    const failing = testsOfMemory(() => ({ claim: () => Promise.reject(new Error("disk full")) })).find(
      ({ name }) => race.test(name)
    )
    await expect(failing!.run()).rejects.toThrow("charges.claim failed: disk full")
  })

  it("is reported if it forgets records at a restart", async () => {
    const broken = storeTests({ empty: () => undefined, connect: plainMemory }).filter(({ name }) =>
      /restart/.test(name)
    )
    expect(broken.length).toBeGreaterThan(0)
    for (const { run } of broken) await expect(run()).rejects.toThrow(StoreContractViolation)
  })
})

describe.each(verbs)("%s.%s", (name, verb) => {
  const call = (method: (...input: ReadonlyArray<unknown>) => unknown, settings?: HostStoresSettings) =>
    withPorts(
      storesOf((...inputs) => (inputs.join(".") === `${name}.${verb}` ? method : () => undefined)),
      (ports) => ports[name][verb]!("first", "second"),
      settings
    )

  it.effect("gets the arguments, and a signal behind them", () =>
    Effect.gen(function* () {
      const inputs: Array<ReadonlyArray<unknown>> = []
      yield* Effect.exit(call((...input) => void inputs.push(input)))
      const [[first, second, context, ...rest]] = inputs as [ReadonlyArray<unknown>]
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
  ] as const)("names itself in the failure: %s", ([, method]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(call(method))
      assert.instanceOf(error, StoreError)
      assert.strictEqual(error.operation, `${name}.${verb}`)
      assert.strictEqual((error.cause as Error).message, "no")
    })
  )

  it.effect("is given up after five seconds, or after the host's timeout", () =>
    Effect.gen(function* () {
      for (const [settings, millis] of [
        [undefined, 5_000],
        [{ timeoutMillis: 70 }, 70]
      ] as const) {
        let signal: AbortSignal | undefined
        const calling = yield* Effect.forkChild(
          Effect.flip(
            call((_first, _second, context) => {
              signal = (context as { readonly signal: AbortSignal }).signal
              return new Promise(() => undefined)
            }, settings)
          )
        )
        yield* TestClock.adjust(millis - 1)
        assert.isUndefined(calling.pollUnsafe())
        assert.strictEqual(signal?.aborted, false)
        yield* TestClock.adjust(1)
        const error = yield* Fiber.join(calling)
        assert.instanceOf(error, StoreError)
        assert.strictEqual(error.operation, `${name}.${verb}`)
        assert.instanceOf(error.cause, DeadlineExceeded)
        assert.strictEqual(signal?.aborted, true)
      }
    })
  )
})
