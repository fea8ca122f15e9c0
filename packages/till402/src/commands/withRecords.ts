import { Option } from "effect"
import type { Records } from "../books/open.ts"
import type { Surroundings } from "./Surroundings.ts"

/** Where a command line says that the records are. */
export interface Placed {
  readonly database: Option.Option<string>
  readonly module: Option.Option<string>
}

/** Runs with the records that a command line names. */
export const withRecords = async (
  { environment }: Surroundings,
  given: Placed,
  use: (records: Records) => Promise<number | void>
): Promise<number | void> => {
  const { recordsIn } = await import("../books/open.ts")
  const records = await recordsIn({
    database: Option.getOrUndefined(given.database),
    usualDatabase: environment["TILL_DATABASE"] || undefined,
    module: Option.getOrUndefined(given.module)
  })
  try {
    return await use(records)
  } finally {
    await records.close()
  }
}
