/*
 * The thirteenth migration: a charge records which payment was refused under its key. It is frozen, as the ones before
 * are: a test compares its digest.
 */

const column = (text: string) => `refused_digest ${text} NOT NULL DEFAULT ''`

/** The statements of the thirteenth migration. */
export const refusedDigest = {
  sqlite: [`ALTER TABLE till_charges ADD COLUMN ${column("TEXT")}`],
  postgres: [`ALTER TABLE till_charges ADD COLUMN IF NOT EXISTS ${column("TEXT")}`]
}
