import { connect } from "../src/storage/database.ts"

/** Takes the till's tables out of a database, with all that is in them: opening the storage makes them anew. */
export const empty = async (url: string): Promise<void> => {
  const sql = connect(url, 1)
  try {
    await sql`DROP SCHEMA IF EXISTS till CASCADE`
  } finally {
    await sql.end()
  }
}
