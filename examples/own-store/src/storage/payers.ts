import type { Transaction } from "./database.ts"

/**
 * Makes transactions of one payer wait for each other: what a limit counts are other rows than the one that is written.
 * In a statement of its own, since the next one must see what was committed while this one waited.
 */
export const lockPayer = async (sql: Transaction, payer: string): Promise<void> => {
  await sql`SELECT pg_advisory_xact_lock(hashtext('till.payer'), hashtext(${payer}))`
}
