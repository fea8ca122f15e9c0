import { createSolanaRpc, type KeyPairSigner } from "@solana/kit"
import type { FacilitatorClient } from "@till402/core"
import {
  type LocalSolanaFacilitator,
  type SolanaChain,
  startSolanaChain,
  startSolanaFacilitator
} from "@till402/sandbox/solana"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { attack } from "../src/attack.ts"
import { baseUrl, calls } from "../src/Calls.ts"
import { openOurs } from "../src/Ours.ts"
import {
  forFacilitator,
  limitedPayers,
  openLimitedPayers,
  openRemembersFailures,
  remembersFailures
} from "../src/SolanaPayerLimits.ts"
import { composePayment } from "../src/SolanaPayments.ts"

/*
 * A server remembers for a moment who could not pay. That must not be turned against those who can.
 */

let chain: SolanaChain
let official: LocalSolanaFacilitator
beforeAll(async () => {
  chain = await startSolanaChain()
  official = await startSolanaFacilitator({ chain })
})
afterAll(async () => {
  await official.stop()
  await chain.stop()
})

/** The price of a tracked shipment, in atomic units. */
const amount = 520_000n
let wallets = 1_200
/** No two payments are the same message. */
let units = 20_000

/** A payer with a balance, and a payee who takes payments at several servers. */
const openScene = async (balance: bigint) => {
  const payer = await chain.wallets(++wallets)
  const payee = await chain.wallets(++wallets)
  const source = await chain.mint(payer.address, balance)
  const destination = await chain.mint(payee.address, 0n)
  const requirements = {
    scheme: "exact",
    network: chain.caip2,
    amount: String(amount),
    asset: chain.usdc.mint,
    payTo: payee.address,
    maxTimeoutSeconds: 60,
    extra: { feePayer: official.feePayer }
  }
  const pay = () =>
    composePayment(chain, {
      payer,
      feePayer: official.feePayer as KeyPairSigner["address"],
      amount,
      source,
      destination,
      mint: chain.usdc.mint,
      units: ++units
    })
  return { payer, payee, requirements, pay }
}

type Scene = Awaited<ReturnType<typeof openScene>>

/** Has the payer pay at another server of the payee. Returns the payment as everybody reads it on the chain. */
const payElsewhere = async ({ pay, payer, requirements }: Scene): Promise<string> => {
  const settled = await official.client.settle(...forFacilitator(await pay(), requirements))
  expect(settled.success).toBe(true)
  const rpc = createSolanaRpc(chain.rpcUrl)
  const [last] = await rpc
    .getSignaturesForAddress(payer.address, { commitment: "confirmed", limit: 1 })
    .send()
  const found = await rpc
    .getTransaction(last!.signature, { encoding: "base64", maxSupportedTransactionVersion: 0 })
    .send()
  return found!.transaction[0]
}

const clientHeader = "x-client"
const ownAddress = "192.0.2.1"
const strangersAddress = "198.51.100.7"

/** A till of the payee, and how often its facilitator has verified. */
const openTill = async ({ payee }: Scene, verify: FacilitatorClient["verify"] = official.client.verify) => {
  let verified = 0
  const facilitator: FacilitatorClient = {
    ...official.client,
    verify: (...given) => {
      verified++
      return verify(...given)
    }
  }
  const { fetch } = await openOurs(facilitator, {
    clientAddress: ({ headers }) => headers.get(clientHeader) ?? undefined,
    networks: [{ network: "solana-devnet", payTo: payee.address, rpcUrl: chain.rpcUrl }],
    payTo: payee.address,
    trustFacilitator: false,
    limits: { failedPayerMillis: 60_000 }
  })
  const present = async (transaction: string, address = ownAddress) => {
    const payment = { x402Version: 1, scheme: "exact", network: "solana-devnet", payload: { transaction } }
    const header = Buffer.from(JSON.stringify(payment)).toString("base64")
    const headers = { "x-payment": header, [clientHeader]: address }
    const response = await fetch(new Request(baseUrl + calls.track.path, { headers }))
    return { status: response.status, text: await response.text() }
  }
  return { present, verified: () => verified }
}

attack("a payment on Solana copied from the chain, to have its payer refused at another server", {
  on: remembersFailures,
  lands: async () => {
    const scene = await openScene(10n * amount)
    const present = openRemembersFailures(official.client, scene.requirements)
    expect(await present(await payElsewhere(scene))).toBe(false)
    expect(await present(await scene.pay())).toBe(false)
  },
  fails: async () => {
    for (const isKnown of [false, true]) {
      const scene = await openScene(10n * amount)
      const { present } = await openTill(scene)
      if (isKnown) expect((await present(await scene.pay())).status).toBe(200)
      const copied = await present(await payElsewhere(scene))
      expect(copied.status, copied.text).toBe(402)
      expect(copied.text).toContain("simulation_failed")
      const { status, text } = await present(await scene.pay())
      expect(status, text).toBe(200)
    }
  }
})

const copies = 4

/** Payments made elsewhere, and a facilitator that takes long to verify them. */
const openSlow = async (scene: Scene) => {
  const copied: Array<string> = []
  while (copied.length < copies) copied.push(await payElsewhere(scene))
  const gate = Promise.withResolvers<void>()
  let waiting = 0
  const verify: FacilitatorClient["verify"] = async (payload, requirements) => {
    if (copied.some((copy) => JSON.stringify(payload).includes(copy))) {
      waiting++
      await gate.promise
    }
    return official.client.verify(payload, requirements)
  }
  return { copied, verify, waiting: () => waiting, end: gate.resolve }
}

attack("payments on Solana copied from the chain, to use up what their payer may have open", {
  on: limitedPayers,
  lands: async () => {
    const scene = await openScene(10n * amount)
    const { copied, end, verify } = await openSlow(scene)
    const present = openLimitedPayers({ ...official.client, verify }, scene.requirements, copies)
    const presented = copied.map((copy) => present(copy))
    expect(await present(await scene.pay())).toBe(false)
    end()
    await Promise.all(presented)
  },
  fails: async () => {
    for (const isKnown of [false, true]) {
      const scene = await openScene(10n * amount)
      const { copied, end, verify, waiting } = await openSlow(scene)
      const { present } = await openTill(scene, verify)
      if (isKnown) expect((await present(await scene.pay())).status).toBe(200)
      const presented = copied.map((copy) => present(copy, strangersAddress))
      await vi.waitFor(() => expect(waiting()).toBeGreaterThan(0))
      const { status, text } = await present(await scene.pay())
      expect(status, text).toBe(200)
      end()
      for (const response of await Promise.all(presented)) expect(response.status).toBe(402)
    }
  }
})

it("a payer on Solana without the money is refused for a moment, and verified once", async () => {
  const scene = await openScene(amount - 1n)
  const { present, verified } = await openTill(scene)
  for (let presented = 0; presented < 2; presented++) {
    const { status, text } = await present(await scene.pay())
    expect(status, text).toBe(402)
    expect(text).toContain("simulation_failed")
  }
  expect(verified()).toBe(1)
})
