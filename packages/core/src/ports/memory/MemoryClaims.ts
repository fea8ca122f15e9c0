import { Effect } from "effect"
import type { Charge, Claim, Lease, NewCharge } from "../Charge.ts"
import type { ClaimMethods } from "../ChargeMethods.ts"
import { byAge, hasExpired, isFree, mayStillMove } from "../chargeRules.ts"
import type { ChargeTable } from "./MemoryChargeTable.ts"

/** Settled charges that `payerActivity` sums up. */
const maxSettled = 200

const claimed = (charge: NewCharge, lease: Lease, replaced: Charge | undefined): Charge => ({
  ...charge,
  state: "claimed",
  claimedAfterBlock: replaced?.claimedAfterBlock ?? charge.claimedAfterBlock,
  leaseOwner: lease.owner,
  leaseUntilMillis: lease.untilMillis,
  attempts: 0,
  checkAfterMillis: 0,
  response: undefined,
  responseExpiredAtMillis: undefined,
  subject: undefined,
  effectPending: false,
  receipt: undefined,
  transferLogIndex: undefined,
  reportedBy: undefined,
  awaitsFinality: false,
  refusedDigest: replaced?.refusedDigest ?? "",
  reopenings: replaced?.reopenings ?? 0,
  responseOwedUntilMillis: undefined,
  settledAtMillis: undefined,
  refund: undefined
})

/** Claims in memory. */
export const claimMethods = (table: ChargeTable): ClaimMethods => ({
  find: (key) => Effect.sync(() => table.get(key)),
  claim: (charge, lease, nowMillis, limits) =>
    Effect.sync((): Claim => {
      const existing = table.get(charge.key)
      if (existing !== undefined && !isFree(existing, lease, nowMillis)) {
        return { _tag: "Existing", charge: existing }
      }
      const first = limits.repeats && table.repeatedBy(charge, limits.repeats)
      if (first !== undefined) return { _tag: "Repeated", first }
      const by = table.limitedBy(charge, limits, nowMillis)
      if (by !== undefined) return { _tag: "Limited", by }
      table.put(claimed(charge, lease, existing))
      return { _tag: "Claimed" }
    }),
  findRepeated: (charge, rule) => Effect.sync(() => table.repeatedBy(charge, rule)),
  payerActivity: (charge, sinceMillis, nowMillis) =>
    Effect.sync(() => {
      const isAlike = ({ asset, network }: Charge) => network === charge.network && asset === charge.asset
      let open = 0n
      for (const other of table.openOf(charge.payer)) {
        if (!isAlike(other) || byAge(other, charge) > 0) continue
        const isOpen =
          other.state === "ready" ? mayStillMove(other, nowMillis) : !hasExpired(other, nowMillis)
        if (isOpen) open += BigInt(other.amountAtomic)
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
