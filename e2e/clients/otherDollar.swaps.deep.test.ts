import { type FacilitatorClient, Till, type TillOptions } from "@till402/core"
import { sqlite } from "@till402/core/sqlite"
import { type Chain, type LocalFacilitator, sampleShop, startChain, startFacilitator } from "@till402/sandbox"
import { usdcAbi } from "@till402/sandbox/chain"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Hex } from "viem"
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { type EvmNetwork, findNetwork } from "../../packages/core/src/domain/Network.ts"
import type { Authorization } from "../../packages/core/src/domain/PaymentPayload.ts"
import { encodeHeader } from "../../packages/core/src/toll/request/PaymentHeader.ts"
import { type Challenged, sign } from "../../packages/core/test/toll/wallet.ts"
import { balanceOf, dollar, mint, placeToken, token } from "./dollarToken.ts"

/*
 * Two tills of one host, with one store and one recipient: one is paid in USDC, the other in another dollar. Money in
 * one token never buys anything that is sold for the other.
 */

const usdc = findNetwork("base-sepolia")!
const inDollar: EvmNetwork = { ...usdc, asset: dollar, eip712: { name: token.name, version: token.version } }
const url = "https://shop.example/x402/search?q=headphones"

let chain: Chain
let official: LocalFacilitator
beforeAll(async () => {
  chain = await startChain()
  official = await startFacilitator({ chain })
  await placeToken(chain)
})
afterAll(async () => {
  await official.stop()
  await chain.stop()
})

/** Both tills over one store, whose facilitator settles by `settle`; and a payer with both tokens. */
const open = async (settle: FacilitatorClient["settle"] = official.client.settle) => {
  const folder = await mkdtemp(join(tmpdir(), "till402-dollars-"))
  const { marketplaces } = sampleShop()
  const payTo = privateKeyToAccount(generatePrivateKey()).address
  const secret = generatePrivateKey()
  const openTill = async (networks: TillOptions["networks"]) => {
    const till = Till.make({
      baseUrl: "https://shop.example",
      payTo,
      networks,
      facilitator: {
        verify: official.client.verify,
        settle,
        getSupported: official.client.getSupported
      },
      secret,
      // Counts a settlement only when the chain shows it.
      settlement: { search: "before-work" },
      storage: sqlite({ filename: join(folder, "till.sqlite") }),
      marketplaces,
      onEvent: () => undefined
    })
    await till.ready
    return till
  }
  const on = { network: "base-sepolia", rpcUrl: chain.rpcUrl, finalitySeconds: 0 }
  const tills = { usdc: await openTill([on]), dollar: await openTill([{ ...on, token }]) }
  onTestFinished(async () => {
    await Promise.all([tills.usdc.dispose(), tills.dollar.dispose()])
    await rm(folder, { recursive: true, force: true })
  })
  const payer = privateKeyToAccount(generatePrivateKey())
  await chain.mint(payer.address, 1_000_000n)
  await mint(chain, payer.address, 1_000_000n)
  const received = async () => ({
    usdc: await chain.balanceOf(payTo),
    dollar: await balanceOf(chain, payTo)
  })
  return { tills, payer, payTo, received }
}

const challenged = async (till: Till): Promise<Challenged> => {
  const response = await till.fetch(new Request(url))
  return JSON.parse(
    Buffer.from(response.headers.get("payment-required") ?? "", "base64").toString("utf8")
  ) as Challenged
}

/** An authorization of what a challenge asks for. */
const authorizationFor = async ({ accepts: [accepted] }: Challenged, payer: PrivateKeyAccount) => {
  const nowSeconds = Number((await chain.client.getBlock()).timestamp)
  return {
    from: payer.address,
    to: accepted!.payTo,
    value: accepted!.amount,
    validAfter: "0",
    validBefore: String(nowSeconds + 100),
    nonce: generatePrivateKey()
  }
}

interface Presented {
  readonly authorization: Authorization
  readonly signature: Hex
  readonly version: 1 | 2
  /** Over what was offered. */
  readonly accepted?: object
}

const present = (till: Till, challenge: Challenged, presented: Presented): Promise<Response> => {
  const { authorization, signature, version } = presented
  const payload = { signature, authorization }
  const accepted = { ...challenge.accepts[0], ...presented.accepted }
  const header =
    version === 1
      ? { x402Version: 1, scheme: "exact", network: "base-sepolia", payload }
      : { x402Version: 2, accepted, payload, resource: challenge.resource }
  return till.fetch(new Request(url, { headers: { "payment-signature": encodeHeader(header) } }))
}

/** Moves the money of an authorization in a token, as anybody can. */
const move = async (
  network: EvmNetwork,
  { from, nonce, to, validAfter, validBefore, value }: Authorization,
  signature: Hex
) => {
  const hash = await chain.client.writeContract({
    address: network.asset,
    abi: usdcAbi,
    functionName: "transferWithAuthorization",
    args: [
      from as Hex,
      to as Hex,
      BigInt(value),
      BigInt(validAfter),
      BigInt(validBefore),
      nonce as Hex,
      signature
    ]
  })
  await chain.client.waitForTransactionReceipt({ hash })
  return hash
}

const cases = [
  { sold: "dollar", paid: "usdc", soldIn: inDollar, paidIn: usdc },
  { sold: "usdc", paid: "dollar", soldIn: usdc, paidIn: inDollar }
] as const

describe.each(cases)("a call sold for $sold, and money in $paid", ({ paidIn, sold, soldIn }) => {
  it.each([1, 2] as const)(
    "is not bought by a signature for the other token, in version %i",
    async (version) => {
      const { payer, received, tills } = await open()
      const till = tills[sold]
      const challenge = await challenged(till)
      const authorization = await authorizationFor(challenge, payer)
      const signature = await sign(payer, paidIn, authorization)
      const responses = [
        await present(till, challenge, { authorization, signature, version }),
        await present(till, challenge, {
          authorization,
          signature,
          version: 2,
          accepted: { asset: paidIn.asset }
        })
      ]
      expect(responses.map(({ status }) => status)).toEqual([402, 402])
      expect(await till.charges.list()).toEqual([])
      expect(await received()).toEqual({ usdc: 0n, dollar: 0n })
    }
  )

  it("is not proven by a transfer of the other token with the same nonce and amount", async () => {
    let transaction = ""
    let network = ""
    const { payer, tills } = await open(async () => ({ success: true, transaction, network, payer: "" }))
    const till = tills[sold]
    const challenge = await challenged(till)
    const authorization = await authorizationFor(challenge, payer)
    network = challenge.accepts[0]!.network
    transaction = await move(paidIn, authorization, await sign(payer, paidIn, authorization))
    const signature = await sign(payer, soldIn, authorization)
    const response = await present(till, challenge, { authorization, signature, version: 2 })
    expect(response.status).toBe(503)
    expect(await till.charges.list()).toMatchObject([
      { state: "ready", key: expect.stringContaining(soldIn.asset.toLowerCase()) }
    ])
    expect(await till.ledger.list()).toEqual([])
    // Its own transfer is the proof.
    await move(soldIn, authorization, signature)
    const again = await present(till, challenge, { authorization, signature, version: 2 })
    expect(again.status, await again.text()).toBe(200)
    expect(await till.ledger.list()).toMatchObject([{ kind: "settled", asset: soldIn.asset }])
  })
})

describe("two tills with one store", () => {
  it("are each paid by an authorization with the same nonce, and either audits both tokens", async () => {
    const { payer, received, tills } = await open()
    const challenge = await challenged(tills.usdc)
    const authorization = await authorizationFor(challenge, payer)
    for (const { sold, soldIn } of cases) {
      const signature = await sign(payer, soldIn, authorization)
      const response = await present(tills[sold], await challenged(tills[sold]), {
        authorization,
        signature,
        version: 2
      })
      expect(response.status, await response.text()).toBe(200)
    }
    const value = BigInt(authorization.value)
    expect(await received()).toEqual({ usdc: value, dollar: value })
    for (const till of Object.values(tills)) {
      const check = await till.ledger.check({ chain: true })
      expect(check).toMatchObject({ isBalanced: true, settledEntries: 2 })
      expect(check.chain).toMatchObject({
        networks: [usdc.caip2],
        transfers: 1,
        provenEntries: 2,
        foreignTransfers: 0
      })
    }
  })
})
