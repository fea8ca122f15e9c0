/**
 * Why a payment was refused: the protocol's reason code, and a message that a paying agent can act on.
 * Codes: https://github.com/coinbase/x402, specification, "Error codes".
 */
export interface Refusal {
  readonly code: string
  readonly message: string
  /** What the payment has bought, where its payer must not be told to pay again. */
  readonly bought?: { readonly kind: string; readonly id: string } | undefined
}
