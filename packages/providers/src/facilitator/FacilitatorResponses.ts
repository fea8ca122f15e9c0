/*
 * The responses of a facilitator, as the protocol has them.
 */

/** The response of `/verify`. */
export interface VerifyResult {
  readonly isValid: boolean
  readonly invalidReason?: string
  readonly payer?: string
}

/** The response of `/settle`. */
export interface SettleResponse {
  readonly success: boolean
  readonly errorReason?: string
  /** The name of the fault behind `unexpected_settle_error`. */
  readonly errorMessage?: string
  /** Hash of the transaction; empty if none was sent. */
  readonly transaction: string
  /** CAIP-2, or the name in the requirements if it isn't known. */
  readonly network: string
  readonly payer?: string
}

/** The response of `/supported`. */
export interface SupportedResult {
  readonly kinds: ReadonlyArray<{
    readonly x402Version: number
    readonly scheme: "exact"
    readonly network: string
    /** On Solana: the fee payer. */
    readonly extra?: Readonly<Record<string, unknown>>
  }>
  readonly extensions: ReadonlyArray<string>
  /** The relayer, by CAIP-2 family. */
  readonly signers: Readonly<Record<string, ReadonlyArray<string>>>
}

/** The network that requirements name, for the response to a payment that can't be read. */
export const networkNameIn = (requirements: unknown): string =>
  typeof requirements === "object" &&
  requirements !== null &&
  "network" in requirements &&
  typeof requirements.network === "string"
    ? requirements.network
    : ""

export const invalidResult = (invalidReason: string, payer: string | undefined): VerifyResult => ({
  isValid: false,
  invalidReason,
  ...(payer === undefined ? {} : { payer })
})

export const failure = (
  errorReason: string,
  { network, payer }: { readonly network: string; readonly payer: string | undefined },
  transaction = ""
): SettleResponse => ({
  success: false,
  errorReason,
  transaction,
  network,
  ...(payer === undefined ? {} : { payer })
})
