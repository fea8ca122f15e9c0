import { checksumAddress, isAddress } from "../../domain/EvmAddress.ts"
import {
  type EvmNetwork,
  findNetwork,
  type Network,
  networks as knownNetworks,
  type SolanaNetwork
} from "../../domain/Network.ts"
import { fromBase58 } from "../../domain/Base58.ts"
import { associatedTokenAccount, isSolanaAddress, signatureBytes } from "../../domain/SolanaAddress.ts"
import { isHex } from "../../domain/Hex.ts"
import { domainSeparator } from "../../toll/exact/Evm.ts"
import { FeePayers } from "../../toll/exact/FeePayers.ts"
import { type Faults, isRecord, shown } from "./Faults.ts"
import { readNumber } from "./SettingsReader.ts"
import type { NetworkOptions } from "./TillSettings.ts"
import { checkNames } from "./UnknownOptions.ts"

interface PaidTerms {
  readonly payTo: string
  readonly rpcUrl: string | undefined
}

/** An EVM network on which callers can pay, with its settings resolved. */
export interface PaidEvmNetwork extends EvmNetwork, PaidTerms {
  readonly separator: `0x${string}`
  /** The host named its token, which is checked against the chain. */
  readonly hasOwnToken: boolean
}

/** A Solana network on which callers can pay, with its settings resolved. */
export interface PaidSolanaNetwork extends SolanaNetwork, PaidTerms {
  /** The token account of `payTo`. */
  readonly tokenAccount: string
  /** Empty until the facilitator names them. */
  readonly feePayers: FeePayers
}

/** A network on which callers can pay, with its settings resolved. */
export type PaidNetwork = PaidEvmNetwork | PaidSolanaNetwork

export const networkOptionNames = Object.keys({
  network: true,
  payTo: true,
  rpcUrl: true,
  token: true,
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
  } else if (typeof text === "string" && /^0x[0-9a-f]{40}$/i.test(text) && !/^0x0{40}$/.test(text)) {
    faults.add(
      `${faults.nameOf(path, network)} has a wrong checksum: ${shown(text)}. Copy it again, or give it in lower case`
    )
  } else faults.wrong(path, expected, text, network)
  return "0x"
}

/** The owner of no account: money sent there is lost. */
const systemProgram = "1".repeat(32)

/** Checks a Solana address: of a wallet, not of a token account, which can't be told apart offline. */
const readSolanaAddress = (path: string, text: unknown, faults: Faults, network: string): string => {
  const isKnownProgram = text === systemProgram || knownNetworks.some(({ asset }) => asset === text)
  if (typeof text === "string" && isSolanaAddress(text) && !isKnownProgram) return text
  const expected = "a Solana wallet's address (base58 of 32 bytes)"
  if (typeof text === "string" && fromBase58(text, signatureBytes) !== undefined) {
    faults.add(`${faults.nameOf(path, network)} must be ${expected}: it looks like a private key`)
  } else faults.wrong(path, expected, text, network)
  return systemProgram
}

const namesOf = (networks: ReadonlyArray<Network>): string =>
  networks.map(({ caip2, v1Name }) => v1Name ?? caip2).join(", ")

const entryOf = (entry: unknown): unknown => (typeof entry === "string" ? { network: entry } : entry)

/** Whether every network is one of Solana, so that the till's own `payTo` is an address there. */
const areAllSolana = (given: unknown): boolean =>
  Array.isArray(given) &&
  given.length > 0 &&
  given.map(entryOf).every((entry) => {
    const name = isRecord(entry) ? entry["network"] : undefined
    return typeof name === "string" && findNetwork(name)?.family === "solana"
  })

/** Resolves the networks of a till; `payTo` receives payments on those that set no address of their own. */
export const readNetworks = (given: unknown, payTo: unknown, faults: Faults): ReadonlyArray<PaidNetwork> => {
  // Each Solana network that uses it checks it.
  const defaultPayTo = areAllSolana(given) ? payTo : readAddress("payTo", payTo, faults)
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

const readNetwork = (entry: unknown, payTo: unknown, faults: Faults): PaidNetwork | undefined => {
  const given = entryOf(entry)
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
  return network.family === "evm"
    ? readEvmNetwork(network, given, payTo, faults)
    : readSolanaNetwork(network, given, payTo, faults)
}

type GivenNetwork = Readonly<Record<string, unknown>>

const readEvmNetwork = (
  network: EvmNetwork,
  given: GivenNetwork,
  payTo: unknown,
  faults: Faults
): PaidEvmNetwork => {
  const named = String(given["network"])
  const number = (name: "confirmations" | "finalitySeconds") =>
    readNumber(`networks[].${name}`, given[name], network[name], faults, named)
  const token = readToken(given["token"], named, faults)
  if (token !== undefined && given["rpcUrl"] === undefined)
    faults.add(
      `network ${named} has a token and no rpcUrl: the token is checked against the chain. Give ${faults.nameOf("rpcUrl", named)}`
    )
  const paid = { ...network, ...token }
  return {
    ...paid,
    confirmations: number("confirmations"),
    finalitySeconds: number("finalitySeconds"),
    payTo:
      given["payTo"] === undefined && typeof payTo === "string"
        ? payTo
        : readAddress("payTo", given["payTo"], faults, named),
    rpcUrl: readRpcUrl(given["rpcUrl"], named, faults),
    separator: domainSeparator(paid),
    hasOwnToken: token !== undefined
  }
}

const readSolanaNetwork = (
  network: SolanaNetwork,
  given: GivenNetwork,
  payTo: unknown,
  faults: Faults
): PaidSolanaNetwork => {
  const named = String(given["network"])
  for (const name of ["confirmations", "finalitySeconds"]) {
    if (given[name] !== undefined)
      faults.add(
        `${faults.nameOf(`networks[].${name}`, named)} isn't an option on Solana, which reports finality: leave it out`
      )
  }
  if (given["token"] !== undefined)
    faults.add(
      `${faults.nameOf("token", named)} isn't an option on Solana, where only USDC can be paid with: leave it out`
    )
  const own = given["payTo"] ?? (typeof payTo === "string" && !payTo.startsWith("0x") ? payTo : undefined)
  if (own === undefined)
    faults.add(`network ${named} needs ${faults.nameOf("payTo", named)}: a Solana wallet's address`)
  const wallet = own === undefined ? systemProgram : readSolanaAddress("payTo", own, faults, named)
  return {
    ...network,
    payTo: wallet,
    rpcUrl: readRpcUrl(given["rpcUrl"], named, faults),
    tokenAccount: associatedTokenAccount(wallet, network.asset, network.tokenProgram),
    feePayers: new FeePayers()
  }
}

const tokenExample = `{ address: "0x…", name: "USD Coin", version: "2" }`

/** Reads the token that a host names; `undefined`: the network's USDC. */
const readToken = (
  given: unknown,
  network: string,
  faults: Faults
): Pick<EvmNetwork, "asset" | "eip712"> | undefined => {
  if (given === undefined) return undefined
  if (!isRecord(given)) {
    faults.wrong("token", `an object such as ${tokenExample}`, given, network)
    return undefined
  }
  checkNames({ given, group: `the token of ${network}`, known: ["address", "name", "version"] }, faults)
  const { address, name, version } = given
  const asset = readAddress("token.address", address, faults, network)
  for (const [path, text] of Object.entries({ name, version }))
    if (!isDomainText(text)) faults.wrong(`token.${path}`, "text, as in its EIP-712 domain", text, network)
  return isHex(asset, 20) && isDomainText(name) && isDomainText(version)
    ? { asset, eip712: { name, version } }
    : undefined
}

const isDomainText = (text: unknown): text is string =>
  typeof text === "string" && text !== "" && text.length <= 100

/** The message never contains the value: addresses of RPC services contain keys. */
const readRpcUrl = (url: unknown, network: string, faults: Faults): string | undefined => {
  if (url === undefined) return undefined
  if (typeof url === "string" && isHttpUrl(url)) return url
  faults.add(`${faults.nameOf("rpcUrl", network)} must be an http(s) URL`)
  return undefined
}
