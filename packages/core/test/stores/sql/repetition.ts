/** Seeds of random operations beyond the first: `contract.deep.test.ts` runs them. */
const moreSeeds = /random operations .*\(seed (?:[2-9]|1[2-9])\)$/

/** Whether a case of the store contract only repeats another with other random operations. */
export const isRepetition = ({ name }: { readonly name: string }): boolean => moreSeeds.test(name)

/** What may differ where statements run on the event loop instead of in a thread: their order, and what is committed together. */
const ofOrder = /\b(?:50|racers?|racing|races?|at once|at the same moment|never both|random operations)\b/

/** Whether a case is run on both of SQLite's ways; `contract.deep.test.ts` runs the others on both. */
export const isOfOrder = ({ name }: { readonly name: string }): boolean => ofOrder.test(name)

/** Whether a case has so many rows that PostgreSQL takes seconds for it; `contract.deep.test.ts` runs it there. */
export const isLong = ({ name }: { readonly name: string }): boolean =>
  /\b(?:a thousand voided charges|page through 250 items)\b/.test(name)
