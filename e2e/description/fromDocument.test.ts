import { expect, it, onTestFinished } from "vitest"
import { baseUrl, openShop } from "./Shop.ts"

/*
 * A program that knows the base URL and a wallet, and nothing else. It sends the document's examples; where a description
 * says which route has a value, it calls that route first, and takes the value of that name from the response.
 */

// eslint-disable-next-line typescript/no-explicit-any -- a JSON document from outside
type Json = any

/** A field of an input: how it is sent, and what it needs. */
interface Field {
  readonly name: string
  readonly in: "path" | "query" | "body"
  readonly value: unknown
  /** The operation that has its value: `POST /x402/vault/buy`. */
  readonly from: string | undefined
}

interface Operation {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly fields: ReadonlyArray<Field>
}

const routeIn = (description = ""): string | undefined => /(?:GET|POST) \/\S*[^\s,.;:]/.exec(description)?.[0]

const fieldsOf = (document: Json, { parameters = [], requestBody }: Json): ReadonlyArray<Field> => {
  const inAddress = parameters
    .filter((parameter: Json) => parameter.example !== undefined)
    .map(({ description, example, in: place, name }: Json) => ({
      name,
      in: place,
      value: example,
      from: routeIn(description)
    }))
  if (requestBody === undefined) return inAddress
  const { example, schema } = requestBody.content["application/json"]
  const { properties } = document.components.schemas[schema.$ref.split("/").at(-1)]
  const inBody = Object.entries<Json>(example).map(([name, value]) => ({
    name,
    in: "body" as const,
    value,
    from: routeIn(properties[name].description)
  }))
  return [...inAddress, ...inBody]
}

const operationsOf = (document: Json): ReadonlyArray<Operation> =>
  Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods)
      .filter(([, operation]) => "x-payment-info" in operation)
      .map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        fields: fieldsOf(document, operation)
      }))
  )

/** The first value of a name in a response, however deep. */
const valueIn = (body: Json, name: string): unknown => {
  if (typeof body !== "object" || body === null) return undefined
  if (name in body) return body[name]
  return Object.values(body)
    .map((part) => valueIn(part, name))
    .find((value) => value !== undefined)
}

const requestOf = ({ method, path, fields }: Operation, values: ReadonlyMap<string, unknown>) => {
  const query = new URLSearchParams()
  const body: Record<string, unknown> = {}
  let target = path
  for (const { in: place, name } of fields) {
    const value = values.get(name)
    if (place === "path") target = target.replace(`{${name}}`, encodeURIComponent(String(value)))
    else if (place === "query") query.set(name, String(value))
    else body[name] = value
  }
  const url = `${baseUrl}${target}${query.size === 0 ? "" : `?${query.toString()}`}`
  return method === "GET"
    ? ([url, {}] as const)
    : ([
        url,
        { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
      ] as const)
}

it("a program that knows only the base URL uses all seven routes", async () => {
  const { pay, settlements, till } = await openShop()
  onTestFinished(() => till.dispose())
  const document: Json = await (await pay(`${baseUrl}/openapi.json`)).json()
  const responses = new Map<string, Json>()
  let pending = operationsOf(document)
  expect(pending).toHaveLength(7)
  while (pending.length > 0) {
    const next = pending.find(({ fields }) =>
      fields.every(({ from }) => from === undefined || responses.has(from))
    )
    if (next === undefined)
      throw new Error(`nothing says how to call ${pending.map(({ name }) => name).join(", ")}`)
    const values = next.fields.map(({ from, name, value }): [string, unknown] => [
      name,
      from === undefined ? value : valueIn(responses.get(from), name)
    ])
    const [url, init] = requestOf(next, new Map(values))
    const response = await pay(url, init)
    const isJson = response.headers.get("content-type") === "application/json"
    const body: Json = isJson ? await response.json() : await response.arrayBuffer()
    expect(response.status, `${next.name}: ${JSON.stringify(body)}`).toBe(200)
    responses.set(next.name, body)
    pending = pending.filter(({ name }) => name !== next.name)
  }
  expect(settlements()).toBe(7)
})
