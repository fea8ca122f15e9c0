import { Effect } from "effect"
import type { Charge, Charges, ChargeState, Claim, Completion, Lease, NewCharge } from "./Charges.ts"
import { type ChargeTable, makeChargeTable } from "./MemoryChargeTable.ts"
import { refundVerbs } from "./MemoryRefunds.ts"
import { compareText, isWithin, makeMemoryLedger, type MemoryLedger } from "./MemoryLedger.ts"

type Verbs = Charges["Service"]

/** Charges and ledger in this process's memory. */
export const makeMemoryCharges = (): Verbs => {
  const table = makeChargeTable()
  const ledger = makeMemoryLedger()
  return {
    ...claimVerbs(table),
    ...transitionVerbs(table, ledger),
    ...settledVerbs(table, ledger),
    ...leaseVerbs(table),
    ...dueVerbs(table),
    ...recordVerbs(table),
    ...refundVerbs(table, ledger),
    entries: (query) => Effect.sync(() => ledger.entries(query)),
    totals: (fromMillis, beforeMillis) => Effect.sync(() => ledger.totals(fromMillis, beforeMillis))
  }
}

const isUnfinished = ({ awaitsFinality, effectPending, responseOwedUntilMillis, state }: Charge): boolean =>
  state !== "settled" || effectPending || awaitsFinality || responseOwedUntilMillis !== undefined

const hasLapsed = ({ leaseUntilMillis }: Charge, nowMillis: number): boolean => leaseUntilMillis <= nowMillis

const isFree = (existing: Charge, lease: Lease, nowMillis: number): boolean =>
  existing.state === "claimed"
    ? existing.leaseUntilMillis <= nowMillis
    : existing.state === "voided" && existing.leaseOwner === lease.owner && existing.refund === undefined

/** A voided charge has no response: it has to be owed one, or a refund. */
const canSettle = ({ settlesFirst, state }: Charge, refundDue: boolean): boolean =>
  state === "ready" || (state === "voided" && (refundDue || settlesFirst))

const isHeldBy =
  (owner: string, ...states: ReadonlyArray<ChargeState>) =>
  ({ leaseOwner, state }: Charge): boolean =>
    leaseOwner === owner && states.includes(state)

const claimed = (charge: NewCharge, lease: Lease, replaced: Charge | undefined): Charge => ({
  ...charge,
  state: "claimed",
  unverifiedSinceMillis: replaced?.unverifiedSinceMillis ?? charge.unverifiedSinceMillis,
  leaseOwner: lease.owner,
  leaseUntilMillis: lease.untilMillis,
  attempts: 0,
  checkAfterMillis: 0,
  answer: undefined,
  answerExpiredAtMillis: undefined,
  subject: undefined,
  effectPending: false,
  receipt: undefined,
  transferLogIndex: undefined,
  awaitsFinality: false,
  reopenings: replaced?.reopenings ?? 0,
  responseOwedUntilMillis: undefined,
  settledAtMillis: undefined,
  refund: undefined
})

const claimVerbs = (table: ChargeTable): Pick<Verbs, "find" | "claim" | "payerStanding"> => ({
  find: (key) => Effect.sync(() => table.get(key)),
  claim: (charge, lease, nowMillis, limits) =>
    Effect.sync((): Claim => {
      const existing = table.get(charge.key)
      if (existing !== undefined && !isFree(existing, lease, nowMillis)) {
        return { _tag: "Existing", charge: existing }
      }
      const by = table.limitedBy(charge, limits, nowMillis)
      if (by !== undefined) return { _tag: "Limited", by }
      table.put(claimed(charge, lease, existing))
      return { _tag: "Claimed" }
    }),
  payerStanding: (charge, sinceMillis, nowMillis) =>
    Effect.sync(() => {
      const isAlike = ({ asset, network }: Charge) => network === charge.network && asset === charge.asset
      let open = 0n
      for (const other of table.openOf(charge.payer)) {
        if (!isAlike(other) || byAge(other, charge) > 0) continue
        if (other.state === "ready" || !hasLapsed(other, nowMillis)) open += BigInt(other.amountAtomic)
      }
      let settled = 0n
      let summed = 0
      for (const other of table.settledOf(charge.payer)) {
        if (summed === maxSettled || other.settledAtMillis! < sinceMillis) break
        if (!isAlike(other) || other.refund !== undefined) continue
        settled += BigInt(other.amountAtomic)
        summed++
      }
      return { openAtomic: open.toString(), settledAtomic: settled.toString() }
    })
})

/** Bounds the charges that `payerStanding` looks at. */
const maxSettled = 200

/** When a settled charge is looked at again: the earlier of two times, where there are any. */
const earlier = (one: number | undefined, other: number | undefined): number =>
  Math.min(one ?? other ?? 0, other ?? one ?? 0)

const transitionVerbs = (
  table: ChargeTable,
  ledger: MemoryLedger
): Pick<Verbs, "advance" | "complete" | "markApplied" | "void" | "release"> => ({
  advance: (key, owner, { answer, subject }) =>
    Effect.sync(
      () => table.change(key, isHeldBy(owner, "claimed"), { state: "ready", answer, subject }) !== undefined
    ),
  complete: (key, settlement, nowMillis) =>
    Effect.sync((): Completion => {
      const { finalAfterMillis, receipt, refundDue, responseOwedUntilMillis } = settlement
      const charge = table.get(key)
      if (charge === undefined || !canSettle(charge, refundDue)) return { _tag: "NotOpen" }
      if (table.isTaken(charge.network, settlement)) return { _tag: "TransferTaken" }
      // Of an open charge only a refund that was sent is left: one payment is refunded once.
      const isRefunded = charge.refund !== undefined
      const isOwed = refundDue && !isRefunded
      const owedUntilMillis = isRefunded ? undefined : responseOwedUntilMillis
      const settled: Charge = {
        ...charge,
        state: "settled",
        settlement: finalAfterMillis === undefined ? "" : charge.settlement,
        effectPending: !refundDue && !isRefunded && charge.subject !== undefined,
        attempts: 0,
        checkAfterMillis: earlier(finalAfterMillis, owedUntilMillis),
        receipt,
        transferLogIndex: settlement.transferLogIndex,
        awaitsFinality: finalAfterMillis !== undefined,
        responseOwedUntilMillis: owedUntilMillis,
        settledAtMillis: nowMillis,
        refund: isOwed ? { _tag: "Due", startedAtMillis: undefined } : charge.refund
      }
      table.put(settled)
      ledger.append(settled, "settled", nowMillis, receipt.transaction)
      if (isOwed) ledger.append(settled, "refund_due", nowMillis)
      return { _tag: "Completed" }
    }),
  markApplied: (key) =>
    Effect.sync(
      () => table.change(key, ({ effectPending }) => effectPending, { effectPending: false }) !== undefined
    ),
  void: (key, owner, { checkAfterMillis, keepExposure }) =>
    Effect.sync(
      () =>
        table.change(key, isHeldBy(owner, "claimed", "ready"), {
          state: "voided",
          leaseUntilMillis: 0,
          attempts: 0,
          checkAfterMillis,
          settlement: "",
          answer: undefined,
          ...(keepExposure ? {} : { exposureAtomic: "0" })
        }) !== undefined
    ),
  release: (key, owner) =>
    Effect.sync(() => {
      const charge = table.get(key)
      if (charge === undefined || !isHeldBy(owner, "claimed", "voided")(charge)) return false
      if (charge.refund !== undefined) return false
      table.remove(charge)
      return true
    })
})

const settledVerbs = (
  table: ChargeTable,
  ledger: MemoryLedger
): Pick<Verbs, "deliver" | "finalize" | "reopen"> => ({
  deliver: (key, owner, answer) =>
    Effect.sync(() => {
      const isOwed = (charge: Charge) =>
        isHeldBy(owner, "settled")(charge) &&
        charge.responseOwedUntilMillis !== undefined &&
        charge.refund === undefined
      return table.change(key, isOwed, { answer, responseOwedUntilMillis: undefined }) !== undefined
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
      const { answer, answerExpiredAtMillis, receipt, refund, settlesFirst } = settled
      const isSent = refund?._tag === "Sent"
      // It may be on its way: the refund of what is settled again would be another one.
      if (!isSent && refund?.startedAtMillis !== undefined) return false
      const isReady = settlesFirst || answer !== undefined || answerExpiredAtMillis !== undefined
      table.put({
        ...settled,
        ...(isReady ? { state: "ready" } : { state: "voided", settlement: "" }),
        effectPending: false,
        receipt: undefined,
        transferLogIndex: undefined,
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

const leaseVerbs = (table: ChargeTable): Pick<Verbs, "takeOver" | "yieldLease" | "defer"> => ({
  takeOver: (key, lease, nowMillis) =>
    Effect.sync(
      () =>
        table.change(key, (charge) => isUnfinished(charge) && hasLapsed(charge, nowMillis), {
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
    })
})

/** Whether a charge is cleared in bulk, rather than one by one. */
const isBulk = ({ refund, state, subject }: Charge): boolean =>
  state === "voided" && subject === undefined && refund === undefined

/** When an unfinished charge is due; a pending effect always is. */
const dueAt = ({ checkAfterMillis, effectPending }: Charge): number => (effectPending ? 0 : checkAfterMillis)

/** Claims come last: nothing was recorded for them. */
const rank = ({ state }: Charge): number => (state === "claimed" ? 1 : 0)

const dueVerbs = (table: ChargeTable): Pick<Verbs, "unfinished" | "voidedDue" | "releaseVoided"> => {
  const dueNow = (nowMillis: number, limit: number, matches: (charge: Charge) => boolean) =>
    table
      .all()
      .filter(
        (charge) =>
          matches(charge) &&
          isUnfinished(charge) &&
          hasLapsed(charge, nowMillis) &&
          dueAt(charge) <= nowMillis
      )
      .sort((left, right) => rank(left) - rank(right) || dueAt(left) - dueAt(right) || byAge(left, right))
      .slice(0, limit)
  return {
    unfinished: (nowMillis, limit) =>
      Effect.sync(() => dueNow(nowMillis, limit, (charge) => !isBulk(charge))),
    voidedDue: (nowMillis, limit) => Effect.sync(() => dueNow(nowMillis, limit, isBulk)),
    releaseVoided: (keys, nowMillis) =>
      Effect.sync(() => {
        const released = keys.filter((key) => {
          const charge = table.get(key)
          if (charge === undefined || !isBulk(charge) || !hasLapsed(charge, nowMillis)) return false
          table.remove(charge)
          return true
        })
        return released.length
      })
  }
}

type Age = Pick<Charge, "createdAtMillis" | "key">

const byAge = (left: Age, right: Age): number =>
  left.createdAtMillis - right.createdAtMillis || compareText(left.key, right.key)

const recordVerbs = (table: ChargeTable): Pick<Verbs, "list" | "expire"> => ({
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
