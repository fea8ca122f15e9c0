import { type Example, pathPattern } from "./Operation.ts"
import { closestName } from "../runtime/closestName.ts"
import { isGeneratorFunction } from "../runtime/isAsyncFunction.ts"
import { type OwnPrice, priceFault } from "./OwnPrice.ts"

/*
 * The options of a host's own operations, and their checks. Apart from what makes operations of them, which loads
 * `effect/http-api`: a host that only imports core doesn't need that.
 */

/** The options that both styles share. */
export interface OwnOperationOptions<Input> {
  /** Names the operation in the ledger and the documents: `weather`. */
  readonly id: string
  /** `GET` takes its input from path and query; `POST` from path and JSON body. */
  readonly method: "GET" | "POST"
  /** Path below the mount: `/weather` or `/weather/:city`. */
  readonly path: string
  /** One line for people and agents: shown in the 402 and the documents. */
  readonly description: string
  readonly price: OwnPrice<Input>
  /**
   * When the payment settles. `"after-work"`: failed work costs the caller nothing. `"before-work"`: you do no work for
   * a payment that doesn't settle. Default: `"after-work"`.
   */
  readonly settlement?: "after-work" | "before-work"
  /**
   * What shows that a payment has settled. `"chain"`: the chain, which every network needs an `rpcUrl` for. `"facilitator"`:
   * its facilitator's response. Default: the chain where the network has an `rpcUrl`, if the payment is above `proofAbove` of
   * the till's settings or settles before the work; else the facilitator.
   */
  readonly proof?: "chain" | "facilitator"
  /** The response contains personal data or a secret: it is stored encrypted. Default: `false`. */
  readonly encrypted?: boolean
  /** An input and its response, for indexers and agents. */
  readonly example?: Example
}

/** The part of an operation that its option `proof` is. */
export const proofOf = ({ proof }: Pick<OwnOperationOptions<never>, "proof">) =>
  proof === undefined ? {} : { proofRequired: proof === "chain" }

const idPattern = /^[A-Za-z][\w-]{0,63}$/

/** The first part must be a name, so that a path can't be mistaken for one below another prefix. */
const isOwnPath = (path: string): boolean => {
  const [first = "", ...parts] = path.slice(1).split("/")
  const params = parts.filter((part) => part.startsWith(":"))
  return (
    pathPattern.test(path) &&
    !first.startsWith(":") &&
    ![first, ...parts].some((part) => /^\.+$/.test(part) || part === ":__proto__") &&
    new Set(params).size === params.length
  )
}

const names = Object.keys({
  id: true,
  method: true,
  path: true,
  description: true,
  price: true,
  settlement: true,
  proof: true,
  encrypted: true,
  example: true,
  input: true,
  output: true,
  work: true
} satisfies Record<keyof OwnOperationOptions<never> | "input" | "output" | "work", true>)

/** Options that look misspelled: behind `prof`, a payment would count without the chain. Others may be the host's own. */
const misspelled = (given: Readonly<Record<string, unknown>>): ReadonlyArray<string> => {
  const missing = names.filter((name) => given[name] === undefined)
  return Object.keys(given)
    .filter((name) => !names.includes(name))
    .flatMap((name) => {
      const meant = closestName(name, missing)
      return meant === undefined ? [] : [`it has no ${name}: did you mean ${meant}?`]
    })
}

/** Lists every fault in an operation's options. */
export const ownOperationFaults = (given: Readonly<Record<string, unknown>>): ReadonlyArray<string> => {
  const { id, method, path, price, work } = given
  const faults = [...misspelled(given)]
  if (typeof id !== "string" || !idPattern.test(id)) faults.push("id must be a name such as weather")
  if (method !== "GET" && method !== "POST") faults.push(`method must be "GET" or "POST"`)
  if (typeof path !== "string" || !isOwnPath(path))
    faults.push("path must be a path such as /weather or /weather/:city, each parameter once")
  if (typeof given["description"] !== "string" || given["description"] === "")
    faults.push("description must be one line that describes what is sold")
  const { input } = Object(given["example"] ?? { input: {} }) as { readonly input?: unknown }
  if (typeof input !== "object" || input === null)
    faults.push("example must be an object such as { input: { … }, output: … }")
  const fault = priceFault(price)
  if (fault !== undefined) faults.push(fault)
  if (![undefined, "after-work", "before-work"].includes(given["settlement"] as string | undefined))
    faults.push(`settlement must be "after-work" or "before-work"`)
  if (![undefined, "chain", "facilitator"].includes(given["proof"] as string | undefined))
    faults.push(`proof must be "chain" or "facilitator"`)
  if (typeof work !== "function") faults.push("work must be a function of the input")
  else if (isGeneratorFunction(work))
    faults.push(
      "work is a generator function, whose iterator is no data: make it an async function, or with Effect wrap it in Effect.fn"
    )
  return faults
}
