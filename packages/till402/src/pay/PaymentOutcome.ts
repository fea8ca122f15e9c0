import { harmless } from "../terminal/wrap.ts"

/*
 * Whether a payment that bought nothing was charged, by what is known.
 */

/** What is known of a payment that was sent. */
export interface Known {
  /** Whether the server states that nothing was charged, and nothing before speaks against it. */
  readonly isDenied: boolean
  /** Whether the chain shows its authorization as used; `undefined` if it can't be read. */
  readonly isUsed: boolean | undefined
  /** When it expires, in seconds since 1970; `undefined` if that isn't part of it. */
  readonly validBefore: number | undefined
  /** Time on its chain, in seconds since 1970: a clock here may be wrong. `undefined` if it can't be read. */
  readonly blockSeconds: number | undefined
}

export type PaymentOutcome =
  /** The server's own statement stands. */
  | { readonly _tag: "Denied" }
  | { readonly _tag: "Charged" }
  /** It has expired unused. */
  | { readonly _tag: "Expired" }
  /** Unused so far, and still valid. */
  | { readonly _tag: "Unused"; readonly validBefore: number }
  | { readonly _tag: "Unknown" }

/** A node may be some blocks behind. */
const marginSeconds = 60

/** Decides from what is known alone, by the chain before the server: without evidence, it may have been charged. Pure. */
export const judgeOutcome = ({ blockSeconds, isDenied, isUsed, validBefore }: Known): PaymentOutcome => {
  if (isUsed === true) return { _tag: "Charged" }
  if (isDenied) return { _tag: "Denied" }
  if (isUsed === undefined || validBefore === undefined) return { _tag: "Unknown" }
  return blockSeconds !== undefined && blockSeconds > validBefore + marginSeconds
    ? { _tag: "Expired" }
    : { _tag: "Unused", validBefore }
}

/** The sentence for people; `again` says how the same payment is sent again. */
export const outcomeText = (
  outcome: PaymentOutcome,
  {
    address,
    again,
    networkName
  }: { readonly address: string; readonly again: string; readonly networkName: string }
): string => {
  switch (outcome._tag) {
    case "Denied":
      return ""
    case "Charged":
      return `It was charged: the chain shows its authorization as used. Don't pay again; ${again}`
    case "Expired":
      return "Nothing was charged: it has expired, and the chain shows its authorization as unused"
    case "Unused":
      return `The chain shows its authorization as unused, and the server can charge it until ${new Date(outcome.validBefore * 1_000).toISOString()}. Before that, don't pay again; ${again}`
    case "Unknown":
      return `It may have been charged: look at the transfers of ${address} on ${harmless(networkName)}. Don't pay again; ${again}`
  }
}
