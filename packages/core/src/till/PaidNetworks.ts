import { checksumAddress, isAddress } from "../domain/EvmAddress.ts"
import { findNetwork, type Network, networks as knownNetworks } from "../domain/Network.ts"
import { domainSeparator } from "../toll/exact/Evm.ts"
import { type Faults, isRecord, shown } from "./Faults.ts"
import { readNumber } from "./SettingsReader.ts"
import type { NetworkOptions } from "./TillSettings.ts"
import { checkNames } from "./UnknownOptions.ts"

/** A network on which callers can pay, with its settings resolved. */
export interface PaidNetwork extends Network {
  readonly payTo: string
  readonly rpcUrl: string | undefined
  readonly confirmations: number
  readonly finalitySeconds: number
  readonly separator: `0x${string}`
}

export const networkOptionNames = Object.keys({
  network: true,
  payTo: true,
  rpcUrl: true,
  confirmations: true,
  finalitySeconds: true
} satisfies Record<keyof NetworkOptions, true>)

export const isHttpUrl = (text: unknown): boolean =>
  typeof text === "string" && ["http:", "https:"].includes(URL.parse(text)?.protocol ?? "")

/** Checks an EVM address. The zero address is refused: money sent there is lost. */
export const readAddress = (path: string, text: unknown, faults: Faults, network?: string): string => {
  if (typeof text === "string" && isAddress(text) && !/^0x0{40}$/.test(text)) return checksumAddress(text)
  const expected = "an EVM address (0x and 40 hexadecimal digits), with a valid checksum or all in lower case"
  if (typeof text === "string" && /^(?:0x)?[0-9a-f]{64}$/i.test(text)) {
    faults.add(`${faults.nameOf(path, network)} must be ${expected}: it looks like a private key`)
  } else faults.wrong(path, expected, text, network)
  return "0x"
}

const namesOf = (networks: ReadonlyArray<Network>): string =>
  networks.map(({ caip2, v1Name }) => v1Name ?? caip2).join(", ")

/** Resolves the networks of a till; `payTo` receives payments on those that set no address of their own. */
export const readNetworks = (given: unknown, payTo: unknown, faults: Faults): ReadonlyArray<PaidNetwork> => {
  const defaultPayTo = readAddress("payTo", payTo, faults)
  const name = faults.nameOf("networks")
  if (!Array.isArray(given) || given.length === 0) {
    const got = given === undefined || Array.isArray(given) ? "" : `: got ${shown(given)}`
    faults.add(`${name} must be a list of at least one network, e.g. base or base-sepolia${got}`)
    return []
  }
  const resolved: Array<PaidNetwork> = []
  for (const entry of given) {
    const network = readNetwork(entry, defaultPayTo, faults)
    if (network === undefined) continue
    if (resolved.some(({ caip2 }) => caip2 === network.caip2)) {
      faults.add(`${name}: network ${network.caip2} is given twice`)
    } else resolved.push(network)
  }
  if (resolved.length > 0 && resolved.every(({ v1Name }) => v1Name === undefined)) {
    const versionOne = namesOf(knownNetworks.filter(({ v1Name }) => v1Name !== undefined))
    faults.add(
      `${name}: at least one network must be on the version-1 list (${versionOne}): the body of a 402 can't name others`
    )
  }
  return resolved
}

const readNetwork = (entry: unknown, payTo: string, faults: Faults): PaidNetwork | undefined => {
  const given = typeof entry === "string" ? { network: entry } : entry
  if (!isRecord(given) || typeof given["network"] !== "string") {
    faults.add(
      `${faults.nameOf("networks")} has ${isRecord(given) ? "an entry without network" : shown(entry)}: give a name, or an object such as { network: "base", rpcUrl }`
    )
    return undefined
  }
  const named = given["network"]
  checkNames({ given, group: `the entry of network ${named}`, known: networkOptionNames }, faults)
  const network = findNetwork(named)
  if (network === undefined) {
    faults.add(
      `${faults.nameOf("networks")}: unknown network ${shown(named)}: give one of ${namesOf(knownNetworks)}, or the CAIP-2 identifier of one`
    )
    return undefined
  }
  const { confirmations, finalitySeconds } = given
  return {
    ...network,
    confirmations: readNumber(
      "networks[].confirmations",
      confirmations,
      network.confirmations,
      faults,
      named
    ),
    finalitySeconds: readNumber(
      "networks[].finalitySeconds",
      finalitySeconds,
      network.finalitySeconds,
      faults,
      named
    ),
    payTo: given["payTo"] === undefined ? payTo : readAddress("payTo", given["payTo"], faults, named),
    rpcUrl: readRpcUrl(given["rpcUrl"], named, faults),
    separator: domainSeparator(network)
  }
}

/** The message never contains the value: addresses of RPC services contain keys. */
const readRpcUrl = (url: unknown, network: string, faults: Faults): string | undefined => {
  if (url === undefined) return undefined
  if (typeof url === "string" && isHttpUrl(url)) return url
  faults.add(`${faults.nameOf("rpcUrl", network)} must be an http(s) URL`)
  return undefined
}
