import { Effect } from "effect"
import type { Charge, RefundLimit, RefundStart } from "../../../src/ports/Charges.ts"
import { amountOf, type Mutant, noLimit, rounded, seeing, type Store } from "./Mutant.ts"

const started: RefundStart = { _tag: "Started" }
const overLimit: RefundStart = { _tag: "OverLimit" }
const boundless: RefundLimit = { sinceMillis: 0, maxAtomic: "1000000000000000000000000000000" }

const isStarted = ({ refund }: Charge): boolean =>
  refund?._tag === "Due" && refund.startedAtMillis !== undefined

/** Starts a refund under another limit. */
const startingWith = (store: Store, change: (limit: RefundLimit) => RefundLimit): Partial<Store> => ({
  startRefund: (key, limit, nowMillis) => store.startRefund(key, change(limit), nowMillis)
})

const starting: ReadonlyArray<Mutant> = [
  {
    name: "a refund is started that is not due",
    foundBy: "a due refund can be started and records when",
    breaks: (store) => ({ startRefund: (...input) => Effect.as(store.startRefund(...input), started) })
  },
  {
    name: "a refund does not record when it was started",
    foundBy: "a due refund can be started and records when",
    breaks: (store) =>
      seeing(store, (charge) =>
        charge.refund?._tag === "Due"
          ? { ...charge, refund: { _tag: "Due", startedAtMillis: undefined } }
          : charge
      )
  },
  {
    name: "a refund that was started does not start again",
    foundBy: "a started refund can be started again, regardless of the limit",
    breaks: (store) => ({
      startRefund: (key, limit, nowMillis) =>
        Effect.flatMap(store.find(key), (charge) =>
          charge !== undefined && isStarted(charge)
            ? Effect.succeed<RefundStart>({ _tag: "NotDue" })
            : store.startRefund(key, limit, nowMillis)
        )
    })
  },
  {
    name: "refunds have no limit",
    foundBy: "refunds of a payer end at their limit",
    breaks: (store) => startingWith(store, () => boundless)
  },
  {
    name: "a refund that was sent does not count any more",
    foundBy: "refunds of a payer end at their limit",
    breaks: (store) => ({
      startRefund: (key, limit, nowMillis) =>
        Effect.flatMap(store.entries({ limit: noLimit }), (entries) => {
          const sent = amountOf(entries.filter(({ kind }) => kind === "refunded"))
          const maxAtomic = (BigInt(limit.maxAtomic) + sent).toString()
          return store.startRefund(key, { ...limit, maxAtomic }, nowMillis)
        })
    })
  },
  {
    name: "refunds count forever",
    foundBy: "only refunds started at or after the window's start count",
    breaks: (store) => startingWith(store, (limit) => ({ ...limit, sinceMillis: 0 }))
  },
  {
    name: "the window of refunds begins a millisecond late",
    foundBy: "only refunds started at or after the window's start count",
    breaks: (store) => startingWith(store, (limit) => ({ ...limit, sinceMillis: limit.sinceMillis + 1 }))
  },
  {
    name: "a refund counts that was sent without a start",
    foundBy: "a refund recorded without a start counts in no window",
    breaks: (store) => ({
      startRefund: (key, limit, nowMillis) =>
        Effect.flatMap(store.list({ limit: noLimit }), (all) => {
          const sent = all.filter(({ refund }) => refund?._tag === "Sent")
          const maxAtomic = (BigInt(limit.maxAtomic) - amountOf(sent)).toString()
          return store.startRefund(key, { ...limit, maxAtomic }, nowMillis)
        })
    })
  },
  {
    name: "all payers have one limit of refunds",
    foundBy: "refund limits are per payer",
    breaks: (store) => ({
      startRefund: (key, limit, nowMillis) =>
        Effect.gen(function* () {
          const charge = yield* store.find(key)
          const others = (yield* store.list({ limit: noLimit })).filter(
            (other) => isStarted(other) && other.payer !== charge?.payer
          )
          const maxAtomic = (BigInt(limit.maxAtomic) - amountOf(others)).toString()
          return yield* store.startRefund(key, { ...limit, maxAtomic }, nowMillis)
        })
    })
  },
  {
    name: "refunds are summed in floating point",
    foundBy: "sums of refunds are exact for tokens of 18 decimals",
    breaks: (store) => startingWith(store, (limit) => ({ ...limit, maxAtomic: rounded(limit.maxAtomic) }))
  },
  {
    name: "a settlement that was undone is held against its refund twice",
    foundBy: "a refund can start after a settlement was undone and repeated",
    breaks: (store) => ({
      startRefund: (key, limit, nowMillis) =>
        Effect.flatMap(store.entries({ limit: noLimit }), (entries) => {
          const of = (name: string) => amountOf(entries.filter(({ kind }) => kind === name))
          return of("settled") - 2n * of("reversed") < of("refund_due")
            ? Effect.succeed<RefundStart>({ _tag: "ExceedsReceived" })
            : store.startRefund(key, limit, nowMillis)
        })
    })
  },
  {
    name: "refunds are summed, then one is started",
    foundBy: "refunds of one payer only as many start as the limit allows",
    breaks: (store) => ({
      startRefund: (key, limit, nowMillis) =>
        Effect.gen(function* () {
          const due = yield* store.list({ limit: noLimit, isRefundDue: true })
          yield* Effect.yieldNow
          const own = due.filter((charge) => charge.key === key)
          const sum = amountOf([...due.filter(isStarted), ...own])
          return sum > BigInt(limit.maxAtomic)
            ? overLimit
            : yield* store.startRefund(key, boundless, nowMillis)
        })
    })
  },
  {
    name: "each start of a refund counts",
    foundBy: "concurrent starts of one refund count once",
    breaks: (store) => {
      let counted = 0n
      return {
        startRefund: (key, limit, nowMillis) =>
          Effect.gen(function* () {
            const charge = yield* store.find(key)
            counted += BigInt(charge?.amountAtomic ?? 0)
            return counted > BigInt(limit.maxAtomic)
              ? overLimit
              : yield* store.startRefund(key, limit, nowMillis)
          })
      }
    }
  }
]

const stops: ReadonlyArray<Mutant> = [
  {
    name: "the last reason of a stop wins",
    foundBy: "refunds stay stopped until resumed, with the first reason",
    breaks: (store) => ({
      stopRefunds: (reason, nowMillis) =>
        Effect.flatMap(store.resumeRefunds(), (wasStopped) =>
          Effect.as(store.stopRefunds(reason, nowMillis), !wasStopped)
        )
    })
  },
  {
    name: "resuming refunds always took effect",
    foundBy: "refunds stay stopped until resumed, with the first reason",
    breaks: (store) => ({ resumeRefunds: () => Effect.as(store.resumeRefunds(), true) })
  },
  {
    name: "a stop is looked for, then made",
    foundBy: "racers one stops refunds and one resumes them",
    breaks: (store) => ({
      stopRefunds: (reason, nowMillis) =>
        Effect.gen(function* () {
          const stop = yield* store.refundStop()
          yield* Effect.yieldNow
          yield* store.stopRefunds(reason, nowMillis)
          return stop === undefined
        })
    })
  }
]

const reading: ReadonlyArray<Mutant> = [
  {
    name: "the ledger of one network is that of all",
    foundBy: "the ledger can be filtered by network and by payer",
    breaks: (store) => ({ entries: ({ network: _network, ...query }) => store.entries(query) })
  },
  {
    name: "the ledger of one payer is that of all",
    foundBy: "the ledger can be filtered by network and by payer",
    breaks: (store) => ({ entries: ({ payer: _payer, ...query }) => store.entries(query) })
  },
  {
    name: "a page of the ledger ends within a moment's rounds",
    foundBy: "entries of one charge and time are ordered by kind and round",
    breaks: (store) => ({
      entries: ({ before, ...query }) =>
        store.entries({ ...query, ...(before === undefined ? {} : { before: { ...before, round: 0 } }) })
    })
  },
  {
    name: "totals leave reversals out",
    foundBy: "entries of one charge and time are ordered by kind and round",
    breaks: (store) => ({
      totals: (...span) =>
        Effect.map(store.totals(...span), (totals) => totals.filter(({ kind }) => kind !== "reversed"))
    })
  }
]

/** Stores that break what they promise of refunds, and of the ledger that they are held against. */
export const refundMutants: ReadonlyArray<Mutant> = [...starting, ...stops, ...reading]
