import { restingStatuses } from "../../shop/ports/Orders.ts"

/** Email and item of an order: see `itemOf`. */
export const orderNames = {
  sqlite: {
    email: "lower(json_extract(personal, '$.email'))",
    item: "COALESCE(json_extract(document, '$.product.asin'), json_extract(document, '$.product.productUrl'))"
  },
  postgres: {
    email: "lower(CAST(personal AS json) ->> 'email')",
    item: "COALESCE(CAST(document AS json) -> 'product' ->> 'asin', CAST(document AS json) -> 'product' ->> 'productUrl')"
  }
}

const statuses = restingStatuses.map((status) => `'${status}'`).join(", ")

/**
 * Orders whose address and email can be erased: the condition of `forget` and of its partial index. As `status IN (...)`
 * alone, SQLite would read all orders of those statuses by the index of statuses.
 */
export const restingOrders = `personal IS NOT NULL AND due_at IS NULL
      AND CASE WHEN status IN (${statuses}) THEN 1 ELSE 0 END = 1`
