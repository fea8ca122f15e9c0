import { request } from "node:http"
import { memory, Till } from "@till402/core"
import { fakeFacilitator, fakeFulfilment, fakeMailer } from "@till402/testing"
import { createSiweMessage } from "viem/siwe"
import { privateKeyToAccount } from "viem/accounts"
import { expect, it, onTestFinished, vi } from "vitest"
import { type Received, send } from "./client.ts"
import { expressHosts } from "./express.ts"
import { serve } from "./hosts.ts"

/*
 * A buyer whose connection breaks after the payment was sent, over real sockets.
 */

const account = privateKeyToAccount("0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d")
const shippingAddress = {
  name: "Ada Lovelace",
  line1: "1 Analytical Way",
  city: "Newark",
  state: "NJ",
  postalCode: "07102",
  country: "US"
}
const body = JSON.stringify({ asin: "B000000001", email: "ada@example.com", shippingAddress })
/** The same order, as a client writes it that has only its memory of it. */
const reworded = JSON.stringify({
  productUrl: "https://www.amazon.com/dp/b000000001/ref=x?th=1",
  email: "Ada@Example.com",
  shippingAddress: {
    ...shippingAddress,
    name: "ada  lovelace ",
    state: "New Jersey",
    line2: "",
    phone: "+1 201 555 0100"
  }
})

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
const payFor = async ({ headers, status }: Received): Promise<string> => {
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

const openShop = async () => {
  const facilitator = fakeFacilitator()
  const till = Till.make({
    baseUrl: "https://shop.example",
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    networks: ["base-sepolia"],
    facilitator,
    trustFacilitator: true,
    secret: "a text that nobody can guess, of 32 characters or more",
    storage: memory(),
    fulfilment: fakeFulfilment(),
    mailer: fakeMailer(),
    onEvent: () => undefined
  })
  onTestFinished(() => till.dispose())
  await till.ready
  const port = await serve(expressHosts.atRoot(till, () => undefined))
  const headers = { "content-type": "application/json" }
  const buy = (payment?: string, sent = body): Promise<Received> =>
    send(port, "/x402/buy", {
      method: "POST",
      headers: payment === undefined ? headers : { ...headers, "payment-signature": payment },
      body: sent
    })
  return { till, facilitator, port, buy }
}

/** Sends a payment, and breaks the connection as soon as the facilitator settles it. */
const loseResponse = async (
  { facilitator, port }: Pick<Awaited<ReturnType<typeof openShop>>, "facilitator" | "port">,
  payment: string
): Promise<void> => {
  facilitator.delays(50)
  const headers = { "content-type": "application/json", "payment-signature": payment }
  const sent = request({ host: "127.0.0.1", port, path: "/x402/buy", method: "POST", headers })
  const broken = new Promise<void>((resolve) => {
    sent.once("error", () => resolve())
  })
  sent.end(body)
  await vi.waitFor(() => expect(facilitator.settle.calls).toHaveLength(1), { timeout: 60_000 })
  sent.destroy()
  await broken
  await vi.waitFor(() => expect(facilitator.settled).toHaveLength(1), { timeout: 60_000 })
}

const network = "eip155:84532"

/** Signs in at a page with the wallet that paid. */
const signIn = async (port: number, path: string): Promise<Received> => {
  const challenged = await send(port, path)
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
  return send(port, path, { headers: { "sign-in-with-x": toBase64({ ...proof, signature }) } })
}

it("a lost response buys once: the same payment, a new one, and the wallet all lead to the one order", async () => {
  const shop = await openShop()
  const { buy, facilitator, port, till } = shop
  const payment = await payFor(await buy())
  await loseResponse(shop, payment)

  const again = await buy(payment)
  expect([again.status, JSON.parse(again.text)]).toMatchObject([200, { status: "processing" }])
  expect((await buy(payment)).bytes).toEqual(again.bytes)
  const { orderId } = JSON.parse(again.text)

  // A client that has lost its payment asks again, perhaps in other words, and pays anew.
  const status = `https://shop.example/x402-status/orders/${orderId}`
  expect(again.headers["link"]).toBe(`<${status}>; rel="status"`)
  for (const retry of [body, reworded]) {
    const refused = await buy(await payFor(await buy(undefined, retry)), retry)
    const { code, details, message } = JSON.parse(refused.text)
    expect([refused.status, code, details], refused.text).toEqual([409, "DUPLICATE_ORDER", { status }])
    expect(message).toMatch(/not charged\. Send the first payment again, with its body/)
  }

  const page = await signIn(port, new URL(status).pathname)
  expect(page.status, page.text).toBe(200)
  expect(JSON.parse(page.text)).toMatchObject({ orderId, response: { body: JSON.parse(again.text) } })
  const token = { "status-token": String(again.headers["status-token"]) }
  const states = await send(port, new URL(status).pathname, { headers: token })
  expect(JSON.parse(states.text)).toMatchObject({ orderId, refund: null })
  expect(states.text).not.toContain("ada@example.com")

  expect(facilitator.settled).toHaveLength(1)
  expect(await till.orders.list()).toHaveLength(1)
})
