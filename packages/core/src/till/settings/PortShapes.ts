import type { AssistantOptions } from "../../shop/ports/Assistant.ts"
import type { FulfilmentOptions } from "../../shop/ports/FulfilmentOptions.ts"
import type { MailerOptions } from "../../shop/ports/Mailer.ts"
import type { MarketplaceOptions, MarketplacesOptions } from "../../shop/ports/Marketplaces.ts"
import type { TrackerOptions } from "../../shop/ports/Tracker.ts"
import type { VaultOptions } from "../../shop/ports/VaultFiles.ts"
import type { FacilitatorOptions, NamedFacilitatorClient } from "../../toll/facilitator/FacilitatorOptions.ts"
import { type Faults, isRecord } from "./Faults.ts"
import type { TillOptions } from "./TillOptions.ts"
import { checkNames, closestName } from "./UnknownOptions.ts"

/** What a member of a port must be; a `value` is not checked here. */
type Member = "method" | "optional method" | "value"

/** Every member of a port: TypeScript keeps the lists complete. */
type PortShape<Port> = { readonly [Name in keyof Port]-?: Member }

const assistant: PortShape<AssistantOptions> = { reply: "method", maxCostUsd: "value" }
const fulfilment: PortShape<FulfilmentOptions> = {
  quote: "method",
  place: "method",
  find: "optional method",
  status: "optional method",
  placesOnce: "value"
}
const tracker: PortShape<TrackerOptions> = { track: "method" }
const vault: PortShape<VaultOptions> = {
  open: "method",
  maxAgeMillis: "value",
  maxDownloads: "value",
  freeReaccess: "value"
}
const mailer: PortShape<MailerOptions> = { send: "method" }
const marketplace: PortShape<MarketplaceOptions> = { search: "method", timeoutMillis: "value" }
const marketplaces: PortShape<MarketplacesOptions> = { marketplace_a: "value", marketplace_b: "value" }
export const facilitatorClient: PortShape<NamedFacilitatorClient> = {
  verify: "method",
  settle: "method",
  getSupported: "optional method",
  name: "value",
  networks: "value"
}
export const facilitatorUrl: PortShape<FacilitatorOptions> = {
  url: "value",
  name: "value",
  networks: "value",
  headers: "optional method",
  verifyTimeoutMillis: "value",
  settleTimeoutMillis: "value"
}

/** Hosts may add members to ports, so only near misses are reported. */
const maxPortEdits = 2

const memberOf = (port: unknown, name: string): unknown =>
  (typeof port === "object" && port !== null) || typeof port === "function"
    ? Reflect.get(port, name)
    : undefined

/** Reports a port that lacks a method or misspells one. Ignores all other members. */
export const checkPort = (
  path: string,
  port: unknown,
  shape: Readonly<Record<string, Member>>,
  faults: Faults
): void => {
  const known = Object.keys(shape)
  const methods = known.filter((name) => shape[name] === "method")
  const isCallable = typeof port === "function" && methods.every((name) => memberOf(port, name) !== undefined)
  const example = `{ ${methods.map((name) => `${name}: async (…) => …`).join(", ")} }`
  if (!isRecord(port) && !isCallable) {
    faults.wrong(path, `an object with ${methods.join(" and ")}, such as ${example}`, port)
    return
  }
  const missing = known.filter((name) => memberOf(port, name) === undefined)
  const misspelled = Object.keys(port)
    .filter((name) => !known.includes(name))
    .map((name) => ({ name, meant: closestName(name, missing, maxPortEdits) }))
    .filter(({ meant }) => meant !== undefined)
  for (const { meant, name } of misspelled) faults.add(`${path} has no ${name}: did you mean ${meant}?`)
  for (const name of known.filter((each) => shape[each] !== "value")) {
    const given = memberOf(port, name)
    if (typeof given === "function") continue
    if (given !== undefined) faults.wrong(`${path}.${name}`, "a function", given)
    else if (shape[name] === "method" && !misspelled.some(({ meant }) => meant === name)) {
      faults.add(`${path} has no method ${name}: give ${path} an object such as ${example}`)
    }
  }
}

/** The shortest time in which a purchase can be downloaded: a minute. */
const minAgeMillis = 60_000

/** Checks every port that the host gave. */
export const checkPortShapes = (options: TillOptions, faults: Faults): void => {
  const ports: ReadonlyArray<readonly [string, unknown, Readonly<Record<string, Member>>]> = [
    ["assistant", options.assistant, assistant],
    ["fulfilment", options.fulfilment, fulfilment],
    ["tracker", options.tracker, tracker],
    ["vault", options.vault, vault],
    ["mailer", options.mailer, mailer]
  ]
  for (const [path, port, shape] of ports) if (port !== undefined) checkPort(path, port, shape, faults)
  checkMarketplaces(options.marketplaces, faults)
  const maxAgeMillis = memberOf(options.vault, "maxAgeMillis")
  const isAge = typeof maxAgeMillis === "number" && maxAgeMillis >= minAgeMillis
  if (maxAgeMillis !== undefined && !isAge)
    faults.wrong("vault.maxAgeMillis", `milliseconds, ${minAgeMillis} or more`, maxAgeMillis)
  const maxDownloads = memberOf(options.vault, "maxDownloads")
  const isCount = Number.isInteger(maxDownloads) && Number(maxDownloads) >= 1 && Number(maxDownloads) <= 1_000
  if (maxDownloads !== undefined && !isCount)
    faults.wrong("vault.maxDownloads", "a whole number between 1 and 1000", maxDownloads)
  const freeReaccess = memberOf(options.vault, "freeReaccess")
  if (freeReaccess !== undefined && typeof freeReaccess !== "boolean")
    faults.wrong("vault.freeReaccess", "true or false", freeReaccess)
}

const checkMarketplaces = (given: unknown, faults: Faults): void => {
  if (given === undefined) return
  const known = Object.keys(marketplaces)
  if (!isRecord(given)) {
    faults.wrong("marketplaces", `an object with ${known.join(" or ")}`, given)
    return
  }
  checkNames({ given, group: "marketplaces", known }, faults)
  for (const name of known) {
    const port = given[name]
    if (port === undefined) continue
    checkPort(`marketplaces.${name}`, port, marketplace, faults)
    const timeoutMillis = memberOf(port, "timeoutMillis")
    if (timeoutMillis !== undefined && !(typeof timeoutMillis === "number" && timeoutMillis > 0)) {
      faults.wrong(`marketplaces.${name}.timeoutMillis`, "milliseconds above 0", timeoutMillis)
    }
  }
}
