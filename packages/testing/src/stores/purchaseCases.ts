import { Effect } from "effect"
import { type NewVaultPurchase, type VaultPurchase, VaultPurchases } from "@till402/core/effect"
import { purchaseKeyCases } from "./keyCases.ts"
import { samplePurchase, uuidOf } from "./records.ts"
import { expectEqual, race, racers, type StoreCase, storeCase, countTrue } from "./StoreCase.ts"

const { id } = samplePurchase()
const ids = (purchases: ReadonlyArray<VaultPurchase>) => purchases.map((purchase) => purchase.id).toSorted()
const reserved = (overrides: Partial<NewVaultPurchase> = {}): VaultPurchase => ({
  ...samplePurchase(overrides),
  status: "reserved",
  attempts: 0,
  tokenNumber: 0
})
const granted = (overrides: Partial<VaultPurchase> = {}): VaultPurchase => ({
  ...reserved(),
  status: "granted",
  dueAtMillis: undefined,
  ...overrides
})

const selling: ReadonlyArray<StoreCase<VaultPurchases>> = [
  storeCase("VaultPurchases: a purchase is stored unchanged", function* () {
    const purchases = yield* VaultPurchases
    expectEqual(yield* purchases.find(id), undefined, "an unknown purchase")
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
      expectEqual(yield* purchases.find(purchase.id), reserved(purchase), `purchase ${purchase.id}`)
    }
  }),
  storeCase("VaultPurchases: a reserved purchase is granted once", function* () {
    const purchases = yield* VaultPurchases
    expectEqual(yield* purchases.grant(id, 7_000), false, "grant of an unknown purchase")
    yield* purchases.reserve(samplePurchase())
    expectEqual(yield* purchases.grant(id, 7_000), true, "grant")
    expectEqual(yield* purchases.grant(id, 8_000), false, "grant again")
    yield* purchases.reserve(samplePurchase({ email: "eve@example.com" }))
    expectEqual(yield* purchases.find(id), granted({ dueAtMillis: 7_000 }), "reserved again")
  }),
  storeCase("VaultPurchases: a purchase granted without a due time is no longer due", function* () {
    const purchases = yield* VaultPurchases
    yield* purchases.reserve(samplePurchase())
    yield* purchases.take(6_000, 7_000, 10)
    expectEqual(yield* purchases.grant(id, undefined), true, "grant")
    expectEqual(yield* purchases.find(id), granted(), "the purchase")
    expectEqual(yield* purchases.take(1e15, 2e15, 10), [], "due purchases")
  }),
  storeCase(`VaultPurchases: of ${racers} racers exactly one grants`, function* () {
    const purchases = yield* VaultPurchases
    yield* purchases.reserve(samplePurchase())
    const outcomes = yield* race((racer) => purchases.grant(id, 7_000 + racer))
    expectEqual(countTrue(outcomes), 1, "racers that granted it")
    expectEqual((yield* purchases.find(id))?.dueAtMillis, 7_000 + outcomes.indexOf(true), "when it is due")
  }),
  storeCase("VaultPurchases: only reserved purchases can be canceled", function* () {
    const purchases = yield* VaultPurchases
    yield* purchases.cancel(id)
    yield* purchases.reserve(samplePurchase())
    yield* purchases.cancel(id)
    expectEqual(yield* purchases.find(id), undefined, "a cancelled purchase")
    expectEqual(yield* purchases.grant(id, undefined), false, "grant of a cancelled purchase")
    expectEqual(yield* purchases.take(1e15, 2e15, 10), [], "due purchases")
    yield* purchases.reserve(samplePurchase())
    yield* purchases.grant(id, undefined)
    yield* purchases.cancel(id)
    expectEqual((yield* purchases.find(id))?.status, "granted", "a granted purchase after cancel")
  })
]

/** Purchases numbered from 0, due at 1000, 1001 and so on; every second one is granted. */
const duePurchases = Effect.fnUntraced(function* (count: number) {
  const purchases = yield* VaultPurchases
  for (let step = 0; step < count; step++) {
    const number = (step * 7) % count
    yield* purchases.reserve(samplePurchase({ id: uuidOf(number), dueAtMillis: 1_000 + number }))
    if (number % 2 === 0) yield* purchases.grant(uuidOf(number), 1_000 + number)
  }
  return purchases
})

const working: ReadonlyArray<StoreCase<VaultPurchases>> = [
  storeCase("VaultPurchases: due ones are taken, longest due first", function* () {
    const purchases = yield* duePurchases(10)
    yield* purchases.reserve(samplePurchase({ id: uuidOf(99), dueAtMillis: undefined }))
    expectEqual(yield* purchases.take(999, 9_000, 100), [], "before any is due")
    const first = yield* purchases.take(1_005, 9_000, 3)
    expectEqual(ids(first), [0, 1, 2].map(uuidOf), "the first three")
    expectEqual(ids(yield* purchases.take(1_005, 9_000, 100)), [3, 4, 5].map(uuidOf), "the others")
    expectEqual(yield* purchases.take(1_005, 9_000, 100), [], "again")
    const third = yield* purchases.take(8_999, 9_500, 2)
    expectEqual(ids(third), [6, 7].map(uuidOf), "later ones")
    for (const purchase of third)
      expectEqual(yield* purchases.find(purchase.id), purchase, "the stored record")
    expectEqual(ids(yield* purchases.take(9_000, 9_600, 1)), [uuidOf(8)], "the one that is due for longest")
  }),
  storeCase("VaultPurchases: the earliest due time is known, also one to come", function* () {
    const purchases = yield* VaultPurchases
    expectEqual(yield* purchases.earliestDue(), undefined, "without purchases")
    yield* purchases.reserve(samplePurchase({ id: uuidOf(99), dueAtMillis: undefined }))
    expectEqual(yield* purchases.earliestDue(), undefined, "while nothing is due")
    yield* duePurchases(3)
    expectEqual(yield* purchases.earliestDue(), 1_000, "of three")
    yield* purchases.take(1_001, 9_000, 100)
    expectEqual(yield* purchases.earliestDue(), 1_002, "once two of them are taken")
    yield* purchases.cancel(uuidOf(1))
    yield* purchases.reschedule(uuidOf(0), 9_000, undefined)
    yield* purchases.grant(uuidOf(2), 7_000)
    expectEqual(yield* purchases.earliestDue(), 1_002, "of a granted one, whose time stays")
  }),
  storeCase("VaultPurchases: every take counts as an attempt until the purchase is granted", function* () {
    const purchases = yield* VaultPurchases
    yield* purchases.reserve(samplePurchase())
    const first = yield* purchases.take(5_000, 6_000, 1)
    expectEqual(first, [{ ...reserved({ dueAtMillis: 6_000 }), attempts: 1 }], "taken")
    const second = yield* purchases.take(6_000, 7_000, 1)
    expectEqual(
      second,
      [{ ...reserved({ dueAtMillis: 7_000 }), attempts: 2 }],
      "taken again, as its worker died"
    )
    yield* purchases.grant(id, 7_500)
    expectEqual((yield* purchases.find(id))?.attempts, 0, "attempts once it is granted")
    const third = yield* purchases.take(7_500, 8_000, 1)
    expectEqual(third, [granted({ dueAtMillis: 8_000, attempts: 1 })], "taken once it is granted")
  }),
  storeCase(`VaultPurchases: ${racers} racers take each purchase once`, function* () {
    const purchases = yield* duePurchases(30)
    const taken = (yield* race(() => purchases.take(2_000, 9_000, 4))).flat()
    // A racer may skip rows that another one has locked; later takes return them.
    const rest = yield* purchases.take(2_000, 9_000, 100)
    const all = Array.from({ length: 30 }, (_, number) => uuidOf(number))
    expectEqual(ids([...taken, ...rest]), all, "the records taken")
  }),
  storeCase("VaultPurchases: a purchase is rescheduled only with its current due time", function* () {
    const purchases = yield* VaultPurchases
    expectEqual(yield* purchases.reschedule(id, 5_000, 6_000), false, "an unknown purchase")
    yield* purchases.reserve(samplePurchase())
    expectEqual(yield* purchases.reschedule(id, 4_999, 6_000), false, "a time at which it is not due")
    expectEqual(yield* purchases.find(id), reserved(), "the purchase before")
    expectEqual(yield* purchases.reschedule(id, 5_000, 6_000), true, "the time at which it is due")
    expectEqual(yield* purchases.reschedule(id, 5_000, 7_000), false, "again")
    expectEqual(yield* purchases.find(id), reserved({ dueAtMillis: 6_000 }), "the purchase after")
    yield* purchases.take(6_000, 9_000, 1)
    expectEqual(yield* purchases.reschedule(id, 6_000, undefined), false, "a time before it was taken")
    expectEqual(yield* purchases.reschedule(id, 9_000, undefined), true, "the time until which it was taken")
    expectEqual((yield* purchases.find(id))?.dueAtMillis, undefined, "the final due time")
    expectEqual(yield* purchases.take(1e15, 2e15, 10), [], "purchases still due")
    expectEqual(yield* purchases.reschedule(id, 9_000, 9_500), false, "one that is not due at all")
  }),
  storeCase(`VaultPurchases: of ${racers} racers exactly one reschedules`, function* () {
    const purchases = yield* VaultPurchases
    yield* purchases.reserve(samplePurchase())
    const outcomes = yield* race((racer) => purchases.reschedule(id, 5_000, 6_000 + racer))
    expectEqual(countTrue(outcomes), 1, "racers that rescheduled it")
    expectEqual((yield* purchases.find(id))?.dueAtMillis, 6_000 + outcomes.indexOf(true), "when it is due")
  }),
  storeCase("VaultPurchases: emails are erased once nothing is due", function* () {
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
    expectEqual(yield* purchases.forget(2_000, 2), 2, "two at most")
    expectEqual(yield* purchases.forget(2_000, 100), 1, "the one that was left")
    expectEqual(yield* purchases.forget(2_000, 100), 0, "again")
    const all = yield* Effect.forEach([1, 2, 3, 4, 5, 6], (number) => purchases.find(uuidOf(number)))
    const known = all.flatMap((purchase) => (purchase?.email === undefined ? [] : [purchase]))
    expectEqual(ids(known), [2, 3, 4].map(uuidOf), "addresses that remain")
    expectEqual(all[0], granted({ createdAtMillis: 1_999, email: undefined }), "one that was forgotten")
  })
]

const dayMillis = 86_400_000
const tokenAt = (atMillis: number, nonce = `nonce-${atMillis}`) => ({
  purchaseId: id,
  keyId: "k2",
  nonce,
  atMillis,
  dueAtMillis: atMillis + 10
})
const limitAt = (atMillis: number) => ({ sinceMillis: atMillis - dayMillis, max: 3 })

const renewing: ReadonlyArray<StoreCase<VaultPurchases>> = [
  storeCase("VaultPurchases: a new token has the next number, and makes its mail due", function* () {
    const purchases = yield* VaultPurchases
    const renew = (atMillis: number) => purchases.renewToken(tokenAt(atMillis), limitAt(atMillis))
    expectEqual(yield* renew(100_000_000), { _tag: "NotGranted" }, "of an unknown purchase")
    yield* purchases.reserve(samplePurchase())
    expectEqual(yield* renew(100_000_001), { _tag: "NotGranted" }, "of a reserved purchase")
    yield* purchases.grant(id, 7_000)
    yield* purchases.take(7_000, 9_000, 1)
    const purchase = granted({ tokenNumber: 1, keyId: "k2", dueAtMillis: 100_000_012 })
    expectEqual(yield* renew(100_000_002), { _tag: "Renewed", purchase }, "the renewal")
    expectEqual(yield* purchases.find(id), purchase, "the purchase")
    const unmailed = { ...tokenAt(100_000_003), dueAtMillis: undefined }
    expectEqual(
      yield* purchases.renewToken(unmailed, limitAt(100_000_003)),
      { _tag: "Renewed", purchase: granted({ tokenNumber: 2, keyId: "k2" }) },
      "without a mail"
    )
  }),
  storeCase("VaultPurchases: new tokens are limited in a span, and a nonce is used once", function* () {
    const purchases = yield* VaultPurchases
    yield* purchases.reserve(samplePurchase())
    yield* purchases.grant(id, undefined)
    const first = 100_000_000
    const renew = (atMillis: number, nonce?: string) =>
      Effect.map(purchases.renewToken(tokenAt(atMillis, nonce), limitAt(atMillis)), (renewal) =>
        renewal._tag === "Renewed" ? renewal.purchase.tokenNumber : renewal
      )
    const budget = { sinceMillis: first - dayMillis, maxBytes: 100 }
    const download = { purchaseId: id, nonce: "downloaded", bytes: 60, atMillis: first }
    expectEqual(yield* purchases.redeem(download, budget), "Redeemed", "a download")
    expectEqual(yield* renew(first, "downloaded"), { _tag: "Used" }, "the nonce of a download")
    expectEqual(yield* renew(first), 1, "the first")
    expectEqual(yield* renew(first + 1), 2, "the second")
    expectEqual(yield* renew(first + 2, `nonce-${first}`), { _tag: "Used" }, "a nonce again")
    expectEqual(yield* renew(first + 2), 3, "the third")
    expectEqual(yield* renew(first + 3), { _tag: "Limited", oldestMillis: first }, "a fourth")
    expectEqual(
      yield* renew(first + dayMillis - 1),
      { _tag: "Limited", oldestMillis: first },
      "a day later, almost"
    )
    expectEqual(yield* renew(first + dayMillis), 4, "a day later")
    const second = { ...download, nonce: `nonce-${first + 2}`, atMillis: first + 3, bytes: 40 }
    expectEqual(yield* purchases.redeem(second, budget), "Used", "a download by the nonce of a token")
    const third = { ...second, nonce: "another" }
    expectEqual(yield* purchases.redeem(third, budget), "Redeemed", "a download: tokens cost no bytes")
  }),
  storeCase(`VaultPurchases: of ${racers} racers with one nonce exactly one renews`, function* () {
    const purchases = yield* VaultPurchases
    yield* purchases.reserve(samplePurchase())
    yield* purchases.grant(id, undefined)
    const renewals = yield* race(() => purchases.renewToken(tokenAt(100_000_000), limitAt(100_000_000)))
    expectEqual(countTrue(renewals.map(({ _tag }) => _tag === "Renewed")), 1, "racers that renewed it")
    expectEqual((yield* purchases.find(id))?.tokenNumber, 1, "the number")
  }),
  storeCase(`VaultPurchases: of ${racers} racers three renew`, function* () {
    const purchases = yield* VaultPurchases
    yield* purchases.reserve(samplePurchase())
    yield* purchases.grant(id, undefined)
    const renewals = yield* race((racer) =>
      purchases.renewToken(tokenAt(100_000_000, `nonce-${racer}`), limitAt(100_000_000))
    )
    expectEqual(countTrue(renewals.map(({ _tag }) => _tag === "Renewed")), 3, "racers that renewed it")
    expectEqual((yield* purchases.find(id))?.tokenNumber, 3, "the number")
  })
]

const listing: ReadonlyArray<StoreCase<VaultPurchases>> = [
  storeCase("VaultPurchases: granted ones are listed, newest first, by email and item", function* () {
    const purchases = yield* VaultPurchases
    const add = Effect.fnUntraced(function* (number: number, changes: Partial<NewVaultPurchase>) {
      yield* purchases.reserve(samplePurchase({ id: uuidOf(number), createdAtMillis: 1_000, ...changes }))
      if (number !== 9) yield* purchases.grant(uuidOf(number), undefined)
    })
    yield* add(1, {})
    yield* add(2, { createdAtMillis: 2_000, email: "grace@example.com" })
    yield* add(3, { slug: "item-2" })
    yield* add(4, { createdAtMillis: 500 })
    yield* add(9, { createdAtMillis: 9_000 })
    const listed = (query: Parameters<typeof purchases.list>[0]) =>
      Effect.map(purchases.list(query), (found) => found.map((row) => row.id))
    const all = [2, 3, 1, 4].map(uuidOf)
    expectEqual(yield* listed({ limit: 9 }), all, "all")
    expectEqual(yield* listed({ limit: 2 }), all.slice(0, 2), "a page")
    const before = { createdAtMillis: 1_000, id: uuidOf(3) }
    expectEqual(yield* listed({ limit: 9, before }), all.slice(2), "the next page")
    expectEqual(yield* listed({ limit: 9, email: "ada@example.com" }), all.slice(1), "of an email")
    expectEqual(yield* listed({ limit: 9, email: "ADA@Example.com" }), all.slice(1), "in another letter case")
    expectEqual(yield* listed({ limit: 9, email: "ada@example.co" }), [], "of a part of an email")
    expectEqual(yield* listed({ limit: 9, slug: "item-2" }), [uuidOf(3)], "of an item")
    expectEqual(
      yield* listed({ limit: 9, slug: "item-1", email: "ada@example.com", before }),
      [1, 4].map(uuidOf),
      "of both, the next page"
    )
    const ids = [1, 2, 9, 99].map(uuidOf)
    expectEqual(yield* listed({ limit: 9, ids }), [2, 1].map(uuidOf), "of ids")
    expectEqual(
      yield* listed({ limit: 9, ids, email: "ada@example.com" }),
      [uuidOf(1)],
      "of ids and an email"
    )
    expectEqual(yield* listed({ limit: 9, ids: [] }), [], "of no ids")
    expectEqual((yield* purchases.list({ limit: 1 }))[0], yield* purchases.find(uuidOf(2)), "a whole one")
  })
]

/** Contract of `VaultPurchases`. */
export const purchaseCases: ReadonlyArray<StoreCase<VaultPurchases>> = [
  ...selling,
  ...working,
  ...renewing,
  ...listing,
  ...purchaseKeyCases
]
