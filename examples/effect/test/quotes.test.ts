import { Quotes } from "@till402/core/effect"
import { sqlite, sqliteClient } from "@till402/core/sqlite"
import { storeCases } from "@till402/testing"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import { QuotesLive } from "../src/quotes.ts"

/** All stores, with the example's own quotes in place of those of `sqlite`. */
const emptyStores = () =>
  Layer.merge(
    sqlite({ filename: ":memory:" }),
    QuotesLive.pipe(
      Layer.provideMerge(Layer.effect(SqlClient.SqlClient, sqliteClient({ filename: ":memory:" })))
    )
  )

describe("the example's own quotes, as a layer", () => {
  const cases = storeCases.filter(({ name }) => name.startsWith("Quotes: "))

  it("have a contract", () => {
    expect(cases.length).toBeGreaterThan(5)
  })

  it.each(cases)("$name", ({ run }) => Effect.runPromise(Effect.provide(run, emptyStores())))

  it("take the place of the other storage's", async () => {
    const money = { atomic: 1_000_000n, currency: "USD" }
    const offer = {
      product: { title: "Tote" },
      subtotal: money,
      tax: { ...money, atomic: 0n },
      shipping: { ...money, atomic: 0n },
      total: money,
      reference: "offer-1",
      expiresAtMillis: 2_000
    }
    const quote = { id: "1", fingerprint: "request", offer, createdAtMillis: 1, consumedBy: undefined }
    const rows = Effect.gen(function* () {
      yield* Quotes.use((quotes) => quotes.put(quote, 1_000))
      const sql = yield* SqlClient.SqlClient
      return yield* sql`SELECT fingerprint FROM shop_quotes`
    })
    expect(await Effect.runPromise(Effect.provide(rows, emptyStores()))).toEqual([{ fingerprint: "request" }])
  })
})
