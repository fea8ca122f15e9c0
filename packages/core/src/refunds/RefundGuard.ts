import { report } from "../runtime/events.ts"
import { Clock, Effect } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import { formatAtomic } from "../domain/Money.ts"
import type { Network } from "../domain/Network.ts"
import { type Charge, Charges, type RefundStart } from "../ports/Charges.ts"
import { Chain, type ChainEvidence } from "../toll/evidence/Chain.ts"
import { chargedAuthorization } from "../toll/machine/ChargedAuthorization.ts"
import type { PaidTo } from "../toll/audit/NetworkAudit.ts"
import { isRecordedTransfer } from "../toll/audit/SettlementProof.ts"
import { makeLedgerWatch } from "./LedgerWatch.ts"

/*
 * Decides whether a refund may be sent. A wrong ledger could empty the host's wallet, so before money moves the payment
 * is proven on the chain by its own transfer, and the ledger is compared with the chain. A contradiction stops all
 * refunds until an operator resumes them.
 */

/** Why the till stopped refunds itself. */
export type RefundStopReason =
  /** The chain doesn't show the payment that a refund is due for. */
  | "payment_not_on_chain"
  /** The chain shows that payment in another transfer than the one recorded. */
  | "payment_differs_from_record"
  /** A payer's refunds would exceed what the ledger says they paid. */
  | "refunds_exceed_receipts"
  /** A check of the ledger of the last day found faults. */
  | "ledger_disagrees_with_chain"

/** Whether a refund may be sent. */
export type RefundVerdict =
  | { readonly _tag: "Send" }
  /** Not now: retried without an operator. */
  | { readonly _tag: "Later" }
  /** Not without an operator, for this refund alone. */
  | { readonly _tag: "OverLimit" }
  /** All refunds stop until an operator resumes them. */
  | { readonly _tag: "Stop"; readonly reason: RefundStopReason }

const send: RefundVerdict = { _tag: "Send" }
const later: RefundVerdict = { _tag: "Later" }
const stopped = (reason: RefundStopReason): RefundVerdict => ({ _tag: "Stop", reason })

/**
 * Judges the payment that a refund is due for. Without `evidence` (its chain can't be read), only the ledger's rules
 * and the limit protect the wallet. Pure.
 *
 * An unused nonce stops refunds only once the authorization has expired: until then its transfer may be on its way,
 * or the node that was read may be behind. A payment that awaits finality may yet be reopened by a reorganization, so
 * its refund waits for the reconciler.
 */
export const judgePayment = (
  charge: Pick<Charge, "receipt" | "transferLogIndex" | "awaitsFinality" | "validBeforeSeconds">,
  evidence: ChainEvidence | undefined
): RefundVerdict => {
  if (evidence === undefined) return send
  // A refund can't be taken back: the reconciler finalizes its settlement first, or reopens it.
  if (charge.awaitsFinality) return later
  switch (evidence._tag) {
    case "Moved": {
      if (!evidence.isFinal) return later
      const recorded = {
        transaction: charge.receipt?.transaction,
        transferLogIndex: charge.transferLogIndex
      }
      return isRecordedTransfer(recorded, evidence) ? send : stopped("payment_differs_from_record")
    }
    case "NotMoved":
      return evidence.chainTimeSeconds < charge.validBeforeSeconds ? later : stopped("payment_not_on_chain")
    case "NotPaid":
      return stopped("payment_not_on_chain")
    case "Confirming":
    case "Unavailable":
      return later
  }
}

/** Judges the store's result of starting a refund. Pure. */
export const judgeStart = (start: RefundStart): RefundVerdict => {
  switch (start._tag) {
    case "Started":
      return send
    case "NotDue":
      return later
    case "OverLimit":
      return { _tag: "OverLimit" }
    case "ExceedsReceived":
      return stopped("refunds_exceed_receipts")
  }
}

/** Settings of the guard. */
export interface RefundGuardOptions {
  /** Networks whose payments are compared with the chain. */
  readonly networks: ReadonlyArray<PaidTo>
  /** Bound on the refunds of one payer in an hour, in atomic units. */
  readonly perPayerPerHour: bigint
}

/** Decides whether refunds may be sent. */
export interface RefundGuard {
  /** Whether refunds are stopped. */
  readonly isStopped: Effect.Effect<boolean, StoreError>
  /** Compares the ledger of the last day with the chain, at most every 10 minutes; a fault stops refunds. */
  readonly audit: Effect.Effect<void, StoreError>
  /**
   * Starts a refund that is due, which counts as sent from then on; `false`: it may not be sent now. Where the wallet
   * is not funded for it, it is not started, so that an operator can send it by other means at once.
   */
  readonly tryStart: (
    charge: Charge,
    network: Network,
    isFunded: Effect.Effect<boolean>
  ) => Effect.Effect<boolean, StoreError>
}

/** A refund above the limit by itself never fits in an hour. */
const overLimitText = ({ amountAtomic }: Charge, { perPayerPerHour }: RefundGuardOptions): string => {
  const amount = formatAtomic(BigInt(amountAtomic))
  const limit = `refunds.perPayerPerHour (${formatAtomic(perPayerPerHour)})`
  return BigInt(amountAtomic) > perPayerPerHour
    ? `The refund of ${amount} is above ${limit} and will never be sent by itself: send it, or raise the limit`
    : `The refund of ${amount} is above what remains of ${limit} for its payer: it is sent later`
}

const hourMillis = 3_600_000
/** What a stop is reported with: the transaction of a payment, or a fault; never an address. */
interface StopDetail {
  readonly transaction?: string | undefined
  readonly error?: string
}

/** Stops refunds, and reports it once. */
export const stopRefunds = Effect.fnUntraced(function* (
  reason: string,
  detail?: StopDetail
): Effect.fn.Return<boolean, StoreError, Charges> {
  const charges = yield* Charges
  const fields = { reason, ...detail }
  // A failed write may still have taken effect; a retry then reports nothing, so this reports.
  const wasRunning = yield* Effect.tapError(charges.stopRefunds(reason, yield* Clock.currentTimeMillis), () =>
    report(
      "Error",
      "refund_stop_not_recorded",
      "Refunds must be stopped, and the storage failed to record it",
      fields
    )
  )
  if (wasRunning)
    yield* report("Error", "refunds_stopped", "Refunds are stopped until an operator resumes them", fields)
  return wasRunning
})

/** Resumes refunds; `false` if they were not stopped. */
export const resumeRefunds: Effect.Effect<boolean, StoreError, Charges> = Effect.gen(function* () {
  const resumed = yield* (yield* Charges).resumeRefunds()
  if (resumed) yield* report("Info", "refunds_resumed", "Refunds are resumed")
  return resumed
})

/** Makes the guard of this process. */
export const makeRefundGuard = Effect.fnUntraced(function* (
  options: RefundGuardOptions
): Effect.fn.Return<RefundGuard, never, Charges | Chain> {
  const charges = yield* Charges
  const chain = yield* Chain
  const watch = yield* makeLedgerWatch(options.networks)
  const stop = (reason: RefundStopReason, detail: StopDetail) =>
    Effect.provideService(stopRefunds(reason, detail), Charges, charges)

  const audit = watch.audit(({ fault }) => stop("ledger_disagrees_with_chain", { error: fault }))

  const isStopped = Effect.map(
    Effect.suspend(() => charges.refundStop()),
    (stopped) => stopped !== undefined
  )

  const start = Effect.fnUntraced(function* ({ key }: Charge) {
    const nowMillis = yield* Clock.currentTimeMillis
    const limit = { sinceMillis: nowMillis - hourMillis, maxAtomic: String(options.perPayerPerHour) }
    return judgeStart(yield* charges.startRefund(key, limit, nowMillis))
  })

  const tryStart = Effect.fnUntraced(function* (
    charge: Charge,
    network: Network,
    isFunded: Effect.Effect<boolean>
  ) {
    yield* audit
    if (yield* isStopped) return false
    const evidence = !chain.canRead(network.caip2)
      ? undefined
      : yield* chain.evidence(network, chargedAuthorization(charge), {
          transaction: charge.receipt?.transaction
        })
    const judged = judgePayment(charge, evidence)
    if (judged._tag === "Send" && !(yield* isFunded)) return false
    const verdict = judged._tag === "Send" ? yield* start(charge) : judged
    switch (verdict._tag) {
      case "Send":
        // Another process may have stopped refunds since.
        return !(yield* isStopped)
      case "Later":
        return false
      case "OverLimit":
        yield* report("Error", "refund_over_limit", overLimitText(charge, options), {
          chargeKey: charge.key,
          network: charge.network,
          transaction: charge.receipt?.transaction
        })
        return false
      case "Stop":
        yield* stop(verdict.reason, { transaction: charge.receipt?.transaction })
        return false
    }
  })

  return { isStopped, audit, tryStart }
})
