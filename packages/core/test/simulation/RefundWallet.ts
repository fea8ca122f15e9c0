import type { Authorization } from "../../src/domain/PaymentPayload.ts"
import type { RefundWallet } from "../../src/Options.ts"
import type { Link } from "./Link.ts"
import { signatureOf } from "./chain/Calls.ts"

/** The wallet that tills send refunds from, and the one that operators pay back from by hand. */
export const walletAddress = "0x0000000000000000000000000000000000000402"
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

/** A contract wallet, as those of the payers. */
export const simulatedWallet = ({ call }: Link): RefundWallet => ({
  address: walletAddress,
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
