import { Charges, Quotes, VaultPurchases } from "@till402/core/effect"
import { chargesWithOne, lease, order, outcome, paid, paidFirst } from "./chargeRecords.ts"
import { sampleOffer, samplePurchase, sampleQuote, uuidOf } from "./records.ts"
import { type ChargeCase, expectEqual, type StoreCase, storeCase } from "./StoreCase.ts"

/** Contract of `countUnderKey` of charges. */
export const chargeKeyCases: ReadonlyArray<ChargeCase> = [
  storeCase("Charges: those are counted whose response can't be returned without a key", function* () {
    const charges = yield* Charges
    const count = (sinceMillis: number, operations?: ReadonlyArray<string>) =>
      charges.countUnderKey("k1", operations, sinceMillis, 5_500)
    expectEqual(yield* count(5_000), 0, "of none")
    for (const state of ["claimed", "ready", "voided"] as const) yield* chargesWithOne(state, { key: state })
    expectEqual(yield* count(5_000), 1, "the one that is ready")
    yield* chargesWithOne("settled", { key: "old" }, { settledAtMillis: 4_999 })
    yield* chargesWithOne("settled", { key: "young", operation: "vaultBuy" }, { settledAtMillis: 5_000 })
    expectEqual(yield* count(5_000), 2, "with the one that is replayed")
    expectEqual(yield* count(4_999), 3, "with one that settled before")
    expectEqual(yield* count(5_001), 1, "without either")
    expectEqual(yield* count(5_000, ["vaultBuy", "buy"]), 1, "of one operation")
    expectEqual(yield* count(5_000, ["buy", "vault"]), 0, "of another")
    yield* charges.expire(9_000, 10)
    expectEqual(yield* count(0), 1, "once their responses have expired")
  }),
  storeCase(
    "Charges: one that owes a response is counted under its key until it no longer owes it",
    function* () {
      const first = { key: "first", settlesFirst: true, fingerprint: "k2:fingerprint" }
      const charges = yield* chargesWithOne("settled", first, { settlement: paidFirst, subject: order })
      expectEqual(yield* charges.countUnderKey("k2", undefined, 9_000, 5_999), 1, "before that time")
      expectEqual(yield* charges.countUnderKey("k2", undefined, 9_000, 6_000), 0, "from then on")
      yield* charges.takeOver("first", lease("me", 9_000), 3_000)
      expectEqual(yield* charges.deliver("first", "me", outcome.response), true, "deliver")
      expectEqual(yield* charges.countUnderKey("k2", undefined, 1_501, 1_600), 0, "once it is delivered")
      expectEqual(yield* charges.countUnderKey("k2", undefined, 1_500, 1_600), 1, "while it is replayed")
    }
  ),
  storeCase("Charges: the id of a key is compared as a whole, and byte by byte", function* () {
    const charges = yield* Charges
    for (const id of ["k_1", "kx1", "K_1", "k_1a", "k"])
      yield* chargesWithOne("settled", { key: id, fingerprint: `${id}:k_1:f` }, { settlement: paid })
    yield* chargesWithOne("settled", { key: "none", fingerprint: "k_1" }, { settlement: paid })
    expectEqual(yield* charges.countUnderKey("k_1", undefined, 0, 0), 1, "k_1")
    expectEqual(yield* charges.countUnderKey("k", undefined, 0, 0), 1, "k")
    expectEqual(yield* charges.countUnderKey("%", undefined, 0, 0), 0, "a wildcard")
  })
]

/** Contract of `countUnderKey` of quotes. */
export const quoteKeyCases: ReadonlyArray<StoreCase<Quotes>> = [
  storeCase("Quotes: live ones are counted under the key of their request", function* () {
    const quotes = yield* Quotes
    const put = (number: number, fingerprint: string) =>
      quotes.put(
        sampleQuote({
          id: uuidOf(number),
          fingerprint,
          offer: sampleOffer({ expiresAtMillis: 10_000 + number })
        }),
        1_000
      )
    for (const [number, fingerprint] of ["k_1:a", "k_1:b", "k_1:c", "kx1:a", "K_1:a", "k_1a:a"].entries())
      yield* put(number, fingerprint)
    expectEqual(yield* quotes.countUnderKey("k_1", 1_000), 3, "all of its")
    yield* quotes.consume(uuidOf(2), "charge-1", 1_000)
    expectEqual(yield* quotes.countUnderKey("k_1", 1_000), 2, "without the one that was consumed")
    expectEqual(yield* quotes.countUnderKey("k_1", 10_000), 1, "without the one that has expired")
    expectEqual(yield* quotes.countUnderKey("k_1", 10_001), 0, "once all have expired")
    expectEqual(yield* quotes.countUnderKey("k", 1_000), 0, "of the beginning of an id")
  })
]

/** Contract of `countUnderKey` of purchases. */
export const purchaseKeyCases: ReadonlyArray<StoreCase<VaultPurchases>> = [
  storeCase("VaultPurchases: they are counted under their key, from a time on", function* () {
    const purchases = yield* VaultPurchases
    for (const [number, keyId] of ["k_1", "k_1", "k_1", "kx1", "K_1", "k_1a"].entries())
      yield* purchases.reserve(samplePurchase({ id: uuidOf(number), keyId, createdAtMillis: 1_000 + number }))
    yield* purchases.grant(uuidOf(1), undefined)
    expectEqual(yield* purchases.countUnderKey("k_1", 0), 3, "all of its")
    expectEqual(yield* purchases.countUnderKey("k_1", 1_001), 2, "from the second on")
    expectEqual(yield* purchases.countUnderKey("k_1", 1_003), 0, "after the last")
    yield* purchases.cancel(uuidOf(2))
    expectEqual(yield* purchases.countUnderKey("k_1", 0), 2, "without the one that was cancelled")
    expectEqual(yield* purchases.countUnderKey("k", 0), 0, "of the beginning of an id")
  })
]
