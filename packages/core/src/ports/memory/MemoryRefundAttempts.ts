import { Effect } from "effect"
import { compareText } from "../chargeRules.ts"
import type { RefundAttempt, RefundAttemptMethods } from "../RefundAttempt.ts"
import type { ChargeTable } from "./MemoryChargeTable.ts"

/** Attempts to send refunds, in memory. */
export const refundAttemptMethods = (table: ChargeTable): RefundAttemptMethods => {
  const attempts = new Map<string, Array<RefundAttempt>>()

  return {
    recordRefundAttempt: (attempt) =>
      Effect.sync(() => {
        const { chargeKey, refundNumber, sequence } = attempt
        const refund = table.get(chargeKey)?.refund
        if (refund?._tag !== "Due" || refund.startedAtMillis === undefined) return false
        const ofCharge = attempts.get(chargeKey) ?? []
        const count = ofCharge.filter((other) => other.refundNumber === refundNumber).length
        if (sequence !== count + 1) return false
        attempts.set(chargeKey, [...ofCharge, { ...attempt }])
        return true
      }),
    endRefundAttempt: ({ chargeKey, refundNumber, sequence, validBefore, wallet }) =>
      Effect.sync(() => {
        const ofCharge = attempts.get(chargeKey) ?? []
        const index = ofCharge.findIndex(
          (other) => other.refundNumber === refundNumber && other.sequence === sequence
        )
        const found = ofCharge[index]
        if (found?.wallet !== wallet || found.validBefore !== validBefore || validBefore === 0) return false
        attempts.set(chargeKey, ofCharge.with(index, { ...found, validBefore: 0 }))
        return true
      }),
    refundAttempts: (chargeKeys) =>
      Effect.sync(() =>
        Array.from(new Set(chargeKeys))
          .flatMap((key) => attempts.get(key) ?? [])
          .toSorted(
            (left, right) =>
              compareText(left.chargeKey, right.chargeKey) ||
              left.refundNumber - right.refundNumber ||
              left.sequence - right.sequence
          )
      )
  }
}
