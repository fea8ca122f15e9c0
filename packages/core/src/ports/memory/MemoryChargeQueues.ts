import { Effect } from "effect"
import type { Charge, SettledCharge } from "../Charge.ts"
import type { DueMethods, LeaseMethods, RecordMethods } from "../ChargeMethods.ts"
import {
  byAge,
  hasExpired,
  isClearedInBulk,
  isUnfinished,
  needsKey,
  settledChargeOf
} from "../chargeRules.ts"
import type { ChargeTable } from "./MemoryChargeTable.ts"

/** Leases in memory. */
export const leaseMethods = (table: ChargeTable): LeaseMethods => ({
  takeOver: (key, lease, nowMillis) =>
    Effect.sync(
      () =>
        table.change(key, (charge) => isUnfinished(charge) && hasExpired(charge, nowMillis), {
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

/** When an unfinished charge is due; a pending effect is always due. */
const dueAt = ({ checkAfterMillis, effectPending }: Charge): number => (effectPending ? 0 : checkAfterMillis)

/** Claims come last, since nothing was recorded for them. */
const rank = ({ state }: Charge): number => (state === "claimed" ? 1 : 0)

/** The reconciler's queues in memory. */
export const dueMethods = (table: ChargeTable): DueMethods => {
  const dueNow = (nowMillis: number, limit: number, matches: (charge: Charge) => boolean) =>
    table
      .unfinished()
      .filter((charge) => matches(charge) && hasExpired(charge, nowMillis) && dueAt(charge) <= nowMillis)
      .sort((left, right) => rank(left) - rank(right) || dueAt(left) - dueAt(right) || byAge(left, right))
      .slice(0, limit)
  return {
    unfinished: (nowMillis, limit) =>
      Effect.sync(() => dueNow(nowMillis, limit, (charge) => !isClearedInBulk(charge))),
    voidedDue: (nowMillis, limit) => Effect.sync(() => dueNow(nowMillis, limit, isClearedInBulk)),
    releaseVoided: (keys, nowMillis) =>
      Effect.sync(() => {
        const released = keys.filter((key) => {
          const charge = table.get(key)
          if (charge === undefined || !isClearedInBulk(charge) || !hasExpired(charge, nowMillis)) return false
          table.remove(charge)
          return true
        })
        return released.length
      })
  }
}

/** The host's records in memory. */
export const recordMethods = (table: ChargeTable): RecordMethods => ({
  list: ({ before, isRefundDue = false, limit, payer, paymentId, state, subjectKind, transaction }) =>
    Effect.sync(() => {
      const found = isRefundDue
        ? table.refundsDue()
        : state === undefined || state === "settled"
          ? table.all()
          : table.unfinished()
      return found
        .filter(
          (charge) =>
            (state === undefined || charge.state === state) &&
            (payer === undefined || charge.payer === payer) &&
            (paymentId === undefined || charge.paymentId === paymentId) &&
            (transaction === undefined || charge.receipt?.transaction === transaction) &&
            (subjectKind === undefined || charge.subject?.kind === subjectKind) &&
            (before === undefined || byAge(charge, before) < 0)
        )
        .sort((left, right) => byAge(right, left))
        .slice(0, limit)
    }),
  listSettled: ({ after, beforeMillis = Infinity, chargeKeys, fromMillis = 0, limit }) =>
    Effect.sync(() => {
      const keys = chargeKeys === undefined ? undefined : new Set(chargeKeys)
      const page: Array<SettledCharge> = []
      const start = { atMillis: fromMillis, key: "" }
      const last = after === undefined ? start : { atMillis: after.settledAtMillis, key: after.key }
      for (const charge of table.settledAfter(last.atMillis < fromMillis ? start : last)) {
        const settled = settledChargeOf(charge)
        if (settled === undefined) continue
        if (page.length >= limit || settled.settledAtMillis >= beforeMillis) break
        if (keys === undefined || keys.has(settled.key)) page.push(settled)
      }
      return page
    }),
  expire: (beforeMillis, limit) =>
    Effect.sync(() => {
      const old: Array<Charge> = []
      for (const charge of table.withResponse()) {
        if (old.length >= limit || charge.settledAtMillis! >= beforeMillis) break
        old.push(charge)
      }
      for (const charge of old)
        table.put({ ...charge, response: undefined, responseExpiredAtMillis: beforeMillis })
      return old.length
    }),
  countUnderKey: (keyId, operations, sinceMillis, nowMillis) =>
    Effect.sync(
      () =>
        table
          .all()
          .filter(({ operation }) => operations?.includes(operation) !== false)
          .filter((charge) => needsKey(charge, keyId, { nowMillis, sinceMillis })).length
    )
})
