import { Effect } from "effect"
import type { Charge, Completion } from "../../../src/ports/Charges.ts"
import { type Mutant, noLimit, type Store, ownerOf } from "./Mutant.ts"

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

export const transferMutants: ReadonlyArray<Mutant> = [
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
    name: "nobody knows who reported a settlement",
    foundBy: "the facilitator that reported a settlement is kept with it",
    breaks: (store) => ({
      complete: (key, settlement, nowMillis) =>
        store.complete(key, { ...settlement, reportedBy: undefined }, nowMillis)
    })
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

/** Stores that break what a settlement promises: one transfer, its finality, and the response that is owed. */
