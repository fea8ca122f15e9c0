import { Schema } from "effect"
import { fromBase58 } from "../../domain/Base58.ts"
import { checksumAddress, isAddress } from "../../domain/EvmAddress.ts"
import { isHex } from "../../domain/Hex.ts"
import {
  type EvmNetwork,
  findNetwork,
  type Network,
  networks as knownNetworks,
  type SolanaNetwork
} from "../../domain/Network.ts"
import { associatedTokenAccount, isSolanaAddress, signatureBytes } from "../../domain/SolanaAddress.ts"
import { type SecretText, unwrapped, whyWrapped } from "../../runtime/SecretText.ts"
import { isObject } from "../../runtime/isObject.ts"
import { domainSeparator } from "../../toll/exact/Evm.ts"
import { FeePayers } from "../../toll/exact/FeePayers.ts"
import {
  checked,
  type Failed,
  type Faults,
  isRead,
  missingPart,
  number,
  option,
  type OptionsOf,
  shown
} from "./OptionSchema.ts"
import type { NetworkOptions, TokenOptions } from "./NetworkOptions.ts"
import type { TillSettings } from "./TillSettings.ts"

interface PaidTerms {
  readonly payTo: string
  readonly rpcUrl: string | undefined
  /** The options that the host wrote, and gave as `undefined`. */
  readonly lacks?: ReadonlyArray<string>
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

export const isHttpUrl = (text: unknown): text is string =>
  typeof text === "string" && ["http:", "https:"].includes(URL.parse(text)?.protocol ?? "")

const evmAddress = "an EVM address (0x and 40 hexadecimal digits), with a valid checksum or all in lower case"

const isZero = (text: string): boolean => /^0x0{40}$/.test(text)

/** Checks an EVM address. The zero address is refused: money sent there is lost. */
const readAddress = (text: unknown, faults: Faults): `0x${string}` | Failed => {
  if (typeof text !== "string") return faults.wrong(evmAddress, text)
  if (isZero(text))
    return faults.add(`must be ${evmAddress}: it is the zero address, and money sent there is lost`)
  if (isAddress(text)) return checksumAddress(text)
  if (/^(?:0x)?[0-9a-f]{64}$/i.test(text))
    return faults.add(`must be ${evmAddress}: it looks like a private key`)
  return isHex(text, 20)
    ? faults.add(`has a wrong checksum: ${shown(text)}. Copy it again, or give it in lower case`)
    : faults.wrong(evmAddress, text)
}

export const address = option<string, `0x${string}`>(readAddress)

/** The owner of no account: money sent there is lost. */
const systemProgram = "1".repeat(32)

/** Checks a Solana address: of a wallet, not of a token account, which can't be told apart offline. */
const readSolanaAddress = (text: unknown, faults: Faults): string | Failed => {
  if (text === undefined) return faults.add("must be given: it is a Solana wallet's address")
  const expected = "a Solana wallet's address (base58 of 32 bytes)"
  if (text === systemProgram)
    return faults.add(`must be ${expected}: it is the system program, and money sent there is lost`)
  if (knownNetworks.some(({ asset }) => asset === text))
    return faults.add(`must be ${expected}: it is the address of a dollar token, not of a wallet`)
  if (typeof text === "string" && isSolanaAddress(text)) return text
  return typeof text === "string" && fromBase58(text, signatureBytes) !== undefined
    ? faults.add(`must be ${expected}: it looks like a private key`)
    : faults.wrong(expected, text)
}

const domainText = option<string>((given, faults) =>
  typeof given === "string" && given !== "" && given.length <= 100
    ? given
    : faults.wrong("text, as in its EIP-712 domain", given)
)

const token = Schema.Struct({
  address,
  name: domainText,
  version: domainText
} satisfies OptionsOf<TokenOptions>)

/** What an own token replaces in its network. */
type OwnToken = Pick<EvmNetwork, "asset" | "eip712">

const readToken = (given: unknown, faults: Faults): OwnToken | undefined | Failed => {
  if (given === undefined) return undefined
  if (!isObject(given))
    return faults.wrong(`an object such as { address: "0x…", name: "USD Coin", version: "2" }`, given)
  const read = faults.read(token, given)
  if (!isRead(read)) return read
  const { address, ...eip712 } = read
  return { asset: address, eip712 }
}

const rpcUrl = (given: unknown, faults: Faults): string | undefined | Failed => {
  const url = unwrapped(given)
  if (url === undefined) return url
  // Not shown: addresses of RPC services contain keys.
  const fault = isHttpUrl(url) ? missingPart(url) : `must be an http(s) URL${whyWrapped(url)}`
  return fault === undefined ? (url as string) : faults.add(fault)
}

/** The options of a network, by themselves. */
export const networkFields = {
  network: option<string>(String),
  payTo: option<string, string | undefined>((given, faults) =>
    given === undefined ? undefined : readAddress(given, faults)
  ),
  rpcUrl: option<SecretText, string | undefined>(rpcUrl),
  token: option<TokenOptions, OwnToken | undefined>(readToken),
  confirmations: number("blocks", undefined, 1, 64),
  finalitySeconds: number("seconds", undefined, 0, 86_400)
} satisfies OptionsOf<NetworkOptions>

const evmNetwork = Schema.Struct(networkFields)

const absent = (why: string) =>
  checked<never>((_, faults) => faults.add(`isn't an option on Solana, ${why}: leave it out`))

const solanaNetwork = Schema.Struct({
  ...networkFields,
  payTo: option<string>(readSolanaAddress),
  token: absent("where only USDC can be paid with"),
  confirmations: absent("which reports finality"),
  finalitySeconds: absent("which reports finality")
})

const entryOf = (entry: unknown): unknown => (typeof entry === "string" ? { network: entry } : entry)

const networkOf = (entry: unknown): Network | undefined => {
  const given = entryOf(entry)
  return isObject(given) && typeof given["network"] === "string" ? findNetwork(given["network"]) : undefined
}

/** Whether every network is one of Solana, so that the till's own `payTo` is an address there. */
const areAllSolana = (networks: unknown): boolean =>
  Array.isArray(networks) &&
  networks.length > 0 &&
  networks.every((entry) => networkOf(entry)?.family === "solana")

/** The option `payTo`, beside these networks. Where all are of Solana, each checks it. */
export const payToBeside = (networks: unknown) =>
  option<string, unknown>((given, faults) => (areAllSolana(networks) ? given : readAddress(given, faults)))

/** The networks, as the host names them, whose chain can't be read. */
export const unreadableNetworks = (networks: unknown): ReadonlyArray<string> =>
  (Array.isArray(networks) ? networks : [])
    .map(entryOf)
    .filter(isObject)
    .filter((entry) => networkOf(entry) !== undefined && entry["rpcUrl"] === undefined)
    .map(({ network }) => String(network))

const namesOf = (networks: ReadonlyArray<Network>): string =>
  networks.map(({ caip2, v1Name }) => v1Name ?? caip2).join(", ")

/** An entry of `networks`; `payTo` receives payments if it sets no address of its own. */
const networkPaidTo = (payTo: unknown) =>
  option<string | NetworkOptions, PaidNetwork>((entry, faults) => {
    const given = entryOf(entry)
    const name = isObject(given) ? given["network"] : undefined
    // Not shown: addresses of nodes contain keys.
    const isAddressOfNode = typeof name === "string" && name.includes("://")
    if (!isObject(given) || typeof given["network"] !== "string" || isAddressOfNode) {
      const ofEntry = isObject(given) ? "an entry without network" : shown(entry)
      const wrong = isAddressOfNode ? "an address as a network" : ofEntry
      return faults.add(`has ${wrong}: give a name, or an object such as { network: "base", rpcUrl }`)
    }
    const network = findNetwork(given["network"])
    if (network?.family === "evm") return readEvmNetwork(network, given, payTo, faults)
    if (network?.family === "solana") return readSolanaNetwork(network, given, payTo, faults)
    return faults.add(
      `: unknown network ${shown(given["network"])}: give one of ${namesOf(knownNetworks)}, or the CAIP-2 identifier of one`
    )
  })

type GivenNetwork = Readonly<Record<string, unknown>>

const readerOf = (
  given: GivenNetwork,
  { rpcUrl }: Pick<PaidTerms, "rpcUrl">
): Pick<PaidTerms, "lacks" | "rpcUrl"> => ({
  rpcUrl,
  lacks: Object.keys(given).filter((name) => given[name] === undefined)
})

const readEvmNetwork = (
  network: EvmNetwork,
  given: GivenNetwork,
  payTo: unknown,
  faults: Faults
): PaidEvmNetwork | Failed => {
  if (given["token"] !== undefined && given["rpcUrl"] === undefined)
    faults.add(
      `must be given: the token of ${String(given["network"])} is checked against the chain`,
      "rpcUrl"
    )
  const read = faults.read(evmNetwork, given)
  if (!isRead(read)) return read
  const paid = { ...network, ...read.token }
  return {
    ...paid,
    confirmations: read.confirmations ?? network.confirmations,
    finalitySeconds: read.finalitySeconds ?? network.finalitySeconds,
    // A wrong `payTo` of the till is reported once, there.
    payTo: read.payTo ?? (typeof payTo === "string" && isAddress(payTo) ? checksumAddress(payTo) : ""),
    ...readerOf(given, read),
    separator: domainSeparator(paid),
    hasOwnToken: read.token !== undefined
  }
}

const readSolanaNetwork = (
  network: SolanaNetwork,
  given: GivenNetwork,
  payTo: unknown,
  faults: Faults
): PaidSolanaNetwork | Failed => {
  const ofTill = typeof payTo === "string" && !payTo.startsWith("0x") ? payTo : undefined
  const read = faults.read(solanaNetwork, { ...given, payTo: given["payTo"] ?? ofTill })
  if (!isRead(read)) return read
  return {
    ...network,
    payTo: read.payTo,
    ...readerOf(given, read),
    tokenAccount: associatedTokenAccount(read.payTo, network.asset, network.tokenProgram),
    feePayers: new FeePayers()
  }
}

/** The option `networks`; `payTo` receives payments on those that set no address of their own. */
export const networksPaidTo = (payTo: unknown) =>
  option<TillSettings["networks"], ReadonlyArray<PaidNetwork>>((given, faults) => {
    if (!Array.isArray(given) || given.length === 0) {
      const got = given === undefined || Array.isArray(given) ? "" : `: got ${shown(given)}`
      return faults.add(`must be a list of at least one network, e.g. base or base-sepolia${got}`)
    }
    const known = given.map(networkOf).filter((network) => network !== undefined)
    for (const { caip2 } of known.filter((network, index) => known.indexOf(network) < index))
      faults.add(`: network ${caip2} is given twice`)
    if (known.length > 0 && known.every(({ v1Name }) => v1Name === undefined)) {
      const versionOne = namesOf(knownNetworks.filter(({ v1Name }) => v1Name !== undefined))
      faults.add(
        `: at least one network must be on the version-1 list (${versionOne}): the body of a 402 can't name others`
      )
    }
    const entry = networkPaidTo(payTo)
    return given.map((each, index) => faults.read(entry, each, index)).filter(isRead)
  })
