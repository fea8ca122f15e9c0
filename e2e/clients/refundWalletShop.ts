import { Charges } from "@till402/core/effect"
import { sqlite } from "@till402/core/sqlite"
import type { Till } from "@till402/core"
import type { Chain, LocalFacilitator } from "@till402/sandbox"
import { Effect } from "effect"
import { type Hex, keccak256, multicall3Abi, stringToHex } from "viem"
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import { expect, vi } from "vitest"
import { multicall, transferCall } from "./drain.ts"
import { openShop, type Settling } from "./refundShop.ts"

/*
 * A shop that owes a refund, and two wallets that can pay it.
 */

export const orderPrice = 146_400_000n
const funds = 1_000_000_000n

interface Services {
  readonly chain: Chain
  readonly official: LocalFacilitator
  /** Of a test that runs at the same time as others. */
  readonly onFinished?: (close: () => Promise<void>) => void
}

export const newAccount = (): PrivateKeyAccount => privateKeyToAccount(generatePrivateKey())

export const openWalletShop = async (services: Services, settling: Settling = {}) => {
  const { chain } = services
  const shop = await openShop(services, settling)
  const other = newAccount()
  await chain.mint(other.address, funds)
  const paidBy = async ({ address }: { readonly address: Hex }) => funds - (await chain.balanceOf(address))
  /** All of the money: the buyer has it back, and one wallet has paid it. `gift`: what the buyer got from others. */
  const expectPaidOnce = async (till: Till, gift = 0n) => {
    expect(await chain.balanceOf(shop.buyer)).toBe(funds + gift)
    expect((await paidBy(shop.wallet)) + (await paidBy(other))).toBe(orderPrice)
    const sent = (await till.ledger.list()).filter(({ kind }) => kind === "refunded")
    expect(sent).toHaveLength(1)
    expect((await till.ledger.check({ chain: true })).faults).toEqual([])
  }
  const untilDue = (till: Till, orderId: string) =>
    vi.waitFor(async () => expect((await till.orders.find(orderId))?.status).toBe("refund_due"), {
      timeout: 60_000,
      interval: 200
    })
  const inStore = <A, E>(use: (charges: Charges["Service"]) => Effect.Effect<A, E>): Promise<A> =>
    Effect.runPromise(Effect.provide(Charges.use(use), sqlite({ filename: shop.filename })))
  /** The refund that is due. */
  const due = async () => {
    const [charge] = await inStore((charges) => charges.list({ limit: 1, isRefundDue: true }))
    return charge!
  }
  return { ...shop, other, paidBy, expectPaidOnce, untilDue, inStore, due }
}

export const nonceOf = (chargeKey: string): Hex => keccak256(stringToHex(`till402 refund ${chargeKey}`))

/** Sends calls of the token in one transaction, from an account that has only gas. */
export const batch = async (chain: Chain, calls: ReadonlyArray<Hex>): Promise<void> => {
  const account = newAccount()
  await chain.client.setBalance({ address: account.address, value: 10n ** 20n })
  const hash = await chain.client.writeContract({
    account,
    chain: chain.client.chain,
    address: multicall,
    abi: multicall3Abi,
    functionName: "aggregate3",
    args: [calls.map((callData) => ({ target: chain.usdc, allowFailure: false, callData }))]
  })
  expect((await chain.client.waitForTransactionReceipt({ hash })).status).toBe("success")
}

/**
 * A stranger sends the refund's amount to the payer under the refund's nonce, and uses many others: the till pays its
 * refund nevertheless, once.
 */
export const expectPaidDespite = async (services: Services, nonces: number): Promise<void> => {
  const { chain } = services
  const shop = await openWalletShop(services)
  const seller = await shop.openTill({})
  const orderId = await shop.buy(seller)
  await shop.untilDue(seller, orderId)
  const { key } = await shop.due()
  const stranger = newAccount()
  await chain.mint(stranger.address, orderPrice)
  const validBefore = Math.floor(Date.now() / 1_000) + 3_600
  const burns = [
    await transferCall(chain, stranger, {
      to: shop.buyer,
      value: orderPrice,
      nonce: nonceOf(key),
      validBefore
    })
  ]
  for (let index = 1; index < nonces; index++) {
    const nonce = nonceOf(`${key}${index}`)
    burns.push(await transferCall(chain, stranger, { to: stranger.address, value: 0n, nonce, validBefore }))
  }
  for (let from = 0; from < burns.length; from += 50) await batch(chain, burns.slice(from, from + 50))
  const till = await shop.openTill({ refundWallet: shop.wallet })
  await shop.untilRefunded(till, orderId)
  expect((await till.refunds.status()).stopped).toBeUndefined()
  await shop.expectPaidOnce(till, orderPrice)
}
