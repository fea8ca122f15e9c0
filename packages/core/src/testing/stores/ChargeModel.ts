import { Effect } from "effect"
import type { Charge, Charges, LedgerEntry, LedgerKind, LedgerTotal } from "../../ports/Charges.ts"
import { Rows } from "./ModelRows.ts"

/** Rows in the order of what they are named by, the last first: a name is a text that orders as its row does. */
const descending = <Row>(rows: ReadonlyArray<Row>, nameOf: (row: Row) => string): ReadonlyArray<Row> =>
  rows.toSorted((left, right) => (nameOf(left) < nameOf(right) ? 1 : nameOf(left) > nameOf(right) ? -1 : 0))

const padded = (millis: number): string => millis.toString().padStart(16, "0")
const ageOf = ({ createdAtMillis, key }: Pick<Charge, "createdAtMillis" | "key">): string =>
  `${padded(createdAtMillis)} ${key}`
const placeOf = (entry: Pick<LedgerEntry, "atMillis" | "chargeKey" | "kind">): string =>
  `${padded(entry.atMillis)} ${entry.chargeKey} ${entry.kind}`

const isOpen = ({ effectPending, state }: Charge): boolean => state !== "settled" || effectPending

const later = {
  attempts: 0,
  checkAfterMillis: 0,
  answer: undefined,
  answerExpiredAtMillis: undefined,
  subject: undefined,
  effectPending: false,
  receipt: undefined,
  settledAtMillis: undefined,
  refund: undefined
} as const

type Verbs = Charges["Service"]

/** Charges by the letter of the port. */
export const chargeModel = (): Verbs => {
  const charges = new Rows<Charge>()
  const ledger = new Rows<LedgerEntry>()
  const find = (key: string) => charges.first((charge) => charge.key === key)
  const lapsed = (charge: Charge, nowMillis: number) => nowMillis >= charge.leaseUntilMillis
  const held = (charge: Charge, owner: string, states: ReadonlyArray<string>) =>
    charge.leaseOwner === owner && states.includes(charge.state)
  const change = (key: string, when: (charge: Charge) => boolean, to: Partial<Charge>) =>
    charges.change((row) => row.key === key && when(row), to) === 1
  const enter = (key: string, kind: LedgerKind, atMillis: number, transaction?: string) => {
    const { amountAtomic, asset, network, operation, payTo, payer } = find(key)!
    const money = { operation, network, asset, payer, payTo, amountAtomic }
    ledger.add({ kind, chargeKey: key, atMillis, ...money, transaction })
  }

  const claim: Verbs["claim"] = (charge, lease, nowMillis, maxUnsettled) =>
    Effect.sync(() => {
      const existing = find(charge.key)
      const isFree =
        existing === undefined ||
        (existing.state === "claimed" && lapsed(existing, nowMillis)) ||
        held(existing, lease.owner, ["voided"])
      if (!isFree) return { _tag: "Existing", charge: existing }
      const others = charges
        .all()
        .filter(({ key, payer }) => payer === charge.payer && key !== charge.key)
        .filter((row) => row.state === "ready" || (row.state === "claimed" && !lapsed(row, nowMillis)))
      if (others.length >= maxUnsettled) return { _tag: "Limited" }
      charges.delete(({ key }) => key === charge.key)
      charges.add({
        ...charge,
        ...later,
        state: "claimed",
        firstClaimedAtMillis: existing?.firstClaimedAtMillis ?? charge.createdAtMillis,
        leaseOwner: lease.owner,
        leaseUntilMillis: lease.untilMillis
      })
      return { _tag: "Claimed" }
    })

  const complete: Verbs["complete"] = (key, { receipt, refundDue }, nowMillis) =>
    Effect.sync(() => {
      const answerable = ({ answer, state }: Charge) =>
        state === "ready" || (state === "voided" && !(answer === undefined && !refundDue))
      const settled = change(key, answerable, {
        state: "settled",
        settlement: "",
        attempts: 0,
        checkAfterMillis: 0,
        receipt,
        settledAtMillis: nowMillis
      })
      if (!settled) return false
      enter(key, "settled", nowMillis, receipt.transaction)
      if (refundDue) enter(key, "refund_due", nowMillis)
      change(key, () => refundDue, { refund: { _tag: "Due" } })
      change(key, ({ subject }) => !refundDue && subject !== undefined, { effectPending: true })
      return true
    })

  const entered = (fromMillis = 0, beforeMillis = Infinity) =>
    ledger.all().filter(({ atMillis }) => atMillis >= fromMillis && atMillis < beforeMillis)

  return {
    find: (key) => Effect.sync(() => find(key)),
    claim,
    advance: (key, owner, outcome) =>
      Effect.sync(() => change(key, (row) => held(row, owner, ["claimed"]), { state: "ready", ...outcome })),
    complete,
    markApplied: (key) =>
      Effect.sync(() => change(key, ({ effectPending }) => effectPending, { effectPending: false })),
    void: (key, owner, { checkAfterMillis, keepAnswer }) =>
      Effect.sync(() =>
        change(key, (row) => held(row, owner, ["claimed", "ready"]), {
          state: "voided",
          leaseUntilMillis: 0,
          attempts: 0,
          checkAfterMillis,
          ...(keepAnswer ? {} : { answer: undefined })
        })
      ),
    release: (key, owner) =>
      Effect.sync(
        () => charges.delete((row) => row.key === key && held(row, owner, ["claimed", "voided"])) === 1
      ),
    takeOver: (key, lease, nowMillis) =>
      Effect.sync(() =>
        change(key, (row) => isOpen(row) && lapsed(row, nowMillis), {
          leaseOwner: lease.owner,
          leaseUntilMillis: lease.untilMillis
        })
      ),
    yieldLease: (key, owner, untilMillis) =>
      Effect.sync(() => {
        change(key, ({ leaseOwner }) => leaseOwner === owner, { leaseUntilMillis: untilMillis })
      }),
    defer: (key, owner, checkAfterMillis) =>
      Effect.sync(() => {
        const attempts = (find(key)?.attempts ?? 0) + 1
        const deferred = { leaseUntilMillis: 0, attempts, checkAfterMillis }
        change(key, ({ leaseOwner }) => leaseOwner === owner, deferred)
      }),
    unfinished: (nowMillis, limit) =>
      Effect.sync(() => {
        const due = charges
          .all()
          .filter((row) => isOpen(row) && lapsed(row, nowMillis) && row.checkAfterMillis <= nowMillis)
        return descending(due, (row) => padded(row.checkAfterMillis) + ageOf(row))
          .toReversed()
          .slice(0, limit)
      }),
    list: ({ before, isOwed, limit, settledBeforeMillis, settledFromMillis, state }) =>
      Effect.sync(() =>
        descending(charges.all(), ageOf)
          .filter((row) => state === undefined || row.state === state)
          .filter((row) => isOwed !== true || row.refund?._tag === "Due")
          .filter(
            (row) => settledFromMillis === undefined || (row.settledAtMillis ?? -1) >= settledFromMillis
          )
          .filter(
            (row) =>
              settledBeforeMillis === undefined || (row.settledAtMillis ?? Infinity) < settledBeforeMillis
          )
          .filter((row) => before === undefined || ageOf(row) < ageOf(before))
          .slice(0, limit)
      ),
    expire: (beforeMillis, limit) =>
      Effect.sync(() => {
        const old = charges
          .all()
          .filter(({ answer, settledAtMillis }) => answer !== undefined && settledAtMillis! < beforeMillis)
          .slice(0, limit)
        for (const { key } of old)
          change(key, () => true, { answer: undefined, answerExpiredAtMillis: beforeMillis })
        return old.length
      }),
    oweRefund: (key, nowMillis) =>
      Effect.sync(() => {
        const isOwing = ({ refund, state }: Charge) => state === "settled" && refund === undefined
        const owed = change(key, isOwing, { refund: { _tag: "Due" } })
        if (owed) enter(key, "refund_due", nowMillis)
        return owed
      }),
    recordRefund: (key, transaction, nowMillis) =>
      Effect.sync(() => {
        const sent = change(key, ({ refund }) => refund?._tag === "Due", {
          refund: { _tag: "Sent", transaction }
        })
        if (sent) enter(key, "refunded", nowMillis, transaction)
        return sent
      }),
    entries: ({ before, beforeMillis, chargeKeys, fromMillis, limit }) =>
      Effect.sync(() =>
        descending(entered(fromMillis, beforeMillis), placeOf)
          .filter(({ chargeKey }) => chargeKeys?.includes(chargeKey) ?? true)
          .filter((entry) => before === undefined || placeOf(entry) < placeOf(before))
          .slice(0, limit)
      ),
    totals: (fromMillis, beforeMillis) => Effect.sync(() => summed(entered(fromMillis, beforeMillis)))
  }
}

/** Entries summed, in the order of what they are summed by. */
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
