import type { Authorization } from "../../src/domain/PaymentPayload.ts"
import type { RefundWallet } from "../../src/ports/RefundWallet.ts"
import type { Link } from "./Link.ts"
import { signatureOf } from "./chain/Calls.ts"

/** The wallets from which tills send refunds, and the one from which operators send them by hand. */
export const walletAddresses: ReadonlyArray<string> = [
  "0x0000000000000000000000000000000000000402",
  "0x0000000000000000000000000000000000001402",
  "0x0000000000000000000000000000000000002402"
]
export const operatorAddress = "0x0000000000000000000000000000000000000403"

interface TypedTransfer {
  readonly message: {
    readonly from: string
    readonly to: string
    readonly value: bigint
    readonly validAfter: bigint
    readonly validBefore: bigint
    readonly nonce: string
  }
}

/** A contract wallet, like those of the payers. */
export const simulatedWallet = ({ call }: Link, address: string): RefundWallet => ({
  address,
  signTypedData: ({ message }: TypedTransfer) => {
    const authorization: Authorization = {
      from: message.from,
      to: message.to,
      value: String(message.value),
      validAfter: String(message.validAfter),
      validBefore: String(message.validBefore),
      nonce: message.nonce
    }
    return call("host.sign", () => signatureOf(authorization))
  }
})
