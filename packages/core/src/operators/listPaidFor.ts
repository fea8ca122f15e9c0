import { Effect } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import type { Charge, Charges } from "../ports/Charges.ts"
import { type ChargeQuery, madeBy } from "./ChargeOperator.ts"
import { pageSize } from "./listInPages.ts"

/** Records of one kind, each of which a charge has paid for. */
interface PaidRecords<A> {
  /** The kind of their charges' subjects. */
  readonly kind: string
  readonly store: {
    readonly find: (id: string) => Effect.Effect<A | undefined, StoreError>
    readonly list: (query: {
      readonly ids: ReadonlyArray<string>
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<A>, StoreError>
  }
  readonly matches: (record: A) => boolean
}

interface PageOfPaid extends Pick<ChargeQuery, "payer" | "transaction"> {
  readonly limit: number
  /** Id of the last record of the page before. */
  readonly before?: string | undefined
}

/** A page of records by who paid, or by which transaction: that is found by their charges. */
export const listPaidFor = Effect.fnUntraced(function* <
  A extends { readonly id: string; readonly chargeKey: string }
>(
  charges: Charges["Service"],
  { kind, matches, store }: PaidRecords<A>,
  query: PageOfPaid
): Effect.fn.Return<ReadonlyArray<A>, StoreError> {
  const last = query.before === undefined ? undefined : yield* store.find(query.before)
  let before: Charge | undefined = last && (yield* charges.find(last.chargeKey))
  if (query.before !== undefined && before === undefined) return []
  const found: Array<A> = []
  // Hardly more charges than the page, since most match.
  const size = Math.min(pageSize, Math.max(20, query.limit))
  for (;;) {
    const paid = yield* charges.list({
      ...madeBy(query),
      subjectKind: kind,
      limit: size,
      ...(before === undefined ? {} : { before })
    })
    const ids = paid.flatMap(({ subject }) => (subject?.kind === kind ? [subject.id] : []))
    // Without other filters: with one, the database may read by its index, which can be far larger.
    const listed = yield* store.list({ ids, limit: size })
    const byId = new Map(listed.filter(matches).map((each) => [each.id, each]))
    found.push(...ids.flatMap((id) => byId.get(id) ?? []))
    if (found.length >= query.limit) return found.slice(0, query.limit)
    if (paid.length < size) return found
    before = paid.at(-1)
  }
})
