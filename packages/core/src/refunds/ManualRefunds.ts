import { Clock, Effect, Option } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import { plainHex } from "../domain/Hex.ts"
import { isTransactionIdOn, soleTransactionId } from "../domain/transactionId.ts"
import { type Charge, Charges } from "../ports/Charges.ts"
import { report } from "../runtime/events.ts"
import { Chain } from "../toll/evidence/Chain.ts"
import { PaymentEvents, publishRefunded } from "../runtime/PaymentEvents.ts"
import { isUsableName } from "../runtime/isUsableName.ts"
import { quietMillis } from "./RefundAuthorization.ts"

/*
 * Refunds that an operator sent by other means than the till's wallet.
 */

/**
 * The result of recording a refund.
 *
 * `Known`: this transaction is recorded already. `Refused`: none is due, another transaction is recorded, the wallet
 * may be sending it, or this transaction settled a payment, and the chain doesn't show that it pays this buyer.
 */
export type ManualRefund = "Recorded" | "Known" | "Refused"

const loadTransfer = Effect.promise(() => import("../toll/audit/RefundTransfer.ts"))

/** Whether it is the transaction of a payment. A facilitator may give a refund's as that of another one. */
const isOfPayment = Effect.fnUntraced(function* (
  charges: Charges["Service"],
  charge: Charge | undefined,
  transaction: string
) {
  const hash = plainHex(transaction)
  const isPaidBy = (paid: Charge | undefined) =>
    paid?.receipt?.transaction.toLowerCase() === hash.toLowerCase()
  if (isPaidBy(charge)) return true
  if (!(yield* charges.list({ limit: 1, transaction: hash })).some(isPaidBy)) return false
  const chain = yield* Effect.serviceOption(Chain)
  if (charge === undefined || Option.isNone(chain)) return true
  const { pays } = yield* loadTransfer
  return (yield* pays(chain.value, charge, transaction, BigInt(charge.amountAtomic))) !== true
})

/** Records a refund that an operator sent, by its hash or a link to it. Reports why one that is due or sent is refused. */
export const recordManualRefund = Effect.fnUntraced(function* (
  charges: Charges["Service"],
  key: string,
  given: string
): Effect.fn.Return<ManualRefund, StoreError> {
  if (!isUsableName(given)) return "Refused"
  const charge = yield* charges.find(key)
  const transaction = charge === undefined ? given : soleTransactionId(charge.network, given)
  if (yield* isOfPayment(charges, charge, transaction)) {
    yield* report(
      "Warn",
      "refund_without_transaction",
      "A refund was not recorded: the transaction is that of a payment. Give that of the refund",
      { chargeKey: key, transaction }
    )
    return "Refused"
  }
  const chain = yield* Effect.serviceOption(Chain)
  // Loaded first: nothing may fail between the record and what follows from it.
  const reportUnshown = Option.isSome(chain) ? (yield* loadTransfer).reportUnshownRefund : undefined
  const nowMillis = yield* Clock.currentTimeMillis
  if (yield* charges.recordManualRefund(key, transaction, nowMillis - quietMillis, nowMillis)) {
    if (charge !== undefined && !isTransactionIdOn(charge.network, transaction))
      yield* report(
        "Warn",
        "refund_without_transaction",
        "You recorded a refund with a text that is no transaction hash of its network; its buyer reads that it was sent",
        { chargeKey: key, transaction }
      )
    const payments = yield* PaymentEvents
    if (charge !== undefined) {
      publishRefunded(payments, charge, transaction, nowMillis)
      if (Option.isSome(chain) && reportUnshown !== undefined)
        // A chain may take seconds: the order moves now.
        yield* Effect.forkDetach(reportUnshown(chain.value, charge, transaction), { startImmediately: true })
    }
    return "Recorded"
  }
  const refund = (yield* charges.find(key))?.refund
  if (refund?._tag === "Due") {
    yield* report("Warn", "refund_in_progress", "A refund was not recorded: the wallet may be sending it", {
      chargeKey: key,
      transaction
    })
  } else if (refund !== undefined && refund.transaction !== transaction) {
    yield* report(
      "Error",
      "refund_recorded_twice",
      "A refund was not recorded: it is recorded with another transaction",
      {
        chargeKey: key,
        transaction,
        otherTransaction: refund.transaction
      }
    )
  }
  return refund?._tag === "Sent" && refund.transaction === transaction ? "Known" : "Refused"
})
