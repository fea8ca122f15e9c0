import { Effect } from "effect"
import type { Mutant } from "./Mutant.ts"

/** Stores that break what they promise of attempts to send a refund. */
export const refundAttemptMutants: ReadonlyArray<Mutant> = [
  {
    name: "an attempt of a refund is looked for, then recorded",
    foundBy: "wallets that record an attempt, one wins",
    breaks: (store) => ({
      recordRefundAttempt: (attempt) =>
        Effect.gen(function* () {
          const found = yield* store.refundAttempts([attempt.chargeKey])
          yield* Effect.yieldNow
          yield* store.recordRefundAttempt(attempt)
          return found.length === attempt.sequence - 1
        })
    })
  },
  {
    name: "an attempt of a refund is recorded out of turn",
    foundBy: "attempts of a refund are recorded one after the other",
    breaks: (store) => ({
      recordRefundAttempt: (attempt) =>
        Effect.flatMap(store.refundAttempts([attempt.chargeKey]), ({ length }) =>
          store.recordRefundAttempt({ ...attempt, sequence: length + 1 })
        )
    })
  },
  {
    name: "an attempt is recorded of a refund that was sent",
    foundBy: "an attempt is recorded only while its refund is started and not sent",
    breaks: (store) => ({
      recordRefundAttempt: (attempt) =>
        Effect.gen(function* () {
          const charge = yield* store.find(attempt.chargeKey)
          const recorded = yield* store.recordRefundAttempt(attempt)
          return recorded || charge?.refund?._tag === "Sent"
        })
    })
  },
  {
    name: "an attempt of another wallet is ended",
    foundBy: "an attempt is ended once, as it was recorded",
    breaks: (store) => ({
      endRefundAttempt: (attempt) =>
        Effect.flatMap(store.refundAttempts([attempt.chargeKey]), (found) =>
          store.endRefundAttempt(found.find(({ sequence }) => sequence === attempt.sequence) ?? attempt)
        )
    })
  },
  {
    name: "attempts of refunds are listed without those of other refunds",
    foundBy: "attempts are listed by charge, refund and sequence",
    breaks: (store) => ({
      refundAttempts: (keys) =>
        Effect.map(store.refundAttempts(keys), (found) =>
          found.filter(({ refundNumber }) => refundNumber === 1)
        )
    })
  }
]
