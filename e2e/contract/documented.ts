import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import type { Call, Shop } from "./till.ts"

/*
 * The OpenAPI document as a client reads it: what an independent validator of JSON Schema says about inputs and responses.
 */

// eslint-disable-next-line typescript/no-explicit-any -- a JSON document from outside
type Json = any

const formats: Readonly<Record<string, (text: string) => boolean>> = {
  uuid: (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
  uri: (text) => URL.canParse(text),
  email: (text) => /^[^@\s]+@[^@\s]+$/.test(text),
  date: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text),
  "date-time": (text) => !Number.isNaN(Date.parse(text)),
  binary: () => true
}

/** The document of a till, and validators by its schemas. */
export class Documented {
  readonly document: Json
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true })
  private constructor(document: Json) {
    this.document = document
    for (const [name, holds] of Object.entries(formats)) this.ajv.addFormat(name, holds)
  }

  static async of(shop: Shop): Promise<Documented> {
    return new Documented(await (await shop.send({ path: "/openapi.json" })).json())
  }

  operation(method: string, path: string): Json {
    return this.document.paths[path][method]
  }

  /** A validator by a schema of the document. */
  validator(schema: Json): ValidateFunction {
    const { components } = this.document
    return this.ajv.compile({ ...schema, components: { schemas: components.schemas } })
  }

  /** The schema of an operation's input: of its parameters by name, or of its body. */
  inputSchema(method: string, path: string): Json {
    const { parameters, requestBody } = this.operation(method, path)
    if (requestBody !== undefined) return requestBody.content["application/json"].schema
    const own = (parameters as ReadonlyArray<Json>).filter((parameter) => parameter.in !== "header")
    return {
      type: "object",
      properties: Object.fromEntries(own.map(({ name, schema }) => [name, schema])),
      required: own.filter((parameter) => parameter.required).map(({ name }) => name)
    }
  }

  /** The description of a field, wherever it is in an operation's input. */
  describes(method: string, path: string, field: string): string {
    const { parameters } = this.operation(method, path)
    const parameter = (parameters as ReadonlyArray<Json>).find(({ name }) => name === field)
    return parameter?.description ?? this.within(this.inputSchema(method, path), field) ?? ""
  }

  private within(schema: Json, field: string): string | undefined {
    const { properties = {} } = this.resolved(schema)
    if (field in properties) return properties[field].description
    for (const part of Object.values(properties)) {
      const found = this.within(part, field)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** A schema without a reference. */
  resolved(schema: Json): Json {
    const reference: string | undefined = schema.$ref
    return reference === undefined ? schema : this.document.components.schemas[reference.split("/").at(-1)!]
  }
}

/** The call with these values as parameters, or as its body. */
export const callWith = (method: string, path: string, values: Readonly<Record<string, unknown>>): Call => {
  if (method === "post") return { method: "POST", path, body: values }
  const query = new URLSearchParams()
  let target = path
  for (const [name, value] of Object.entries(values))
    if (path.includes(`{${name}}`)) target = target.replace(`{${name}}`, String(value))
    else query.set(name, String(value))
  return { path: query.size === 0 ? target : `${target}?${query.toString()}` }
}
