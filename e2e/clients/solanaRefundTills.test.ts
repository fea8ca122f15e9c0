import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PlacementRefused, type TillOptions } from "@till402/core"
import { sqlite } from "@till402/core/sqlite"
import { sqliteJournals } from "@till402/providers/journals"
import { sampleShop } from "@till402/sandbox"
import {
  type LocalSolanaFacilitator,
  type SolanaChain,
  startSolanaChain,
  startSolanaFacilitator
} from "@till402/sandbox/solana"
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest"
import { fund, refundsOn } from "./solanaRefundShop.ts"
import { openSolanaShop, origin } from "./solanaShop.ts"

/*
 * Refunds of tills on a local Solana chain: an order that can't be placed is paid back from the host's wallet.
 */

let chain: SolanaChain
let official: LocalSolanaFacilitator
beforeAll(async () => {
  // Blocks are final at once, so that refunds need not wait for their payments.
  chain = await startSolanaChain({ finalitySlots: 0 })
  official = await startSolanaFacilitator({ chain })
})
afterAll(async () => {
  await official?.stop()
  await chain?.stop()
})

it("an order that can't be placed is refunded once by processes that work on it at the same time", async () => {
  const folder = mkdtempSync(join(tmpdir(), "till402-refunds-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const wallet = await fund(chain, 1_000_000_000n)
  const payee = await chain.wallets(77)
  await chain.mint(payee.address, 0n)
  const { fulfilment } = sampleShop()
  const openTill = async () => {
    const journals = sqliteJournals(join(folder, "journals.sqlite"))
    onTestFinished(journals.close)
    const options: Partial<TillOptions> = {
      networks: [{ network: "solana-devnet", payTo: payee.address, rpcUrl: chain.rpcUrl }],
      secret: "a secret of all processes, of forty characters",
      storage: sqlite({ filename: join(folder, "till.sqlite") }),
      refunds: { perPayerPerHour: "1000.00" },
      solanaRefunds: await refundsOn(chain.rpcUrl, {
        journal: journals.transfers,
        confirmTimeoutMillis: 5_000
      }),
      fulfilment: {
        quote: fulfilment.quote,
        place: () => Promise.reject(new PlacementRefused({ reason: "out_of_stock" }))
      }
    }
    return openSolanaShop({ chain, official }, options)
  }
  const { order, pay, payer, till } = await openTill()
  const { till: other } = await openTill()

  const response = await pay(`${origin}/x402/buy`, order)
  expect(response.status, await response.clone().text()).toBe(200)
  const { orderId }: { readonly orderId: string } = JSON.parse(await response.text())
  const statusOf = async () => {
    await Promise.all([till.orders.processNow(orderId), other.orders.processNow(orderId)])
    return (await till.orders.find(orderId))?.status
  }
  await expect.poll(statusOf, { timeout: 60_000 }).toBe("refunded")

  const refunded = (await till.ledger.list()).filter(({ kind }) => kind === "refunded")
  expect(refunded).toHaveLength(1)
  const { amountAtomic, transaction } = refunded[0]!
  expect(transaction).toMatch(/^\w{86,88}$/)
  expect(await chain.balanceOf(payer.address)).toBe(1_000_000_000n)
  expect(await chain.balanceOf(payee.address)).toBe(amountAtomic)
  expect(await chain.balanceOf(wallet)).toBe(1_000_000_000n - amountAtomic)
  expect((await till.ledger.check()).faults).toEqual([])
})
