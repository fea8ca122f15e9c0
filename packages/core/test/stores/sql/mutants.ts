import { Effect } from "effect"
import { dueMutants } from "./dueMutants.ts"
import { finalityMutants } from "./finalityMutants.ts"
import { entering, later, type Mutant, noLimit, noLimits, seeing } from "./Mutant.ts"
import { limitMutants } from "./limitMutants.ts"
import { owedResponseMutants } from "./owedResponseMutants.ts"
import { recordMutants } from "./recordMutants.ts"
import { refundAttemptMutants } from "./refundAttemptMutants.ts"
import { refundMutants } from "./refundMutants.ts"
import { transferMutants } from "./transferMutants.ts"

/*
 * Stores that break one promise each, made of one that keeps them all.
 */

const claiming: ReadonlyArray<Mutant> = [
  {
    name: "a claim gets, then sets",
    foundBy: "racers for one key exactly one claims it",
    breaks: (store) => ({
      claim: (charge, lease, nowMillis, limit) =>
        Effect.gen(function* () {
          const found = yield* store.find(charge.key)
          yield* Effect.yieldNow
          if (found !== undefined) return { _tag: "Existing", charge: found } as const
          yield* store.claim(charge, lease, nowMillis, limit)
          return { _tag: "Claimed" } as const
        })
    })
  },
  {
    name: "a claim does not look at the lease",
    foundBy: "a claim's lease holds up to its last millisecond",
    breaks: (store) => ({
      claim: (charge, lease, _, limit) => store.claim(charge, lease, later, limit)
    })
  },
  {
    name: "a expired claim stays taken",
    foundBy: "racers for a expired claim exactly one takes it",
    breaks: (store) => ({
      claim: (charge, lease, _, limit) => store.claim(charge, lease, 0, limit)
    })
  },
  {
    name: "a voided charge is anybody's",
    foundBy: "a voided charge is claimed by its owner only, at any time",
    breaks: (store) => ({
      claim: (charge, lease, nowMillis, limit) =>
        Effect.gen(function* () {
          const found = yield* store.find(charge.key)
          if (found?.state === "voided") yield* store.takeOver(charge.key, lease, later)
          return yield* store.claim(charge, lease, nowMillis, limit)
        })
    })
  },
  {
    name: "the block of the first claim is forgotten",
    foundBy: "a charge claimed again starts over, but keeps the block of its first claim",
    breaks: (store) => seeing(store, (charge) => ({ ...charge, claimedAfterBlock: "" }))
  },
  {
    name: "no payer has too many",
    foundBy: "a payer's ready and claimed charges are limited",
    breaks: (store) => ({
      claim: (charge, lease, nowMillis) => store.claim(charge, lease, nowMillis, noLimits)
    })
  },
  {
    name: "the payer's charges are counted, then one is claimed",
    foundBy: "racers of one payer only the allowed number claim",
    breaks: (store) => ({
      claim: (charge, lease, nowMillis, { maxUnsettled }) =>
        Effect.gen(function* () {
          const others = yield* store.list({ limit: noLimit, state: "claimed" })
          yield* Effect.yieldNow
          if (others.filter(({ payer }) => payer === charge.payer).length >= maxUnsettled)
            return { _tag: "Limited", by: "charges" } as const
          return yield* store.claim(charge, lease, nowMillis, noLimits)
        })
    })
  },
  {
    name: "all payers have one limit",
    foundBy: "payers don't share a limit",
    breaks: (store) => ({
      claim: (charge, ...rest) => store.claim({ ...charge, payer: "0xeverybody" }, ...rest)
    })
  }
]

const moving: ReadonlyArray<Mutant> = [
  {
    name: "a response is accepted from any process",
    foundBy: "only the lease's owner makes a claimed charge ready, once",
    breaks: (store) => ({
      advance: (key, owner, outcome) =>
        Effect.flatMap(store.find(key), (charge) => store.advance(key, charge?.leaseOwner ?? owner, outcome))
    })
  },
  {
    name: "settling does not look at the state",
    foundBy: "any process can settle a ready charge, once; settling again changes nothing",
    breaks: (store) => ({
      complete: (key, settlement, nowMillis) =>
        Effect.as(store.complete(key, settlement, nowMillis), { _tag: "Completed" } as const)
    })
  },
  {
    name: "a settlement is entered twice",
    foundBy: "racers one settles a charge, and one entry is written",
    breaks: (store) => entering(store, (entries) => entries.flatMap((entry) => [entry, entry]))
  },
  {
    name: "a settlement without a response isn't recorded as refundable",
    foundBy: "a settlement without a response is entered with its refund",
    breaks: (store) => entering(store, (entries) => entries.filter(({ kind }) => kind !== "refund_due"))
  },
  {
    name: "a voided charge can't settle any more",
    foundBy: "a voided charge becomes settled if its money moves",
    breaks: (store) => ({
      complete: (key, settlement, nowMillis) =>
        Effect.flatMap(store.find(key), (charge) =>
          charge?.state === "voided"
            ? Effect.succeed({ _tag: "NotOpen" } as const)
            : store.complete(key, settlement, nowMillis)
        )
    })
  },
  {
    name: "what settling needs is kept",
    foundBy: "any process can settle a ready charge, once; settling again changes nothing",
    breaks: (store) => seeing(store, (charge) => ({ ...charge, settlement: "kept" }))
  },
  {
    name: "what a settlement sets off is never pending",
    foundBy: "a settlement's effect is pending until it is marked applied, once",
    breaks: (store) => seeing(store, (charge) => ({ ...charge, effectPending: false }))
  },
  {
    name: "anybody voids",
    foundBy: "the owner can void a claimed or ready charge, which ends its lease",
    breaks: (store) => ({
      void: (key, owner, options) =>
        Effect.flatMap(store.find(key), (charge) => store.void(key, charge?.leaseOwner ?? owner, options))
    })
  },
  {
    name: "what was refused is forgotten",
    foundBy: "a payment that was refused stays so when another takes its place",
    breaks: (store) =>
      seeing(store, (charge) => (charge.state === "claimed" ? { ...charge, refusedDigest: "" } : charge))
  },
  {
    name: "a ready charge is released",
    foundBy: "only the owner can release a claimed or voided charge",
    breaks: (store) => ({
      release: (key, owner) =>
        Effect.andThen(
          store.void(key, owner, { keepExposure: false, checkAfterMillis: 0 }),
          store.release(key, owner)
        )
    })
  },
  {
    name: "a running lease is taken over",
    foundBy: "the expired lease of an unfinished charge is taken over",
    breaks: (store) => ({ takeOver: (key, lease) => store.takeOver(key, lease, later) })
  },
  {
    name: "a takeover returns before it took effect",
    foundBy: "racers exactly one takes over",
    breaks: (store) => ({
      takeOver: (key, lease, nowMillis) =>
        Effect.gen(function* () {
          const charge = yield* store.find(key)
          yield* Effect.yieldNow
          yield* store.takeOver(key, lease, nowMillis)
          return charge !== undefined && charge.leaseUntilMillis <= nowMillis
        })
    })
  },
  {
    name: "attempts in vain are not counted",
    foundBy: "deferring counts an attempt and sets the next time",
    breaks: (store) => ({ defer: (key, owner) => store.yieldLease(key, owner, 0) })
  },
  {
    name: "what is to be looked at later is shown now",
    foundBy: "unfinished returns a charge once its lease has expired and it is due",
    breaks: (store) => ({ unfinished: (_, limit) => store.unfinished(later, limit) })
  }
]

const booking: ReadonlyArray<Mutant> = [
  {
    name: "a refund is sent as often as requested",
    foundBy: "a settled charge becomes refund-due once and refunded once",
    breaks: (store) => ({
      recordRefund: (key, transaction, nowMillis) =>
        Effect.as(store.recordRefund(key, transaction, nowMillis), true)
    })
  },
  {
    name: "the last line of a page of the ledger comes again",
    foundBy: "pages of the ledger have no gaps and no repeats",
    breaks: (store) => ({
      entries: ({ before, ...query }) =>
        store.entries({
          ...query,
          ...(before === undefined ? {} : { before: { ...before, chargeKey: `${before.chargeKey}~` } })
        })
    })
  },
  {
    name: "charges of the same moment are left out of the next page",
    foundBy: "Charges: pages have no gaps and no repeats",
    breaks: (store) => ({
      list: ({ before, ...query }) =>
        store.list({ ...query, ...(before === undefined ? {} : { before: { ...before, key: "" } }) })
    })
  },
  {
    name: "totals end a millisecond late",
    foundBy: "totals equal the summed entries, by UTC day",
    breaks: (store) => ({ totals: (from, before) => store.totals(from, before + 1) })
  },
  {
    name: "totals are sums of floating point",
    foundBy: "totals equal the summed entries, by UTC day",
    breaks: (store) => ({
      totals: (from, before) =>
        Effect.map(store.totals(from, before), (totals) =>
          totals.map((total) => ({
            ...total,
            amountAtomic: BigInt(Number(total.amountAtomic)).toString()
          }))
        )
    })
  },
  {
    name: "all old responses expire at once",
    foundBy: "expire respects its limit and eventually expires all responses",
    breaks: (store) => ({ expire: (before) => store.expire(before, noLimit) })
  },
  {
    name: "an expired charge's key is free again",
    foundBy: "responses expire, but ledger entries and keys remain",
    breaks: (store) => ({
      find: (key) =>
        Effect.map(store.find(key), (charge) =>
          charge?.responseExpiredAtMillis === undefined ? charge : undefined
        )
    })
  }
]

export const mutants: ReadonlyArray<Mutant> = [
  ...claiming,
  ...moving,
  ...booking,
  ...limitMutants,
  ...transferMutants,
  ...finalityMutants,
  ...owedResponseMutants,
  ...dueMutants,
  ...refundMutants,
  ...refundAttemptMutants,
  ...recordMutants
]
