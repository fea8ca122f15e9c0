import type { StandardSchema } from "../../src/operations/PlainOperation.ts"

/** Validates with a function. */
export const schema = <A>(
  parse: (value: Readonly<Record<string, unknown>>) => A | undefined
): StandardSchema<A> => ({
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) => {
      const parsed = parse(value as Readonly<Record<string, unknown>>)
      return parsed === undefined
        ? { issues: [{ message: "must be another", path: ["days"] }] }
        : { value: parsed }
    }
  }
})
