import { memory, Till } from "@till402/core"
import { Facilitator } from "@till402/core/effect"
import { LocalFacilitator } from "@till402/providers/facilitator"
import { MemoryJournals } from "@till402/providers/journals"
import { type Chain, payingFetch, sampleShop, startChain } from "@till402/sandbox"
import { ConfigProvider, Effect, Exit } from "effect"
import { FetchHttpClient } from "effect/http"
import { parseEther } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { newAddress, signedPayment, startRelay } from "./relayers.ts"

/*
 * A till that settles by itself, on a real chain: no third party between the caller and the chain.
 */

let chain: Chain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.stop())

const openTill = async () => {
  const { facilitator, journal } = await startRelay(chain)
  const payTo = newAddress()
  const { marketplaces } = sampleShop()
  const till = Till.make({
    baseUrl: "https://shop.example",
    payTo,
    networks: [{ network: "base-sepolia", rpcUrl: chain.rpcUrl }],
    facilitator: facilitator.forTill("shop"),
    secret: generatePrivateKey(),
    storage: memory(),
    marketplaces,
    onEvent: () => undefined
  })
  await till.ready
  return { till, payTo, journal }
}

const newPayer = async () => {
  const privateKey = generatePrivateKey()
  await chain.mint(privateKeyToAccount(privateKey).address, 1_000_000n)
  return privateKey
}

describe("a till with a local facilitator", () => {
  it("is paid by the official client, in one transaction, with a receipt", async () => {
    const { journal, payTo, till } = await openTill()
    const pay = payingFetch(await newPayer(), 1, (input, init) => till.fetch(new Request(input, init)))
    const response = await pay("https://shop.example/x402/search?q=headphones")
    expect(response.status).toBe(200)
    expect(await chain.balanceOf(payTo)).toBe(10_000n)
    const receipt = JSON.parse(atob(response.headers.get("payment-response")!))
    expect(receipt).toMatchObject({ success: true, network: "eip155:84532" })
    expect(journal.records().map(({ transaction }) => transaction)).toEqual([receipt.transaction])
    expect((await till.ledger.check({ chain: true })).isBalanced).toBe(true)
    await till.dispose()
  })
})

describe("the layer of a local facilitator", () => {
  const withVariables = <A>(work: Effect.Effect<A, unknown, Facilitator>, variables: object) =>
    work.pipe(
      Effect.provide(LocalFacilitator.layerConfig({ till: "shop", pollMillis: 20 })),
      Effect.provide([
        FetchHttpClient.layer,
        MemoryJournals.layer,
        ConfigProvider.layer(ConfigProvider.fromUnknown(variables))
      ])
    )
  const settle = Effect.fnUntraced(function* (payment: Awaited<ReturnType<typeof signedPayment>>) {
    const { requirements } = payment
    const facilitator = yield* Facilitator
    return yield* facilitator.settle({
      x402Version: 2,
      payload: payment.payload.payload,
      requirements: { ...requirements, scheme: "exact" },
      resource: { url: "https://shop.example/x402/search", description: "", mimeType: "" }
    })
  })

  it("settles with the variables of the environment", async () => {
    const privateKey = generatePrivateKey()
    const { address } = privateKeyToAccount(privateKey)
    await chain.client.setBalance({ address, value: parseEther("1") })
    const payment = await signedPayment(chain)
    const variables = {
      FACILITATOR_PRIVATE_KEY: privateKey,
      FACILITATOR_NETWORK: "base-sepolia",
      FACILITATOR_RPC_URL: chain.rpcUrl
    }
    const settled = await Effect.runPromise(withVariables(settle(payment), variables))
    expect(settled).toMatchObject({ _tag: "Settled", payer: payment.payer.address })
    expect(await chain.balanceOf(payment.terms.to)).toBe(payment.terms.value)
    const dear = await Effect.runPromise(
      withVariables(settle(await signedPayment(chain)), { ...variables, FACILITATOR_MAX_GAS: "30000" })
    )
    expect(dear).toEqual({ _tag: "Rejected", reason: "settlement_gas_above_limit" })
  })

  it("fails without a name of the till", async () => {
    const variables = {
      FACILITATOR_PRIVATE_KEY: generatePrivateKey(),
      FACILITATOR_NETWORK: "base-sepolia",
      FACILITATOR_RPC_URL: chain.rpcUrl
    }
    const nameless = Effect.provide(Facilitator, LocalFacilitator.layerConfig()).pipe(
      Effect.provide([
        FetchHttpClient.layer,
        MemoryJournals.layer,
        ConfigProvider.layer(ConfigProvider.fromUnknown(variables))
      ])
    )
    const exit = await Effect.runPromiseExit(nameless)
    expect(Exit.isFailure(exit) && String(exit.cause)).toContain("FACILITATOR_TILL")
  })

  it("fails without an account or a network, and names what is missing", async () => {
    const exit = await Effect.runPromiseExit(
      withVariables(Facilitator, { FACILITATOR_NETWORK: "base", FACILITATOR_RPC_URL: chain.rpcUrl })
    )
    expect(Exit.isFailure(exit) && String(exit.cause)).toContain("FACILITATOR_PRIVATE_KEY")
  })
})
