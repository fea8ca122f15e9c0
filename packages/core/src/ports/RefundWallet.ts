/**
 * A wallet that sends refunds: a `LocalAccount` of viem, or anything that signs EIP-712 typed data. It needs the
 * stablecoin on every network of the till, and no gas: the facilitator submits what it signs.
 */
export interface RefundWallet {
  readonly address: string
  // eslint-disable-next-line typescript/no-explicit-any -- viem's own parameter is generic in its types
  readonly signTypedData: (typedData: any) => Promise<string>
}
