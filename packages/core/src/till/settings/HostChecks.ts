import { Layer } from "effect"
import { findNetwork } from "../../domain/Network.ts"
import { defaultTemplates } from "../../shop/mail/Templates.ts"
import { pathForm } from "../../operations/Operation.ts"
import { ownOperationFaults } from "../../operations/OwnOperationOptions.ts"
import { type ConfiguredSettings, contractIds } from "./ConfiguredSettings.ts"
import { type Faults, isRecord, shown } from "./Faults.ts"
import { readAddress } from "./PaidNetworks.ts"
import { checkFacilitators } from "./FacilitatorChecks.ts"
import { checkPortShapes } from "./PortShapes.ts"
import { isMountPath } from "./SettingsReader.ts"
import type { TillOptions } from "./TillOptions.ts"
import type { TillHooks, TillSettings } from "./TillSettings.ts"
import { checkNames } from "./UnknownOptions.ts"

/** Names of the host's optional functions and objects. */
export const hookNames: ReadonlyArray<string> = Object.keys({
  mailTemplates: true,
  refundWallet: true,
  solanaRefunds: true,
  onOrderChange: true,
  clientAddress: true,
  publicRoutes: true
} satisfies Record<keyof TillHooks, true>)

/** The names of storage, facilitator, ports and their callbacks. */
export const portNames: ReadonlyArray<string> = Object.keys({
  facilitator: true,
  storage: true,
  marketplaces: true,
  assistant: true,
  fulfilment: true,
  tracker: true,
  vault: true,
  mailer: true,
  operations: true,
  onEvent: true,
  onProviderError: true
} satisfies Record<Exclude<keyof TillOptions, keyof TillSettings | keyof TillHooks>, true>)

/** Checks the optional functions and objects of a host. Faults are reported, never thrown. */
export const checkHooks = (
  hooks: Readonly<Partial<Record<keyof TillHooks, unknown>>>,
  faults: Faults
): void => {
  checkRefundWallet(hooks.refundWallet, faults)
  checkSolanaRefunds(hooks.solanaRefunds, faults)
  checkMailTemplates(hooks.mailTemplates, faults)
  checkPublicRoutes(hooks.publicRoutes, faults)
  checkCallback("onOrderChange", hooks.onOrderChange, faults)
  checkCallback("clientAddress", hooks.clientAddress, faults)
}

/** Checks storage, facilitator and ports of `Till.make`. Faults are reported, never thrown. */
export const checkPorts = (
  options: TillOptions,
  settings: Pick<ConfiguredSettings, "discoveryPath" | "openapiPath">,
  faults: Faults
): void => {
  const { assistant, fulfilment, marketplaces, operations, tracker, vault } = options
  const hasMarketplace =
    marketplaces?.marketplace_a !== undefined || marketplaces?.marketplace_b !== undefined
  const hasPort = [assistant, fulfilment, tracker, vault].some((port) => port !== undefined)
  if (!hasMarketplace && !hasPort && operations === undefined) {
    faults.add(
      "no port is configured: give at least one of marketplaces, assistant, fulfilment, tracker, vault, operations (an empty list if you only price handlers)"
    )
  }
  const { discoveryPath, openapiPath } = settings
  const taken = [discoveryPath, openapiPath, ...Object.keys(options.publicRoutes ?? {})]
  checkOperations(operations, new Set(taken.filter((path) => path !== undefined)), faults)
  checkStorage(options.storage, faults)
  checkFacilitators(options.facilitator, faults)
  checkPortShapes(options, faults)
  checkCallback("onEvent", options.onEvent, faults)
  checkCallback("onProviderError", options.onProviderError, faults)
}

/** Reports the faults of a host's own paid routes, each with the operation's id. */
const checkOperations = (given: unknown, taken: ReadonlySet<string>, faults: Faults): void => {
  if (given === undefined) return
  if (!Array.isArray(given)) {
    faults.wrong(
      "operations",
      "a list of operations such as operation({ id, method, path, price, work })",
      given
    )
    return
  }
  const seen = new Set<string>()
  for (const [index, operation] of (given as ReadonlyArray<unknown>).entries()) {
    if (!isRecord(operation)) {
      faults.wrong(`operations[${index}]`, "an object such as { id, method, path, price, work }", operation)
      continue
    }
    const name = typeof operation["id"] === "string" ? operation["id"] : `operations[${index}]`
    for (const fault of ownOperationFaults(operation)) faults.add(`operation ${name}: ${fault}`)
    if (contractIds.includes(name))
      faults.add(`operation ${name}: this id belongs to a route of the contract`)
    if (operation["input"] !== undefined && !isStandardSchema(operation["input"]))
      faults.add(
        `operation ${name}: input must be a Standard Schema, such as a schema of zod, valibot or arktype`
      )
    const keys = [
      `id ${name}`,
      ...(typeof operation["path"] === "string" ? [`path ${pathForm(operation["path"])}`] : [])
    ]
    for (const key of keys) {
      if (seen.has(key)) faults.add(`two operations have the same ${key}`)
      seen.add(key)
    }
    if (taken.has(String(operation["path"])))
      faults.add(
        `operation ${name}: the path ${String(operation["path"])} belongs to a document or a public route`
      )
  }
}

/** Schemas may be functions, like those of arktype. */
const isStandardSchema = (given: unknown): boolean => {
  if (given === null || (typeof given !== "object" && typeof given !== "function")) return false
  const standard: unknown = Reflect.get(given, "~standard")
  return isRecord(standard) && typeof standard["validate"] === "function"
}

const storages =
  "sqlite({ filename }) of @till402/core/sqlite, postgres({ url }) of @till402/core/postgres, memory() for tests, or storageFrom(stores)"

/** Suggests the storage that the host probably meant. */
const meantStorage = (given: unknown): string => {
  if (typeof given === "string") {
    // Doesn't print a database's address: it contains a password.
    return /^postgres(?:ql)?:/.test(given)
      ? "it is the address of a database. Give postgres({ url }) of @till402/core/postgres"
      : `it is text. For a file, give sqlite({ filename: ${shown(given)} }) of @till402/core/sqlite`
  }
  if (typeof given === "function") return "it is a function. Call it, and give what it returns"
  if (isRecord(given)) {
    if ("charges" in given) return "it is an object of stores. Give storageFrom(stores) of @till402/core"
    if ("filename" in given)
      return "it is an object of options. Give sqlite({ filename }) of @till402/core/sqlite"
    if ("url" in given) return "it is an object of options. Give postgres({ url }) of @till402/core/postgres"
    return `it is another object. Give ${storages}`
  }
  return `${given === undefined ? "it is not set" : `it is ${shown(given)}`}. Give ${storages}`
}

const checkStorage = (given: unknown, faults: Faults): void => {
  if (!Layer.isLayer(given)) faults.add(`storage must be a storage layer: ${meantStorage(given)}`)
}

/** The message never contains the value: it may be a private key. */
const checkRefundWallet = (given: unknown, faults: Faults): void => {
  if (given === undefined) return
  const expected = "a LocalAccount of viem, or an object with address and signTypedData"
  if (!isRecord(given)) {
    faults.add(
      `refundWallet must be ${expected}${typeof given === "string" ? ": it is text. Give privateKeyToAccount(key) of viem/accounts" : ""}`
    )
    return
  }
  readAddress("refundWallet.address", given["address"], faults)
  if (typeof given["signTypedData"] !== "function") {
    faults.add("refundWallet has no method signTypedData: a LocalAccount of viem has one")
  }
}

/** The message never contains the value: it may be a secret key. */
const checkSolanaRefunds = (given: unknown, faults: Faults): void => {
  if (given === undefined) return
  const network = isRecord(given) ? given["network"] : undefined
  const known = typeof network === "string" ? findNetwork(network) : undefined
  const methods = isRecord(given) ? [given["find"], given["refund"]] : []
  if (
    isRecord(given) &&
    known?.family === "solana" &&
    known.caip2 === network &&
    typeof given["address"] === "string" &&
    methods.every((method) => typeof method === "function")
  )
    return
  faults.add(
    "solanaRefunds must be what solanaRefunds() of @till402/providers/solana-refunds returns, or an object with network (CAIP-2), address, find and refund"
  )
}

const checkMailTemplates = (given: unknown, faults: Faults): void => {
  if (given === undefined) return
  const known = Object.keys(defaultTemplates)
  if (!isRecord(given)) {
    faults.wrong("mailTemplates", `an object with any of ${known.join(", ")}`, given)
    return
  }
  checkNames({ given, group: "mailTemplates", known }, faults)
  for (const name of known) {
    const template = given[name]
    if (template !== undefined && typeof template !== "function") {
      faults.wrong(`mailTemplates.${name}`, "a function", template)
    }
  }
}

const callbacks = {
  onEvent: "(event) => console.log(event)",
  onProviderError: "({ error, port, operation }) => …",
  onOrderChange: "({ order, from }) => …",
  clientAddress: `(request) => request.headers.get("x-real-ip") ?? undefined`
}

const checkCallback = (name: keyof typeof callbacks, given: unknown, faults: Faults): void => {
  if (given !== undefined && typeof given !== "function") {
    faults.wrong(name, `a function such as ${callbacks[name]}`, given)
  }
}

const checkPublicRoutes = (given: unknown, faults: Faults): void => {
  if (given === undefined) return
  if (!isRecord(given)) {
    faults.wrong("publicRoutes", "an object from paths to functions", given)
    return
  }
  for (const [path, handler] of Object.entries(given)) {
    if (!isMountPath(path)) {
      faults.add(`publicRoutes: a path must be like /webhooks/orders, outside /x402: got ${shown(path)}`)
    }
    if (typeof handler !== "function")
      faults.wrong(`publicRoutes["${path}"]`, "a function of a request", handler)
  }
}
