import { Effect } from "effect"
import type { Charge } from "../Charge.ts"
import type { RefundLimit, RefundMethods, RefundStart, RefundStop } from "../Refund.ts"
import type { ChargeTable } from "./MemoryChargeTable.ts"
import type { MemoryLedger } from "./MemoryLedger.ts"

/** A refund that was started or sent; it counts against its payer's limits permanently. */
interface Counted {
  readonly charge: Charge
  /** `undefined`: sent without having been started. */
  readonly startedAtMillis: number | undefined
}

const sum = (counted: ReadonlyArray<Counted>): bigint =>
  counted.reduce((total, { charge }) => total + BigInt(charge.amountAtomic), 0n)

/** Refunds that were started or sent, by payer. */
class CountedRefunds {
  private readonly counted = new Map<string, Array<Counted>>()

  add(charge: Charge, startedAtMillis: number | undefined): void {
    this.of(charge.payer).push({ charge, startedAtMillis })
  }

  /** Why a refund can't be started now; `undefined`: it can. */
  obstacleTo(
    charge: Charge,
    receivedAtomic: bigint,
    { maxAtomic, sinceMillis }: RefundLimit
  ): RefundStart | undefined {
    const refunds = this.of(charge.payer)
    const sameAsset = refunds.filter(
      (other) => other.charge.network === charge.network && other.charge.asset === charge.asset
    )
    const recent = refunds.filter(({ startedAtMillis }) => (startedAtMillis ?? -1) >= sinceMillis)
    const amount = BigInt(charge.amountAtomic)
    if (sum(sameAsset) + amount > receivedAtomic) return { _tag: "ExceedsReceived" }
    if (sum(recent) + amount > BigInt(maxAtomic)) return { _tag: "OverLimit" }
    return undefined
  }

  private of(payer: string): Array<Counted> {
    const known = this.counted.get(payer) ?? []
    this.counted.set(payer, known)
    return known
  }
}

/** Refunds in memory. */
export const refundMethods = (table: ChargeTable, ledger: MemoryLedger): RefundMethods => {
  const counted = new CountedRefunds()
  let stop: RefundStop | undefined

  const recordSent = (due: Charge, transaction: string, nowMillis: number): boolean => {
    if (due.refund?._tag !== "Due") return false
    const sent: Charge = { ...due, refund: { _tag: "Sent", transaction } }
    table.put(sent)
    if (due.refund.startedAtMillis === undefined) counted.add(sent, undefined)
    ledger.append(sent, "refunded", nowMillis, transaction)
    return true
  }

  return {
    markRefundDue: (key, nowMillis, owner) =>
      Effect.sync(() => {
        const canBeRefunded = ({ leaseOwner, refund, state }: Charge) =>
          state === "settled" && refund === undefined && (owner ?? leaseOwner) === leaseOwner
        const refund = { _tag: "Due", startedAtMillis: undefined } as const
        const marked = table.change(key, canBeRefunded, { refund, responseOwedUntilMillis: undefined })
        if (marked !== undefined) ledger.append(marked, "refund_due", nowMillis)
        return marked !== undefined
      }),
    startRefund: (key, limit, nowMillis) =>
      Effect.sync((): RefundStart => {
        const charge = table.get(key)
        if (charge?.refund?._tag !== "Due") return { _tag: "NotDue" }
        if (charge.refund.startedAtMillis !== undefined) return { _tag: "Started" }
        const obstacle = counted.obstacleTo(charge, ledger.receivedFrom(charge), limit)
        if (obstacle !== undefined) return obstacle
        table.change(key, () => true, { refund: { _tag: "Due", startedAtMillis: nowMillis } })
        counted.add(charge, nowMillis)
        return { _tag: "Started" }
      }),
    recordRefund: (key, transaction, nowMillis) =>
      Effect.sync(() => {
        const due = table.get(key)
        return due !== undefined && recordSent(due, transaction, nowMillis)
      }),
    recordManualRefund: (key, transaction, stoppedBeforeMillis, nowMillis) =>
      Effect.sync(() => {
        const due = table.get(key)
        if (due?.refund?._tag !== "Due") return false
        const isStopped = stop !== undefined && stop.atMillis <= stoppedBeforeMillis
        if (due.refund.startedAtMillis !== undefined && !isStopped) return false
        return recordSent(due, transaction, nowMillis)
      }),
    recordFurtherRefund: (key, transaction, nowMillis) =>
      Effect.sync(() => {
        const charge = table.get(key)
        return charge?.refund?._tag === "Sent" && ledger.appendFurther(charge, nowMillis, transaction)
      }),
    refundStop: () => Effect.sync(() => stop),
    stopRefunds: (reason, nowMillis) =>
      Effect.sync(() => {
        if (stop !== undefined) return false
        stop = { reason, atMillis: nowMillis }
        return true
      }),
    resumeRefunds: () =>
      Effect.sync(() => {
        const wasStopped = stop !== undefined
        stop = undefined
        return wasStopped
      })
  }
}
