import { describe, expect, it } from "vitest"
import { ApiFailure } from "../../src/domain/ApiFailure.ts"
import { StoreError } from "../../src/domain/Errors.ts"
import { failureOfPayment } from "../../src/http/PaymentFailures.ts"
import { sampleReceipt } from "../../../testing/src/stores/records.ts"
import {
  ContentUnavailable,
  PaymentInProgress,
  PaymentRefused,
  PaymentsLimited,
  ResponseOwed,
  SettlementPending,
  StoreUnavailable,
  VerificationUnavailable,
  PaidWorkLimited
} from "../../src/toll/request/PaymentErrors.ts"

const store = new StoreError({ operation: "charges.find", cause: new Error("disk full") })
const broken = new ApiFailure({
  status: 502,
  code: "VAULT_ERROR",
  message: "The vault responded with an error. Nothing was charged.",
  details: { reason: "closed" },
  retryAfterSeconds: 7
})

describe("the response to a payment without an outcome", () => {
  it.each<readonly [Parameters<typeof failureOfPayment>[0], number, string, number | undefined, RegExp]>([
    [broken, 502, "VAULT_ERROR", 7, /Nothing was charged/],
    [new PaymentInProgress(), 409, "PAYMENT_IN_PROGRESS", 2, /Send the same payment again/],
    [new SettlementPending(), 503, "SETTLEMENT_PENDING", 5, /do not sign a new one/],
    [new PaymentsLimited(), 429, "RATE_LIMITED", 2, /Nothing was charged/],
    [new PaidWorkLimited({ by: "failures" }), 429, "RATE_LIMITED", 60, /failed too many times/],
    [new PaidWorkLimited({ by: "losses" }), 429, "RATE_LIMITED", 60, /work that this wallet paid for/],
    [new VerificationUnavailable(), 503, "FACILITATOR_UNAVAILABLE", 10, /Nothing was charged/],
    [new StoreUnavailable({ cause: store }), 503, "STORAGE_UNAVAILABLE", 5, /same payment/],
    [new ContentUnavailable(broken), 502, "VAULT_ERROR", 7, /It is paid for: send the same payment again/]
  ])("%s", (error, status, code, retryAfterSeconds, message) => {
    const failure = failureOfPayment(error)
    expect(failure).toMatchObject({ status, code, retryAfterSeconds })
    expect(failure.message).toMatch(message)
  })

  const receipt = sampleReceipt()
  const untilMillis = Date.UTC(2026, 10, 22)
  const owed = (reason: ResponseOwed<ApiFailure>["reason"]) =>
    failureOfPayment(new ResponseOwed(reason, receipt, untilMillis))
  const due = { transaction: receipt.transaction, owedUntil: "2026-11-22T00:00:00.000Z" }

  it("that settled names the error of the work, the transaction and the time until which retries are free", () => {
    const failure = owed(broken)
    expect(failure).toMatchObject({ status: 502, code: "VAULT_ERROR", retryAfterSeconds: 7 })
    expect(failure.details).toEqual({ reason: "closed", ...due })
    expect(failure.message).toMatch(/^The vault responded with an error\. Your payment has settled\./)
    expect(failure.message).not.toContain("Nothing was charged")
    expect(failure.message).toContain(due.owedUntil)
  })

  it("that settled is never final: also an error of the work that would be has the caller wait and retry", () => {
    const missing = new ApiFailure({ status: 404, code: "PURCHASE_NOT_FOUND", message: "" })
    expect(owed(missing)).toMatchObject({ status: 404, retryAfterSeconds: 20, details: due })
  })

  it("that settled and was retried too many times is a 429", () => {
    expect(owed(new PaidWorkLimited({ by: "failures" }))).toMatchObject({
      status: 429,
      code: "RATE_LIMITED",
      details: due
    })
  })

  it.each([undefined, new PaymentRefused({ refusal: { code: "quote_expired", message: "" } })])(
    "that settled is a 500 where the work has no error of its own: %s",
    (reason) => {
      const failure = owed(reason)
      expect(failure).toMatchObject({ status: 500, code: "INTERNAL_ERROR", details: due })
      expect(failure.retryAfterSeconds).toBe(20)
      expect(failure.message).toMatch(/^Your payment has settled\./)
    }
  )
})
