import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PlacementRefused, type TillOptions } from "@till402/core"
import { sqlite } from "@till402/core/sqlite"
import { memoryTransferJournal } from "@till402/providers/solana-refunds"
import { sampleShop } from "@till402/sandbox"
import type { LocalSolanaFacilitator, SolanaChain } from "@till402/sandbox/solana"
import { expect, onTestFinished } from "vitest"
import { fund, refundsOn, refundSigner } from "./solanaRefundShop.ts"
import { openSolanaShop, origin } from "./solanaShop.ts"

/*
 * A shop on a local Solana chain that owes a refund, and two wallets that can pay it, each with a journal of its own.
 */

const funds = 1_000_000_000n
/** A block is final at once, so that refunds need not wait for their payments; a blockhash lives for three seconds. */
export const fastSlots = { slotMillis: 20, finalitySlots: 0 }

interface Services {
  readonly chain: SolanaChain
  readonly official: LocalSolanaFacilitator
}

let walletNumber = 100
export const nextWallet = (): number => ++walletNumber

/** An order that is owed back to its payer, on one store, and tills with wallets of their own. */
export const openWalletShop = async ({ chain, official }: Services) => {
  const folder = mkdtempSync(join(tmpdir(), "till402-refunds-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const payee = await chain.wallets(nextWallet())
  await chain.mint(payee.address, 0n)
  const numbers = { first: nextWallet(), second: nextWallet() }
  const wallets = {
    first: await fund(chain, funds, numbers.first),
    second: await fund(chain, funds, numbers.second)
  }
  const { fulfilment } = sampleShop()
  const openTill = async (wallet: keyof typeof numbers | undefined, through: typeof fetch = fetch) => {
    const journal = memoryTransferJournal()
    const options: Partial<TillOptions> = {
      networks: [{ network: "solana-devnet", payTo: payee.address, rpcUrl: chain.rpcUrl }],
      secret: "a secret of all processes, of forty characters",
      storage: sqlite({ filename: join(folder, "till.sqlite") }),
      refunds: { perPayerPerHour: "1000.00" },
      fulfilment: {
        quote: fulfilment.quote,
        place: () => Promise.reject(new PlacementRefused({ reason: "out_of_stock" }))
      },
      ...(wallet === undefined
        ? {}
        : {
            solanaRefunds: await refundsOn(chain.rpcUrl, {
              signer: await refundSigner(numbers[wallet]),
              journal,
              fetch: through
            })
          })
    }
    const shop = await openSolanaShop({ chain, official }, options)
    return { ...shop, journal }
  }
  const seller = await openTill(undefined)
  const response = await seller.pay(`${origin}/x402/buy`, seller.order)
  expect(response.status, await response.clone().text()).toBe(200)
  const { orderId }: { readonly orderId: string } = JSON.parse(await response.text())
  const statusOf = async (...tills: ReadonlyArray<{ readonly till: (typeof seller)["till"] }>) => {
    await Promise.all(tills.map(({ till }) => till.orders.processNow(orderId)))
    return (await seller.till.orders.find(orderId))?.status
  }
  await expect.poll(() => statusOf(seller)).toBe("refund_due")
  const paidBy = async (wallet: keyof typeof wallets) => funds - (await chain.balanceOf(wallets[wallet]))
  /** `gift`: what the payer got from others. */
  const expectPaidOnce = async (gift = 0n) => {
    const refunded = (await seller.till.ledger.list()).filter(({ kind }) => kind === "refunded")
    expect(refunded).toHaveLength(1)
    expect(await chain.balanceOf(seller.payer.address)).toBe(funds + gift)
    expect((await paidBy("first")) + (await paidBy("second"))).toBe(refunded[0]!.amountAtomic)
    expect((await seller.till.ledger.check({ chain: true })).faults).toEqual([])
  }
  return { openTill, seller, statusOf, paidBy, expectPaidOnce }
}

/**
 * A stranger sends the refund's amount to the payer with the refund's memo, and uses many others: the till pays its
 * refund nevertheless, once.
 */
export const expectPaidDespite = async (services: Services, memos: number): Promise<void> => {
  const { chain } = services
  const shop = await openWalletShop(services)
  const entries = await shop.seller.till.ledger.list()
  const { amountAtomic, chargeKey } = entries.find(({ kind }) => kind === "refund_due")!
  const number = nextWallet()
  const stranger = await fund(chain, funds, number)
  const strange = await refundsOn(chain.rpcUrl, {
    signer: await refundSigner(number),
    confirmTimeoutMillis: 1
  })
  const asset = chain.usdc.mint
  const payee = shop.seller.payer.address
  await strange.refund({ key: chargeKey, payee, asset, amountAtomic })
  const burn = (key: string) => strange.refund({ key, payee: stranger, asset, amountAtomic: 1n })
  const keys = Array.from({ length: memos - 1 }, (_, index) => `${chargeKey}${index}`)
  // So few at a time that none has to be refused.
  for (let from = 0; from < keys.length; from += 10) await Promise.all(keys.slice(from, from + 10).map(burn))
  await expect.poll(() => chain.balanceOf(payee)).toBeGreaterThan(funds - 1n)
  const till = await shop.openTill("first")
  await expect.poll(() => shop.statusOf(till)).toBe("refunded")
  expect((await till.till.refunds.status()).stopped).toBeUndefined()
  await shop.expectPaidOnce(amountAtomic)
}
