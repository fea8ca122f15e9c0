import { request } from "node:http"
import type { FakeFacilitator } from "@till402/testing"
import { evmPayer } from "@till402/testing/payer"
import { createSiweMessage } from "viem/siwe"
import { privateKeyToAccount } from "viem/accounts"
import { expect, vi } from "vitest"
import { type Received, send } from "./client.ts"

/*
 * A buyer with a wallet: payments by the official client, sign-ins by hand.
 */

const privateKey = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"
const account = privateKeyToAccount(privateKey)

const payer = evmPayer({ privateKey, maxDollars: 1_000 })

const toBase64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64")

/** Signs a payment for a 402: the value of its header. */
export const payFor = async ({ headers, status }: Received): Promise<string> => {
  expect(status).toBe(402)
  const challenge = payer.getPaymentRequiredResponse((name) => String(headers[name.toLowerCase()]))
  const signed = payer.encodePaymentSignatureHeader(await payer.createPaymentPayload(challenge))
  return Object.values(signed)[0]!
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
