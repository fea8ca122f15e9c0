import type { FacilitatorRequest, SupportedKind } from "./FacilitatorVerdicts.ts"
import { findNetwork } from "../../domain/Network.ts"

/*
 * The protocol version in which a facilitator gets a payment. An EIP-3009 payload is the same in both versions: only
 * its envelope differs, which no signature covers. So is a transaction on Solana.
 */

/** Whether a facilitator lists scheme `exact` on a network, by either of its names. */
export const listsNetwork = (kinds: ReadonlyArray<SupportedKind>, caip2: string): boolean =>
  kinds.some((kind) => isOf(kind, caip2))

const isOf = ({ network, scheme }: SupportedKind, caip2: string): boolean =>
  scheme === "exact" && (network === caip2 || network === findNetwork(caip2)?.v1Name)

/** Addresses from which a facilitator pays the fees of a network, as it lists them; the first is the one to offer. */
export const feePayersOn = (kinds: ReadonlyArray<SupportedKind>, caip2: string): ReadonlyArray<string> =>
  Array.from(new Set(kinds.filter((kind) => isOf(kind, caip2)).flatMap(({ feePayers = [] }) => feePayers)))

const other = { 1: 2, 2: 1 } as const

/**
 * The version in which a facilitator with these kinds takes a payment: the payment's own if it is listed, else the
 * other. `undefined`: it takes neither. A facilitator that lists nothing gets the payment as it is.
 */
export const versionFor = (
  { requirements, x402Version }: Pick<FacilitatorRequest, "requirements" | "x402Version">,
  kinds: ReadonlyArray<SupportedKind>
): 1 | 2 | undefined => {
  if (kinds.length === 0) return x402Version
  const takes = (version: number): boolean =>
    kinds.some((kind) => kind.x402Version === version && isOf(kind, requirements.network))
  if (takes(x402Version)) return x402Version
  return takes(other[x402Version]) ? other[x402Version] : undefined
}

/** The same payment in another protocol version. */
export const inVersion = (request: FacilitatorRequest, x402Version: 1 | 2): FacilitatorRequest =>
  request.x402Version === x402Version ? request : { ...request, x402Version }
