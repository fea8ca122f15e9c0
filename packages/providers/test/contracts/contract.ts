import { readFileSync } from "node:fs"

/*
 * Contracts of upstreams: the fields and types of their own machine-readable descriptions, as JSON. A request or a
 * fixture of ours with a field that the upstream doesn't have, or of another type, is a fault.
 */

type Shape =
  | string
  | { readonly fields: Readonly<Record<string, Shape>> }
  | { readonly array: Shape }
  | { readonly oneOf: ReadonlyArray<Shape> }
  | { readonly enum: ReadonlyArray<unknown> }
  | { readonly nullable: Shape }

interface Operation {
  readonly request?: Shape
  readonly response: Shape
  readonly query?: ReadonlyArray<string>
}

type Types = Readonly<Record<string, Shape>>

interface Description {
  /** Where the types are from, and their version. */
  readonly source: string
  readonly operations: Readonly<Record<string, Operation>>
  readonly types: Types
  /** What only the upstream's documentation has: further fields, further alternatives, or other types. */
  readonly documented?: { readonly source: string; readonly types: Types }
}

export interface Contract {
  readonly source: string
  /** Faults of a request to an operation, such as `POST /orders`; unknown operations are faults. */
  readonly requestFaults: (operation: string, body: unknown) => ReadonlyArray<string>
  readonly responseFaults: (operation: string, body: unknown) => ReadonlyArray<string>
  readonly queryFaults: (operation: string, query: URLSearchParams) => ReadonlyArray<string>
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isOfType = (type: string, value: unknown): boolean => {
  switch (type) {
    case "any":
      return true
    case "integer":
      return Number.isInteger(value)
    case "object":
      return isObject(value)
    default:
      return typeof value === type
  }
}

/** A type with its further fields or alternatives; any other type is replaced. */
const extended = (type: Shape | undefined, further: Shape): Shape => {
  if (typeof type !== "object" || typeof further !== "object") return further
  if ("fields" in type && "fields" in further) return { fields: { ...type.fields, ...further.fields } }
  return "oneOf" in type && "oneOf" in further ? { oneOf: [...type.oneOf, ...further.oneOf] } : further
}

/** Reads a contract of this folder: `rye`. */
export const contractOf = (name: string): Contract => {
  const description = JSON.parse(
    readFileSync(new URL(`./${name}.json`, import.meta.url), "utf8")
  ) as Description
  const { documented, operations, source } = description
  const types: Record<string, Shape> = { ...description.types }
  for (const [type, further] of Object.entries(documented?.types ?? {})) {
    types[type] = extended(types[type], further)
  }

  const faultsOf = (shape: Shape, value: unknown, path: string): ReadonlyArray<string> => {
    if (typeof shape === "string") {
      const type = types[shape.slice(1)]
      if (shape.startsWith("@"))
        return type === undefined ? [`${path}: no type ${shape}`] : faultsOf(type, value, path)
      return isOfType(shape, value) ? [] : [`${path}: not of type ${shape}`]
    }
    if ("nullable" in shape) return value === null ? [] : faultsOf(shape.nullable, value, path)
    if ("enum" in shape)
      return shape.enum.includes(value) ? [] : [`${path}: not one of ${shape.enum.join(", ")}`]
    if ("array" in shape) {
      return Array.isArray(value)
        ? value.flatMap((each, index) => faultsOf(shape.array, each, `${path}[${index}]`))
        : [`${path}: not a list`]
    }
    if ("oneOf" in shape) {
      const all = shape.oneOf.map((each) => faultsOf(each, value, path))
      // The faults of the alternative that fits best.
      return all.reduce((best, faults) => (faults.length < best.length ? faults : best))
    }
    if (!isObject(value)) return [`${path}: not an object`]
    const known = new Map(
      Object.entries(shape.fields).map(([key, field]) => [key.replace("?", ""), { key, field }])
    )
    const missing = [...known].flatMap(([field, { key }]) =>
      key.endsWith("?") || field in value ? [] : [`${path}.${field}: missing`]
    )
    const wrong = Object.entries(value).flatMap(([field, each]) => {
      const found = known.get(field)
      return found === undefined
        ? [`${path}.${field}: no such field`]
        : faultsOf(found.field, each, `${path}.${field}`)
    })
    return [...missing, ...wrong]
  }

  return {
    source,
    requestFaults: (operation, body) => {
      const shape = operations[operation]?.request
      return shape === undefined ? [`${operation}: takes no body`] : faultsOf(shape, body, "request")
    },
    responseFaults: (operation, body) => {
      const found = operations[operation]
      return found === undefined
        ? [`${operation}: no such operation`]
        : faultsOf(found.response, body, "response")
    },
    queryFaults: (operation, query) =>
      [...query.keys()].filter((key) => operations[operation]?.query?.includes(key) !== true)
  }
}
