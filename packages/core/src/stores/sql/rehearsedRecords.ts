import type { Money } from "../../domain/Money.ts"
import type { CompletedSettlement, NewCharge } from "../../ports/Charges.ts"
import type { VaultItem } from "../../shop/goods/VaultItem.ts"
import type { Order } from "../../shop/ports/Orders.ts"
import type { Quote } from "../../shop/ports/Quotes.ts"
import type { NewVaultPurchase } from "../../shop/ports/VaultPurchases.ts"

/*
 * Made-up records of a rehearsed sale: the longest texts and the largest amounts that a sale writes, in letters of many
 * languages. Two of one rehearsal differ in nothing but what two sales always differ in.
 */

/** What the records of a rehearsal have in common: an id that no other has, the time, and a network (CAIP-2). */
export interface Made {
  readonly id: string
  readonly nowMillis: number
  readonly network: string
}

const same = <Name extends string, A>(value: A, ...names: ReadonlyArray<Name>) =>
  Object.fromEntries(names.map((name) => [name, value])) as Readonly<Record<Name, A>>

const letters = (length: number): string => "Żółć 世界 🛍 ".padEnd(length, ".")
const page = (id: string, length: number): string => `https://rehearsal.example/${id}/`.padEnd(length, "a")
const walletOf = (id: string): string => id.replaceAll(/[-0]/g, "z").padEnd(44, "1")
/** In the form that addresses of the network have: a host may allow no other. */
const address = ({ id, network }: Made): string =>
  network.startsWith("eip155:") ? `0x${id.replaceAll("-", "").padEnd(40, "0")}` : walletOf(id)
const digest = (id: string): string => `1:${id.padEnd(64, "0")}`

/** 99,999 dollars: no quote is above. Triggers of a host may add amounts up as numbers, or turn them into cents. */
const amount = "9".repeat(11)
const money: Money = { atomic: BigInt(amount), currency: "USD" }

/** A name as long as that of any network. */
export const longNetwork = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"

export const chargeOf = (made: Made, number: number): NewCharge => ({
  key: `${made.network}:${address(made)}:${address(made)}:${digest(made.id)}${number}`,
  payloadDigest: `${digest(made.id)}${number}`,
  ...same(digest(made.id), "fingerprint", "repeatKey"),
  operation: "rehearsal".padEnd(100, "-"),
  network: made.network,
  ...same(address(made), "asset", "payer", "payTo"),
  amountAtomic: amount,
  validBeforeSeconds: Math.floor(made.nowMillis / 1000) + 3_600,
  x402Version: 2,
  settlement: letters(5_000),
  exposureAtomic: "4000000000000000000",
  settlesFirst: false,
  paymentId: made.id.padEnd(128, "-"),
  createdAtMillis: made.nowMillis,
  claimedAfterBlock: "9".repeat(20)
})

export const outcome = {
  response: {
    status: 200,
    contentType: "application/json",
    headers: { "x-rehearsal": "a".repeat(2_000) },
    body: { _tag: "Plain", text: letters(10_000) }
  },
  subject: { kind: "order", id: "9".repeat(36) }
} as const

/** One transaction may settle several charges, each by a transfer of its own. */
export const settlementOf = (
  { network, payer }: NewCharge,
  transferLogIndex: number
): CompletedSettlement => ({
  receipt: { success: true, transaction: payer.repeat(2), network, payer },
  transferLogIndex,
  reportedBy: letters(100),
  refundDue: false,
  ...same(1_000, "finalAfterMillis", "responseOwedUntilMillis")
})

export const quoteOf = ({ id, nowMillis }: Made, quoteId: string): Quote => ({
  id: quoteId,
  fingerprint: digest(id),
  offer: {
    product: { title: letters(1_000), imageUrl: page(id, 2_000), price: money },
    ...same(money, "subtotal", "tax", "shipping", "fee", "total"),
    reference: id.padEnd(500, "-"),
    expiresAtMillis: nowMillis + 3_600_000
  },
  createdAtMillis: nowMillis,
  consumedBy: undefined
})

const emailOf = (id: string): string => `${id}@${"a".repeat(60)}.example`.padStart(254, "a")

/** An order that is placed, sent and mailed. */
export const orderOf = (made: Made, id: string, chargeKey: string): Order => {
  const { offer } = quoteOf(made, id)
  const trackingUrl = page(made.id, 2_000)
  return {
    id,
    chargeKey,
    status: "shipped",
    product: { source: "marketplace_b", productUrl: page(made.id, 2_048), variantId: "9".repeat(100) },
    shippingAddress: {
      ...same(letters(200), "name", "line1", "line2"),
      ...same(letters(100), "city", "state"),
      ...same("9".repeat(20), "postalCode", "phone"),
      country: "PL"
    },
    email: emailOf(made.id),
    offer,
    upstreamReference: offer.reference,
    shipments: [{ carrier: letters(200), trackingNumber: "9".repeat(200), trackingUrl }],
    reason: "r".repeat(200),
    mails: [{ kind: "confirmed", attempts: 1, dueAtMillis: made.nowMillis }],
    timeline: [{ status: "shipped", atMillis: made.nowMillis }],
    attempts: 0,
    version: 1,
    ...same(made.nowMillis, "stepAtMillis", "dueAtMillis", "createdAtMillis", "updatedAtMillis")
  }
}

export const itemOf = ({ id }: Made): VaultItem => ({
  id,
  slug: id.padEnd(100, "0"),
  title: letters(200),
  productType: "knowledge",
  cardDescription: letters(2_000),
  price: 100_000,
  category: "productivity",
  creator: { name: letters(200), type: letters(50) },
  downloads: 0,
  coverImageUrl: page(id, 2_000),
  keywords: [letters(50)]
})

export const purchaseOf = (made: Made, id: string, chargeKey: string): NewVaultPurchase => ({
  id,
  chargeKey,
  keyId: digest(made.id),
  slug: itemOf(made).slug,
  walletAddress: walletOf(made.id),
  email: emailOf(made.id),
  ...same(made.nowMillis, "createdAtMillis", "dueAtMillis")
})
