import { Context } from "effect"

/**
 * Whether a power failure may take back a statement that has been confirmed, until a later one is flushed to the disk:
 * only where nothing has moved by then. On SQLite; PostgreSQL's `till_claim` says so itself.
 */
export const MayBeLost = Context.Reference<boolean>("@till402/core/sql/MayBeLost", {
  defaultValue: () => false
})
