/** Seeds of random operations beyond the first two: `contract.deep.test.ts` runs them. */
const moreSeeds = /random operations .*\(seed (?:[3-9]|1[3-9])\)$/

/** Whether a case of the store contract only repeats another with other random operations. */
export const isRepetition = ({ name }: { readonly name: string }): boolean => moreSeeds.test(name)
