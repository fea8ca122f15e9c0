import { Schema } from "effect"
import { findNetwork } from "../../domain/Network.ts"
import {
  addressFault,
  defaultFacilitatorTimeouts,
  type FacilitatorOptions,
  facilitatorName,
  type FacilitatorSource,
  type NamedFacilitatorClient
} from "../../toll/facilitator/FacilitatorOptions.ts"
import {
  checked,
  checkPort,
  type Faults,
  isRead,
  millis,
  minute,
  missingPart,
  option,
  optional,
  type OptionsOf,
  type PortMembers,
  shown
} from "./OptionSchema.ts"
import { isObject } from "../../runtime/isObject.ts"

/** More would make a payment that none verifies wait too long. */
const maxFacilitators = 5

/** The longest timeout of a call that settles. */
export const maxSettleTimeoutMillis = minute

const name = optional<string>(
  "1 to 100 letters, digits or any of _ . : / -",
  (given) => typeof given === "string" && /^[\w.:/-]{1,100}$/.test(given)
)

const networks = checked<ReadonlyArray<string>>((given, faults) => {
  if (!Array.isArray(given) || given.length === 0)
    return faults.wrong("a list of networks, e.g. base or eip155:8453", given)
  for (const network of given)
    if (typeof network !== "string" || findNetwork(network) === undefined)
      faults.add(
        `: unknown network${typeof network === "string" && network.includes("://") ? ", an address" : ` ${shown(network)}`}`
      )
})

/** The options of a facilitator over HTTP. Its address is never printed: it may contain a key. */
export const facilitatorFields = {
  url: option<string>((given, faults) => {
    const fault = addressFault(given) ?? missingPart(String(given))
    return fault === undefined
      ? String(given)
      : faults.add(`${fault}${given === undefined ? ": it is not set" : ""}`)
  }),
  name,
  networks,
  headers: checked<NonNullable<FacilitatorOptions["headers"]>>(
    (given, faults) =>
      typeof given === "function" || faults.add("must be a function that returns the headers of one call")
  ),
  verifyTimeoutMillis: millis(defaultFacilitatorTimeouts.verifyTimeoutMillis, 1, 20_000),
  settleTimeoutMillis: millis(defaultFacilitatorTimeouts.settleTimeoutMillis, 1, maxSettleTimeoutMillis)
} satisfies OptionsOf<FacilitatorOptions>

const overHttp = Schema.Struct(facilitatorFields)

const inProcess: PortMembers<NamedFacilitatorClient> = {
  verify: "method",
  settle: "method",
  getSupported: "optional method",
  name,
  networks,
  movesNoMoney: optional<boolean>("true, or left out", (given) => typeof given === "boolean")
}

const readFacilitator = (given: unknown, faults: Faults): unknown => {
  if (isObject(given) && ("verify" in given || "settle" in given))
    return checkPort("facilitator", given, inProcess, faults)
  if (isObject(given)) return faults.read(overHttp, given)
  const isText = typeof given === "string" ? "it is text" : `got ${shown(given)}`
  const state = given === undefined ? "it is not set" : isText
  return faults.add(`must be given as { url }, or as an object with verify and settle: ${state}`)
}

const one = option<FacilitatorSource, unknown>(readFacilitator)

/** The option `facilitator`: one, or a list. */
export const facilitator = option<FacilitatorSource | ReadonlyArray<FacilitatorSource>, unknown>(
  (given, faults) => {
    if (!Array.isArray(given)) return readFacilitator(given, faults)
    if (given.length === 0 || given.length > maxFacilitators)
      return faults.add(`must list 1 to ${maxFacilitators} facilitators: got ${given.length}`)
    const names = new Set<string>()
    for (const [index, entry] of given.entries()) {
      if (!isRead(faults.read(one, entry, index))) continue
      const called = facilitatorName(entry)
      if (names.has(called))
        faults.add(`: two facilitators are called ${shown(called)}: give one a name`, index)
      names.add(called)
    }
    return given
  }
)
