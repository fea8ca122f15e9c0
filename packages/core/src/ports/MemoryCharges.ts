import { Effect } from "effect"
import type {
  Charge,
  Charges,
  Claim,
  LedgerEntry,
  LedgerKind,
  LedgerTotal,
  NewCharge,
  Lease
} from "./Charges.ts"

type Changes = Partial<{ -readonly [Field in keyof Charge]: Charge[Field] }>

/** Charges and ledger in this process's memory. */
export const makeMemoryCharges = (): Charges["Service"] => {
  const charges = new Map<string, Charge>()
  /** Keys of charges that are neither settled nor voided, by payer: what a claim's limit counts. */
  const open = new Map<string, Set<string>>()
  const ledger: Array<LedgerEntry> = []

  const put = (charge: Charge): void => {
    const before = charges.get(charge.key)
    if (before !== undefined && before.payer !== charge.payer) close(before.payer, charge.key)
    charges.set(charge.key, charge)
    const { payer } = charge
    if (charge.state === "claimed" || charge.state === "ready") {
      const keys = open.get(payer)
      if (keys === undefined) open.set(payer, new Set([charge.key]))
      else keys.add(charge.key)
    } else close(payer, charge.key)
  }
  const close = (payer: string, key: string): void => {
    const keys = open.get(payer)
    if (keys?.delete(key) === true && keys.size === 0) open.delete(payer)
  }
  const change = (key: string, when: (charge: Charge) => boolean, to: Changes): Charge | undefined => {
    const charge = charges.get(key)
    if (charge === undefined || !when(charge)) return undefined
    const changed = { ...charge, ...to }
    put(changed)
    return changed
  }
  const append = (charge: Charge, kind: LedgerKind, atMillis: number, transaction?: string): void => {
    ledger.push(entryOf(charge, kind, atMillis, transaction))
  }
  const unsettled = (charge: NewCharge, nowMillis: number): number => {
    let count = 0
    for (const key of open.get(charge.payer) ?? []) {
      const other = charges.get(key)!
      if (key !== charge.key && (other.state === "ready" || other.leaseUntilMillis > nowMillis)) count++
    }
    return count
  }

  const claim = (charge: NewCharge, lease: Lease, nowMillis: number, maxUnsettled: number): Claim => {
    const existing = charges.get(charge.key)
    if (existing !== undefined && !isFree(existing, lease, nowMillis)) {
      return { _tag: "Existing", charge: existing }
    }
    if (unsettled(charge, nowMillis) >= maxUnsettled) return { _tag: "Limited" }
    put({
      ...charge,
      state: "claimed",
      firstClaimedAtMillis: existing?.firstClaimedAtMillis ?? charge.createdAtMillis,
      leaseOwner: lease.owner,
      leaseUntilMillis: lease.untilMillis,
      attempts: 0,
      checkAfterMillis: 0,
      answer: undefined,
      answerExpiredAtMillis: undefined,
      subject: undefined,
      effectPending: false,
      receipt: undefined,
      settledAtMillis: undefined,
      refund: undefined
    })
    return { _tag: "Claimed" }
  }

  return {
    find: (key) => Effect.sync(() => charges.get(key)),
    claim: (charge, lease, nowMillis, maxUnsettled) =>
      Effect.sync(() => claim(charge, lease, nowMillis, maxUnsettled)),
    advance: (key, owner, { answer, subject }) =>
      Effect.sync(
        () =>
          change(key, ({ leaseOwner, state }) => state === "claimed" && leaseOwner === owner, {
            state: "ready",
            answer,
            subject
          }) !== undefined
      ),
    complete: (key, { receipt, refundDue }, nowMillis) =>
      Effect.sync(() => {
        const settled = change(key, ({ state }) => state === "ready" || state === "voided", {
          state: "settled",
          settlement: "",
          effectPending: !refundDue && charges.get(key)?.subject !== undefined,
          attempts: 0,
          checkAfterMillis: 0,
          receipt,
          settledAtMillis: nowMillis,
          refund: refundDue ? { _tag: "Due" } : undefined
        })
        if (settled === undefined) return false
        append(settled, "settled", nowMillis, receipt.transaction)
        if (refundDue) append(settled, "refund_due", nowMillis)
        return true
      }),
    markApplied: (key) =>
      Effect.sync(
        () => change(key, ({ effectPending }) => effectPending, { effectPending: false }) !== undefined
      ),
    void: (key, owner, { checkAfterMillis, keepAnswer }) =>
      Effect.sync(
        () =>
          change(
            key,
            ({ leaseOwner, state }) => (state === "claimed" || state === "ready") && leaseOwner === owner,
            {
              state: "voided",
              leaseUntilMillis: 0,
              attempts: 0,
              checkAfterMillis,
              ...(keepAnswer ? {} : { answer: undefined })
            }
          ) !== undefined
      ),
    release: (key, owner) =>
      Effect.sync(() => {
        const charge = charges.get(key)
        if (charge === undefined || charge.leaseOwner !== owner) return false
        if (charge.state !== "claimed" && charge.state !== "voided") return false
        close(charge.payer, key)
        return charges.delete(key)
      }),
    takeOver: (key, lease, nowMillis) =>
      Effect.sync(
        () =>
          change(key, (charge) => isUnfinished(charge) && charge.leaseUntilMillis <= nowMillis, {
            leaseOwner: lease.owner,
            leaseUntilMillis: lease.untilMillis
          }) !== undefined
      ),
    yieldLease: (key, owner, untilMillis) =>
      Effect.sync(() => {
        change(key, ({ leaseOwner }) => leaseOwner === owner, { leaseUntilMillis: untilMillis })
      }),
    defer: (key, owner, checkAfterMillis) =>
      Effect.sync(() => {
        const charge = charges.get(key)
        if (charge?.leaseOwner !== owner) return
        put({ ...charge, leaseUntilMillis: 0, attempts: charge.attempts + 1, checkAfterMillis })
      }),
    unfinished: (nowMillis, limit) =>
      Effect.sync(() =>
        Array.from(charges.values())
          .filter(
            (charge) =>
              isUnfinished(charge) &&
              charge.leaseUntilMillis <= nowMillis &&
              charge.checkAfterMillis <= nowMillis
          )
          .sort((left, right) => left.checkAfterMillis - right.checkAfterMillis || byAge(left, right))
          .slice(0, limit)
      ),
    list: ({ before, limit, settledBeforeMillis, settledFromMillis, state }) =>
      Effect.sync(() =>
        Array.from(charges.values())
          .filter(
            (charge) =>
              (state === undefined || charge.state === state) &&
              isWithin(charge.settledAtMillis, settledFromMillis, settledBeforeMillis) &&
              (before === undefined || byAge(charge, before) < 0)
          )
          .sort((left, right) => byAge(right, left))
          .slice(0, limit)
      ),
    expire: (beforeMillis, limit) =>
      Effect.sync(() => {
        let touched = 0
        for (const charge of charges.values()) {
          if (touched >= limit) break
          const { answer, settledAtMillis } = charge
          if (answer === undefined || settledAtMillis === undefined || settledAtMillis >= beforeMillis)
            continue
          charges.set(charge.key, { ...charge, answer: undefined, answerExpiredAtMillis: beforeMillis })
          touched++
        }
        return touched
      }),
    oweRefund: (key, nowMillis) =>
      Effect.sync(() => {
        const owed = change(key, ({ refund, state }) => state === "settled" && refund === undefined, {
          refund: { _tag: "Due" }
        })
        if (owed !== undefined) append(owed, "refund_due", nowMillis)
        return owed !== undefined
      }),
    recordRefund: (key, transaction, nowMillis) =>
      Effect.sync(() => {
        const sent = change(key, ({ refund }) => refund?._tag === "Due", {
          refund: { _tag: "Sent", transaction }
        })
        if (sent !== undefined) append(sent, "refunded", nowMillis, transaction)
        return sent !== undefined
      }),
    entries: ({ before, beforeMillis, chargeKeys, fromMillis, limit }) =>
      Effect.sync(() =>
        ledger
          .filter(
            (entry) =>
              isWithin(entry.atMillis, fromMillis, beforeMillis) &&
              (chargeKeys === undefined || chargeKeys.includes(entry.chargeKey)) &&
              (before === undefined || compareEntries(entry, before) < 0)
          )
          .sort((left, right) => compareEntries(right, left))
          .slice(0, limit)
      ),
    totals: (fromMillis, beforeMillis) =>
      Effect.sync(() => sum(ledger.filter(({ atMillis }) => isWithin(atMillis, fromMillis, beforeMillis))))
  }
}

const isUnfinished = ({ effectPending, state }: Charge): boolean => state !== "settled" || effectPending

const isFree = (existing: Charge, lease: Lease, nowMillis: number): boolean =>
  existing.state === "claimed"
    ? existing.leaseUntilMillis <= nowMillis
    : existing.state === "voided" && existing.leaseOwner === lease.owner

const isWithin = (atMillis: number | undefined, from: number | undefined, before: number | undefined) =>
  (from === undefined || (atMillis !== undefined && atMillis >= from)) &&
  (before === undefined || (atMillis !== undefined && atMillis < before))

const compareText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)

type Age = Pick<Charge, "createdAtMillis" | "key">

const byAge = (left: Age, right: Age): number =>
  left.createdAtMillis - right.createdAtMillis || compareText(left.key, right.key)

type Place = Pick<LedgerEntry, "atMillis" | "chargeKey" | "kind">

const compareEntries = (left: Place, right: Place): number =>
  left.atMillis - right.atMillis ||
  compareText(left.chargeKey, right.chargeKey) ||
  compareText(left.kind, right.kind)

const entryOf = (
  { amountAtomic, asset, key, network, operation, payTo, payer }: Charge,
  kind: LedgerKind,
  atMillis: number,
  transaction: string | undefined
): LedgerEntry => ({
  kind,
  chargeKey: key,
  atMillis,
  operation,
  network,
  asset,
  payer,
  payTo,
  amountAtomic,
  transaction
})

const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

const sum = (entries: ReadonlyArray<LedgerEntry>): ReadonlyArray<LedgerTotal> => {
  const totals = new Map<string, LedgerTotal>()
  for (const { amountAtomic, asset, atMillis, kind, network, operation } of entries) {
    const day = dayOf(atMillis)
    const name = [day, operation, network, asset, kind].join("\n")
    const { amountAtomic: sofar, count } = totals.get(name) ?? { amountAtomic: "0", count: 0 }
    totals.set(name, {
      day,
      operation,
      network,
      asset,
      kind,
      count: count + 1,
      amountAtomic: (BigInt(sofar) + BigInt(amountAtomic)).toString()
    })
  }
  return Array.from(totals.entries())
    .sort(([left], [right]) => compareText(left, right))
    .map(([, total]) => total)
}
