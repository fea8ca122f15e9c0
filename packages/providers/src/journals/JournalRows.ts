import { StoreError } from "@till402/core"

/** Runs an operation; a failure becomes a `StoreError` with its name. */
export const withStoreError = async <A>(operation: string, work: () => Promise<A>): Promise<A> => {
  try {
    return await work()
  } catch (cause) {
    throw new StoreError({ operation, cause })
  }
}

/** Drivers represent big integers differently. */
export const numberOf = (value: unknown): number => {
  const number = Number(value)
  if (!Number.isSafeInteger(number)) throw new Error("a number is missing from a journal's row")
  return number
}
