import type { Transaction } from "./database.ts"

/**
 * Makes transactions of one payer wait for each other, because a limit counts rows other than the one being written. It
 * is a separate statement, since the next one must see what was committed while this one waited.
 */
export const lockPayer = async (sql: Transaction, payer: string): Promise<void> => {
  await sql`SELECT pg_advisory_xact_lock(hashtext('till.payer'), hashtext(${payer}))`
}
