import { findNetwork, Money, type Network } from "@till402/core/effect"
import { harmless } from "../terminal/wrap.ts"

/*
 * What a 402 asks for, and why a wallet wouldn't pay it.
 */

/** What a client reads of an entry of `accepts`. */
export interface Requirements {
  readonly scheme: string
  readonly network: string
  readonly asset: string
  readonly payTo: string
  /** In atomic units: `maxAmountRequired` in version 1, `amount` in later ones. Clients sign that field alone. */
  readonly amount: string
}

/** A way to pay that a 402 offers. */
export interface Offer {
  readonly requirements: Requirements
  /** `undefined` if it isn't known here. */
  readonly network: Network | undefined
  /** Its short name, or the one that the 402 gives. */
  readonly networkName: string
  /** `undefined` if the 402 gives no whole number. */
  readonly amountAtomic: bigint | undefined
  /** How long a signed payment is valid; `undefined` if the 402 gives no whole number of seconds. */
  readonly validSeconds: number | undefined
  /** The domain of EIP-712 by which the 402 names its token. */
  readonly domain: { readonly name: string; readonly version: string }
}

/** What wallets pay. */
export interface Terms {
  /** Chain families of which there is a wallet. */
  readonly families: ReadonlyArray<Network["family"]>
  /** Limit of a payment, in millionths of a dollar. */
  readonly maxAtomic: bigint
  /** Contracts that count as dollars besides USDC. */
  readonly tokens: ReadonlyArray<string>
}

/** Addresses of EVM may be written in any case. */
const isSameAsset = ({ asset, family }: Pick<Network, "asset" | "family">, other: string): boolean =>
  family === "evm" ? asset.toLowerCase() === other.toLowerCase() : asset === other

/** Whether a wallet would pay an offer, with the reason if not. */
export type OfferVerdict =
  | { readonly _tag: "Payable"; readonly offer: Offer; readonly amountAtomic: bigint }
  | { readonly _tag: "Refused"; readonly offer: Offer; readonly reason: string }

/** What it changes is no text of x402, and isn't what would be signed. */
const textOf = (value: unknown): string => (typeof value === "string" ? harmless(value) : "")

type Field = keyof Requirements | "maxAmountRequired" | "maxTimeoutSeconds" | "extra"

/** Reads an entry of `accepts`, which may be anything, as clients of the challenge's version do. */
export const readOffer = (entry: unknown, x402Version: unknown): Offer => {
  const given = (entry ?? {}) as Readonly<Record<Field, unknown>>
  const requirements: Requirements = {
    scheme: textOf(given.scheme),
    network: textOf(given.network),
    asset: textOf(given.asset),
    payTo: textOf(given.payTo),
    amount: textOf(x402Version === 1 ? given.maxAmountRequired : given.amount)
  }
  const { amount, network } = requirements
  const found = findNetwork(network)
  const seconds = given.maxTimeoutSeconds
  const { name, version } = (given.extra ?? {}) as { readonly name?: unknown; readonly version?: unknown }
  return {
    requirements,
    network: found,
    networkName: found?.v1Name ?? network,
    amountAtomic: /^\d{1,40}$/.test(amount) ? BigInt(amount) : undefined,
    validSeconds: typeof seconds === "number" && Number.isSafeInteger(seconds) ? seconds : undefined,
    domain: { name: String(name ?? ""), version: String(version ?? "") }
  }
}

/** `0.52 USDC`, or the token's address where it is another one. */
export const priceOf = ({ amountAtomic, network, requirements }: Offer): string => {
  if (amountAtomic === undefined) return "an amount that is no whole number"
  const isUsdc = network !== undefined && isSameAsset(network, requirements.asset)
  return isUsdc
    ? `${Money.formatAtomic(amountAtomic)} USDC`
    : `${amountAtomic} units of ${requirements.asset}`
}

/** A payment that is valid for long may be settled when nobody expects it any more. */
export const maxValidSeconds = 3_600

const validityFault = ({ network, validSeconds }: Offer): string | undefined => {
  // On Solana a payment expires with its block hash, whatever the 402 says.
  if (network?.family !== "evm") return undefined
  if (validSeconds === undefined) return "it doesn't say for how many seconds the payment is valid"
  return validSeconds > maxValidSeconds
    ? `the payment would be valid for ${validSeconds} seconds: above ${maxValidSeconds}, the server could settle it when you no longer expect it`
    : undefined
}

const familyNames = { evm: "an EVM wallet", solana: "a Solana wallet" }

/** Why a price isn't paid; `undefined` if it is. */
export const priceFault = (amountAtomic: bigint, maxAtomic: bigint): string | undefined =>
  amountAtomic > maxAtomic
    ? `the price is above --max ${Money.formatAtomic(maxAtomic)}; to pay it, add --max ${Money.formatAtomic(amountAtomic)}`
    : undefined

/** Of EVM, or of Solana: nothing else is fit for a command line. */
const isAddress = (text: string): boolean => /^(?:0x[0-9a-f]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$/i.test(text)

/** Judges an offer as clients do. Pure. */
export const judgeOffer = (offer: Offer, { families, maxAtomic, tokens }: Terms): OfferVerdict => {
  const { amountAtomic, network, networkName, requirements } = offer
  const refused = (reason: string): OfferVerdict => ({ _tag: "Refused", offer, reason })
  if (requirements.scheme !== "exact")
    return refused(`the scheme ${requirements.scheme} isn't known: only exact is`)
  if (network === undefined) return refused(`the network ${networkName} isn't known here`)
  if (!families.includes(network.family))
    return refused(
      `it is paid by ${familyNames[network.family]}, and the key is of ${families.map((each) => familyNames[each]).join(", ")}`
    )
  if (![network.asset, ...tokens].some((asset) => isSameAsset({ ...network, asset }, requirements.asset)))
    return refused(
      `it asks for the token ${requirements.asset}, which isn't USDC of ${networkName}${isAddress(requirements.asset) ? `; if you trust it, add --token ${requirements.asset}` : ""}`
    )
  if (amountAtomic === undefined) return refused(priceOf(offer))
  const fault = priceFault(amountAtomic, maxAtomic) ?? validityFault(offer)
  return fault === undefined ? { _tag: "Payable", offer, amountAtomic } : refused(fault)
}
