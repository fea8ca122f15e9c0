import { Effect } from "effect"
import type { Charge, Completion } from "../../src/ports/Charges.ts"
import { entering, type Mutant, noLimit, seeing, type Store } from "./Mutant.ts"

const completed: Completion = { _tag: "Completed" }
const taken: Completion = { _tag: "TransferTaken" }

/** Does something else where a transfer is taken. */
const whereTaken = (
  store: Store,
  instead: (...input: Parameters<Store["complete"]>) => ReturnType<Store["complete"]>
) => ({
  complete: ((...input) =>
    Effect.flatMap(store.complete(...input), (completion) =>
      completion._tag === "TransferTaken" ? instead(...input) : Effect.succeed(completion)
    )) as Store["complete"]
})

/** A verb of the owner that takes effect for anybody. */
const ownerOf = (store: Store, key: string) =>
  Effect.map(store.find(key), (charge) => charge?.leaseOwner ?? "")

const transfers: ReadonlyArray<Mutant> = [
  {
    name: "a transfer settles a second charge",
    foundBy: "a transfer settles one charge; a second charge is refused and unchanged",
    breaks: (store) =>
      whereTaken(store, (key, settlement, nowMillis) =>
        store.complete(key, { ...settlement, transferLogIndex: undefined }, nowMillis)
      )
  },
  {
    name: "a charge whose transfer is taken is voided",
    foundBy: "a transfer settles one charge; a second charge is refused and unchanged",
    breaks: (store) =>
      whereTaken(store, (key) =>
        Effect.gen(function* () {
          yield* store.void(key, yield* ownerOf(store, key), { keepExposure: true, checkAfterMillis: 0 })
          return taken
        })
      )
  },
  {
    name: "a transfer that is taken is a failure of the store",
    foundBy: "charges racing for one transfer one settles",
    breaks: (store) => whereTaken(store, () => Effect.succeed({ _tag: "NotOpen" }))
  },
  {
    name: "the transaction alone names a transfer",
    foundBy: "a transfer is identified by network, transaction and log index",
    breaks: (store) => ({
      complete: (key, settlement, nowMillis) => {
        const transferLogIndex = settlement.transferLogIndex === undefined ? undefined : 0
        return store.complete(key, { ...settlement, transferLogIndex }, nowMillis)
      }
    })
  },
  {
    name: "a transfer is looked for on every network",
    foundBy: "a transfer is identified by network, transaction and log index",
    breaks: (store) => ({
      complete: (key, settlement, nowMillis) =>
        Effect.gen(function* () {
          const settled = yield* store.list({ limit: noLimit, state: "settled" })
          const isSame = ({ receipt, transferLogIndex }: Charge) =>
            transferLogIndex !== undefined &&
            transferLogIndex === settlement.transferLogIndex &&
            receipt?.transaction === settlement.receipt.transaction
          return settled.some(isSame) ? taken : yield* store.complete(key, settlement, nowMillis)
        })
    })
  },
  {
    name: "settlements without a proof are compared",
    foundBy: "settlements without proof may share a transaction",
    breaks: (store) => ({
      complete: (key, settlement, nowMillis) =>
        store.complete(key, { ...settlement, transferLogIndex: settlement.transferLogIndex ?? 0 }, nowMillis)
    })
  },
  {
    name: "a charge that is not open is compared",
    foundBy: "closed charges aren't checked for a shared transfer",
    breaks: (store) => ({
      complete: (key, settlement, nowMillis) =>
        Effect.gen(function* () {
          const settled = yield* store.list({ limit: noLimit, state: "settled" })
          const index = settlement.transferLogIndex
          const isTaken = settled.some(
            ({ transferLogIndex }) => index !== undefined && index === transferLogIndex
          )
          return isTaken ? taken : yield* store.complete(key, settlement, nowMillis)
        })
    })
  },
  {
    name: "a transfer that was undone stays taken",
    foundBy: "a transfer that was undone can settle another charge",
    breaks: (store) => {
      const first = new Map<number, string>()
      return {
        complete: (key, settlement, nowMillis) =>
          Effect.suspend(() => {
            const { transferLogIndex: index } = settlement
            if (index === undefined) return store.complete(key, settlement, nowMillis)
            if (!first.has(index)) first.set(index, key)
            return first.get(index) === key
              ? store.complete(key, settlement, nowMillis)
              : Effect.succeed(taken)
          })
      }
    }
  },
  {
    name: "a transfer is looked up, then the charge is settled",
    foundBy: "charges racing for one transfer one settles",
    breaks: (store) => ({
      complete: (key, settlement, nowMillis) =>
        Effect.gen(function* () {
          const isTaken = (yield* store.list({ limit: noLimit, state: "settled" })).length > 0
          yield* Effect.yieldNow
          if (isTaken) return taken
          return yield* store.complete(key, { ...settlement, transferLogIndex: undefined }, nowMillis)
        })
    })
  },
  {
    name: "a completion that is refused undoes the ones beside it",
    foundBy: "refused completions don't affect concurrent ones",
    breaks: (store) => {
      let isBroken = false
      return {
        complete: (...input) =>
          Effect.map(
            Effect.suspend(() => (isBroken ? Effect.succeed(taken) : store.complete(...input))),
            (completion) => {
              isBroken ||= completion._tag === "TransferTaken"
              return completion
            }
          )
      }
    }
  }
]

const finality: ReadonlyArray<Mutant> = [
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

const owed: ReadonlyArray<Mutant> = [
  {
    name: "a charge becomes ready with a response alone",
    foundBy: "a settle-first charge is ready and settled before it has a response",
    breaks: (store) => ({
      advance: (key, owner, outcome) =>
        outcome.response === undefined ? Effect.succeed(false) : store.advance(key, owner, outcome)
    })
  },
  {
    name: "anybody delivers",
    foundBy: "a settle-first charge is ready and settled before it has a response",
    breaks: (store) => ({
      deliver: (key, _, response) =>
        Effect.flatMap(ownerOf(store, key), (owner) => store.deliver(key, owner, response))
    })
  },
  {
    name: "a second response is delivered",
    foundBy: "racers one delivers and one settles",
    breaks: (store) => ({
      deliver: (key, owner, response) => Effect.as(store.deliver(key, owner, response), true)
    })
  },
  {
    name: "a response is delivered whose refund is due",
    foundBy: "a response is due or its refund is due, never both",
    breaks: (store) => ({
      deliver: (key, owner, response) =>
        Effect.flatMap(store.find(key), (charge) =>
          charge?.refund === undefined ? store.deliver(key, owner, response) : Effect.succeed(true)
        )
    })
  },
  {
    name: "a settled charge is looked at again at the later of its times",
    foundBy: "a settled charge is due at the earlier of its times",
    breaks: (store) =>
      seeing(store, (charge) => ({
        ...charge,
        checkAfterMillis: charge.responseOwedUntilMillis ?? charge.checkAfterMillis
      }))
  },
  {
    name: "a voided charge that settles first needs a refund",
    foundBy: "a voided settle-first charge becomes settled without a refund",
    breaks: (store) => ({
      complete: (key, settlement, nowMillis) =>
        Effect.flatMap(store.find(key), (charge) =>
          charge?.state === "voided" && !settlement.refundDue
            ? Effect.succeed({ _tag: "NotOpen" } as const)
            : store.complete(key, settlement, nowMillis)
        )
    })
  },
  {
    name: "a voided charge settles without a refund",
    foundBy: "a voided charge becomes settled if its money moves",
    breaks: (store) => ({
      complete: (...input) =>
        Effect.flatMap(store.find(input[0]), (charge) =>
          charge?.state === "voided" ? Effect.succeed(completed) : store.complete(...input)
        )
    })
  },
  {
    name: "what settling needs is kept of a voided charge",
    foundBy: "the owner can void a claimed or ready charge, which ends its lease",
    breaks: (store) =>
      seeing(store, (charge) => (charge.state === "voided" ? { ...charge, settlement: "kept" } : charge))
  }
]

/** Stores that break what a settlement promises: one transfer, its finality, and the response that is owed. */
export const settlementMutants: ReadonlyArray<Mutant> = [...transfers, ...finality, ...owed]
