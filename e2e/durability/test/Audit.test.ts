import { describe, expect, it } from "vitest"
import { audit, type Evidence } from "../src/Audit.ts"
import type { Attempt } from "../src/Buyer.ts"
import {
  base64,
  responseOf,
  transferOf,
  chargeOf,
  type World,
  inOrder,
  withAttempt,
  withReplay,
  withBooks
} from "./auditedWorld.ts"

/*
 * The audit must detect each broken promise: a blind audit would accept every kill run. Each case starts from correct
 * records and breaks one thing.
 */

it("finds nothing in a world in order", () => {
  expect(audit(inOrder())).toEqual([])
})

it("accepts a refund due in place of a missing response", () => {
  const world = inOrder()
  const unanswered: Attempt = { ...world.search, responses: [] }
  const charges = world.books.charges.map((charge, index) => ({
    ...charge,
    ...(index === 0 ? { refund: "due" } : {})
  }))
  expect(audit(withAttempt(withBooks(world, { charges }), unanswered, world.search))).toEqual([])
})

it("accepts a refused payment whose money did not move", () => {
  const world = inOrder()
  const refused: Attempt = { ...world.search, responses: [{ ...world.search.responses[0]!, status: 402 }] }
  const { books, transfers } = world
  expect(
    audit({
      ...withAttempt(
        withBooks(world, { charges: books.charges.slice(1), ledgerAtomic: "29640000" }),
        refused,
        world.search
      ),
      transfers: transfers.slice(1),
      balanceAtomic: 29_640_000n
    })
  ).toEqual([])
})

it("accepts a confirmation that was sent again under its key, and other mails of the order", () => {
  const world = inOrder()
  const mailOf = (kind: string) => ({ to: world.buy.email, idempotencyKey: `order-${kind}:order-2` })
  const mails = ["confirmed", "shipped", "failed", "refunded"].map(mailOf)
  expect(audit({ ...world, mails: [...world.mails, ...mails] })).toEqual([])
})

describe("notices", () => {
  const cases: ReadonlyArray<readonly [string, (world: World) => Evidence, RegExp]> = [
    [
      "money without a response",
      (world) => withAttempt(world, { ...world.search, responses: [] }, world.search),
      /moved, but it has neither its response nor a refund due/
    ],
    [
      "a response without money",
      (world) => ({ ...world, transfers: world.transfers.slice(1) }),
      /got 200, but no money moved/
    ],
    [
      "a payment that moved twice",
      (world) => ({ ...world, transfers: [...world.transfers, transferOf(1, 10_000n)] }),
      /moved 2 times/
    ],
    [
      "another amount",
      (world) => ({ ...world, transfers: [transferOf(1, 20_000n), ...world.transfers.slice(1)] }),
      /search.*20000 moved/
    ],
    [
      "a transfer that no buyer signed",
      (world) => ({ ...world, transfers: [...world.transfers, transferOf(9, 1n)] }),
      /0x9 moved, but no buyer signed it/
    ],
    [
      "a balance that no transfer explains",
      (world) => ({ ...world, balanceAtomic: world.balanceAtomic + 1n }),
      /the payee has 29650001, the chain's transfers sum to 29650000/
    ],
    [
      "another body for the same payment",
      (world) => withReplay(world, world.search, { body: base64({ products: [1] }) }),
      /another body/
    ],
    [
      "another receipt for the same payment",
      (world) => withReplay(world, world.search, { headers: {} }),
      /another receipt/
    ],
    [
      "a payment that is refused when replayed",
      (world) => withReplay(world, world.search, { status: 402 }),
      /the replayed payment got 402/
    ],
    [
      "a payment that gets no response when it is replayed",
      (world) => ({
        ...world,
        replays: new Map([...world.replays, [world.search, { failure: "no final response" }]])
      }),
      /its payment was sent again: no final response/
    ],
    [
      "a payment that was not sent again",
      (world) => ({ ...world, replays: new Map() }),
      /its payment was not sent again/
    ],
    [
      "two copies with different responses",
      (world) => {
        const responses = [
          ...world.search.responses,
          { ...world.search.responses[0]!, body: base64({ other: 1 }) }
        ]
        return withAttempt(world, { ...world.search, responses }, world.search)
      },
      /another body/
    ],
    [
      "a copy refused though the money moved",
      (world) => {
        const responses = [...world.search.responses, { ...world.search.responses[0]!, status: 402 }]
        return withAttempt(world, { ...world.search, responses }, world.search)
      },
      /its money moved, but a copy of its payment got 402/
    ],
    [
      "a receipt of another transaction",
      (world) => {
        const response = responseOf({ products: [] }, "0xt9")
        const changed = { ...world.search, responses: [response] }
        return withReplay(withAttempt(world, changed, world.search), changed, {})
      },
      /its receipt names 0xt9/
    ],
    [
      "a server's defect",
      (world) => {
        const responses = [{ ...world.search.responses[0]!, status: 500 }]
        return withAttempt(world, { ...world.search, responses }, world.search)
      },
      /got 500/
    ],
    [
      "a client that gave up",
      (world) => withAttempt(world, { ...world.search, failure: "no final response" }, world.search),
      /no final response/
    ],
    [
      "a response that names no order",
      (world) => withBooks(world, { orders: [] }),
      /its order is not recorded/
    ],
    [
      "a paid order that is never processed",
      (world) => withBooks(world, { orders: [{ ...world.books.orders[0]!, status: "awaiting_payment" }] }),
      /its order is awaiting_payment/
    ],
    [
      "an order recorded as placed that was not",
      (world) => ({ ...world, placements: [] }),
      /never reached upstream/
    ],
    [
      "an order placed twice",
      (world) => ({
        ...world,
        placements: [
          ...world.placements,
          { orderId: "order-9", reference: "quote-9", email: world.buy.email }
        ]
      }),
      /an order was placed for buyer-2@example.com 2 times/
    ],
    [
      "a quote ordered twice",
      (world) => ({
        ...world,
        placements: [...world.placements, { ...world.placements[0]!, email: world.search.email }]
      }),
      /a quote was ordered for quote-2 2 times/
    ],
    [
      "an order placed without money",
      (world) => ({
        ...world,
        placements: [...world.placements, { orderId: "o", reference: "q", email: "nobody@example.com" }]
      }),
      /an order was placed for nobody@example.com without money/
    ],
    [
      "a second recorded order",
      (world) =>
        withBooks(world, { orders: [...world.books.orders, { ...world.books.orders[0]!, id: "order-9" }] }),
      /a paid order is recorded for buyer-2@example.com 2 times/
    ],
    [
      "a paid purchase that is not granted",
      (world) => withBooks(world, { purchases: [{ ...world.books.purchases[0]!, status: "reserved" }] }),
      /its purchase is reserved/
    ],
    [
      "a purchase granted twice",
      (world) =>
        withBooks(world, {
          purchases: [...world.books.purchases, { ...world.books.purchases[0]!, id: "p-9" }]
        }),
      /a purchase was granted for buyer-3@example.com 2 times/
    ],
    [
      "two confirmations of different purchases",
      (world) => ({
        ...world,
        mails: [...world.mails, { to: world.buy.email, idempotencyKey: "order-confirmed:order-9" }]
      }),
      /a confirmation was sent for buyer-2@example.com 2 times/
    ],
    [
      "charges that lack a transfer of the chain",
      (world) => withBooks(world, { charges: world.books.charges.slice(1) }),
      /the charges sum to 29640000, the chain's transfers to 29650000/
    ],
    [
      "a ledger that lacks a transfer of the chain",
      (world) => withBooks(world, { ledgerAtomic: "29640000" }),
      /the ledger sums to 29640000, the chain's transfers to 29650000/
    ],
    [
      "a ledger that contradicts the charges",
      (world) => withBooks(world, { bookFaults: ["0x1: settled without a ledger entry"] }),
      /settled without a ledger entry/
    ],
    [
      "a settled charge without a transfer",
      (world) => withBooks(world, { charges: [...world.books.charges, chargeOf(9, 0n)] }),
      /0x9 is recorded as settled, but no money moved/
    ],
    [
      "a charge that names another transaction",
      (world) => {
        const [first, ...others] = world.books.charges
        return withBooks(world, { charges: [{ ...first!, transaction: "0xt9" }, ...others] })
      },
      /has another transaction/
    ],
    [
      "records changed by a replay",
      (world) => ({
        ...world,
        booksAfter: {
          ...world.books,
          purchases: [
            ...world.books.purchases,
            { ...world.books.purchases[0]!, id: "p-9", status: "reserved" }
          ]
        }
      }),
      /replayed payments changed the records: p-9 reserved/
    ],
    [
      "a charge that was never finished",
      (world) =>
        withBooks(world, { charges: [...world.books.charges, { ...chargeOf(9, 0n), state: "ready" }] }),
      /still waiting for its settlement/
    ]
  ]

  it.each(cases)("%s", (_name, broken, words) => {
    expect(audit(broken(inOrder())).join("\n")).toMatch(words)
  })
})
