import { beforeAll, describe, expect, it } from "vitest"
import { buyResponse } from "./expectations.ts"
import { calls } from "./calls.ts"
import { callWith, Documented } from "./documented.ts"
import { type InputRule, inputRules, notes } from "./inputRules.ts"
import { readChallenge, signPayment } from "./payer.ts"
import { vaultItem } from "./samples.ts"
import { keepShop, openShop, requestOf, type Shop } from "./till.ts"

/*
 * Each rule of the contract's sections 2, 4 and 8 on inputs: in the document, and in the running server.
 */

// eslint-disable-next-line typescript/no-explicit-any -- a JSON document from outside
type Json = any

let shop: Shop
let documented: Documented
beforeAll(async () => {
  shop = await keepShop()
  documented = await Documented.of(shop)
  return () => shop.till.dispose()
})

/** Sends a call with a payment for its route: a fixed price is asked for before the input is read. */
const statusOf = async (
  call: ReturnType<typeof callWith>
): Promise<{ status: number; faults: ReadonlyArray<string> }> => {
  const unpaid = await shop.send(call)
  const response =
    unpaid.status === 402 && !call.path.endsWith("/buy")
      ? await shop.till.fetch(
          requestOf(call, { "PAYMENT-SIGNATURE": await signPayment(await readChallenge(unpaid), 2) })
        )
      : unpaid
  const { status } = response
  const body: Json = status === 400 ? await response.json() : {}
  return { status, faults: (body.details?.issues ?? []).map(({ path }: Json) => path) }
}

const named = inputRules.map((rule): [string, InputRule] => [
  `${rule.method} ${rule.path}, ${rule.rule}`,
  rule
])

describe.each(named)("%s", (_, { at, inside, method, outside, path }) => {
  it("is a rule of the document", () => {
    const validate = documented.validator(documented.inputSchema(method, path))
    for (const values of inside)
      expect(validate(values), JSON.stringify([values, validate.errors])).toBe(true)
    for (const values of outside) expect(validate(values), JSON.stringify(values)).toBe(false)
  })

  it("is a rule of the server", async () => {
    for (const values of inside) {
      const { faults, status } = await statusOf(callWith(method, path, values))
      expect(status, JSON.stringify([values, faults])).not.toBe(400)
    }
    for (const values of outside) {
      const { faults, status } = await statusOf(callWith(method, path, values))
      expect(status, JSON.stringify(values)).toBe(400)
      expect(faults.some((fault) => fault === at || fault.startsWith(`${at}.`))).toBe(true)
    }
  })
})

describe("what the contract notes on a field", () => {
  it.each(notes)("%s: %s is described by it", (path, field, note) => {
    const method = "get" in documented.document.paths[path] ? "get" : "post"
    expect(documented.describes(method, path, field)).toMatch(note)
  })

  it("every parameter, header and field, of requests and responses, has a description", () => {
    const undescribed: Array<string> = []
    let described = 0
    const note = ({ description }: Json, at: string) => {
      if (description === undefined || description === "") undescribed.push(at)
      else described += 1
    }
    /** A schema without a reference, and what it consists of. */
    const partsOf = (schema: Json): ReadonlyArray<Json> => {
      const { allOf = [], anyOf = [], ...own } = documented.resolved(schema)
      return [own, ...[...allOf, ...anyOf].flatMap(partsOf)]
    }
    const walk = (schema: Json, at: string) => {
      const fields = new Map<string, ReadonlyArray<Json>>()
      for (const { items, properties = {} } of partsOf(schema)) {
        if (items !== undefined) walk(items, `${at}[]`)
        for (const [name, field] of Object.entries<Json>(properties))
          fields.set(name, [...(fields.get(name) ?? []), field])
      }
      for (const [name, given] of fields) {
        const words = given.find(
          (field) => (field.description ?? documented.resolved(field).description) !== undefined
        )
        note(
          { description: words && (words.description ?? documented.resolved(words).description) },
          `${at}.${name}`
        )
        for (const field of given) walk(field, `${at}.${name}`)
      }
    }
    for (const [path, methods] of Object.entries<Json>(documented.document.paths))
      for (const [method, { description, parameters = [], requestBody, responses }] of Object.entries<Json>(
        methods
      )) {
        if (path.startsWith("/x402/")) note({ description }, `${method} ${path}`)
        for (const parameter of parameters) note(parameter, `${method} ${path} ${parameter.name}`)
        if (requestBody !== undefined) walk(requestBody.content["application/json"].schema, path)
        for (const [status, response] of Object.entries<Json>(responses)) {
          note(response, `${method} ${path} ${status}`)
          for (const [name, header] of Object.entries<Json>(response.headers ?? {}))
            note(header, `${method} ${path} ${status} ${name}`)
          for (const { schema } of Object.values<Json>(response.content ?? {}))
            walk(schema, `${method} ${path} ${status}`)
        }
      }
    expect(undescribed).toEqual([])
    expect(described).toBeGreaterThan(500)
  })
})

describe("defaults", () => {
  it("page: default 1", async () => {
    expect(documented.inputSchema("get", "/x402/search").properties.page.default).toBe(1)
    expect(await buyResponse(shop, calls.search)).toMatchObject({ page: 1 })
  })

  it("limit: default 30", async () => {
    expect(documented.inputSchema("get", "/x402/vault/search").properties.limit.default).toBe(30)
    const items = Array.from({ length: 31 }, (_, index) => ({
      ...vaultItem,
      id: `0b9c2f4e-52f1-4c0e-9d53-6a1f1f0a7c${String(index).padStart(2, "0")}`,
      slug: `item-${index}`
    }))
    const full = await openShop({ items })
    expect(((await buyResponse(full, calls.vaultSearch)) as Json).items).toHaveLength(30)
  })
})

describe("the document's examples", () => {
  it("are valid by its own schemas", () => {
    let examples = 0
    for (const [path, methods] of Object.entries<Json>(documented.document.paths))
      for (const [method, { parameters = [], requestBody, responses: described }] of Object.entries<Json>(
        methods
      )) {
        const contents = [requestBody, ...Object.values<Json>(described)].flatMap((part) =>
          Object.values<Json>(part?.content ?? {})
        )
        for (const { example, schema } of [...parameters, ...contents]) {
          if (example === undefined) continue
          examples += 1
          const validate = documented.validator(schema)
          expect(validate(example), `${method} ${path}: ${JSON.stringify(validate.errors)}`).toBe(true)
        }
      }
    expect(examples).toBeGreaterThan(15)
  })

  it("are requests that the server takes", async () => {
    for (const [path, methods] of Object.entries<Json>(documented.document.paths))
      for (const [method, { parameters = [], requestBody }] of Object.entries<Json>(methods)) {
        if (!path.startsWith("/x402/")) continue
        const values =
          requestBody?.content["application/json"].example ??
          Object.fromEntries(
            parameters.flatMap(({ example, name }: Json) => (example === undefined ? [] : [[name, example]]))
          )
        const { status } = await statusOf(callWith(method, path, values))
        expect(status, `${method} ${path}`).not.toBe(400)
      }
  })
})
