import { Effect, Layer, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { describe, expect, it } from "vitest"
import { ChargeOperator } from "../../../src/operators/ChargeOperator.ts"
import { LedgerOperator } from "../../../src/operators/LedgerOperator.ts"
import { ChangeFeed } from "../../../src/shop/orders/OrderChanges.ts"
import { OrderOperator } from "../../../src/shop/orders/OrderOperator.ts"
import { Charges } from "../../../src/ports/Charges.ts"
import { Orders } from "../../../src/shop/ports/Orders.ts"
import { chargesWithOne } from "../../../../testing/src/stores/chargeRecords.ts"
import { sampleOrder } from "../../../../testing/src/stores/records.ts"
import { Chain } from "../../../src/toll/evidence/Chain.ts"

const count = 450

/** Limits that a store was asked for, each with the turn of the event loop. */
interface Reading {
  readonly limit: number
  readonly turn: number
}

type Operators = ChargeOperator | LedgerOperator | OrderOperator

/** Runs a command of an operator over 450 charges and orders, and notes what the stores read meanwhile. */
const reading = <A, E>(command: Effect.Effect<A, E, Operators>) =>
  Effect.gen(function* () {
    const charges = yield* Charges
    const orders = yield* Orders
    for (let number = 0; number < count; number++) {
      const createdAtMillis = 1_000 + number
      const key = `key-${number}`
      yield* chargesWithOne("settled", { key, createdAtMillis }, { settledAtMillis: 2_000 + number })
      yield* orders.create(sampleOrder({ id: `order-${number}`, createdAtMillis }))
    }
    const readings: Array<Reading> = []
    let turn = 0
    const next = (): void => {
      turn++
      timer = setImmediate(next)
    }
    let timer = setImmediate(next)
    const noting =
      <Query extends { readonly limit: number }, B, F>(read: (query: Query) => Effect.Effect<B, F>) =>
      (query: Query) =>
        Effect.suspend(() => {
          readings.push({ limit: query.limit, turn })
          return read(query)
        })
    const stores = Layer.mergeAll(
      Layer.succeed(Charges, {
        ...charges,
        list: noting(charges.list),
        entries: noting(charges.entries)
      }),
      Layer.succeed(Orders, { ...orders, list: noting(orders.list) }),
      Chain.layerRpc([]).pipe(Layer.provide(FetchHttpClient.layer))
    )
    const operators = Layer.mergeAll(
      ChargeOperator.layer,
      LedgerOperator.layer([]),
      OrderOperator.layer(new ChangeFeed())
    ).pipe(Layer.provide(stores))
    const result = yield* Effect.ensuring(
      Effect.provide(command, operators),
      Effect.sync(() => clearImmediate(timer))
    )
    return { readings, result }
  }).pipe(Effect.provide(Layer.mergeAll(Charges.layerMemory, Orders.layerMemory)), Effect.runPromise)

const lists: ReadonlyArray<
  readonly [string, (limit: number) => Effect.Effect<ReadonlyArray<string>, unknown, Operators>, string]
> = [
  [
    "charges",
    (limit) =>
      ChargeOperator.use((all) => Effect.map(all.list({ limit }), (page) => page.map(({ key }) => key))),
    "key"
  ],
  [
    "ledger entries",
    (limit) =>
      LedgerOperator.use((all) =>
        Effect.map(all.list({ limit }), (page) => page.map(({ chargeKey }) => chargeKey))
      ),
    "key"
  ],
  [
    "orders",
    (limit) =>
      OrderOperator.use((all) => Effect.map(all.list({ limit }), (page) => page.map(({ id }) => id))),
    "order"
  ]
]

const newestFirst = (name: string, length: number) =>
  Array.from({ length }, (_, index) => `${name}-${count - 1 - index}`)

describe("a long list", () => {
  it.each(lists)("of %s is read in pages, and other work goes on between two", async (_, list, name) => {
    const { readings, result } = await reading(list(430))
    expect(result).toEqual(newestFirst(name, 430))
    expect(readings.map(({ limit }) => limit)).toEqual([200, 200, 30])
    expect(new Set(readings.map(({ turn }) => turn)).size).toBe(3)
  })

  it.each(lists)("of %s ends where there are no more", async (_, list, name) => {
    const { readings, result } = await reading(list(1_000_000))
    expect(result).toEqual(newestFirst(name, count))
    expect(readings).toHaveLength(3)
  })

  it.each(lists)("of %s that is short is read at once", async (_, list, name) => {
    const { readings, result } = await reading(list(200))
    expect(result).toEqual(newestFirst(name, 200))
    expect(readings).toHaveLength(1)
  })
})

it("an export lets other work go on between two pages", async () => {
  const { readings, result } = await reading(
    OrderOperator.use((all) => Stream.mkString(all.export({ format: "csv" })))
  )
  expect(result.split("\r\n")).toHaveLength(count + 2)
  expect(new Set(readings.map(({ turn }) => turn)).size).toBe(3)
})
