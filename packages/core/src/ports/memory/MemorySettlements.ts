import { Effect } from "effect"
import type { Charge, Completion } from "../Charge.ts"
import type { SettlementMethods } from "../ChargeMethods.ts"
import { canSettle, earlierCheck, hasResponse, isHeldBy } from "../chargeRules.ts"
import type { ChargeTable } from "./MemoryChargeTable.ts"
import type { MemoryLedger } from "./MemoryLedger.ts"

type Transitions = Omit<SettlementMethods, "deliver" | "finalize" | "reopen">
type AfterSettlement = Pick<SettlementMethods, "deliver" | "finalize" | "reopen">

const transitions = (table: ChargeTable, ledger: MemoryLedger): Transitions => ({
  advance: (key, owner, { response, subject }) =>
    Effect.sync(() => {
      const charge = table.get(key)
      if (charge === undefined || !isHeldBy(owner, "claimed")(charge)) return false
      table.put({ ...charge, state: "ready", response, subject })
      return true
    }),
  complete: (key, settlement, nowMillis) =>
    Effect.sync((): Completion => {
      const { finalAfterMillis, receipt, refundDue } = settlement
      const charge = table.get(key)
      if (charge === undefined || !canSettle(charge, settlement)) return { _tag: "NotOpen" }
      if (table.isTaken(charge.network, settlement)) return { _tag: "TransferTaken" }
      // The only refund of an open charge is one that was sent before: a payment is refunded once.
      const isRefundDue = refundDue && charge.refund === undefined
      const owedUntilMillis = refundDue ? undefined : settlement.responseOwedUntilMillis
      const settled: Charge = {
        ...charge,
        state: "settled",
        settlement: finalAfterMillis === undefined ? "" : charge.settlement,
        effectPending: !refundDue && charge.subject !== undefined,
        attempts: 0,
        checkAfterMillis: earlierCheck(finalAfterMillis, owedUntilMillis),
        receipt,
        transferLogIndex: settlement.transferLogIndex,
        reportedBy: settlement.reportedBy,
        awaitsFinality: finalAfterMillis !== undefined,
        responseOwedUntilMillis: owedUntilMillis,
        settledAtMillis: nowMillis,
        refund: isRefundDue ? { _tag: "Due", startedAtMillis: undefined } : charge.refund
      }
      table.put(settled)
      ledger.append(settled, "settled", nowMillis, receipt.transaction)
      if (isRefundDue) ledger.append(settled, "refund_due", nowMillis)
      return { _tag: "Completed" }
    }),
  markApplied: (key) =>
    Effect.sync(
      () => table.change(key, ({ effectPending }) => effectPending, { effectPending: false }) !== undefined
    ),
  void: (key, owner, { checkAfterMillis, isRefused = false, keepExposure }) =>
    Effect.sync(() => {
      const charge = table.get(key)
      if (charge === undefined || !isHeldBy(owner, "claimed", "ready")(charge)) return false
      table.put({
        ...charge,
        state: "voided",
        leaseUntilMillis: 0,
        attempts: 0,
        checkAfterMillis,
        settlement: "",
        response: undefined,
        exposureAtomic: keepExposure ? charge.exposureAtomic : "0",
        refusedDigest: isRefused ? charge.payloadDigest : charge.refusedDigest
      })
      return true
    }),
  release: (key, owner) =>
    Effect.sync(() => {
      const charge = table.get(key)
      if (charge === undefined || !isHeldBy(owner, "claimed", "voided")(charge)) return false
      if (charge.refund !== undefined) return false
      table.remove(charge)
      return true
    })
})

const afterSettlement = (table: ChargeTable, ledger: MemoryLedger): AfterSettlement => ({
  deliver: (key, owner, response) =>
    Effect.sync(() => {
      const isResponseOwed = (charge: Charge) =>
        isHeldBy(owner, "settled")(charge) &&
        charge.responseOwedUntilMillis !== undefined &&
        charge.refund === undefined
      return table.change(key, isResponseOwed, { response, responseOwedUntilMillis: undefined }) !== undefined
    }),
  finalize: (key, owner) =>
    Effect.sync(
      () =>
        table.change(key, ({ awaitsFinality, leaseOwner }) => awaitsFinality && leaseOwner === owner, {
          awaitsFinality: false,
          settlement: ""
        }) !== undefined
    ),
  reopen: (key, owner, nowMillis) =>
    Effect.sync(() => {
      const settled = table.get(key)
      if (settled?.awaitsFinality !== true || settled.leaseOwner !== owner) return false
      const { receipt, refund, settlesFirst } = settled
      const isSent = refund?._tag === "Sent"
      // A refund may be in flight: the refund of the next settlement would be another one.
      if (!isSent && refund?.startedAtMillis !== undefined) return false
      const isReady = settlesFirst || hasResponse(settled)
      table.put({
        ...settled,
        ...(isReady ? { state: "ready" } : { state: "voided", settlement: "" }),
        effectPending: false,
        receipt: undefined,
        transferLogIndex: undefined,
        reportedBy: undefined,
        awaitsFinality: false,
        reopenings: settled.reopenings + 1,
        responseOwedUntilMillis: undefined,
        settledAtMillis: undefined,
        refund: isSent ? refund : undefined
      })
      ledger.append(settled, "reversed", nowMillis, receipt!.transaction)
      return true
    })
})

/** Changes of a charge's state in memory. */
export const settlementMethods = (table: ChargeTable, ledger: MemoryLedger): SettlementMethods => ({
  ...transitions(table, ledger),
  ...afterSettlement(table, ledger)
})
