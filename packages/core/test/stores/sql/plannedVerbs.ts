import { Effect } from "effect"
import { Charges } from "../../../src/ports/Charges.ts"
import { Orders } from "../../../src/shop/ports/Orders.ts"
import { Quotes } from "../../../src/shop/ports/Quotes.ts"
import type { Stores } from "../../../src/stores/Stores.ts"
import type { VaultQuery } from "../../../src/shop/goods/VaultItem.ts"
import { VaultItems } from "../../../src/shop/ports/VaultItems.ts"
import { VaultPurchases } from "../../../src/shop/ports/VaultPurchases.ts"
import { lease, paid, unlimited } from "../../../../testing/src/stores/chargeRecords.ts"
import {
  sampleAttempt,
  sampleCharge,
  sampleOrder,
  sampleQuote,
  sampleVaultItem,
  uuidOf
} from "../../../../testing/src/stores/records.ts"

/** A method of a store, as a sweep, a call or a host runs it. */
export interface PlannedVerb {
  readonly name: string
  readonly run: Effect.Effect<unknown, unknown, Stores>
  /** The indexes that its statements use beside those of primary keys. */
  readonly indexes: ReadonlyArray<string>
  /** Those of PostgreSQL, where they differ. */
  readonly postgres?: ReadonlyArray<string>
  /** Why something is sorted, where it is: never a table that grows. */
  readonly sorts?: string
}

const key = "key-ready-1"
const repeats = {
  repeatKeys: ["k1:a", "k2:a"],
  sinceMillis: 1_000,
  named: { operation: "buy", paymentId: "payment-1" }
}
const limit = { sinceMillis: 1_000, maxAtomic: "1000000" }

const laterPurchase = { createdAtMillis: 2_000, id: uuidOf(3) }
const fewUnsettled = "the few charges that aren't settled"
const laterPage = { createdAtMillis: 1_100, key: "k" }

const verb = (
  name: string,
  indexes: ReadonlyArray<string>,
  run: Effect.Effect<unknown, unknown, Stores>,
  sorts?: string
): PlannedVerb => ({ name, run, indexes, ...(sorts === undefined ? {} : { sorts }) })

const charges = (
  name: string,
  indexes: ReadonlyArray<string>,
  use: (store: Charges["Service"]) => Effect.Effect<unknown, unknown>,
  sorts?: string
) => verb(`charges.${name}`, indexes, Charges.use(use), sorts)

const chargeVerbs: ReadonlyArray<PlannedVerb> = [
  {
    ...charges("claim", ["till_charges_payer"], (store) =>
      store.claim(sampleCharge({ key: "new" }), lease("me"), 1_000, unlimited)
    ),
    // A function, whose plan isn't shown: the test looks into it.
    postgres: []
  },
  charges("claim, of a limited payer", ["till_charges_payer"], (store) =>
    store.claim(sampleCharge({ key: "other" }), lease("me"), 1_000, { ...unlimited, maxUnsettled: 0 })
  ),
  {
    ...charges(
      "claim, of what may repeat another",
      ["till_charges_guarding", "till_charges_named", "till_charges_payer"],
      (store) => store.claim(sampleCharge({ key: "new-2" }), lease("me"), 1_000, { ...unlimited, repeats })
    ),
    postgres: []
  },
  charges(
    "findRepeated",
    ["till_charges_guarding", "till_charges_named"],
    (store) => store.findRepeated({ key, payer: "0x1" }, repeats),
    "the few charges of a payer for one order"
  ),
  charges("payerActivity", ["till_charges_payer", "till_charges_paid"], (store) =>
    store.payerActivity(sampleCharge({ key, createdAtMillis: 9_000 }), 1_000, 2_000)
  ),
  charges("complete", [], (store) => store.complete(key, { ...paid, transferLogIndex: 7 }, 1_500)),
  charges(
    "unfinished",
    ["till_charges_unfinished"],
    (store) => store.unfinished(9_000, 20),
    "the two queues of a batch are merged"
  ),
  charges("voidedDue", ["till_charges_unfinished"], (store) => store.voidedDue(9_000, 20), "one batch"),
  charges(
    "releaseVoided",
    [],
    (store) => store.releaseVoided(["key-voided-1", "key-voided-2"], 9_000),
    "rows of one batch are locked in the order of their keys"
  ),
  charges(
    "list",
    ["till_charges_created", "till_charges_unfinished"],
    (store) => store.list({ limit: 5 }),
    fewUnsettled
  ),
  charges(
    "list, a later page",
    ["till_charges_created", "till_charges_unfinished"],
    (store) => store.list({ limit: 5, before: laterPage }),
    fewUnsettled
  ),
  charges(
    "list, of a state",
    ["till_charges_unfinished"],
    (store) => store.list({ limit: 5, state: "claimed" }),
    fewUnsettled
  ),
  charges(
    "list, of a payer",
    ["till_charges_of_payer", "till_charges_unfinished"],
    (store) => store.list({ limit: 5, payer: "0x1" }),
    fewUnsettled
  ),
  charges("list, of a payment's id", ["till_charges_named"], (store) =>
    store.list({ limit: 5, paymentId: "payment-1" })
  ),
  charges("list, of a payment's id and a payer", ["till_charges_named"], (store) =>
    store.list({ limit: 5, paymentId: "payment-1", payer: "0x1" })
  ),
  charges(
    "list, of a transaction",
    ["till_charges_transfer"],
    (store) => store.list({ limit: 5, transaction: "0x2" }),
    "the few charges of a transaction"
  ),
  charges("list, of refunds due", ["till_charges_owed"], (store) =>
    store.list({ limit: 5, isRefundDue: true })
  ),
  charges("list, of a payer's orders", ["till_charges_subjects"], (store) =>
    store.list({ limit: 5, payer: "0xpayer1", subjectKind: "order" })
  ),
  charges("list, of a payer's orders, a later page", ["till_charges_subjects"], (store) =>
    store.list({ limit: 5, payer: "0xpayer1", subjectKind: "order", before: laterPage })
  ),
  charges("list, of settled, a later page", ["till_charges_created"], (store) =>
    store.list({ limit: 5, state: "settled", before: laterPage })
  ),
  charges(
    "list, of a payer, a later page",
    ["till_charges_of_payer", "till_charges_unfinished"],
    (store) => store.list({ limit: 5, payer: "0xpayer1", before: laterPage }),
    fewUnsettled
  ),
  charges("list, of a payment's id, a later page", ["till_charges_named"], (store) =>
    store.list({ limit: 5, paymentId: "payment-1", before: laterPage })
  ),
  charges("list, of refunds due, a later page", ["till_charges_owed"], (store) =>
    store.list({ limit: 5, isRefundDue: true, before: laterPage })
  ),
  charges("listSettled", ["till_charges_settlements"], (store) =>
    store.listSettled({ limit: 200, fromMillis: 1_500, beforeMillis: 1_510 })
  ),
  charges("listSettled, a later page", ["till_charges_settlements"], (store) =>
    store.listSettled({
      limit: 200,
      fromMillis: 1_500,
      beforeMillis: 1_510,
      after: { settledAtMillis: 1_505, key: "k" }
    })
  ),
  charges(
    "listSettled, of some charges",
    [],
    (store) => store.listSettled({ limit: 2, chargeKeys: ["key-settled-1", "key-settled-2"] }),
    "the given charges"
  ),
  charges("expire", ["till_charges_responses"], (store) => store.expire(1_510, 10)),
  charges("markRefundDue", [], (store) => store.markRefundDue("key-settled-1", 2_000, undefined)),
  charges(
    "startRefund",
    ["till_ledger_payer", "till_charges_refunds"],
    (store) => store.startRefund("key-owed-1", limit, 2_000),
    "the entries of one payer"
  ),
  charges("entries", ["till_ledger_at"], (store) => store.entries({ limit: 5, fromMillis: 1_500 })),
  charges("entries, a later page", ["till_ledger_at"], (store) =>
    store.entries({
      limit: 5,
      fromMillis: 1_500,
      beforeMillis: 1_510,
      before: { atMillis: 1_505, chargeKey: "k", kind: "settled", round: 0 }
    })
  ),
  charges(
    "entries, of a payer",
    ["till_ledger_payer"],
    (store) => store.entries({ limit: 5, payer: "0xpayer1" }),
    "entries of one millisecond"
  ),
  charges(
    "entries, of charges",
    [],
    (store) => store.entries({ limit: 5, chargeKeys: ["key-settled-1", "key-settled-2"] }),
    "the entries of the given charges"
  ),
  charges("totals", ["till_ledger_at"], (store) => store.totals(1_500, 1_510), "a slice"),
  charges("recordRefundAttempt", [], (store) =>
    store.recordRefundAttempt(sampleAttempt({ chargeKey: "key-owed-1" }))
  ),
  charges("endRefundAttempt", [], (store) =>
    store.endRefundAttempt(sampleAttempt({ chargeKey: "key-owed-1" }))
  ),
  charges("refundAttempts", [], (store) => store.refundAttempts(["key-owed-1", "key-owed-2"]), "one page"),
  charges("refundStop", [], (store) => store.refundStop()),
  charges("countUnderKey", ["till_charges_responses", "till_charges_unfinished"], (store) =>
    store.countUnderKey("k1", undefined, 1_500, 1_600)
  ),
  charges("countUnderKey, of operations", ["till_charges_responses", "till_charges_unfinished"], (store) =>
    store.countUnderKey("k1", ["search", "buy"], 1_500, 1_600)
  )
]

const order = sampleOrder({ id: uuidOf(1) })

const orderVerbs: ReadonlyArray<PlannedVerb> = [
  verb(
    "orders.create",
    [],
    Orders.use((store) => store.create(sampleOrder({ id: "new" })))
  ),
  verb(
    "orders.find",
    [],
    Orders.use((store) => store.find(order.id))
  ),
  verb(
    "orders.findByReference",
    ["till_orders_reference"],
    Orders.use((store) => store.findByReference("U-1", undefined))
  ),
  verb(
    "orders.replace",
    [],
    Orders.use((store) => store.replace(order))
  ),
  verb(
    "orders.take",
    ["till_orders_due"],
    Orders.use((store) => store.take(5_000, 6_000, 5))
  ),
  verb(
    "orders.earliestDue",
    ["till_orders_due"],
    Orders.use((store) => store.earliestDue())
  ),
  verb(
    "orders.list",
    ["till_orders_created"],
    Orders.use((store) => store.list({ limit: 5 }))
  ),
  verb(
    "orders.list, a later page",
    ["till_orders_created"],
    Orders.use((store) => store.list({ limit: 5, before: order.id }))
  ),
  verb(
    "orders.list, of a status",
    ["till_orders_status"],
    Orders.use((store) => store.list({ limit: 5, status: "needs_operator" }))
  ),
  verb(
    "orders.list, of a status, a later page",
    ["till_orders_status"],
    Orders.use((store) => store.list({ limit: 5, status: "needs_operator", before: order.id }))
  ),
  verb(
    "orders.list, of an email",
    ["till_orders_email"],
    Orders.use((store) => store.list({ limit: 5, email: "ada@example.com" }))
  ),
  verb(
    "orders.list, of an item, a later page",
    ["till_orders_item"],
    Orders.use((store) => store.list({ limit: 5, item: "B000000001", before: uuidOf(3) }))
  ),
  verb(
    "orders.list, of an email, a later page",
    ["till_orders_email"],
    Orders.use((store) => store.list({ limit: 5, email: "ada@example.com", before: uuidOf(3) }))
  ),
  verb(
    "orders.list, of ids",
    [],
    Orders.use((store) => store.list({ limit: 2, ids: [order.id, uuidOf(3)] })),
    "a page at most"
  ),
  verb(
    "orders.forget",
    ["till_orders_resting"],
    Orders.use((store) => store.forget(5_000, 5))
  )
]

const quoteVerbs: ReadonlyArray<PlannedVerb> = [
  verb(
    "quotes.put",
    [],
    Quotes.use((store) => store.put(sampleQuote({ id: "new" }), 1_000))
  ),
  verb(
    "quotes.findLive",
    ["till_quotes_live"],
    Quotes.use((store) => store.findLive("r-1", 1_000))
  ),
  verb(
    "quotes.findConsumed",
    ["till_quotes_consumed"],
    Quotes.use((store) => store.findConsumed("r-1", "charge-1", 1_000)),
    "the quotes of one charge"
  ),
  verb(
    "quotes.consume",
    [],
    Quotes.use((store) => store.consume(uuidOf(1), "charge-1", 1_000))
  ),
  verb(
    "quotes.restore",
    ["till_quotes_consumed", "till_quotes_live"],
    Quotes.use((store) => store.restore("charge-1")),
    "the quotes of one request"
  ),
  verb(
    "quotes.expire",
    ["till_quotes_expires"],
    Quotes.use((store) => store.expire(5_000, 5))
  ),
  verb(
    "quotes.countUnderKey",
    ["till_quotes_expires"],
    Quotes.use((store) => store.countUnderKey("k1", 2_190))
  )
]

const purchaseVerbs: ReadonlyArray<PlannedVerb> = [
  verb(
    "vaultPurchases.grant",
    [],
    VaultPurchases.use((store) => store.grant(uuidOf(1), 5_000))
  ),
  verb(
    "vaultPurchases.cancel",
    [],
    VaultPurchases.use((store) => store.cancel(uuidOf(1)))
  ),
  verb(
    "vaultPurchases.find",
    [],
    VaultPurchases.use((store) => store.find(uuidOf(1)))
  ),
  verb(
    "vaultPurchases.list, of ids",
    [],
    VaultPurchases.use((store) => store.list({ limit: 2, ids: [uuidOf(1), uuidOf(3)] })),
    "a page at most"
  ),
  verb(
    "vaultPurchases.countSales",
    ["till_vault_purchases_sold"],
    VaultPurchases.use((store) => store.countSales("item-1"))
  ),
  verb(
    "vaultPurchases.countDownload",
    [],
    VaultPurchases.use((store) => store.countDownload(uuidOf(1), "charge-1", 3))
  ),
  verb(
    "vaultPurchases.releaseDownload",
    [],
    VaultPurchases.use((store) => store.releaseDownload(uuidOf(1), "charge-1"))
  ),
  verb(
    "vaultPurchases.redeem",
    [],
    VaultPurchases.use((store) =>
      store.redeem(
        { purchaseId: uuidOf(1), nonce: "nonce-1", bytes: 1, atMillis: 1_000 },
        { sinceMillis: 0, maxBytes: 10 }
      )
    )
  ),
  verb(
    "vaultPurchases.renewToken",
    [],
    VaultPurchases.use((store) =>
      store.renewToken(
        { purchaseId: uuidOf(1), keyId: "k2", nonce: "new", atMillis: 9_000, dueAtMillis: 9_500 },
        { sinceMillis: 0, max: 3 }
      )
    )
  ),
  verb(
    "vaultPurchases.list, a later page",
    ["till_vault_purchases_created"],
    VaultPurchases.use((store) => store.list({ limit: 5, before: { createdAtMillis: 2_000, id: uuidOf(3) } }))
  ),
  verb(
    "vaultPurchases.list, of an email",
    ["till_vault_purchases_email"],
    VaultPurchases.use((store) => store.list({ limit: 5, email: "ada@example.com" }))
  ),
  verb(
    "vaultPurchases.list, of an item",
    ["till_vault_purchases_sold"],
    VaultPurchases.use((store) => store.list({ limit: 5, slug: "item-1" }))
  ),
  verb(
    "vaultPurchases.list, of an email, a later page",
    ["till_vault_purchases_email"],
    VaultPurchases.use((store) => store.list({ limit: 5, email: "ada@example.com", before: laterPurchase }))
  ),
  verb(
    "vaultPurchases.list, of an item, a later page",
    ["till_vault_purchases_sold"],
    VaultPurchases.use((store) => store.list({ limit: 5, slug: "item-1", before: laterPurchase }))
  ),
  verb(
    "vaultPurchases.take",
    ["till_vault_purchases_due"],
    VaultPurchases.use((store) => store.take(5_000, 6_000, 5))
  ),
  verb(
    "vaultPurchases.earliestDue",
    ["till_vault_purchases_due"],
    VaultPurchases.use((store) => store.earliestDue())
  ),
  verb(
    "vaultPurchases.forget",
    ["till_vault_purchases_known"],
    VaultPurchases.use((store) => store.forget(5_000, 5)),
    "one batch"
  ),
  verb(
    "vaultPurchases.countUnderKey",
    ["till_vault_purchases_key"],
    VaultPurchases.use((store) => store.countUnderKey("1", 1_000))
  )
]

const vaultSearch = (
  name: string,
  query: Omit<VaultQuery, "limit">,
  indexes: ReadonlyArray<string> = ["till_vault_items_listed"]
): PlannedVerb => ({
  name: `vaultItems.search, ${name}`,
  run: VaultItems.use((store) => store.search({ limit: 5, ...query })),
  indexes
})

/** By price, SQLite counts and sorts a few items; PostgreSQL chooses. */
const vaultPrices = (name: string, query: Omit<VaultQuery, "limit">, postgres: string): PlannedVerb => ({
  ...vaultSearch(name, query, ["till_vault_items_price"]),
  postgres: [postgres],
  sorts: "at most some thousand items"
})

const itemVerbs: ReadonlyArray<PlannedVerb> = [
  // PostgreSQL takes the shorter one where nearly all items are listed.
  { ...vaultSearch("first page", {}), postgres: ["till_vault_items_position"] },
  vaultSearch("later page", { cursor: uuidOf(1) }, ["till_vault_items_cursor", "till_vault_items_listed"]),
  vaultSearch("category", { category: "ios" }, ["till_vault_items_category"]),
  vaultSearch("type", { productType: "persona" }, ["till_vault_items_type"]),
  vaultSearch("category and type", { category: "ios", productType: "persona" }, ["till_vault_items_type"]),
  vaultSearch("category, later page", { category: "ios", cursor: uuidOf(1) }, [
    "till_vault_items_category",
    "till_vault_items_cursor"
  ]),
  vaultPrices("category and price", { category: "ios", maxPrice: 20 }, "till_vault_items_category"),
  vaultPrices("a price that nothing has", { minPrice: 900 }, "till_vault_items_price"),
  verb(
    "vaultItems.countDownload",
    [],
    VaultItems.use((store) => store.countDownload("item-1"))
  ),
  verb(
    "vaultItems.versions",
    [],
    VaultItems.use((store) => store.versions("item-1", 1))
  ),
  verb(
    "vaultItems.publish",
    ["till_vault_items_position"],
    VaultItems.use((store) => store.publish(sampleVaultItem(1), { digest: "a".repeat(64), size: 1 }, 1_000))
  ),
  verb(
    "vaultItems.unlist",
    [],
    VaultItems.use((store) => store.unlist("item-1"))
  ),
  verb(
    "vaultItems.findBySlug",
    [],
    VaultItems.use((store) => store.findBySlug("item-1"))
  )
]

/** All methods that read a table which grows. */
export const plannedVerbs: ReadonlyArray<PlannedVerb> = [
  ...chargeVerbs,
  ...orderVerbs,
  ...quoteVerbs,
  ...itemVerbs,
  ...purchaseVerbs
]
