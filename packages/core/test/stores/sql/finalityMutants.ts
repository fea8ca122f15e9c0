import { Effect } from "effect"
import { entering, type Mutant, noLimit, seeing, ownerOf } from "./Mutant.ts"

export const finalityMutants: ReadonlyArray<Mutant> = [
  {
    name: "what settling needs is dropped before the proof is final",
    foundBy: "a provisional settlement keeps the data for settling again until it is final",
    breaks: (store) =>
      seeing(store, (charge) => (charge.awaitsFinality ? { ...charge, settlement: "" } : charge))
  },
  {
    name: "anybody finalizes",
    foundBy: "a provisional settlement keeps the data for settling again until it is final",
    breaks: (store) => ({
      finalize: (key) => Effect.flatMap(ownerOf(store, key), (owner) => store.finalize(key, owner))
    })
  },
  {
    name: "whatever is settled becomes final",
    foundBy: "only provisional settlements become final or are reopened",
    breaks: (store) => ({
      finalize: (key, owner) =>
        Effect.flatMap(store.find(key), (charge) =>
          charge?.state === "settled" ? Effect.succeed(true) : store.finalize(key, owner)
        )
    })
  },
  {
    name: "a final settlement is reopened",
    foundBy: "a provisional settlement keeps the data for settling again until it is final",
    breaks: (store) => ({
      reopen: (key, owner, nowMillis) =>
        Effect.flatMap(store.find(key), (charge) =>
          charge?.state === "settled" ? Effect.succeed(true) : store.reopen(key, owner, nowMillis)
        )
    })
  },
  {
    name: "anybody reopens",
    foundBy: "a reopened charge is ready again, and the reversal is entered",
    breaks: (store) => ({
      reopen: (key, _, nowMillis) =>
        Effect.flatMap(ownerOf(store, key), (owner) => store.reopen(key, owner, nowMillis))
    })
  },
  {
    name: "a reversal is not entered",
    foundBy: "a reopened charge is ready again, and the reversal is entered",
    breaks: (store) => entering(store, (entries) => entries.filter(({ kind }) => kind !== "reversed"))
  },
  {
    name: "a reversal does not name its transfer",
    foundBy: "a reopened charge is ready again, and the reversal is entered",
    breaks: (store) =>
      entering(store, (entries) =>
        entries.map((entry) =>
          entry.kind === "reversed" ? { ...entry, transferLogIndex: undefined } : entry
        )
      )
  },
  {
    name: "all entries are of one round",
    foundBy: "each settlement of a reopened charge has its own round",
    breaks: (store) => entering(store, (entries) => entries.map((entry) => ({ ...entry, round: 0 })))
  },
  {
    name: "the refund of what was undone stays due",
    foundBy: "a reversal cancels the due refund and everything else pending",
    breaks: (store) =>
      seeing(store, (charge) =>
        charge.state === "ready" && charge.reopenings > 0
          ? { ...charge, refund: { _tag: "Due", startedAtMillis: undefined } }
          : charge
      )
  },
  {
    name: "what a settlement set off stays pending once it is undone",
    foundBy: "a reversal cancels the due refund and everything else pending",
    breaks: (store) => ({
      markApplied: (key) =>
        Effect.flatMap(store.find(key), (charge) =>
          charge?.state === "ready" ? Effect.succeed(true) : store.markApplied(key)
        )
    })
  },
  {
    name: "a charge is reopened although its refund was started",
    foundBy: "whose refund is under way is not reopened",
    breaks: (store) => ({
      reopen: (key, owner, nowMillis) => Effect.as(store.reopen(key, owner, nowMillis), true)
    })
  },
  {
    name: "a charge whose refund was sent is not reopened",
    foundBy: "whose refund was sent is reopened and settled with it",
    breaks: (store) => ({
      reopen: (key, owner, nowMillis) =>
        Effect.flatMap(store.find(key), (charge) =>
          charge?.refund?._tag === "Sent" ? Effect.succeed(false) : store.reopen(key, owner, nowMillis)
        )
    })
  },
  {
    name: "a reopening forgets the refund that was sent",
    foundBy: "whose refund was sent is reopened and settled with it",
    breaks: (store) =>
      seeing(store, (charge) => (charge.state === "ready" ? { ...charge, refund: undefined } : charge))
  },
  {
    name: "a refunded charge settles for a response",
    foundBy: "whose refund was sent is reopened and settled with it",
    breaks: (store) => ({
      complete: (key, settlement, nowMillis) =>
        Effect.flatMap(store.find(key), (charge) =>
          store.complete(
            key,
            { ...settlement, refundDue: settlement.refundDue || charge?.refund?._tag === "Sent" },
            nowMillis
          )
        )
    })
  },
  {
    name: "a completion forgets the refund that was sent",
    foundBy: "whose refund was sent is reopened and settled with it",
    breaks: (store) =>
      seeing(store, (charge) =>
        charge.state === "settled" && charge.reopenings > 0 && charge.refund?._tag === "Sent"
          ? { ...charge, refund: undefined }
          : charge
      )
  },
  {
    name: "a completion owes what was sent back once more",
    foundBy: "whose refund was sent is reopened and settled with it",
    breaks: (store) =>
      entering(store, (entries) =>
        entries.flatMap((entry) =>
          entry.kind === "settled" &&
          entry.round > 0 &&
          entries.some(({ kind, round }) => kind === "refunded" && round < entry.round)
            ? [{ ...entry, kind: "refund_due" as const, transaction: undefined }, entry]
            : [entry]
        )
      )
  },
  {
    name: "what a refunded charge would have set off is pending",
    foundBy: "whose refund was sent is reopened and settled with it",
    breaks: (store) =>
      seeing(store, (charge) =>
        charge.state === "settled" && charge.reopenings > 0 && charge.refund?._tag === "Sent"
          ? { ...charge, effectPending: charge.subject !== undefined }
          : charge
      )
  },
  {
    name: "a refunded charge owes its response once it is settled again",
    foundBy: "whose refund was sent is reopened and settled with it",
    breaks: (store) =>
      seeing(store, (charge) =>
        charge.state === "settled" && charge.reopenings > 0 && charge.refund?._tag === "Sent"
          ? { ...charge, responseOwedUntilMillis: 4_000 }
          : charge
      )
  },
  {
    name: "a refunded charge is released",
    foundBy: "a refunded charge that is reopened without a response stays",
    breaks: (store) => ({
      release: (key, owner) =>
        Effect.flatMap(store.find(key), (charge) =>
          charge?.state === "voided" && charge.refund !== undefined
            ? Effect.succeed(true)
            : store.release(key, owner)
        )
    })
  },
  {
    name: "a refunded charge is cleared in bulk",
    foundBy: "a refunded charge that is reopened without a response stays",
    breaks: (store) => ({
      voidedDue: (nowMillis, limit) =>
        Effect.map(store.list({ limit: noLimit, state: "voided" }), (found) =>
          found
            .filter(
              ({ checkAfterMillis, leaseUntilMillis, subject }) =>
                subject === undefined && leaseUntilMillis <= nowMillis && checkAfterMillis <= nowMillis
            )
            .slice(0, limit)
        )
    })
  },
  {
    name: "a claim forgets how often its charge was reopened",
    foundBy: "a reopened charge that is voided and claimed again continues its rounds",
    breaks: (store) =>
      seeing(store, (charge) => (charge.state === "claimed" ? { ...charge, reopenings: 0 } : charge))
  },
  {
    name: "a claim keeps when the response before it expired",
    foundBy: "an expired response of a reopened charge stays expired",
    breaks: (store) =>
      seeing(store, (charge) => (charge.reopenings > 0 ? { ...charge, responseExpiredAtMillis: 1 } : charge))
  },
  {
    name: "a charge is looked at, then reopened",
    foundBy: "racers one reopens a charge, and one entry is written",
    breaks: (store) => ({
      reopen: (key, owner, nowMillis) =>
        Effect.gen(function* () {
          const charge = yield* store.find(key)
          yield* Effect.yieldNow
          yield* store.reopen(key, owner, nowMillis)
          return charge?.awaitsFinality === true
        })
    })
  },
  {
    name: "a settlement is final and undone",
    foundBy: "a settlement becomes final or is undone, and its refund is started or canceled, never both",
    breaks: (store) => ({ finalize: (key, owner) => Effect.as(store.finalize(key, owner), true) })
  }
]
