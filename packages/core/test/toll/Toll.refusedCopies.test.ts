import { Effect, Layer } from "effect"
import { describe, expect, it, vi } from "vitest"
import { Charges } from "../../src/ports/Charges.ts"
import { memory } from "../../src/stores/memory.ts"
import type { Stores } from "../../src/stores/Stores.ts"
import { sharedDatabase } from "../stores/sql/keptInMemory.ts"
import { expectRefused, openTill, search, track } from "./openTill.ts"

type Shop = Awaited<ReturnType<typeof openTill>>

const reason = "settlement_gas_above_limit"

/** The facilitator refuses the next settlement when it is let go, and settles the ones after it. */
const refuseOnce = ({ facilitator }: Shop) => {
  const gate = Promise.withResolvers<void>()
  facilitator.settle.returnsOnce(async () => {
    await gate.promise
    return { success: false, errorReason: reason, transaction: "" }
  })
  return gate
}

const copiesOf = (shop: Shop, payment: string, count: number) =>
  Array.from({ length: count }, () => shop.present(track, payment))

/** Long enough for copies to wait. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 50))

describe("copies of a payment that is refused while they wait", () => {
  it.each([
    ["of a new payer", false],
    ["of a payer who has paid", true]
  ])("after its work are refused with it: %s", async (_, isKnown) => {
    const shop = await openTill({ limits: { failedPayerMillis: 0 } })
    if (isKnown) expect((await shop.present(search, await shop.payFor(search))).status).toBe(200)
    const { settled } = shop.facilitator
    const before = settled.length
    const payment = await shop.payFor(track)
    const tries = shop.facilitator.settle.calls.length
    const gate = refuseOnce(shop)
    const first = shop.present(track, payment)
    await vi.waitFor(() => expect(shop.facilitator.settle.calls).toHaveLength(tries + 1))
    const copies = copiesOf(shop, payment, 3)
    await pause()
    gate.resolve()
    for (const response of await Promise.all([first, ...copies])) expectRefused(response, reason)
    expect(settled).toHaveLength(before)
    // Its callers have read that nothing was charged, and may have signed another one.
    expectRefused(await shop.present(track, payment), "payment_refused")
    expect(settled).toHaveLength(before)
  })

  it("after its work are refused in other processes, too", async () => {
    const { storage } = sharedDatabase()
    const shop = await openTill({ storage: storage() })
    const other = await openTill({ storage: storage(), facilitator: shop.facilitator })
    const gate = refuseOnce(shop)
    const payment = await shop.payFor(track)
    const first = shop.present(track, payment)
    await vi.waitFor(() => expect(shop.facilitator.settle.calls).toHaveLength(1))
    const copies = copiesOf(other, payment, 2)
    await pause()
    gate.resolve()
    expectRefused(await first, reason)
    for (const copy of await Promise.all(copies)) expectRefused(copy, "payment_refused")
    expect(shop.facilitator.settled).toHaveLength(0)
  })

  it("by verification are refused with it", async () => {
    const shop = await openTill()
    const gate = Promise.withResolvers<void>()
    shop.facilitator.verify.returnsOnce(async () => {
      await gate.promise
      return { isValid: false, invalidReason: "invalid_payment" }
    })
    const payment = await shop.payFor(track)
    const first = shop.present(track, payment)
    await vi.waitFor(() => expect(shop.facilitator.verify.calls).toHaveLength(1))
    const copies = copiesOf(shop, payment, 3)
    await pause()
    gate.resolve()
    for (const response of await Promise.all([first, ...copies])) expectRefused(response, "invalid_payment")
    expect(shop.facilitator.settled).toHaveLength(0)
  })

  it("are refused for another request than the refused one, too", async () => {
    const shop = await openTill({ prices: { search: "0.52" } })
    const gate = refuseOnce(shop)
    const payment = await shop.payFor(track, { withoutResource: true })
    const first = shop.present(track, payment)
    await vi.waitFor(() => expect(shop.facilitator.settle.calls).toHaveLength(1))
    expectRefused(await shop.present(search, payment), "payment_already_used")
    gate.resolve()
    expectRefused(await first, reason)
    expectRefused(await shop.present(search, payment), "payment_refused")
  })
})

/** Stores in memory, for several tills. */
const sharedMemory = (): Layer.Layer<Stores> =>
  Layer.succeedContext(Effect.runSync(Effect.scoped(Layer.build(memory()))))

/** Charges that call back before each of their methods runs. */
const steppedStorage = (stores: Layer.Layer<Stores>, before: () => Promise<void>) =>
  Layer.effect(
    Charges,
    Effect.map(Charges, (store) => {
      const stepped = <A, E>(call: Effect.Effect<A, E>) => Effect.andThen(Effect.promise(before), call)
      return Charges.of({
        ...store,
        find: (...args) => stepped(store.find(...args)),
        claim: (...args) => stepped(store.claim(...args)),
        advance: (...args) => stepped(store.advance(...args)),
        void: (...args) => stepped(store.void(...args)),
        takeOver: (...args) => stepped(store.takeOver(...args)),
        yieldLease: (...args) => stepped(store.yieldLease(...args))
      })
    })
  ).pipe(Layer.provideMerge(stores))

/** Charges of which, once one is voided, the first call and its copy find theirs when the test lets them. */
const heldStorage = () => {
  const finds: Array<PromiseWithResolvers<void>> = []
  let isVoided = false
  const storage = Layer.effect(
    Charges,
    Effect.map(Charges, (store) =>
      Charges.of({
        ...store,
        find: (...args) => {
          if (!isVoided || finds.length === 2) return store.find(...args)
          const gate = Promise.withResolvers<void>()
          finds.push(gate)
          return Effect.andThen(
            Effect.promise(() => gate.promise),
            store.find(...args)
          )
        },
        void: (...args) =>
          Effect.map(store.void(...args), (voided) => {
            isVoided = true
            return voided
          })
      })
    )
  ).pipe(Layer.provideMerge(memory()))
  return { storage, finds }
}

it("a copy that comes after the facilitator's word looks for itself, however long the first call stands still", async () => {
  const { finds, storage } = heldStorage()
  const shop = await openTill({ storage })
  refuseOnce(shop).resolve()
  const payment = await shop.payFor(track)
  const first = shop.present(track, payment)
  await vi.waitFor(() => expect(finds).toHaveLength(1))
  const copy = shop.present(track, payment)
  await vi.waitFor(() => expect(finds).toHaveLength(2))
  finds[0]!.resolve()
  expectRefused(await first, reason)
  finds[1]!.resolve()
  // Its money may have moved meanwhile: it is refused by the record, after a look at the chain where there is one.
  expectRefused(await copy, "payment_refused")
  expect(shop.facilitator.settled).toHaveLength(0)
})

describe("a copy that comes at any step of a refused call is refused", () => {
  it("in the same process", async () => {
    for (const pauses of [0, 1, 2, 5, 50]) await comeAtEachStep(pauses)
  })

  it("in another process", async () => {
    for (const pauses of [0, 20]) await comeAtEachStep(pauses, true)
  })
})

/** Has a copy come before each call of the store. */
const comeAtEachStep = async (pauses: number, isElsewhere = false): Promise<void> => {
  let isReached = true
  for (let at = 1; isReached; at++) {
    let steps = 0
    let copy: Promise<{ readonly status: number }> | undefined
    const stores = sharedMemory()
    const shop: Shop = await openTill({
      storage: steppedStorage(stores, async () => {
        if (++steps !== at) return
        copy = other.present(track, payment)
        // However far it gets.
        await new Promise((resolve) => setTimeout(resolve, pauses))
      })
    })
    const other = isElsewhere ? await openTill({ storage: stores, facilitator: shop.facilitator }) : shop
    const payment = await shop.payFor(track)
    shop.facilitator.settle.returnsOnce({ success: false, errorReason: reason, transaction: "" })
    const { status } = await shop.present(track, payment)
    isReached = copy !== undefined
    if (copy === undefined) break
    expect([status, (await copy).status]).toEqual([402, 402])
    expect(shop.facilitator.settled).toHaveLength(0)
  }
}
