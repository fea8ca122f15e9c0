import type {
  MailFacts,
  OrderConfirmed,
  OrderFailed,
  OrderRefunded,
  OrderShipped,
  VaultPurchased
} from "../../../src/shop/mail/Templates.ts"

/*
 * Facts as a till has them.
 */

export const confirmed: OrderConfirmed = {
  _tag: "OrderConfirmed",
  orderId: "0b0e6f1e-1111-4222-8333-444455556666",
  product: { title: "Trail Running Shoes", imageUrl: "https://img.example/shoes.jpg?w=160&h=160" },
  lines: { subtotal: "84.99", tax: "7.01", shipping: "5.00", total: "97.00", currency: "USD" },
  shipTo: { name: "Ada Lovelace", city: "Portland", country: "us" }
}

export const shipped: OrderShipped = {
  _tag: "OrderShipped",
  orderId: confirmed.orderId,
  product: { title: "Trail Running Shoes" },
  parcels: [
    {
      carrier: "UPS",
      trackingNumber: "1Z999AA10123456784",
      trackingUrl: "https://track.example/1Z999AA10123456784?a=1&b=2"
    },
    { trackingNumber: "9400100000000000000000" }
  ]
}

export const failed: OrderFailed = {
  _tag: "OrderFailed",
  orderId: confirmed.orderId,
  product: { title: "Trail Running Shoes" },
  amount: "97.00",
  currency: "USD",
  reason: "insufficient_stock"
}

export const refunded: OrderRefunded = {
  _tag: "OrderRefunded",
  orderId: confirmed.orderId,
  product: { title: "Trail Running Shoes" },
  amount: "97.00",
  currency: "USD",
  reason: "insufficient_stock",
  transaction: `0x${"ab".repeat(32)}`
}

export const purchased: VaultPurchased = {
  _tag: "VaultPurchased",
  purchaseId: "7a7a7a7a-1111-4222-8333-444455556666",
  title: "Launch Checklist",
  downloadToken: "sTg0m-3_Qx7wK2pVbN5yH8rJ4tL6dF1cA9eZ0uXiOkM"
}

export const everyKind: ReadonlyArray<MailFacts> = [confirmed, shipped, failed, refunded, purchased]

export const addressed = { to: "ada@example.com", idempotencyKey: "order-confirmed:1" }
