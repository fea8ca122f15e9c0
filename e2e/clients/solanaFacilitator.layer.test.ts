import { address as toAddress, generateKeyPairSigner } from "@solana/kit"
import { Facilitator } from "@till402/core/effect"
import { MemoryJournals } from "@till402/providers/journals"
import { SolanaFacilitator, type SolanaFacilitatorLayerOptions } from "@till402/providers/solana-facilitator"
import { startSolanaChain, type SolanaChain } from "@till402/sandbox/solana"
import { ConfigProvider, Effect, Exit } from "effect"
import { FetchHttpClient } from "effect/http"
import { afterAll, beforeAll, expect, it } from "vitest"
import { feePayerSecret, feePayerSigner, payerOn, payPriced } from "./solanaPayments.ts"

/*
 * The layer of a facilitator on Solana, with the variables of the environment.
 */

let chain: SolanaChain
let secret: string
beforeAll(async () => {
  chain = await startSolanaChain({ slotMillis: 0 })
  secret = await feePayerSecret()
  chain.airdrop(toAddress((await feePayerSigner()).address))
})
afterAll(() => chain?.stop())

const withVariables = <A>(
  work: Effect.Effect<A, unknown, Facilitator>,
  variables: Readonly<Record<string, string>>,
  defaults: Partial<SolanaFacilitatorLayerOptions> = {}
) =>
  work.pipe(
    Effect.provide(SolanaFacilitator.layerConfig(defaults)),
    Effect.provide([
      FetchHttpClient.layer,
      MemoryJournals.layer,
      ConfigProvider.layer(ConfigProvider.fromUnknown(variables))
    ]),
    Effect.runPromiseExit
  )

type SettleRequest = Parameters<Facilitator["Service"]["settle"]>[0]

/** A payment of the official client to a new payee, and what the payee has received. */
const makePayment = async (microLamports = 1n) => {
  const [payee, { address: feePayer }] = await Promise.all([generateKeyPairSigner(), feePayerSigner()])
  await chain.mint(payee.address, 0n)
  const payer = await payerOn(chain)
  const { payload, requirements } = await payPriced(
    chain,
    payer,
    { payTo: payee.address, feePayer },
    microLamports
  )
  const request = {
    x402Version: 2 as const,
    payload: (payload as Pick<SettleRequest, "payload">).payload,
    requirements: requirements as SettleRequest["requirements"],
    resource: { url: "https://shop.example/x402/search", description: "", mimeType: "" }
  }
  return { payer, request, received: () => chain.balanceOf(payee.address) }
}

const variables = () => ({
  SOLANA_FACILITATOR_TILL: "bookshop",
  SOLANA_FACILITATOR_PRIVATE_KEY: secret,
  SOLANA_FACILITATOR_RPC_URL: chain.rpcUrl,
  SOLANA_FACILITATOR_NETWORK: "solana-devnet",
  SOLANA_FACILITATOR_POLL_MILLIS: "5"
})

it("settles with the variables of the environment", async () => {
  const { payer, received, request } = await makePayment()
  const settled = await withVariables(
    Facilitator.use(({ settle }) => settle(request)),
    variables()
  )
  expect(settled).toMatchObject({ _tag: "Success", value: { _tag: "Settled", payer: payer.address } })
  expect(await received()).toBe(10_000n)
})

it("takes bounds from the environment rather than from the defaults", async () => {
  // Two lamports above the signatures.
  const { received, request } = await makePayment(100n)
  const refused = await withVariables(
    Facilitator.use(({ verify }) => verify(request)),
    { ...variables(), SOLANA_FACILITATOR_MAX_PRIORITY_FEE_LAMPORTS: "1" },
    { maxPriorityFeeLamports: 10_000 }
  )
  expect(refused).toMatchObject({ _tag: "Success", value: { _tag: "Invalid" } })
  expect(await received()).toBe(0n)
})

it("fails without the till's name, and for a key that is none, without quoting it", async () => {
  const { SOLANA_FACILITATOR_TILL: _, ...nameless } = variables()
  const unnamed = await withVariables(Facilitator, nameless)
  expect(Exit.isFailure(unnamed) && String(unnamed.cause)).toContain("SOLANA_FACILITATOR_TILL")
  const wrong = await withVariables(Facilitator, {
    ...variables(),
    SOLANA_FACILITATOR_PRIVATE_KEY: "s3cretKeyOfSomebody"
  })
  const message = Exit.isFailure(wrong) ? String(wrong.cause) : ""
  expect(message).toContain("SOLANA_FACILITATOR_PRIVATE_KEY must be 64 bytes")
  expect(message).not.toContain("s3cret")
})
