import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import {
  buildClientSchema,
  type DocumentNode,
  getNamedType,
  graphql,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  type IntrospectionQuery,
  isObjectType,
  NoDeprecatedCustomRule,
  parse,
  specifiedRules,
  validate
} from "graphql"

/*
 * The Admin API's schema as Shopify publishes it, in the package of its developer tools. Requests are validated by it,
 * and a fake that responds with a field that the schema doesn't have, or without one that was requested, fails.
 */

const version = "2026-10"

const load = (): GraphQLSchema => {
  const file = new URL(`./data/admin_${version}.json.gz`, import.meta.resolve("@shopify/dev-mcp"))
  const { data } = JSON.parse(gunzipSync(readFileSync(file)).toString()) as { data: IntrospectionQuery }
  return buildClientSchema(data, { assumeValid: true })
}

let loaded: GraphQLSchema | undefined

/** Loaded once: it has 3,500 types. */
const schema = (): GraphQLSchema => (loaded ??= load())

const faultsOf = (document: DocumentNode): ReadonlyArray<string> =>
  validate(schema(), document, [...specifiedRules, NoDeprecatedCustomRule]).map(({ message }) => message)

/** What the schema finds wrong with an operation: unknown fields and arguments, wrong types, deprecated fields. */
export const operationFaults = (text: string): ReadonlyArray<string> => faultsOf(parse(text))

/** Formats of text, which introspection doesn't describe. */
const formats: Readonly<Record<string, RegExp>> = {
  Decimal: /^\d+\.\d+$/,
  Money: /^\d+\.\d\d$/,
  URL: /^https:\/\/\S+$/,
  DateTime: /^\d{4}-\d\d-\d\dT[\d:.]+Z$/,
  ID: /^gid:\/\/shopify\/\w+\/\d+$/
}

/** Reads a field of the fake's object. Throws for fields that the schema doesn't have or the fake lacks. */
const strictly: GraphQLFieldResolver<unknown, unknown> = (source, args, _context, info) => {
  const { fieldName, parentType, returnType } = info
  if (typeof source !== "object" || source === null) throw new Error(`${parentType.name} is not an object`)
  const isRoot = source === info.rootValue
  const isKnown = (key: string) => key === "__typename" || key in parentType.getFields()
  const unknown = isRoot ? undefined : Object.keys(source).find((key) => !isKnown(key))
  if (unknown !== undefined) throw new Error(`${parentType.name}.${unknown}: no such field in the schema`)
  const value: unknown = Reflect.get(source, fieldName)
  if (value === undefined) throw new Error(`${parentType.name}.${fieldName}: missing in the fake`)
  const result: unknown = typeof value === "function" ? value.call(source, args) : value
  const format = formats[getNamedType(returnType).name]
  if (format !== undefined && typeof result === "string" && !format.test(result)) {
    throw new Error(`${parentType.name}.${fieldName}: not a ${getNamedType(returnType).name}`)
  }
  return result
}

/** Runs an operation over the fake's functions, by the name of their field. */
export const execute = async (
  text: string,
  variables: Readonly<Record<string, unknown>>,
  functions: object
): Promise<Readonly<Record<string, unknown>>> => {
  const faults = operationFaults(text)
  if (faults.length > 0) return { errors: faults.map((message) => ({ message })) }
  const { data, errors } = await graphql({
    schema: schema(),
    source: text,
    rootValue: functions,
    variableValues: variables,
    fieldResolver: strictly,
    typeResolver: (value) => {
      const named: unknown =
        typeof value === "object" && value !== null ? Reflect.get(value, "__typename") : ""
      return isObjectType(schema().getType(String(named))) ? String(named) : undefined
    }
  })
  return { ...(data === undefined ? {} : { data }), ...(errors === undefined ? {} : { errors }) }
}
