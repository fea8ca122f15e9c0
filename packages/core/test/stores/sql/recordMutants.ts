import { Effect } from "effect"
import type { SettledCharge, SettledQuery } from "../../../src/ports/Charges.ts"
import type { Mutant, Store } from "./Mutant.ts"

const paged = "listSettled pages by settlement time and key, oldest first"
const day = 86_400_000

/** Another query, or a page that is not what the store holds. */
const listing = (
  store: Store,
  change: (query: SettledQuery) => SettledQuery,
  see: (page: ReadonlyArray<SettledCharge>) => ReadonlyArray<SettledCharge> = (page) => page
): Partial<Store> => ({ listSettled: (query) => Effect.map(store.listSettled(change(query)), see) })

/** Stores that break what audits and reports read. */
export const recordMutants: ReadonlyArray<Mutant> = [
  {
    name: "settled charges are listed newest first",
    foundBy: paged,
    breaks: (store) =>
      listing(
        store,
        (query) => query,
        (page) => page.toReversed()
      )
  },
  {
    name: "charges of one settlement time are skipped at the end of a page",
    foundBy: paged,
    breaks: (store) =>
      listing(store, ({ after, ...query }) => ({
        ...query,
        ...(after === undefined ? {} : { after: { ...after, key: "~" } })
      }))
  },
  {
    name: "a span of settlements includes its end",
    foundBy: paged,
    breaks: (store) =>
      listing(store, ({ beforeMillis, ...query }) => ({
        ...query,
        ...(beforeMillis === undefined ? {} : { beforeMillis: beforeMillis + 1 })
      }))
  },
  {
    name: "all settled charges are listed, whichever are asked for",
    foundBy: paged,
    breaks: (store) =>
      listing(store, (query) => (query.chargeKeys === undefined ? query : { limit: query.limit }))
  },
  {
    name: "an expired response counts as one that never was",
    foundBy: "listSettled tells whether there is or was a response",
    breaks: (store) => ({
      listSettled: (query) =>
        Effect.flatMap(store.listSettled(query), (page) =>
          Effect.forEach(page, (settled) =>
            Effect.map(store.find(settled.key), (charge) => ({
              ...settled,
              hasResponse: charge?.response !== undefined
            }))
          )
        )
    })
  },
  {
    name: "a key needs the responses of all operations, whichever are asked for",
    foundBy: "those are counted whose response can't be returned without a key",
    breaks: (store) => ({
      countUnderKey: (keyId, _, since, now) => store.countUnderKey(keyId, undefined, since, now)
    })
  },
  {
    name: "a response that is owed needs no key",
    foundBy: "one that owes a response is counted under its key",
    breaks: (store) => ({
      countUnderKey: (keyId, operations, since) => store.countUnderKey(keyId, operations, since, 1e15)
    })
  },
  {
    name: "totals leave out the day that a span begins in",
    foundBy: "totals equal the summed entries, by UTC day",
    breaks: (store) => ({
      totals: (from, before) => store.totals(Math.ceil(from / day) * day, before)
    })
  }
]
