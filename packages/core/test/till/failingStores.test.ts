import { Context, Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { StoreError } from "../../src/domain/Errors.ts"
import { Charges } from "../../src/ports/Charges.ts"
import { memory } from "../../src/stores/memory.ts"
import { Orders } from "../../src/shop/ports/Orders.ts"
import { Quotes } from "../../src/shop/ports/Quotes.ts"
import type { Stores } from "../../src/stores/Stores.ts"
import { buy, openTill, search } from "../toll/openTill.ts"

/** What a store does while its database is down. */
const failure = (operation: string) => () =>
  Effect.fail(new StoreError({ operation, cause: new Error("the connection ended") }))

const storageWith = (
  change: (stores: Context.Context<Stores>) => Context.Context<Stores>
): Layer.Layer<Stores> => Layer.effectContext(Effect.map(Layer.build(memory()), change))

const noted = {
  level: "warning",
  code: "storage_failed",
  chargeKey: expect.stringContaining("eip155:84532:"),
  error: "Error"
}

it("an order that can't be stored leaves its quote consumed where that can't be undone, and says so", async () => {
  const shop = await openTill({
    storage: storageWith((stores) =>
      stores.pipe(
        Context.add(Orders, { ...Context.get(stores, Orders), create: failure("orders.create") }),
        Context.add(Quotes, { ...Context.get(stores, Quotes), restore: failure("quotes.restore") })
      )
    )
  })
  expect((await shop.present(buy, await shop.payFor(buy))).status).toBe(503)
  expect(shop.facilitator.settled).toEqual([])
  expect(shop.events).toContainEqual({
    ...noted,
    message: "A quote could not be freed after its order could not be stored",
    operation: "quotes.restore"
  })
  expect(shop.events.filter(({ code }) => code === "log")).toEqual([])
})

it("a price that the store fails is reported, with what failed", async () => {
  const shop = await openTill({
    storage: storageWith((stores) =>
      Context.add(stores, Quotes, { ...Context.get(stores, Quotes), put: failure("quotes.put") })
    )
  })
  expect((await shop.send(buy)).status).toBe(503)
  expect(shop.events.filter(({ code }) => code === "storage_failed")).toEqual([
    {
      level: "error",
      code: "storage_failed",
      message: "The store failed",
      operation: "quotes.put",
      error: "Error"
    }
  ])
})

it("a call that the store fails keeps its lease where that can't be ended, and says so", async () => {
  const shop = await openTill({
    storage: storageWith((stores) =>
      Context.add(stores, Charges, {
        ...Context.get(stores, Charges),
        advance: failure("charges.advance"),
        yieldLease: failure("charges.yieldLease")
      })
    )
  })
  expect((await shop.present(search, await shop.payFor(search))).status).toBe(503)
  expect(shop.facilitator.settled).toEqual([])
  expect(shop.events).toContainEqual({
    ...noted,
    message: "The lease of a charge could not be ended early; it expires by itself",
    operation: "charges.yieldLease"
  })
  expect(shop.events.filter(({ code }) => code === "log")).toEqual([])
})
