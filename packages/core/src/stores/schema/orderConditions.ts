import { restingStatuses } from "../../shop/ports/Orders.ts"

const statuses = restingStatuses.map((status) => `'${status}'`).join(", ")

/**
 * Orders whose address and email can be erased: the condition of `forget` and of its partial index. As `status IN (...)`
 * alone, SQLite would read all orders of those statuses by the index of statuses.
 */
export const restingOrders = `personal IS NOT NULL AND due_at IS NULL
      AND CASE WHEN status IN (${statuses}) THEN 1 ELSE 0 END = 1`
