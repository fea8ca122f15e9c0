import { request } from "node:http"
import type { FakeFacilitator } from "@till402/testing"
import { createSiweMessage } from "viem/siwe"
import { privateKeyToAccount } from "viem/accounts"
import { expect, vi } from "vitest"
import { type Received, send } from "./client.ts"

/*
 * A buyer with a wallet who knows only the wire: signs payments and sign-ins by hand.
 */

const account = privateKeyToAccount("0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d")

interface Accepted {
  readonly network: string
  readonly amount: string
  readonly asset: `0x${string}`
  readonly payTo: `0x${string}`
  readonly maxTimeoutSeconds: number
  readonly extra: { readonly name: string; readonly version: string }
}

const fromBase64 = <A>(text: string): A => JSON.parse(Buffer.from(text, "base64").toString())
const toBase64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64")

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

/** Signs a payment for a 402: the value of its header. */
export const payFor = async ({ headers, status }: Received): Promise<string> => {
  expect(status).toBe(402)
  const { accepts, resource } = fromBase64<{ accepts: ReadonlyArray<Accepted>; resource: object }>(
    String(headers["payment-required"])
  )
  const accepted = accepts[0]!
  const nowSeconds = Math.floor(Date.now() / 1000)
  const message = {
    from: account.address,
    to: accepted.payTo,
    value: BigInt(accepted.amount),
    validAfter: BigInt(nowSeconds - 60),
    validBefore: BigInt(nowSeconds + accepted.maxTimeoutSeconds),
    nonce: `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex")}` as const
  }
  const signature = await account.signTypedData({
    domain: { ...accepted.extra, chainId: 84532, verifyingContract: accepted.asset },
    types,
    primaryType: "TransferWithAuthorization",
    message
  })
  const authorization = {
    ...message,
    value: String(message.value),
    validAfter: String(message.validAfter),
    validBefore: String(message.validBefore)
  }
  return toBase64({ x402Version: 2, accepted, resource, payload: { signature, authorization } })
}

/** Sends a payment, and breaks the connection as soon as the facilitator settles it. */
export const loseResponse = async (
  { facilitator, port }: { readonly facilitator: FakeFacilitator; readonly port: number },
  path: string,
  body: string,
  payment: string
): Promise<void> => {
  const settled = facilitator.settled.length
  facilitator.delays(50)
  const headers = { "content-type": "application/json", "payment-signature": payment }
  const sent = request({ host: "127.0.0.1", port, path, method: "POST", headers })
  const broken = new Promise<void>((resolve) => {
    sent.once("error", () => resolve())
  })
  sent.end(body)
  await vi.waitFor(() => expect(facilitator.settle.calls).toHaveLength(settled + 1), { timeout: 60_000 })
  sent.destroy()
  await broken
  await vi.waitFor(() => expect(facilitator.settled).toHaveLength(settled + 1), { timeout: 60_000 })
}

const network = "eip155:84532"

/** Signs in at a page with the wallet that paid. */
export const signIn = async (port: number, path: string, method = "GET"): Promise<Received> => {
  const challenged = await send(port, path, { method })
  expect(challenged.status).toBe(401)
  const { details } = JSON.parse(challenged.text)
  const { domain, expirationTime, issuedAt, nonce, statement, uri } = details["sign-in-with-x"].info
  const message = createSiweMessage({
    address: account.address,
    chainId: 84532,
    domain,
    uri,
    nonce,
    statement,
    version: "1",
    issuedAt: new Date(issuedAt),
    expirationTime: new Date(expirationTime)
  })
  const signature = await account.signMessage({ message })
  const proof = {
    ...details["sign-in-with-x"].info,
    address: account.address,
    chainId: network,
    type: "eip191"
  }
  return send(port, path, { method, headers: { "sign-in-with-x": toBase64({ ...proof, signature }) } })
}
