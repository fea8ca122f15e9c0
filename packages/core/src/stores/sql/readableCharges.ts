import { Effect, Result } from "effect"
import type { SqlError } from "effect/sql"
import type { Charge } from "../../ports/Charges.ts"
import { causeName } from "../../runtime/causeName.ts"
import { report } from "../../runtime/events.ts"
import { type ChargeRow, toCharge } from "./chargeRows.ts"

/**
 * Reads up to `limit` charges, without those whose rows can't be read, which are reported: one must not hold up the
 * others. Reads more rows in their place, since a page that isn't full would be the last one.
 */
export const readableCharges = Effect.fnUntraced(function* (
  limit: number,
  rowsOf: (limit: number) => Effect.Effect<ReadonlyArray<ChargeRow>, SqlError.SqlError>
): Effect.fn.Return<ReadonlyArray<Charge>, SqlError.SqlError> {
  for (let size = limit; ;) {
    const rows = yield* rowsOf(size)
    const charges: Array<Charge> = []
    const unreadable: Array<{ readonly chargeKey: string; readonly error: string }> = []
    for (const row of rows) {
      const read = Result.try(() => toCharge(row))
      if (Result.isSuccess(read)) charges.push(read.success)
      else unreadable.push({ chargeKey: row.key, error: causeName(read.failure) })
    }
    if (rows.length === size && charges.length < limit) {
      size = limit + unreadable.length
      continue
    }
    for (const fields of unreadable)
      yield* report("Error", "charge_needs_operator", "A charge can't be read and needs an operator", fields)
    return charges.slice(0, limit)
  }
})
