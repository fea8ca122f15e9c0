import { generateKeyPairSigner, type Address, type KeyPairSigner } from "@solana/kit"
import { HTTPFacilitatorClient } from "@x402/core/server"
import { ExactSvmScheme } from "@x402/svm/exact/client"
import { ExactSvmSchemeV1 } from "@x402/svm/exact/v1/client"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  startSolanaChain,
  startSolanaFacilitator,
  type LocalSolanaFacilitator,
  type LocalToken,
  type SolanaChain
} from "../../src/solana/index.ts"

let chain: SolanaChain
let facilitator: LocalSolanaFacilitator

beforeAll(async () => {
  chain = await startSolanaChain()
  facilitator = await startSolanaFacilitator({ chain })
})
afterAll(async () => {
  await facilitator?.stop()
  await chain?.stop()
})

const payee = async (): Promise<Address> => {
  const { address } = await generateKeyPairSigner()
  await chain.mint(address, 0n)
  await chain.mint(address, 0n, chain.dollar2022)
  return address
}

type Pay = (payer: KeyPairSigner, payTo: Address, amount: bigint, token?: LocalToken) => Promise<object>

const version2: Pay = async (payer, payTo, amount, token = chain.usdc) => {
  const paymentRequirements = {
    scheme: "exact",
    network: chain.caip2,
    amount: String(amount),
    asset: token.mint,
    payTo,
    maxTimeoutSeconds: 60,
    extra: { feePayer: facilitator.feePayer }
  }
  const client = new ExactSvmScheme(payer, { rpcUrl: chain.rpcUrl })
  const made = await client.createPaymentPayload(2, paymentRequirements)
  return {
    x402Version: 2,
    paymentPayload: { ...made, accepted: paymentRequirements },
    paymentRequirements
  }
}

const version1: Pay = async (payer, payTo, amount, token = chain.usdc) => {
  const paymentRequirements = {
    scheme: "exact",
    network: "solana-devnet",
    maxAmountRequired: String(amount),
    resource: "http://localhost/x402/search",
    description: "Product search",
    mimeType: "application/json",
    payTo,
    maxTimeoutSeconds: 60,
    asset: token.mint,
    extra: { feePayer: facilitator.feePayer }
  }
  const client = new ExactSvmSchemeV1(payer, { rpcUrl: chain.rpcUrl })
  // The client's type is that of version 2, whose network names have a colon.
  const offered: Parameters<typeof client.createPaymentPayload>[1] = JSON.parse(
    JSON.stringify(paymentRequirements)
  )
  return {
    x402Version: 1,
    paymentPayload: await client.createPaymentPayload(1, offered),
    paymentRequirements
  }
}

const post = async (path: string, body: unknown) => {
  const response = await fetch(`${facilitator.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  return { status: response.status, body: await response.json() }
}

describe.each([
  ["version 1", version1],
  ["version 2", version2]
])("the Solana facilitator, paid in %s by the official client", (_, pay) => {
  it("verifies a payment, then moves it from wallet to wallet", async () => {
    const [payer, payTo] = [await generateKeyPairSigner(), await payee()]
    await chain.mint(payer.address, 50_000n)
    const payment = await pay(payer, payTo, 10_000n)

    expect(await post("/verify", payment)).toMatchObject({
      status: 200,
      body: { isValid: true, payer: payer.address }
    })
    expect(await chain.balanceOf(payTo)).toBe(0n)

    expect(await post("/settle", payment)).toMatchObject({
      status: 200,
      body: { success: true, payer: payer.address, transaction: expect.stringMatching(/^\w{86,88}$/) }
    })
    expect(await chain.balanceOf(payer.address)).toBe(40_000n)
    expect(await chain.balanceOf(payTo)).toBe(10_000n)
  })

  it("moves a token of the Token-2022 program", async () => {
    const [payer, payTo] = [await generateKeyPairSigner(), await payee()]
    await chain.mint(payer.address, 50_000n, chain.dollar2022)
    const payment = await pay(payer, payTo, 10_000n, chain.dollar2022)
    expect(await post("/settle", payment)).toMatchObject({ body: { success: true } })
    expect(await chain.balanceOf(payTo, chain.dollar2022)).toBe(10_000n)
    expect(await chain.balanceOf(payTo)).toBe(0n)
  })

  it("settles one payment once", async () => {
    const [payer, payTo] = [await generateKeyPairSigner(), await payee()]
    await chain.mint(payer.address, 50_000n)
    const payment = await pay(payer, payTo, 10_000n)
    const responses = await Promise.all([post("/settle", payment), post("/settle", payment)])
    expect(responses.some(({ body }) => body.success === true)).toBe(true)
    expect(await chain.balanceOf(payTo)).toBe(10_000n)
  })

  it("refuses a payer without enough money", async () => {
    const [payer, payTo] = [await generateKeyPairSigner(), await payee()]
    await chain.mint(payer.address, 9_999n)
    const payment = await pay(payer, payTo, 10_000n)
    const { body } = await post("/verify", payment)
    expect(body).toMatchObject({ isValid: false, invalidReason: expect.stringMatching(/simulation_failed/) })
  })

  it("refuses a payment whose blockhash has expired", async () => {
    const [payer, payTo] = [await generateKeyPairSigner(), await payee()]
    await chain.mint(payer.address, 50_000n)
    const payment = await pay(payer, payTo, 10_000n)
    chain.advance(151)
    expect(await post("/verify", payment)).toMatchObject({ body: { isValid: false } })
    expect(await post("/settle", payment)).toMatchObject({ body: { success: false } })
    expect(await chain.balanceOf(payer.address)).toBe(50_000n)
  })
})

it("lists both versions with the fee payer", async () => {
  const supported = await new HTTPFacilitatorClient({ url: facilitator.url }).getSupported()
  const extra = { feePayer: facilitator.feePayer }
  expect(supported.kinds).toEqual([
    { x402Version: 2, scheme: "exact", network: chain.caip2, extra },
    { x402Version: 1, scheme: "exact", network: "solana-devnet", extra }
  ])
})
