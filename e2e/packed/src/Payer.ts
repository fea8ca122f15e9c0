import { randomBytes } from "node:crypto"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"

/*
 * A client of x402, written from the protocol (version 2): reads a 402, signs an EIP-3009 authorization for its first
 * option, and sends the call again with the payment.
 */

const account = privateKeyToAccount("0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d")

const types = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" }
  ]
} as const

/** The part of `PAYMENT-REQUIRED` that a payer reads. */
interface Challenge {
  readonly resource: { readonly url: string }
  readonly accepts: ReadonlyArray<{
    readonly network: string
    readonly amount: string
    readonly asset: Hex
    readonly payTo: Hex
    readonly maxTimeoutSeconds: number
    readonly extra: { readonly name: string; readonly version: string }
  }>
}

/** Makes the value of a `PAYMENT-SIGNATURE` header for the challenge of a 402. */
const pay = async (header: string): Promise<string> => {
  const { accepts, resource } = JSON.parse(Buffer.from(header, "base64").toString()) as Challenge
  const [accepted] = accepts
  if (accepted === undefined) throw new Error("the challenge offers nothing")
  const { amount, asset, extra, maxTimeoutSeconds, network, payTo } = accepted
  const nowSeconds = Math.floor(Date.now() / 1000)
  const authorization = {
    from: account.address,
    to: payTo,
    value: amount,
    validAfter: String(nowSeconds - 60),
    validBefore: String(nowSeconds + maxTimeoutSeconds),
    nonce: `0x${randomBytes(32).toString("hex")}` as const
  }
  const signature = await account.signTypedData({
    domain: {
      name: extra.name,
      version: extra.version,
      chainId: Number(network.replace("eip155:", "")),
      verifyingContract: asset
    },
    types,
    primaryType: "TransferWithAuthorization",
    message: {
      ...authorization,
      value: BigInt(authorization.value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore)
    }
  })
  const payload = { x402Version: 2, accepted, resource, payload: { signature, authorization } }
  return Buffer.from(JSON.stringify(payload)).toString("base64")
}

/** A call of the shop; with a body it is a POST. */
export interface Call {
  readonly path: string
  readonly body?: unknown
}

/** Sends a call to a local port. */
export const send = (port: number, { body, path }: Call, payment?: string): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}${path}`, {
    signal: AbortSignal.timeout(10_000),
    headers: {
      ...(payment === undefined ? {} : { "payment-signature": payment }),
      ...(body === undefined ? {} : { "content-type": "application/json" })
    },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
  })

/** Sends a call without payment, pays its 402, and sends it again. */
export const sendPaid = async (port: number, call: Call) => {
  const unpaid = await send(port, call)
  const challenge = unpaid.headers.get("payment-required")
  if (challenge === null) throw new Error(`expected a 402, got ${unpaid.status}: ${await unpaid.text()}`)
  const payment = await pay(challenge)
  return { unpaid, payment, paid: await send(port, call, payment) }
}
