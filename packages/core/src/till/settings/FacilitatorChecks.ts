import { findNetwork } from "../../domain/Network.ts"
import { defaultFacilitatorTimeouts, facilitatorName } from "../../toll/facilitator/FacilitatorOptions.ts"
import { type Faults, isRecord, shown } from "./Faults.ts"
import { isHttpUrl } from "./PaidNetworks.ts"
import { checkPort, facilitatorClient, facilitatorUrl } from "./PortShapes.ts"
import { readNumber } from "./SettingsReader.ts"
import { checkNames } from "./UnknownOptions.ts"

/** More would make a payment that none verifies wait too long. */
const maxFacilitators = 5

/** Checks the facilitator of a till, or its list of them. */
export const checkFacilitators = (given: unknown, faults: Faults): void => {
  if (!Array.isArray(given)) return checkFacilitator(given, faults)
  if (given.length === 0 || given.length > maxFacilitators)
    return faults.add(`facilitator must list 1 to ${maxFacilitators} facilitators: got ${given.length}`)
  const names = new Set<string>()
  for (const [index, entry] of given.entries()) {
    const path = `facilitator[${index}]`
    const before = faults.texts.length
    checkFacilitator(entry, faults, path)
    if (faults.texts.length > before) continue
    const name = facilitatorName(entry)
    if (names.has(name)) faults.add(`${path}: two facilitators are called ${shown(name)}: give one a name`)
    names.add(name)
  }
}

/** Checks a facilitator in this process, or the address of one. Never prints the address: it may contain a key. */
export const checkFacilitator = (given: unknown, faults: Faults, path = "facilitator"): void => {
  if (!isRecord(given)) {
    const state =
      given === undefined ? "it is not set" : typeof given === "string" ? "it is text" : `got ${shown(given)}`
    faults.add(`${path} must be given as { url }, or as an object with verify and settle: ${state}`)
    return
  }
  checkNameAndNetworks(given, faults, path)
  if ("verify" in given || "settle" in given) {
    checkPort(path, given, facilitatorClient, faults)
    return
  }
  checkNames({ given, group: path, known: Object.keys(facilitatorUrl) }, faults)
  if (!isHttpUrl(given["url"])) {
    const state = given["url"] === undefined ? ": it is not set" : ""
    const name = path === "facilitator" ? faults.nameOf("facilitator.url") : `${path}.url`
    faults.add(`${name} must be an http(s) URL${state}`)
  }
  if (given["headers"] !== undefined && typeof given["headers"] !== "function") {
    faults.add(`${path}.headers must be a function that returns the headers of one call`)
  }
  for (const name of ["verifyTimeoutMillis", "settleTimeoutMillis"] as const) {
    readNumber(`facilitator.${name}`, given[name], defaultFacilitatorTimeouts[name], faults)
  }
}

const checkNameAndNetworks = (
  { name, networks }: Readonly<Record<string, unknown>>,
  faults: Faults,
  path: string
): void => {
  if (name !== undefined && !(typeof name === "string" && /^[\w.:/-]{1,100}$/.test(name)))
    faults.add(`${path}.name must be 1 to 100 letters, digits or any of _ . : / -`)
  if (networks === undefined) return
  if (!Array.isArray(networks) || networks.length === 0)
    return faults.add(`${path}.networks must be a list of networks, e.g. base or eip155:8453`)
  for (const network of networks)
    if (typeof network !== "string" || findNetwork(network) === undefined)
      faults.add(`${path}.networks: unknown network ${shown(network)}`)
}
