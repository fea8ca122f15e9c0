import { HTTPFacilitatorClient } from "@x402/core/server"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { toHex, type Address, type Hex, type LocalAccount } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { startChain, type Chain } from "../../src/chain/index.ts"
import { authorize } from "../chain/authorize.ts"
import { statusAt } from "../statusAt.ts"
import { startFacilitator, type LocalFacilitator } from "../../src/facilitator/index.ts"

let chain: Chain
let facilitator: LocalFacilitator
let nonces = 0n

beforeAll(async () => {
  chain = await startChain()
  facilitator = await startFacilitator({ chain })
})
afterAll(async () => {
  await facilitator?.stop()
  await chain?.stop()
})

const newAccount = () => privateKeyToAccount(generatePrivateKey())

const pay = (payer: LocalAccount, to: Address, value: bigint) => {
  const now = BigInt(Math.floor(Date.now() / 1000))
  const nonce = toHex(++nonces, { size: 32 })
  return authorize(chain, payer, { to, value, validAfter: now - 600n, validBefore: now + 120n, nonce })
}

const version2 = async (payer: LocalAccount, payTo: Address, amount: bigint) => {
  const paymentRequirements = {
    scheme: "exact",
    network: "eip155:84532",
    amount: String(amount),
    asset: chain.usdc,
    payTo,
    maxTimeoutSeconds: 120,
    extra: { name: "USDC", version: "2" }
  }
  return {
    x402Version: 2,
    paymentPayload: {
      x402Version: 2,
      accepted: paymentRequirements,
      payload: await pay(payer, payTo, amount)
    },
    paymentRequirements
  }
}

const version1 = async (payer: LocalAccount, payTo: Address, amount: bigint) => ({
  x402Version: 1,
  paymentPayload: {
    x402Version: 1,
    scheme: "exact",
    network: "base-sepolia",
    payload: await pay(payer, payTo, amount)
  },
  paymentRequirements: {
    scheme: "exact",
    network: "base-sepolia",
    maxAmountRequired: String(amount),
    resource: "http://localhost/x402/search",
    description: "Product search",
    mimeType: "application/json",
    payTo,
    maxTimeoutSeconds: 120,
    asset: chain.usdc,
    extra: { name: "USDC", version: "2" }
  }
})

const post = async (path: string, body: unknown) => {
  const response = await fetch(`${facilitator.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body)
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const versions = { "version 1": version1, "version 2": version2 }

describe.each(Object.entries(versions))("the facilitator, paid in %s", (_, payment) => {
  it("verifies and settles a payment over HTTP", async () => {
    const [payer, payee] = [newAccount(), newAccount()]
    await chain.mint(payer.address, 50_000n)
    const body = await payment(payer, payee.address, 10_000n)

    expect(await post("/verify", body)).toMatchObject({
      status: 200,
      body: { isValid: true, payer: payer.address }
    })
    expect(await chain.balanceOf(payee.address)).toBe(0n)

    const settled = await post("/settle", body)
    expect(settled).toMatchObject({ status: 200, body: { success: true, payer: payer.address } })
    const receipt = await chain.client.getTransactionReceipt({ hash: settled.body.transaction as Hex })
    expect(receipt.status).toBe("success")
    expect(await chain.balanceOf(payer.address)).toBe(40_000n)
    expect(await chain.balanceOf(payee.address)).toBe(10_000n)
  })

  it("refuses another account's signature", async () => {
    const [payer, thief, payee] = [newAccount(), newAccount(), newAccount()]
    await chain.mint(payer.address, 50_000n)
    const body = await payment(payer, payee.address, 10_000n)
    const forged = await payment(thief, payee.address, 10_000n)
    body.paymentPayload.payload.signature = forged.paymentPayload.payload.signature

    const verified = await post("/verify", body)
    expect(verified).toMatchObject({ status: 200, body: { isValid: false } })
    expect(String(verified.body.invalidReason)).toMatch(/signature/)
    expect(await post("/settle", body)).toMatchObject({ status: 200, body: { success: false } })
    expect(await chain.balanceOf(payer.address)).toBe(50_000n)
  })

  it("reports that the payer has too little money", async () => {
    const [payer, payee] = [newAccount(), newAccount()]
    await chain.mint(payer.address, 9_999n)
    const verified = await post("/verify", await payment(payer, payee.address, 10_000n))
    expect(verified.body.isValid).toBe(false)
    expect(String(verified.body.invalidReason)).toMatch(/insufficient_balance/)
  })

  it("settles many at once, and one payment once", async () => {
    const payee = newAccount()
    const payers = Array.from({ length: 12 }, newAccount)
    await Promise.all(payers.map((payer) => chain.mint(payer.address, 50_000n)))
    const bodies = await Promise.all(payers.map((payer) => payment(payer, payee.address, 10_000n)))
    const again = bodies[0]
    const responses = await Promise.all([...bodies, again].map((body) => post("/settle", body)))
    expect(responses.filter((each) => each.body.success === true).length).toBe(12)
    expect(await chain.balanceOf(payee.address)).toBe(120_000n)
  })
})

describe("the facilitator's HTTP interface", () => {
  it("supports both versions, on its own chain alone", async () => {
    const supported = await new HTTPFacilitatorClient({ url: facilitator.url }).getSupported()
    expect(supported.kinds).toEqual([
      { x402Version: 2, scheme: "exact", network: "eip155:84532" },
      { x402Version: 1, scheme: "exact", network: "base-sepolia" }
    ])
  })

  it("gives nothing to a website whose name resolves to it", async () => {
    expect(await statusAt(`${facilitator.url}/supported`, "evil.example:4021")).toBe(421)
    expect(await statusAt(`${facilitator.url}/supported`, "localhost:4021")).toBe(200)
  })

  it("works the same in process", async () => {
    const [payer, payee] = [newAccount(), newAccount()]
    await chain.mint(payer.address, 10_000n)
    const { paymentPayload, paymentRequirements } = await version2(payer, payee.address, 10_000n)
    expect(await facilitator.client.verify(paymentPayload, paymentRequirements)).toMatchObject({
      isValid: true
    })
    expect(await facilitator.client.settle(paymentPayload, paymentRequirements)).toMatchObject({
      success: true
    })
    expect(await chain.balanceOf(payee.address)).toBe(10_000n)
  })

  it("refuses requests that it can't read", async () => {
    expect((await post("/verify", "{")).status).toBe(400)
    expect((await post("/settle", "[]")).status).toBe(400)
    expect((await post("/settle", { paymentPayload: {}, paymentRequirements: null })).status).toBe(400)
    expect((await post("/settle", `"${"x".repeat(70_000)}"`)).status).toBe(413)
    expect((await post("/other", {})).status).toBe(404)
    const wrongMethod = await fetch(`${facilitator.url}/settle`)
    expect(wrongMethod.status).toBe(405)
    expect(wrongMethod.headers.get("allow")).toBe("POST")
  })

  it("responds with 500 and the reason on an internal error", async () => {
    const body = await version2(newAccount(), newAccount().address, 1n)
    const unknown = { ...body.paymentPayload, x402Version: 9 }
    expect(await post("/verify", { ...body, paymentPayload: unknown })).toEqual({
      status: 500,
      body: { error: "No facilitator registered for x402 version: 9" }
    })
  })
})
