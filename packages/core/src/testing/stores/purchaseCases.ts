import { Effect } from "effect"
import { type NewVaultPurchase, type VaultPurchase, VaultPurchases } from "../../ports/VaultPurchases.ts"
import { samplePurchase, uuidOf } from "./records.ts"
import { equal, race, racers, type StoreCase, storeCase, wins } from "./StoreCase.ts"

const { id } = samplePurchase()
const ids = (purchases: ReadonlyArray<VaultPurchase>) => purchases.map((purchase) => purchase.id).toSorted()
const reserved = (overrides: Partial<NewVaultPurchase> = {}): VaultPurchase => ({
  ...samplePurchase(overrides),
  status: "reserved",
  attempts: 0
})
const granted = (overrides: Partial<VaultPurchase> = {}): VaultPurchase => ({
  ...reserved(),
  status: "granted",
  dueAtMillis: undefined,
  ...overrides
})

const selling: ReadonlyArray<StoreCase> = [
  storeCase("VaultPurchases: a purchase comes back as it was reserved", function* () {
    const purchases = yield* VaultPurchases
    equal(yield* purchases.find(id), undefined, "an unknown purchase")
    const quoted = samplePurchase({
      id: uuidOf(2),
      chargeKey: "eip155:8453:0x'\"\\:0x02",
      slug: "item-2",
      walletAddress: "0xAbC",
      email: `zoë.o'brien+"x"@example.com`,
      createdAtMillis: 1_700_000_000_000,
      dueAtMillis: undefined
    })
    for (const purchase of [samplePurchase(), quoted]) {
      yield* purchases.reserve(purchase)
      equal(yield* purchases.find(purchase.id), reserved(purchase), `purchase ${purchase.id}`)
    }
  }),
  storeCase("VaultPurchases: reserved, then granted once", function* () {
    const purchases = yield* VaultPurchases
    equal(yield* purchases.grant(id, 7_000), false, "grant of an unknown purchase")
    yield* purchases.reserve(samplePurchase())
    equal(yield* purchases.grant(id, 7_000), true, "grant")
    equal(yield* purchases.grant(id, 8_000), false, "grant once more")
    yield* purchases.reserve(samplePurchase({ email: "eve@example.com" }))
    equal(yield* purchases.find(id), granted({ dueAtMillis: 7_000 }), "reserved once more")
  }),
  storeCase("VaultPurchases: what is granted with nothing due is not due any more", function* () {
    const purchases = yield* VaultPurchases
    yield* purchases.reserve(samplePurchase())
    yield* purchases.take(6_000, 7_000, 10)
    equal(yield* purchases.grant(id, undefined), true, "grant")
    equal(yield* purchases.find(id), granted(), "the purchase")
    equal(yield* purchases.take(1e15, 2e15, 10), [], "what is due")
  }),
  storeCase(`VaultPurchases: of ${racers} racers exactly one grants`, function* () {
    const purchases = yield* VaultPurchases
    yield* purchases.reserve(samplePurchase())
    const outcomes = yield* race((racer) => purchases.grant(id, 7_000 + racer))
    equal(wins(outcomes), 1, "racers that granted it")
    equal((yield* purchases.find(id))?.dueAtMillis, 7_000 + outcomes.indexOf(true), "when it is due")
  }),
  storeCase("VaultPurchases: only a reserved one is cancelled", function* () {
    const purchases = yield* VaultPurchases
    yield* purchases.cancel(id)
    yield* purchases.reserve(samplePurchase())
    yield* purchases.cancel(id)
    equal(yield* purchases.find(id), undefined, "a cancelled purchase")
    equal(yield* purchases.grant(id, undefined), false, "grant of a cancelled purchase")
    equal(yield* purchases.take(1e15, 2e15, 10), [], "what is due")
    yield* purchases.reserve(samplePurchase())
    yield* purchases.grant(id, undefined)
    yield* purchases.cancel(id)
    equal((yield* purchases.find(id))?.status, "granted", "a granted purchase after cancel")
  })
]

/** Purchases numbered from 0, due at 1000, 1001 and so on; every other one is granted. */
const duePurchases = Effect.fnUntraced(function* (count: number) {
  const purchases = yield* VaultPurchases
  for (let step = 0; step < count; step++) {
    const number = (step * 7) % count
    yield* purchases.reserve(samplePurchase({ id: uuidOf(number), dueAtMillis: 1_000 + number }))
    if (number % 2 === 0) yield* purchases.grant(uuidOf(number), 1_000 + number)
  }
  return purchases
})

const working: ReadonlyArray<StoreCase> = [
  storeCase("VaultPurchases: those that are due are taken, the longest due first", function* () {
    const purchases = yield* duePurchases(10)
    yield* purchases.reserve(samplePurchase({ id: uuidOf(99), dueAtMillis: undefined }))
    equal(yield* purchases.take(999, 9_000, 100), [], "before any is due")
    const first = yield* purchases.take(1_005, 9_000, 3)
    equal(ids(first), [0, 1, 2].map(uuidOf), "the first three")
    equal(ids(yield* purchases.take(1_005, 9_000, 100)), [3, 4, 5].map(uuidOf), "the others")
    equal(yield* purchases.take(1_005, 9_000, 100), [], "once more")
    const third = yield* purchases.take(8_999, 9_500, 2)
    equal(ids(third), [6, 7].map(uuidOf), "later ones")
    for (const purchase of third) equal(yield* purchases.find(purchase.id), purchase, "what stands of one")
    equal(ids(yield* purchases.take(9_000, 9_600, 1)), [uuidOf(8)], "the one that is due for longest")
  }),
  storeCase("VaultPurchases: each time it is taken is counted, until it is granted", function* () {
    const purchases = yield* VaultPurchases
    yield* purchases.reserve(samplePurchase())
    const first = yield* purchases.take(5_000, 6_000, 1)
    equal(first, [{ ...reserved({ dueAtMillis: 6_000 }), attempts: 1 }], "taken")
    const second = yield* purchases.take(6_000, 7_000, 1)
    equal(second, [{ ...reserved({ dueAtMillis: 7_000 }), attempts: 2 }], "taken again, as its worker died")
    yield* purchases.grant(id, 7_500)
    equal((yield* purchases.find(id))?.attempts, 0, "attempts once it is granted")
    const third = yield* purchases.take(7_500, 8_000, 1)
    equal(third, [granted({ dueAtMillis: 8_000, attempts: 1 })], "taken once it is granted")
  }),
  storeCase(`VaultPurchases: ${racers} racers take each purchase once`, function* () {
    const purchases = yield* duePurchases(30)
    const taken = (yield* race(() => purchases.take(2_000, 9_000, 4))).flat()
    // Who meets rows that another is at work on may go without: they are not lost, others come for them.
    const rest = yield* purchases.take(2_000, 9_000, 100)
    const all = Array.from({ length: 30 }, (_, number) => uuidOf(number))
    equal(ids([...taken, ...rest]), all, "what was taken")
  }),
  storeCase("VaultPurchases: rescheduled by who knows when it is due", function* () {
    const purchases = yield* VaultPurchases
    equal(yield* purchases.reschedule(id, 5_000, 6_000), false, "an unknown purchase")
    yield* purchases.reserve(samplePurchase())
    equal(yield* purchases.reschedule(id, 4_999, 6_000), false, "a time at which it is not due")
    equal(yield* purchases.find(id), reserved(), "the purchase before")
    equal(yield* purchases.reschedule(id, 5_000, 6_000), true, "the time at which it is due")
    equal(yield* purchases.reschedule(id, 5_000, 7_000), false, "once more")
    equal(yield* purchases.find(id), reserved({ dueAtMillis: 6_000 }), "the purchase after")
    yield* purchases.take(6_000, 9_000, 1)
    equal(yield* purchases.reschedule(id, 6_000, undefined), false, "a time before it was taken")
    equal(yield* purchases.reschedule(id, 9_000, undefined), true, "the time until which it was taken")
    equal((yield* purchases.find(id))?.dueAtMillis, undefined, "when it is due in the end")
    equal(yield* purchases.take(1e15, 2e15, 10), [], "what is due in the end")
    equal(yield* purchases.reschedule(id, 9_000, 9_500), false, "one that is not due at all")
  }),
  storeCase(`VaultPurchases: of ${racers} racers exactly one reschedules`, function* () {
    const purchases = yield* VaultPurchases
    yield* purchases.reserve(samplePurchase())
    const outcomes = yield* race((racer) => purchases.reschedule(id, 5_000, 6_000 + racer))
    equal(wins(outcomes), 1, "racers that rescheduled it")
    equal((yield* purchases.find(id))?.dueAtMillis, 6_000 + outcomes.indexOf(true), "when it is due")
  }),
  storeCase("VaultPurchases: e-mails are forgotten where nothing is due any more", function* () {
    const purchases = yield* VaultPurchases
    const at = Effect.fnUntraced(function* (
      number: number,
      createdAtMillis: number,
      due: readonly [dueAtMillis: number | undefined] | undefined
    ) {
      yield* purchases.reserve(
        samplePurchase({ id: uuidOf(number), createdAtMillis, dueAtMillis: undefined })
      )
      if (due !== undefined) yield* purchases.grant(uuidOf(number), due[0])
    })
    yield* at(1, 1_999, [undefined])
    yield* at(2, 2_000, [undefined])
    yield* at(3, 1_999, [9_000])
    yield* at(4, 1_999, undefined)
    yield* at(5, 1_000, [undefined])
    yield* at(6, 1_500, [undefined])
    equal(yield* purchases.forget(2_000, 2), 2, "two at most")
    equal(yield* purchases.forget(2_000, 100), 1, "the one that was left")
    equal(yield* purchases.forget(2_000, 100), 0, "once more")
    const all = yield* Effect.forEach([1, 2, 3, 4, 5, 6], (number) => purchases.find(uuidOf(number)))
    const known = all.flatMap((purchase) => (purchase?.email === undefined ? [] : [purchase]))
    equal(ids(known), [2, 3, 4].map(uuidOf), "those that are still known")
    equal(all[0], granted({ createdAtMillis: 1_999, email: undefined }), "one that was forgotten")
  })
]

/** What `VaultPurchases` promises. */
export const purchaseCases: ReadonlyArray<StoreCase> = [...selling, ...working]
