import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { Settlement } from "../../../src/toll/facilitator/FacilitatorVerdicts.ts"
import { pollStatus } from "../../../src/toll/facilitator/PaymentStatus.ts"
import { requestV2, transaction } from "./members.ts"

const paymentId = "5b3f6c1e-9d2a-4f08-b1c7-2e9a14d0c3aa"
const pending: Settlement = { _tag: "Unknown", reason: "settlement_pending", transaction }
const other = `0x${"cd".repeat(32)}`

/** Polls statuses one after another, the last one for ever. */
const poll = Effect.fnUntraced(function* (
  documents: ReadonlyArray<unknown>,
  settlement: Settlement = pending,
  id: string | null = paymentId,
  request = requestV2
) {
  const read: Array<string> = []
  const polling = yield* Effect.forkChild(
    pollStatus(
      {
        settlement,
        response: { success: false, paymentId: id },
        request,
        endMillis: 30_000
      },
      (asked) =>
        Effect.sync(() => {
          read.push(asked)
          return documents[Math.min(read.length, documents.length) - 1]
        })
    )
  )
  yield* TestClock.adjust("30 seconds")
  return { result: yield* Fiber.join(polling), read }
})

const status = (of: string, named: string | null = other) => ({
  paymentId,
  status: of,
  network: "eip155:84532",
  transaction: named
})

describe("the status of a pending settlement", () => {
  it.effect("is read until it is completed", () =>
    Effect.gen(function* () {
      const { read, result } = yield* poll([status("pending", null), "nonsense", status("completed")])
      assert.deepStrictEqual(result, { _tag: "Settled", transaction: other, payer: undefined })
      assert.deepStrictEqual(read, [paymentId, paymentId, paymentId])
    })
  )

  const onSolana = "1".repeat(64)
  const solana = "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1"
  it.effect.each([
    ["the network's name of version 1", "eip155:84532", "base-sepolia", other],
    ["a transaction of Solana", solana, solana, onSolana]
  ] as const)("is completed with %s", ([, network, named, transactionId]) =>
    Effect.gen(function* () {
      const request = { ...requestV2, requirements: { ...requestV2.requirements, network } }
      const document = { ...status("completed", transactionId), network: named }
      const { result } = yield* poll([document], pending, paymentId, request)
      assert.deepStrictEqual(result, { _tag: "Settled", transaction: transactionId, payer: undefined })
    })
  )

  const open: ReadonlyArray<readonly [string, unknown, Settlement]> = [
    ["stays pending", status("pending"), pending],
    ["is something else", { status: "done" }, pending],
    // It may have been sent: never a refusal.
    ["failed", status("failed", null), { _tag: "Unknown", reason: "settlement_failed", transaction }],
    [
      "is completed without a transaction",
      status("completed", "soon"),
      { _tag: "Unknown", reason: "settled_without_transaction", transaction }
    ],
    [
      "is of another network",
      { ...status("completed"), network: "eip155:1" },
      { _tag: "Unknown", reason: "settled_on_another_network", transaction: undefined }
    ]
  ]
  it.effect.each(open)("leaves the outcome open if it %s", ([, document, expected]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* poll([document])).result, expected)
    })
  )

  it.effect("is read at longer and longer pauses, within the time of a settlement", () =>
    Effect.gen(function* () {
      const { read } = yield* poll([status("pending")])
      assert.isAtLeast(read.length, 5)
      assert.isAtMost(read.length, 10)
    })
  )

  const unread: ReadonlyArray<readonly [string, Settlement, string | null]> = [
    ["an outcome is known", { _tag: "Rejected", reason: "insufficient_funds" }, paymentId],
    ["there is no id", pending, null],
    ["the id is a path", pending, "../../verify"]
  ]
  it.effect.each(unread)("isn't read if %s", ([, settlement, id]) =>
    Effect.gen(function* () {
      const { read, result } = yield* poll([status("completed")], settlement, id)
      assert.deepStrictEqual(result, settlement)
      assert.lengthOf(read, 0)
    })
  )
})
