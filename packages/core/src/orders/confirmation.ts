import { format } from "../domain/Money.ts"
import type { Mail } from "../ports/Mailer.ts"
import type { Order } from "../ports/Orders.ts"
import type { VaultItem } from "../domain/Vault.ts"

const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** Titles and names come from elsewhere: none of them is markup. */
const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!)

const page = (paragraphs: ReadonlyArray<string>): string =>
  paragraphs.map((paragraph) => `<p>${escape(paragraph)}</p>`).join("\n")

/** One line of text: nothing in a subject may start a header. */
const oneLine = (text: string): string => text.replace(/\s+/g, " ").slice(0, 150)

export const orderConfirmation = (order: Order): Mail => {
  const { offer } = order
  const paragraphs = [
    `Thank you. Your order ${order.id} is being processed.`,
    offer.product.title,
    `Items ${format(offer.subtotal)}, tax ${format(offer.tax)}, shipping ${format(offer.shipping)}; total paid ${format(offer.total)} ${offer.total.currency}.`,
    `It goes to ${order.shippingAddress.name}, ${order.shippingAddress.city}, ${order.shippingAddress.country.toUpperCase()}.`
  ]
  return {
    to: order.email,
    subject: oneLine(`Order confirmed: ${offer.product.title}`),
    text: paragraphs.join("\n\n"),
    html: page(paragraphs),
    idempotencyKey: `order-confirmed:${order.id}`
  }
}

export const purchaseConfirmation = (purchase: {
  readonly id: string
  readonly email: string
  readonly item: VaultItem
  readonly downloadToken: string
}): Mail => {
  const paragraphs = [
    `Thank you for buying ${purchase.item.title}.`,
    `Purchase: ${purchase.id}`,
    `Download token: ${purchase.downloadToken}`,
    "Keep the token to yourself: with it anyone can download the item."
  ]
  return {
    to: purchase.email,
    subject: oneLine(`Your purchase: ${purchase.item.title}`),
    text: paragraphs.join("\n\n"),
    html: page(paragraphs),
    idempotencyKey: `purchase-confirmed:${purchase.id}`
  }
}
