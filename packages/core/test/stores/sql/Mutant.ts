import { Effect } from "effect"
import type { Charge, Charges, ClaimLimits, LedgerEntry } from "../../../src/ports/Charges.ts"

/*
 * Stores that break one promise each, made of one that keeps them all.
 */

export type Store = Charges["Service"]

/** A store that breaks a promise, and the case that is there to find it. */
export interface Mutant {
  readonly name: string
  /** Part of the case's name. */
  readonly foundBy: string
  readonly breaks: (store: Store) => Partial<Store>
}

/** A time at which every lease has expired. */
export const later = 1e15
export const noLimit = 10_000
export const noLimits: ClaimLimits = { maxUnsettled: noLimit, maxExposureAtomic: "1000000000000000" }

/** Shows charges that are not what the store holds. */
export const seeing = (store: Store, see: (charge: Charge) => Charge): Partial<Store> => ({
  find: (key) => Effect.map(store.find(key), (charge) => (charge === undefined ? undefined : see(charge))),
  list: (query) => Effect.map(store.list(query), (found) => found.map(see))
})

/** Shows a ledger that is not what the store holds. */
export const entering = (
  store: Store,
  see: (entries: ReadonlyArray<LedgerEntry>) => ReadonlyArray<LedgerEntry>
): Partial<Store> => ({ entries: (query) => Effect.map(store.entries(query), see) })

export const amountOf = (rows: ReadonlyArray<{ readonly amountAtomic: string }>): bigint =>
  rows.reduce((sum, { amountAtomic }) => sum + BigInt(amountAtomic), 0n)

/** Digits as floating point has them. */
export const rounded = (digits: string): string => BigInt(Number(digits)).toString()

/** The owner of a charge, for a verb that then takes effect for anybody. */
export const ownerOf = (store: Store, key: string) =>
  Effect.map(store.find(key), (charge) => charge?.leaseOwner ?? "")
