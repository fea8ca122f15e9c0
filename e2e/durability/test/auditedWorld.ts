import { type Evidence, type Transfer } from "../src/Audit.ts"
import type { ReceivedResponse, Attempt, OperationName } from "../src/Buyer.ts"
import type { ChargeEntry } from "../src/Books.ts"

export const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64")

export const responseOf = (body: unknown, transaction: string): ReceivedResponse => ({
  status: 200,
  body: base64(body),
  headers: { "payment-response": base64({ success: true, transaction }) },
  atMillis: 0
})

const attemptOf = (
  operation: OperationName,
  number: number,
  amountAtomic: bigint,
  response: ReceivedResponse
): Attempt => ({
  operation,
  email: `buyer-${number}@example.com`,
  payer: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  payment: {
    nonce: `0x${number}`,
    amountAtomic,
    request: new Request("https://shop.example/x402/search?q=a")
  },
  responses: [response],
  cutOff: 0,
  sentAgain: 0,
  failure: undefined
})

export const transferOf = (number: number, amountAtomic: bigint): Transfer => ({
  nonce: `0x${number}`,
  amountAtomic,
  transaction: `0xt${number}`
})

export const chargeOf = (number: number, amountAtomic: bigint): ChargeEntry => ({
  key: `eip155:84532:0xusdc:0xpayer:0x${number}`,
  state: "settled",
  amountAtomic: String(amountAtomic),
  transaction: `0xt${number}`
})

export interface World extends Evidence {
  readonly search: Attempt
  readonly buy: Attempt
  readonly vaultBuy: Attempt
}

/** A search, an order and a vault purchase, all paid, responded to and kept. */
export const inOrder = (): World => {
  const search = attemptOf("search", 1, 10_000n, responseOf({ products: [] }, "0xt1"))
  const buy = attemptOf("buy", 2, 26_640_000n, responseOf({ orderId: "order-2" }, "0xt2"))
  const vaultBuy = attemptOf("vaultBuy", 3, 3_000_000n, responseOf({ purchaseId: "purchase-3" }, "0xt3"))
  const attempts = [search, buy, vaultBuy]
  const books: Evidence["books"] = {
    charges: [chargeOf(1, 10_000n), chargeOf(2, 26_640_000n), chargeOf(3, 3_000_000n)],
    orders: [{ id: "order-2", email: buy.email, status: "placed" }],
    purchases: [{ id: "purchase-3", email: vaultBuy.email, status: "granted" }],
    ledgerAtomic: "29650000",
    refundedAtomic: "0",
    bookFaults: []
  }
  return {
    search,
    buy,
    vaultBuy,
    attempts,
    replays: new Map(attempts.map((attempt) => [attempt, attempt.responses[0]!])),
    balanceAtomic: 29_650_000n,
    transfers: [transferOf(1, 10_000n), transferOf(2, 26_640_000n), transferOf(3, 3_000_000n)],
    books,
    booksAfter: books,
    placements: [{ orderId: "order-2", reference: "quote-2", email: buy.email }],
    mails: [
      { to: buy.email, idempotencyKey: "order-confirmed:order-2" },
      { to: vaultBuy.email, idempotencyKey: "purchase-confirmed:purchase-3" }
    ]
  }
}

export const withAttempt = (world: World, changed: Attempt, original: Attempt): World => ({
  ...world,
  attempts: world.attempts.map((attempt) => (attempt === original ? changed : attempt)),
  replays: new Map(
    [...world.replays].map(([attempt, response]) => [attempt === original ? changed : attempt, response])
  )
})

export const withReplay = (world: World, attempt: Attempt, change: Partial<ReceivedResponse>): World => ({
  ...world,
  replays: new Map([...world.replays, [attempt, { ...attempt.responses[0]!, ...change }]])
})

export const withBooks = (world: World, books: Partial<Evidence["books"]>): World => ({
  ...world,
  books: { ...world.books, ...books },
  booksAfter: { ...world.books, ...books }
})
