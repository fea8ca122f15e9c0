import { Clock, Effect, Option, Semaphore } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import type { Network } from "../domain/Network.ts"
import { type Charge, Charges, type RefundStart } from "../ports/Charges.ts"
import { Chain, type ChainEvidence } from "../toll/Chain.ts"
import { chargedAuthorization } from "../toll/ChargedAuthorization.ts"
import { checkLedgerWithChain, type LedgerFault } from "../toll/LedgerAudit.ts"
import type { PaidTo } from "../toll/NetworkAudit.ts"
import { isRecordedTransfer } from "../toll/SettlementProof.ts"

/*
 * Decides whether a refund may be sent. Refunds leave the host's wallet on the ledger's word, so a wrong ledger could
 * empty it: before money moves, the payment is proven on the chain by its own transfer, and the ledger is compared
 * with the chain. A contradiction stops all refunds until an operator resumes them.
 */

/** Why the till stopped refunds by itself. */
export type RefundStopReason =
  /** The chain doesn't show the payment that a refund is due for. */
  | "payment_not_on_chain"
  /** The chain shows that payment in another transfer than the one recorded. */
  | "payment_differs_from_record"
  /** A payer's refunds would exceed what the ledger says they paid. */
  | "refunds_exceed_receipts"
  /** A check of the ledger of the last day found faults. */
  | "ledger_disagrees_with_chain"

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
const stop = (reason: RefundStopReason): RefundVerdict => ({ _tag: "Stop", reason })

/**
 * Judges the payment that a refund is due for. `evidence`: `undefined` where its chain can't be read, so that only the
 * ledger's own rules and the limit protect the wallet. Pure.
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
      return isRecordedTransfer(recorded, evidence) ? send : stop("payment_differs_from_record")
    }
    case "NotMoved":
      return evidence.chainTimeSeconds < charge.validBeforeSeconds ? later : stop("payment_not_on_chain")
    case "NotPaid":
      return stop("payment_not_on_chain")
    case "Confirming":
    case "Unavailable":
      return later
  }
}

/** Judges what the store said when the refund was started. Pure. */
export const judgeStart = (start: RefundStart): RefundVerdict => {
  switch (start._tag) {
    case "Started":
      return send
    case "NotDue":
      return later
    case "OverLimit":
      return { _tag: "OverLimit" }
    case "ExceedsReceived":
      return stop("refunds_exceed_receipts")
  }
}

export interface RefundGuardOptions {
  /** Networks whose payments are compared with the chain. */
  readonly networks: ReadonlyArray<PaidTo>
  /** Most that is refunded to one payer in an hour: atomic units. */
  readonly perPayerPerHourAtomic: bigint
}

export interface RefundGuard {
  /** Whether refunds are stopped. */
  readonly isStopped: Effect.Effect<boolean, StoreError>
  /** Compares the ledger of the last day with the chain, every 10 minutes at most; faults stop refunds. */
  readonly audit: Effect.Effect<void, StoreError>
  /** Whether a refund that is due may be sent now; counts it as sent from then on. */
  readonly admits: (charge: Charge, network: Network) => Effect.Effect<boolean, StoreError>
}

const hourMillis = 3_600_000
const auditEveryMillis = 600_000
const auditSpanMillis = 86_400_000
/** The last minute is left to the next audit: its settlements are still being recorded. */
const auditDelayMillis = 60_000
const auditTimeoutMillis = 60_000

/** Stops refunds, and reports it once. `detail`: the transaction of a payment, or a fault; never an address. */
export const stopRefunds = Effect.fnUntraced(function* (
  reason: string,
  detail?: string
): Effect.fn.Return<boolean, StoreError, Charges> {
  const charges = yield* Charges
  const details = detail === undefined ? [] : [detail]
  // A failed write may still have taken effect; a retry then reports nothing, so this reports.
  const stopped = yield* Effect.tapError(charges.stopRefunds(reason, yield* Clock.currentTimeMillis), () =>
    Effect.logError("Refunds must be stopped, and the store failed to record it", reason, ...details)
  )
  if (stopped)
    yield* Effect.logError("Refunds are stopped until an operator resumes them", reason, ...details)
  return stopped
})

/** Lets refunds be sent again; `false` where they were not stopped. */
export const resumeRefunds: Effect.Effect<boolean, StoreError, Charges> = Effect.gen(function* () {
  const resumed = yield* (yield* Charges).resumeRefunds()
  if (resumed) yield* Effect.logInfo("Refunds are resumed")
  return resumed
})

const nameOf = ({ chargeKey, fault }: LedgerFault): string => `${chargeKey} ${fault}`

/**
 * Makes the guard of this process. Faults of the ledger that its audit has reported don't stop refunds again: an
 * operator has resumed them since.
 */
export const makeRefundGuard = Effect.fnUntraced(function* (
  options: RefundGuardOptions
): Effect.fn.Return<RefundGuard, never, Charges | Chain> {
  const charges = yield* Charges
  const chain = yield* Chain
  const context = yield* Effect.context<Charges | Chain>()
  const oneAtATime = yield* Semaphore.make(1)
  let lastAuditMillis: number | undefined
  let reported: ReadonlySet<string> = new Set()

  const audit = Effect.gen(function* () {
    const nowMillis = yield* Clock.currentTimeMillis
    if (lastAuditMillis !== undefined && nowMillis - lastAuditMillis < auditEveryMillis) return
    const beforeMillis = nowMillis - auditDelayMillis
    const check = yield* checkLedgerWithChain(
      { fromMillis: beforeMillis - auditSpanMillis, beforeMillis },
      options.networks
    ).pipe(Effect.timeoutOption(auditTimeoutMillis))
    if (Option.isNone(check)) {
      lastAuditMillis = nowMillis
      yield* Effect.logWarning("The ledger could not be compared with the chain in time")
      return
    }
    const found = check.value.faults
    const fresh = found.find((fault) => !reported.has(nameOf(fault)))
    if (fresh !== undefined) yield* stopRefunds("ledger_disagrees_with_chain", fresh.fault)
    // Only now: a stop that could not be recorded is tried again.
    reported = new Set(found.map(nameOf))
    lastAuditMillis = nowMillis
  }).pipe(oneAtATime.withPermits(1), Effect.provide(context))

  const isStopped = Effect.map(
    Effect.suspend(() => charges.refundStop()),
    (stop) => stop !== undefined
  )

  const start = Effect.fnUntraced(function* ({ key }: Charge) {
    const nowMillis = yield* Clock.currentTimeMillis
    const limit = { sinceMillis: nowMillis - hourMillis, maxAtomic: String(options.perPayerPerHourAtomic) }
    return judgeStart(yield* charges.startRefund(key, limit, nowMillis))
  })

  const admits = Effect.fnUntraced(function* (charge: Charge, network: Network) {
    yield* audit
    if (yield* isStopped) return false
    const evidence = !chain.canRead(network.caip2)
      ? undefined
      : yield* chain.evidence(network, chargedAuthorization(charge), {
          transaction: charge.receipt?.transaction
        })
    const judged = judgePayment(charge, evidence)
    const verdict = judged._tag === "Send" ? yield* start(charge) : judged
    switch (verdict._tag) {
      case "Send":
        // Another process may have stopped refunds meanwhile.
        return !(yield* isStopped)
      case "Later":
        return false
      case "OverLimit":
        yield* Effect.logError(
          "A refund exceeds the hourly limit of its payer: an operator is needed unless it is sent later",
          charge.receipt?.transaction
        )
        return false
      case "Stop":
        yield* Effect.provide(stopRefunds(verdict.reason, charge.receipt?.transaction), context)
        return false
    }
  })

  return { isStopped, audit, admits }
})
