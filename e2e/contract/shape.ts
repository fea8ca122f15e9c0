import { expect, it } from "vitest"

/*
 * The contract's field tables as checks: each lists the faults of a value by path.
 */

export type Check = (value: unknown, path: string) => ReadonlyArray<string>
export type Fields = Readonly<Record<string, Check>>

const checks =
  (name: string, holds: (value: unknown) => boolean): Check =>
  (value, path) =>
    holds(value) ? [] : [`${path}: not ${name}: ${JSON.stringify(value)}`]

export const string = checks("a string", (value) => typeof value === "string")
export const text = checks("a string that is not empty", (value) => typeof value === "string" && value !== "")
export const number = checks("a number", (value) => typeof value === "number" && Number.isFinite(value))
export const integer = checks("an integer", Number.isInteger)
export const boolean = checks("a boolean", (value) => typeof value === "boolean")
export const record = checks(
  "an object",
  (value) => typeof value === "object" && value !== null && !Array.isArray(value)
)
export const uuid = checks(
  "a UUID",
  (value) => typeof value === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)
)
export const url = checks("an absolute URL", (value) => typeof value === "string" && URL.canParse(value))
export const decimal = checks(
  "a decimal amount",
  (value) => typeof value === "string" && /^\d+(\.\d+)?$/.test(value)
)
export const oneOf = (...values: ReadonlyArray<unknown>): Check =>
  checks(`one of ${values.join(", ")}`, (value) => values.includes(value))

export const nullable =
  (check: Check): Check =>
  (value, path) =>
    value === null ? [] : check(value, path)

export const array =
  (check: Check): Check =>
  (value, path) =>
    Array.isArray(value)
      ? value.flatMap((element, index) => check(element, `${path}[${index}]`))
      : [`${path}: not an array`]

/** An object with exactly these fields; those of `optional` may be omitted but never null. */
export const object =
  (required: Fields, optional: Fields = {}): Check =>
  (value, path) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${path}: not an object`]
    const fields = value as Record<string, unknown>
    return [
      ...Object.entries(required).flatMap(([name, check]) =>
        Object.hasOwn(fields, name) ? check(fields[name], `${path}.${name}`) : [`${path}.${name}: left out`]
      ),
      ...Object.entries(optional).flatMap(([name, check]) =>
        Object.hasOwn(fields, name) ? check(fields[name], `${path}.${name}`) : []
      ),
      ...Object.keys(fields)
        .filter((name) => !Object.hasOwn(required, name) && !Object.hasOwn(optional, name))
        .map((name) => `${path}.${name}: not in the contract`)
    ]
  }

export const expectShape = (value: unknown, check: Check) => expect(check(value, "$")).toEqual([])

/** One test per field of a table, and one for unknown fields. */
export const itHasFields = (fields: Fields, value: () => unknown, optional: Fields = {}) => {
  it.each(Object.keys(fields))("%s is present, with its type", (name) => {
    const container = value() as Record<string, unknown>
    expect(Object.hasOwn(container, name)).toBe(true)
    expectShape(container[name], fields[name]!)
  })
  it("has no other fields", () => expectShape(value(), object(fields, optional)))
}

/** ApiError: `code` and `message`, required; `details`, an object, optional. */
export const apiError = object({ code: text, message: text }, { details: record })
