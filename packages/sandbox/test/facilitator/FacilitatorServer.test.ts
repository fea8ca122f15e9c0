import { HTTPFacilitatorClient } from "@x402/core/server"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { toHex, type Address, type Hex, type LocalAccount } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { startChain, type Chain } from "../../src/chain/index.ts"
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

/** Signs an EIP-3009 transfer with viem alone, like any wallet. */
const authorize = async (payer: LocalAccount, to: Address, value: bigint) => {
  const now = BigInt(Math.floor(Date.now() / 1000))
  const authorization = {
    from: payer.address,
    to,
    value,
    validAfter: now - 600n,
    validBefore: now + 120n,
    nonce: toHex(++nonces, { size: 32 })
  }
  const signature = await payer.signTypedData({
    domain: { name: "USDC", version: "2", chainId: chain.chainId, verifyingContract: chain.usdc },
    types: {
      TransferWithAuthorization: [
        { name: "from", type: "address" },
        { name: "to", type: "address" },
        { name: "value", type: "uint256" },
        { name: "validAfter", type: "uint256" },
        { name: "validBefore", type: "uint256" },
        { name: "nonce", type: "bytes32" }
      ]
    },
    primaryType: "TransferWithAuthorization",
    message: authorization
  })
  return {
    signature,
    authorization: {
      ...authorization,
      value: String(authorization.value),
      validAfter: String(authorization.validAfter),
      validBefore: String(authorization.validBefore)
    }
  }
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
      payload: await authorize(payer, payTo, amount)
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
    payload: await authorize(payer, payTo, amount)
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

const ask = async (path: string, body: unknown) => {
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

    expect(await ask("/verify", body)).toMatchObject({
      status: 200,
      body: { isValid: true, payer: payer.address }
    })
    expect(await chain.balanceOf(payee.address)).toBe(0n)

    const settled = await ask("/settle", body)
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

    const verified = await ask("/verify", body)
    expect(verified).toMatchObject({ status: 200, body: { isValid: false } })
    expect(String(verified.body.invalidReason)).toMatch(/signature/)
    expect(await ask("/settle", body)).toMatchObject({ status: 200, body: { success: false } })
    expect(await chain.balanceOf(payer.address)).toBe(50_000n)
  })

  it("reports that the payer has too little money", async () => {
    const [payer, payee] = [newAccount(), newAccount()]
    await chain.mint(payer.address, 9_999n)
    const verified = await ask("/verify", await payment(payer, payee.address, 10_000n))
    expect(verified.body.isValid).toBe(false)
    expect(String(verified.body.invalidReason)).toMatch(/insufficient_balance/)
  })

  it("settles many at once, and one payment once", async () => {
    const payee = newAccount()
    const payers = Array.from({ length: 12 }, newAccount)
    await Promise.all(payers.map((payer) => chain.mint(payer.address, 50_000n)))
    const bodies = await Promise.all(payers.map((payer) => payment(payer, payee.address, 10_000n)))
    const again = bodies[0]
    const responses = await Promise.all([...bodies, again].map((body) => ask("/settle", body)))
    expect(responses.filter((each) => each.body.success === true).length).toBe(12)
    expect(await chain.balanceOf(payee.address)).toBe(120_000n)
  })
})

describe("the facilitator's HTTP interface", () => {
  it("supports both versions", async () => {
    const supported = await new HTTPFacilitatorClient({ url: facilitator.url }).getSupported()
    expect(supported.kinds).toContainEqual({ x402Version: 2, scheme: "exact", network: "eip155:84532" })
    expect(supported.kinds).toContainEqual({ x402Version: 1, scheme: "exact", network: "base-sepolia" })
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
    expect((await ask("/verify", "{")).status).toBe(400)
    expect((await ask("/settle", "[]")).status).toBe(400)
    expect((await ask("/settle", { paymentPayload: {}, paymentRequirements: null })).status).toBe(400)
    expect((await ask("/settle", `"${"x".repeat(70_000)}"`)).status).toBe(413)
    expect((await ask("/other", {})).status).toBe(404)
    const wrongMethod = await fetch(`${facilitator.url}/settle`)
    expect(wrongMethod.status).toBe(405)
    expect(wrongMethod.headers.get("allow")).toBe("POST")
  })

  it("responds with 500 and the reason on an internal error", async () => {
    const body = await version2(newAccount(), newAccount().address, 1n)
    const unknown = { ...body.paymentPayload, x402Version: 9 }
    expect(await ask("/verify", { ...body, paymentPayload: unknown })).toEqual({
      status: 500,
      body: { error: "No facilitator registered for x402 version: 9" }
    })
  })
})
