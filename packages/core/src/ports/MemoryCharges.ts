import { Effect } from "effect"
import type { Charge, Charges, ChargeState, Claim, Lease, NewCharge } from "./Charges.ts"
import { compareText, isWithin, makeMemoryLedger, type MemoryLedger } from "./MemoryLedger.ts"

type Verbs = Charges["Service"]
type Changes = Partial<{ -readonly [Field in keyof Charge]: Charge[Field] }>

/** Charges and ledger in this process's memory. */
export const makeMemoryCharges = (): Verbs => {
  const table = makeTable()
  const ledger = makeMemoryLedger()
  return {
    ...claimVerbs(table),
    ...transitionVerbs(table, ledger),
    ...leaseVerbs(table),
    ...recordVerbs(table),
    ...ledgerVerbs(table, ledger)
  }
}

interface Table {
  readonly get: (key: string) => Charge | undefined
  readonly all: () => ReadonlyArray<Charge>
  readonly put: (charge: Charge) => void
  readonly remove: (charge: Charge) => void
  /** Changes a charge that meets a condition; the charge as it is now, if it does. */
  readonly change: (key: string, when: (charge: Charge) => boolean, to: Changes) => Charge | undefined
  /** Whether so many charges of the payer, beside this one, are `ready` or under a running claim. */
  readonly hasOthers: (charge: NewCharge, times: number, nowMillis: number) => boolean
}

/** Where a charge stands as it is now; a charge itself never changes. */
interface Row {
  charge: Charge
}

const makeTable = (): Table => {
  const charges = new Map<string, Row>()
  /** Keys of charges that are neither settled nor voided, by payer: what a claim's limit counts. */
  const open = new Map<string, Set<string>>()

  const close = ({ key, payer }: Charge): void => {
    const keys = open.get(payer)
    if (keys?.delete(key) === true && keys.size === 0) open.delete(payer)
  }
  const put = (charge: Charge): void => {
    const row = charges.get(charge.key)
    if (row === undefined) charges.set(charge.key, { charge })
    else row.charge = charge
    count(charge)
  }
  const count = (charge: Charge): void => {
    const { key, payer, state } = charge
    if (state === "settled" || state === "voided") return close(charge)
    const keys = open.get(payer)
    if (keys === undefined) open.set(payer, new Set([key]))
    else keys.add(key)
  }
  return {
    get: (key) => charges.get(key)?.charge,
    all: () => Array.from(charges.values(), ({ charge }) => charge),
    put,
    remove: (charge) => {
      close(charge)
      charges.delete(charge.key)
    },
    change: (key, when, to) => {
      const row = charges.get(key)
      if (row === undefined || !when(row.charge)) return undefined
      row.charge = { ...row.charge, ...to }
      count(row.charge)
      return row.charge
    },
    hasOthers: ({ key: own, payer }, times, nowMillis) => {
      const keys = open.get(payer)
      if (times > 0 && (keys === undefined || keys.size < times)) return false
      let left = times
      for (const key of keys ?? []) {
        const other = charges.get(key)!.charge
        if (key !== own && (other.state === "ready" || other.leaseUntilMillis > nowMillis)) left--
      }
      return left <= 0
    }
  }
}

const isUnfinished = ({ effectPending, state }: Charge): boolean => state !== "settled" || effectPending

const isFree = (existing: Charge, lease: Lease, nowMillis: number): boolean =>
  existing.state === "claimed"
    ? existing.leaseUntilMillis <= nowMillis
    : existing.state === "voided" && existing.leaseOwner === lease.owner

/** What was dropped with a voided charge can't be answered any more: then a refund has to be due. */
const canSettle =
  (refundDue: boolean) =>
  ({ answer, state }: Charge): boolean =>
    state === "ready" || (state === "voided" && (refundDue || answer !== undefined))

const isHeldBy =
  (owner: string, ...states: ReadonlyArray<ChargeState>) =>
  ({ leaseOwner, state }: Charge): boolean =>
    leaseOwner === owner && states.includes(state)

const claimed = (charge: NewCharge, lease: Lease, firstClaimedAtMillis: number): Charge => ({
  ...charge,
  state: "claimed",
  firstClaimedAtMillis,
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

const claimVerbs = (table: Table): Pick<Verbs, "find" | "claim"> => ({
  find: (key) => Effect.sync(() => table.get(key)),
  claim: (charge, lease, nowMillis, maxUnsettled) =>
    Effect.sync((): Claim => {
      const existing = table.get(charge.key)
      if (existing !== undefined && !isFree(existing, lease, nowMillis)) {
        return { _tag: "Existing", charge: existing }
      }
      if (table.hasOthers(charge, maxUnsettled, nowMillis)) return { _tag: "Limited" }
      table.put(claimed(charge, lease, existing?.firstClaimedAtMillis ?? charge.createdAtMillis))
      return { _tag: "Claimed" }
    })
})

const transitionVerbs = (
  table: Table,
  ledger: MemoryLedger
): Pick<Verbs, "advance" | "complete" | "markApplied" | "void" | "release"> => ({
  advance: (key, owner, { answer, subject }) =>
    Effect.sync(
      () => table.change(key, isHeldBy(owner, "claimed"), { state: "ready", answer, subject }) !== undefined
    ),
  complete: (key, { receipt, refundDue }, nowMillis) =>
    Effect.sync(() => {
      const settled = table.change(key, canSettle(refundDue), {
        state: "settled",
        settlement: "",
        effectPending: !refundDue && table.get(key)?.subject !== undefined,
        attempts: 0,
        checkAfterMillis: 0,
        receipt,
        settledAtMillis: nowMillis,
        refund: refundDue ? { _tag: "Due" } : undefined
      })
      if (settled === undefined) return false
      ledger.append(settled, "settled", nowMillis, receipt.transaction)
      if (refundDue) ledger.append(settled, "refund_due", nowMillis)
      return true
    }),
  markApplied: (key) =>
    Effect.sync(
      () => table.change(key, ({ effectPending }) => effectPending, { effectPending: false }) !== undefined
    ),
  void: (key, owner, { checkAfterMillis, keepAnswer }) =>
    Effect.sync(
      () =>
        table.change(key, isHeldBy(owner, "claimed", "ready"), {
          state: "voided",
          leaseUntilMillis: 0,
          attempts: 0,
          checkAfterMillis,
          ...(keepAnswer ? {} : { answer: undefined })
        }) !== undefined
    ),
  release: (key, owner) =>
    Effect.sync(() => {
      const charge = table.get(key)
      if (charge === undefined || !isHeldBy(owner, "claimed", "voided")(charge)) return false
      table.remove(charge)
      return true
    })
})

const leaseVerbs = (table: Table): Pick<Verbs, "takeOver" | "yieldLease" | "defer" | "unfinished"> => ({
  takeOver: (key, lease, nowMillis) =>
    Effect.sync(
      () =>
        table.change(key, (charge) => isUnfinished(charge) && charge.leaseUntilMillis <= nowMillis, {
          leaseOwner: lease.owner,
          leaseUntilMillis: lease.untilMillis
        }) !== undefined
    ),
  yieldLease: (key, owner, untilMillis) =>
    Effect.sync(() => {
      table.change(key, ({ leaseOwner }) => leaseOwner === owner, { leaseUntilMillis: untilMillis })
    }),
  defer: (key, owner, checkAfterMillis) =>
    Effect.sync(() => {
      const attempts = (table.get(key)?.attempts ?? 0) + 1
      const deferred = { leaseUntilMillis: 0, attempts, checkAfterMillis }
      table.change(key, ({ leaseOwner }) => leaseOwner === owner, deferred)
    }),
  unfinished: (nowMillis, limit) =>
    Effect.sync(() =>
      table
        .all()
        .filter(
          (charge) =>
            isUnfinished(charge) &&
            charge.leaseUntilMillis <= nowMillis &&
            charge.checkAfterMillis <= nowMillis
        )
        .sort((left, right) => left.checkAfterMillis - right.checkAfterMillis || byAge(left, right))
        .slice(0, limit)
    )
})

type Age = Pick<Charge, "createdAtMillis" | "key">

const byAge = (left: Age, right: Age): number =>
  left.createdAtMillis - right.createdAtMillis || compareText(left.key, right.key)

const recordVerbs = (table: Table): Pick<Verbs, "list" | "expire"> => ({
  list: ({ before, isOwed = false, limit, settledBeforeMillis, settledFromMillis, state }) =>
    Effect.sync(() =>
      table
        .all()
        .filter(
          (charge) =>
            (state === undefined || charge.state === state) &&
            (!isOwed || charge.refund?._tag === "Due") &&
            isWithin(charge.settledAtMillis, settledFromMillis, settledBeforeMillis) &&
            (before === undefined || byAge(charge, before) < 0)
        )
        .sort((left, right) => byAge(right, left))
        .slice(0, limit)
    ),
  expire: (beforeMillis, limit) =>
    Effect.sync(() => {
      const isOld = ({ answer, settledAtMillis }: Charge) =>
        answer !== undefined && settledAtMillis !== undefined && settledAtMillis < beforeMillis
      const old = table.all().filter(isOld).slice(0, limit)
      for (const charge of old)
        table.put({ ...charge, answer: undefined, answerExpiredAtMillis: beforeMillis })
      return old.length
    })
})

const ledgerVerbs = (
  table: Table,
  ledger: MemoryLedger
): Pick<Verbs, "oweRefund" | "recordRefund" | "entries" | "totals"> => ({
  oweRefund: (key, nowMillis) =>
    Effect.sync(() => {
      const isOwing = ({ refund, state }: Charge) => state === "settled" && refund === undefined
      const owed = table.change(key, isOwing, { refund: { _tag: "Due" } })
      if (owed !== undefined) ledger.append(owed, "refund_due", nowMillis)
      return owed !== undefined
    }),
  recordRefund: (key, transaction, nowMillis) =>
    Effect.sync(() => {
      const isDue = ({ refund }: Charge) => refund?._tag === "Due"
      const sent = table.change(key, isDue, { refund: { _tag: "Sent", transaction } })
      if (sent !== undefined) ledger.append(sent, "refunded", nowMillis, transaction)
      return sent !== undefined
    }),
  entries: (query) => Effect.sync(() => ledger.entries(query)),
  totals: (fromMillis, beforeMillis) => Effect.sync(() => ledger.totals(fromMillis, beforeMillis))
})
