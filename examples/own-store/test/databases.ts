import { connect } from "../src/storage/database.ts"

/** Drops the till's tables with their data; opening the storage creates them again. */
export const empty = async (url: string): Promise<void> => {
  const sql = connect(url, 1)
  try {
    await sql`DROP SCHEMA IF EXISTS till CASCADE`
  } finally {
    await sql.end()
  }
}
