import { bytesToHex, toHex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"

/** Who is paid, and the stablecoin of Base Sepolia that it is paid in. */
export const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
export const asset = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
export const network = "eip155:84532"
export const amountAtomic = "10000"

export const types = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" }
  ]
} as const
export const domain = { name: "USDC", version: "2", chainId: 84532, verifyingContract: asset } as const

const payer = privateKeyToAccount(generatePrivateKey())

/** What a version-2 client sends back of the challenge it pays. */
interface Accepted {
  /** Default: the price that the benches use. */
  readonly amount?: string
  readonly maxTimeoutSeconds: number
}

const header = (accepted: Accepted, resource: unknown, authorization: object, signature: string): string =>
  Buffer.from(
    JSON.stringify({ x402Version: 2, accepted, resource, payload: { signature, authorization } })
  ).toString("base64")

const authorizationOf = (accepted: Accepted) => {
  const now = Math.floor(Date.now() / 1000)
  return {
    from: payer.address,
    to: payTo,
    value: accepted.amount ?? amountAtomic,
    validAfter: String(now - 60),
    validBefore: String(now + accepted.maxTimeoutSeconds),
    nonce: toHex(crypto.getRandomValues(new Uint8Array(32)))
  } as const
}

/** Payments with a valid signature of an ordinary account each, all different. */
export const signedPayments = async (
  accepted: Accepted,
  resource: unknown,
  count: number
): Promise<Array<string>> => {
  const made: Array<string> = []
  for (let index = 0; index < count; index++) {
    const authorization = authorizationOf(accepted)
    const signature = await payer.signTypedData({
      domain,
      types,
      primaryType: "TransferWithAuthorization",
      message: {
        ...authorization,
        value: BigInt(authorization.value),
        validAfter: BigInt(authorization.validAfter),
        validBefore: BigInt(authorization.validBefore)
      }
    })
    made.push(header(accepted, resource, authorization, signature))
  }
  return made
}

/**
 * Payments in the form of a contract wallet's: only a chain could judge their signature, so no server
 * does. What is left is what a server costs beside cryptography.
 */
export const walletPayments = (accepted: Accepted, resource: unknown, count: number): Array<string> =>
  Array.from({ length: count }, () =>
    header(
      accepted,
      resource,
      authorizationOf(accepted),
      bytesToHex(crypto.getRandomValues(new Uint8Array(97)))
    )
  )
