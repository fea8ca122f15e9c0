import { Effect } from "effect"
import type {
  Charge,
  Charges,
  LedgerEntry,
  LedgerKind,
  LedgerTotal,
  RefundAttempt,
  RefundStart
} from "@till402/core/effect"
import { descending, type ModelCharges, padded, sumOf } from "./ModelCharges.ts"

type Verbs = Charges["Service"]

const placeOf = (entry: Pick<LedgerEntry, "atMillis" | "chargeKey" | "kind" | "round">): string =>
  `${padded(entry.atMillis)} ${entry.chargeKey} ${entry.kind} ${padded(entry.round)}`

const attemptPlaceOf = ({ chargeKey, refundNumber, sequence }: RefundAttempt): string =>
  `${chargeKey} ${padded(refundNumber)} ${padded(sequence)}`

/** A plain model of refunds and the ledger, written directly from the port's documentation. */
export const ledgerModel = ({
  attempts,
  change,
  enter,
  find,
  ledger,
  refunds,
  stops
}: ModelCharges): Pick<
  Verbs,
  | "markRefundDue"
  | "startRefund"
  | "recordRefund"
  | "recordManualRefund"
  | "recordFurtherRefund"
  | "recordRefundAttempt"
  | "endRefundAttempt"
  | "refundAttempts"
  | "refundStop"
  | "stopRefunds"
  | "resumeRefunds"
  | "entries"
  | "totals"
> => {
  const startRefund: Verbs["startRefund"] = (key, { maxAtomic, sinceMillis }, nowMillis) =>
    Effect.sync((): RefundStart => {
      const charge = find(key)
      if (charge?.refund?._tag !== "Due") return { _tag: "NotDue" }
      if (charge.refund.startedAtMillis !== undefined) return { _tag: "Started" }
      const isAlike = (row: Pick<Charge, "payer" | "network" | "asset">) =>
        row.payer === charge.payer && row.network === charge.network && row.asset === charge.asset
      const entries = ledger.all().filter(isAlike)
      const ofKind = (kind: LedgerKind) => sumOf(entries.filter((entry) => entry.kind === kind))
      const counted = refunds.all().map((refund) => ({ ...refund, charge: find(refund.key)! }))
      const all = counted.filter((refund) => isAlike(refund.charge)).map((refund) => refund.charge)
      const window = counted
        .filter((refund) => refund.charge.payer === charge.payer)
        .filter(({ startedAtMillis }) => startedAtMillis !== undefined && startedAtMillis >= sinceMillis)
        .map((refund) => refund.charge)
      if (sumOf([...all, charge]) > ofKind("settled") - ofKind("reversed")) return { _tag: "ExceedsReceived" }
      if (sumOf([...window, charge]) > BigInt(maxAtomic)) return { _tag: "OverLimit" }
      refunds.add({ key, startedAtMillis: nowMillis })
      change(key, () => true, { refund: { _tag: "Due", startedAtMillis: nowMillis } })
      return { _tag: "Started" }
    })

  const entered = (fromMillis = 0, beforeMillis = Infinity) =>
    ledger.all().filter(({ atMillis }) => atMillis >= fromMillis && atMillis < beforeMillis)

  const recordRefund: Verbs["recordRefund"] = (key, transaction, nowMillis) =>
    Effect.sync(() => {
      const isStarted = refunds.first((refund) => refund.key === key) !== undefined
      const sent = change(key, ({ refund }) => refund?._tag === "Due", {
        refund: { _tag: "Sent", transaction }
      })
      if (sent) enter(key, "refunded", nowMillis, transaction)
      if (sent && !isStarted) refunds.add({ key, startedAtMillis: undefined })
      return sent
    })

  return {
    markRefundDue: (key, nowMillis, owner) =>
      Effect.sync(() => {
        const isOwing = ({ leaseOwner, refund, state }: Charge) =>
          state === "settled" && refund === undefined && [undefined, leaseOwner].includes(owner)
        const refund = { _tag: "Due", startedAtMillis: undefined } as const
        const owed = change(key, isOwing, { refund, responseOwedUntilMillis: undefined })
        if (owed) enter(key, "refund_due", nowMillis)
        return owed
      }),
    startRefund,
    recordRefund,
    recordManualRefund: (key, transaction, stoppedBeforeMillis, nowMillis) =>
      Effect.suspend(() => {
        const isStarted = refunds.first((refund) => refund.key === key) !== undefined
        const isStopped = stops.all().some(({ atMillis }) => atMillis <= stoppedBeforeMillis)
        return isStarted && !isStopped ? Effect.succeed(false) : recordRefund(key, transaction, nowMillis)
      }),
    recordFurtherRefund: (key, transaction, atMillis) =>
      Effect.sync(() => {
        const sent = ledger.all().filter((entry) => entry.chargeKey === key && entry.kind === "refunded")
        const last = sent.toSorted((left, right) => left.round - right.round).at(-1)
        if (last === undefined || sent.some((entry) => entry.transaction === transaction)) return false
        ledger.add({ ...last, atMillis, transaction, round: last.round + 1 })
        return true
      }),
    recordRefundAttempt: (attempt) =>
      Effect.sync(() => {
        const isUnderway =
          find(attempt.chargeKey)?.refund?._tag === "Due" &&
          refunds.first(({ key }) => key === attempt.chargeKey) !== undefined
        const last = attempts
          .all()
          .filter(
            (other) =>
              attemptPlaceOf({ ...other, sequence: 0 }) === attemptPlaceOf({ ...attempt, sequence: 0 })
          )
          .reduce((most, { sequence }) => Math.max(most, sequence), 0)
        if (!isUnderway || attempt.sequence !== last + 1) return false
        attempts.add(attempt)
        return true
      }),
    endRefundAttempt: (attempt) =>
      Effect.sync(() => {
        const isSame = (other: RefundAttempt) => attemptPlaceOf(other) === attemptPlaceOf(attempt)
        const found = attempts.first(isSame)
        if (found?.wallet !== attempt.wallet || found.validBefore !== attempt.validBefore) return false
        return found.validBefore > 0 && attempts.change(isSame, { validBefore: 0 }) === 1
      }),
    refundAttempts: (chargeKeys) =>
      Effect.sync(() =>
        descending(attempts.all(), attemptPlaceOf)
          .toReversed()
          .filter(({ chargeKey }) => chargeKeys.includes(chargeKey))
      ),
    refundStop: () => Effect.sync(() => stops.first(() => true)),
    stopRefunds: (reason, atMillis) =>
      Effect.sync(() => {
        const isFirst = stops.all().length === 0
        if (isFirst) stops.add({ reason, atMillis })
        return isFirst
      }),
    resumeRefunds: () => Effect.sync(() => stops.delete(() => true) > 0),
    entries: ({ before, beforeMillis, chargeKeys, fromMillis, limit, network, payer }) =>
      Effect.sync(() =>
        descending(entered(fromMillis, beforeMillis), placeOf)
          .filter(({ chargeKey }) => chargeKeys?.includes(chargeKey) ?? true)
          .filter((entry) => [undefined, entry.network].includes(network))
          .filter((entry) => [undefined, entry.payer].includes(payer))
          .filter((entry) => before === undefined || placeOf(entry) < placeOf(before))
          .slice(0, limit)
      ),
    totals: (fromMillis, beforeMillis) => Effect.sync(() => summed(entered(fromMillis, beforeMillis)))
  }
}

/** Sums entries by day, operation, network, asset and kind, sorted. */
export const summed = (entries: ReadonlyArray<LedgerEntry>): ReadonlyArray<LedgerTotal> => {
  const nameOf = ({ asset, day, kind, network, operation }: Omit<LedgerTotal, "count" | "amountAtomic">) =>
    [day, operation, network, asset, kind].join("\n")
  const parts = entries.map(({ amountAtomic, asset, atMillis, kind, network, operation }) => ({
    day: new Date(atMillis).toISOString().slice(0, 10),
    operation,
    network,
    asset,
    kind,
    amountAtomic
  }))
  return Array.from(new Set(parts.map(nameOf)))
    .toSorted()
    .map((name) => {
      const mine = parts.filter((part) => nameOf(part) === name)
      const sum = mine.reduce((total, { amountAtomic }) => total + BigInt(amountAtomic), 0n)
      return { ...mine[0]!, count: mine.length, amountAtomic: sum.toString() }
    })
}
