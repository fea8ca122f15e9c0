import { memory, type NetworkOptions, Till } from "@till402/core"
import { type Chain, type LocalFacilitator, sampleShop, startChain, startFacilitator } from "@till402/sandbox"
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { findNetwork } from "../../packages/core/src/domain/Network.ts"
import { encodeHeader } from "../../packages/core/src/toll/request/PaymentHeader.ts"
import { type Challenged, nextNonce, sign } from "../../packages/core/test/toll/wallet.ts"
import { balanceOf, dollar, mint, name, nobody, placeToken } from "./dollarToken.ts"

/*
 * A dollar token other than USDC, named by the host, on a real chain: checked at startup, paid and proven.
 */

const tenthousandths = "0x0000000000000000000000000000000000010000"

const sepolia = findNetwork("base-sepolia")!

let chain: Chain
let official: LocalFacilitator

beforeAll(async () => {
  chain = await startChain()
  official = await startFacilitator({ chain })
  await placeToken(chain)
  await placeToken(chain, tenthousandths, 4)
})
afterAll(async () => {
  await official.stop()
  await chain.stop()
})

/** A till that is paid in a token. */
const open = (token: NetworkOptions["token"] & {}, rpcUrl = chain.rpcUrl) => {
  const { fulfilment, marketplaces, tracker } = sampleShop()
  const payTo = privateKeyToAccount(generatePrivateKey()).address
  const till = Till.make({
    baseUrl: "https://shop.example",
    payTo,
    networks: [{ network: "base-sepolia", rpcUrl, token, finalitySeconds: 0 }],
    facilitator: { url: official.url },
    secret: generatePrivateKey(),
    settlement: { search: "before-work" },
    storage: memory(),
    fulfilment,
    marketplaces,
    tracker,
    onEvent: () => undefined,
    onProviderError: () => undefined
  })
  onTestFinished(() => till.dispose())
  return { till, payTo }
}

/** Pays the first option of a challenge, in either version: the value of the payment header. */
const pay = async (
  { accepts: [accepted], resource }: Challenged,
  account: PrivateKeyAccount,
  x402Version: 1 | 2
): Promise<string> => {
  if (accepted === undefined) throw new Error("the 402 offers nothing")
  const nowSeconds = Number((await chain.client.getBlock()).timestamp)
  const authorization = {
    from: account.address,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: "0",
    validBefore: String(nowSeconds + 100),
    nonce: nextNonce()
  }
  const network = { ...sepolia, asset: dollar, eip712: { name, version: "2" } } as const
  const payload = { signature: await sign(account, network, authorization), authorization }
  return encodeHeader(
    x402Version === 1
      ? { x402Version, scheme: "exact", network: "base-sepolia", payload }
      : { x402Version, accepted, payload, resource }
  )
}

const challenged = (response: Response): Challenged =>
  JSON.parse(Buffer.from(response.headers.get("payment-required") ?? "", "base64").toString("utf8"))

describe("a till with another dollar", () => {
  it.each([1, 2] as const)(
    "is paid in it by version %i, and finds its transfer on the chain",
    async (version) => {
      const { payTo, till } = open({ address: dollar, name, version: "2" })
      await till.ready
      const url = "https://shop.example/x402/search?q=headphones"
      const { accepts, resource } = challenged(await till.fetch(new Request(url)))
      expect(accepts).toMatchObject([{ asset: dollar, extra: { name, version: "2" } }])
      const account = privateKeyToAccount(generatePrivateKey())
      await mint(chain, account.address, 1_000_000n)
      const payment = await pay({ accepts, resource }, account, version)
      const paid = await till.fetch(new Request(url, { headers: { "payment-signature": payment } }))
      expect(paid.status, await paid.clone().text()).toBe(200)
      expect(await balanceOf(chain, payTo)).toBe(BigInt(accepts[0]!.amount))
      expect(await till.charges.list()).toMatchObject([{ state: "settled" }])
      expect(await till.ledger.list()).toMatchObject([{ kind: "settled", asset: dollar }])
      expect(await till.ledger.check({ chain: true })).toMatchObject({ isBalanced: true })
    }
  )
})

const wrong = (contract: string, problem: string): string =>
  `token of base-sepolia: the contract ${contract} ${problem}`

describe("at startup", () => {
  const write = (given: string) =>
    wrong(
      dollar,
      `has another EIP-712 domain: name "${name}" and version "2", and the settings have ${given}. Write token: { address: "${dollar}", name: "${name}", version: "2" }`
    )
  it.each([
    [
      "a wrong name",
      { address: dollar, name: "USD Coin", version: "2" },
      write('name "USD Coin" and version "2"')
    ],
    ["a wrong version", { address: dollar, name, version: "1" }, write(`name "${name}" and version "1"`)],
    [
      "other decimals",
      { address: tenthousandths, name, version: "2" },
      wrong(tenthousandths, "has 4 decimals. Only tokens with 6 can be used")
    ],
    [
      "an address without a contract",
      { address: nobody, name, version: "2" },
      wrong(nobody, "is no token on this chain. Check its address and rpcUrl")
    ]
  ])("%s is a failure that says what to write", async (_, token, message) => {
    await expect(open(token).till.ready).rejects.toThrow(message)
  })

  it("a token that can't be read is a failure", async () => {
    const { till } = open({ address: dollar, name, version: "2" }, "http://127.0.0.1:9")
    await expect(till.ready).rejects.toThrow("token of base-sepolia: it could not be read from the chain")
  })
})
