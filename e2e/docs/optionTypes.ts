import { evmNetworks, solanaNetworks } from "../../packages/core/src/domain/Network.ts"
import { read, type Sample, tableBelow } from "./documents.ts"

/*
 * What an editor shows of the options: names to complete, types of parameters, and errors that name the wrong option.
 */

const heading = `// heading.ts
import { memory, operation, Till, type TillEvent, type TillOptions } from "@till402/core"
import { fakeFacilitator, fakeTracker } from "@till402/testing"

const right: TillOptions = {
  baseUrl: "https://shop.example",
  payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  networks: ["base-sepolia"],
  facilitator: fakeFacilitator(),
  secret: "a text that nobody can guess, of 32 characters or more",
  storage: memory()
}
/** The texts that an editor completes. */
type Named<T> = T extends string ? (string extends T ? never : T) : never
export { fakeTracker, operation, right, Till }
export type { Named, TillEvent, TillOptions }`
const imports = `import { fakeTracker, type Named, operation, right, Till, type TillEvent, type TillOptions } from "../heading/heading.ts"`

const own = `id: "weather", method: "GET", description: "Weather of a city", price: "0.02"`
const unknown = (name: string, type: string, meant?: string): string =>
  `Object literal may only specify known properties, ${meant === undefined ? "and" : "but"} '${name}' does not exist in type '${type}'.${meant === undefined ? "" : ` Did you mean to write '${meant}'?`}`

/** Options with a fault, and the error that names it. */
const faulty: Readonly<Record<string, readonly [text: string, error: string]>> = {
  port: [`Till.make({ ...right, tracer: fakeTracker() })`, unknown("tracer", "TillOptions", "tracker")],
  limit: [
    `Till.make({ ...right, limits: { unsettledPerPayers: 1 } })`,
    unknown("unsettledPerPayers", "LimitOptions", "unsettledPerPayer")
  ],
  network: [
    `Till.make({ ...right, networks: ["base", { network: "base", rpcURL: "https://node.example" }] })`,
    unknown("rpcURL", "NetworkOptions", "rpcUrl")
  ],
  facilitators: [
    `Till.make({ ...right, facilitator: [{ url: "https://facilitator.example", timeout: 1 }] })`,
    unknown("timeout", "FacilitatorSource")
  ],
  secret: [`Till.make({ ...right, secret: [{ id: "a", text: "b" }] })`, unknown("text", "SecretKey")],
  price: [`Till.make({ ...right, prices: { find: "0.01" } })`, unknown("find", "Partial<Prices>")],
  rpcUrl: [
    `Till.make({ ...right, networks: [{ network: "base", rpcUrl: 1 }] })`,
    "Type 'number' is not assignable to type 'SecretText | undefined'."
  ],
  method: [
    `operation({ ${own}, method: "PUT", path: "/weather", work: () => 1 })`.replace(`method: "GET", `, ""),
    `Type '"PUT"' is not assignable to type '"GET" | "POST"'.`
  ],
  parameter: [
    `operation({ ${own}, path: "/weather/:city", work: ({ town }) => town })`,
    "Property 'town' does not exist on type '{ readonly city: string; }'."
  ]
}

const networkNames = [...evmNetworks, ...solanaNetworks].flatMap(({ caip2, v1Name }) =>
  v1Name === undefined ? [caip2] : [caip2, v1Name]
)
const codes = tableBelow(read("docs/events.md"), "## All events").map(([code]) => code!.replaceAll("`", ""))
const constantOf = (names: ReadonlyArray<string>, type: string): string =>
  `export const all: Readonly<Record<Named<${type}>, true>> = ${JSON.stringify(Object.fromEntries(names.map((name) => [name, true])))}`

const correct: Readonly<Record<string, string>> = {
  parameters: `operation({ ${own}, path: "/weather/:city/on/:day", work: ({ city, day }) => city.concat(day) })`,
  schema: `operation({ ${own}, path: "/weather/:city", input: { "~standard": { version: 1, vendor: "own", validate: () => ({ value: { days: 1 } }) } }, work: ({ days }) => days.toFixed(0) })`,
  text: `export const path: string = "/weather"\noperation({ ${own}, path, work: (input) => input["city"] })`,
  variable: `Till.make({ ...right, networks: [process.env["NETWORK"] ?? ""], operations: [operation({ ${own}, path: "/weather/:city", work: ({ city }) => city })] })`,
  networkNames: constantOf(networkNames, `TillOptions["networks"][number]`),
  eventCodes: constantOf(codes, `TillEvent["code"]`),
  otherCode: `export const isNew = ({ code }: TillEvent): boolean => code === "of_a_later_version"`
}

const texts = Object.entries(faulty).map(([name, [text]]) => [name, text] as const)

/** The texts, to compile beside other samples: most of the compiler's time goes to what they import. */
export const optionSamples: ReadonlyArray<Sample> = [
  { path: "heading", line: 1, code: heading },
  ...Object.entries({ ...Object.fromEntries(texts), ...correct }).map(([path, text]) => ({
    path,
    line: 1,
    code: `${imports}\n${text}\nexport {}`
  }))
]

/** The first error that the compiler should have for each text, without its place; none has an empty one. */
export const expectedErrors: Readonly<Record<string, string>> = Object.fromEntries([
  ["heading", ""],
  ...Object.entries(faulty).map(([name, [, error]]) => [name, error] as const),
  ...Object.keys(correct).map((name) => [name, ""] as const)
])

/** The first error that the compiler has for each text, of the lines that it says. */
export const firstErrors = (said: ReadonlyArray<string>): Readonly<Record<string, string>> => {
  const errors = Object.fromEntries(Object.keys(expectedErrors).map((path) => [path, ""]))
  for (const line of said) {
    const [, path, error] = /^(\w+):\d+:\d+: error TS\d+: (.*)/.exec(line) ?? []
    if (path !== undefined && errors[path] === "") errors[path] = error!
  }
  return errors
}
