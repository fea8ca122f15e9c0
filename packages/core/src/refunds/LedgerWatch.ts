import { Clock, Effect, Option, Semaphore } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import { Charges } from "../ports/Charges.ts"
import { report } from "../runtime/events.ts"
import type { LedgerFault } from "../toll/audit/LedgerAudit.ts"
import type { PaidTo } from "../toll/audit/NetworkAudit.ts"
import { Chain } from "../toll/evidence/Chain.ts"

/**
 * Compares the ledger of the last day with the chain, at most every 10 minutes. Where a day can't be read in a minute, as
 * at a million charges a day, the next comparison covers half of the span, down to an hour.
 */
export interface LedgerWatch {
  /**
   * Runs the comparison if it is due, and passes the first fault that an earlier one didn't find to `onFault`. Faults
   * that were found before are skipped: an operator has resumed refunds since.
   */
  readonly audit: (
    onFault: (fault: LedgerFault) => Effect.Effect<unknown, StoreError>
  ) => Effect.Effect<void, StoreError>
}

const auditEveryMillis = 600_000
const spans = { longestMillis: 86_400_000, shortestMillis: 3_600_000 }
/** Excludes the last minute, whose settlements are still being recorded. */
const auditDelayMillis = 60_000
const auditTimeoutMillis = 60_000

const nameOf = ({ chargeKey, fault }: LedgerFault): string => `${chargeKey} ${fault}`

/** Makes the watch of this process. */
export const makeLedgerWatch = Effect.fnUntraced(function* (
  networks: ReadonlyArray<PaidTo>
): Effect.fn.Return<LedgerWatch, never, Charges | Chain> {
  const charges = yield* Charges
  const chain = yield* Chain
  const { auditLedgerWithChain } = yield* Effect.promise(() => import("../toll/audit/LedgerAudit.ts"))
  const oneAtATime = yield* Semaphore.make(1)
  let lastAuditMillis: number | undefined
  let spanMillis = spans.longestMillis
  let reported: ReadonlySet<string> = new Set()

  const audit = Effect.fnUntraced(
    function* (onFault: (fault: LedgerFault) => Effect.Effect<unknown, StoreError>) {
      const nowMillis = yield* Clock.currentTimeMillis
      if (lastAuditMillis !== undefined && nowMillis - lastAuditMillis < auditEveryMillis) return
      const beforeMillis = nowMillis - auditDelayMillis
      const isWhole = spanMillis === spans.longestMillis
      const check = yield* auditLedgerWithChain(
        { fromMillis: beforeMillis - spanMillis, beforeMillis },
        networks
      ).pipe(Effect.timeoutOption(auditTimeoutMillis))
      if (Option.isNone(check)) {
        lastAuditMillis = nowMillis
        const hours = spanMillis / 3_600_000
        spanMillis = Math.max(spans.shortestMillis, spanMillis / 2)
        yield* report(
          "Warn",
          "ledger_check_late",
          `The ledger of ${hours} hours could not be compared with the chain in a minute`
        )
        return
      }
      const tookMillis = (yield* Clock.currentTimeMillis) - nowMillis
      if (tookMillis < auditTimeoutMillis / 4) spanMillis = Math.min(spans.longestMillis, spanMillis * 2)
      const found = check.value.faults
      const fresh = found.find((fault) => !reported.has(nameOf(fault)))
      if (fresh !== undefined) yield* onFault(fresh)
      // Stored last: a fault that `onFault` failed to record is passed again.
      reported = new Set([...(isWhole ? [] : reported), ...found.map(nameOf)])
      lastAuditMillis = nowMillis
    },
    Effect.provideService(Charges, charges),
    Effect.provideService(Chain, chain),
    oneAtATime.withPermits(1)
  )

  return { audit }
})
