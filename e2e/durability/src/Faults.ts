import { DatabaseSync } from "node:sqlite"
import { Charges, type RecordedResponse } from "@till402/core/effect"
import { Effect } from "effect"
import type { FaultName } from "./ServerSettings.ts"

type Store = Charges["Service"]

/** How long the store that writes later keeps a claim in memory; later writes take a little longer. */
const delayMillis = 300

/** Loses every response: replays get an empty body. */
const forgetsResponses = (store: Store): Store =>
  Charges.of({
    ...store,
    advance: (key, owner, { response, subject }) =>
      store.advance(key, owner, { response: response && emptied(response), subject }),
    deliver: (key, owner, response) => store.deliver(key, owner, emptied(response))
  })

const emptied = (response: RecordedResponse): RecordedResponse => ({
  ...response,
  body: { _tag: "Plain", text: "" }
})

/** Hides claims, and grants a claimed payment to every caller. */
const ignoresClaims = (store: Store): Store =>
  Charges.of({
    ...store,
    find: (key) =>
      Effect.map(store.find(key), (charge) => (charge?.state === "claimed" ? undefined : charge)),
    claim: (...claim) =>
      Effect.map(store.claim(...claim), (claimed) =>
        claimed._tag === "Existing" && claimed.charge.state === "claimed" ? { _tag: "Claimed" } : claimed
      ),
    advance: (...advance) => Effect.as(store.advance(...advance), true)
  })

/** Reports success and writes a moment later, in order: unwritten data dies with the process. */
const writesLater = (store: Store): Store => {
  const later = <A, B>(write: Effect.Effect<A>, delayMillis: number, result: B): Effect.Effect<B> =>
    write.pipe(Effect.delay(delayMillis), Effect.forkDetach, Effect.as(result))
  return Charges.of({
    ...store,
    claim: (...claim) => later(Effect.orDie(store.claim(...claim)), delayMillis, { _tag: "Claimed" }),
    advance: (...advance) => later(Effect.orDie(store.advance(...advance)), delayMillis + 100, true),
    complete: (...complete) =>
      later(Effect.orDie(store.complete(...complete)), delayMillis + 200, { _tag: "Completed" })
  })
}

/** Reports a receipt as recorded without recording it: the money moved, but the ledger lacks it. */
const forgetsReceipts = (store: Store): Store =>
  Charges.of({ ...store, complete: () => Effect.succeed({ _tag: "Completed" }) })

/** The same for one charge in eight, always the same ones. */
const forgetsSomeReceipts = (store: Store): Store =>
  Charges.of({
    ...store,
    complete: (key, ...completion) =>
      /[0-1]$/.test(key) ? Effect.succeed({ _tag: "Completed" }) : store.complete(key, ...completion)
  })

const afterClaims = (store: Store, keep: () => void): Store =>
  Charges.of({ ...store, claim: (...claim) => Effect.tap(store.claim(...claim), () => Effect.sync(keep)) })

/** What a fault keeps for each claim. */
const keptBytes = 262_144
const kept: Array<Uint8Array> = []

/** Keeps 256 KiB of memory for each claim, in buffers that V8 counts. */
const keepsEverything = (store: Store): Store =>
  afterClaims(store, () => {
    kept.push(new Uint8Array(keptBytes).fill(1))
  })

/** Keeps 256 KiB of memory for each claim that no statistic of V8 counts, as a leak of a native module would. */
const keepsNativeMemory = (store: Store): Store => {
  const memory = new DatabaseSync(":memory:")
  memory.exec("CREATE TABLE kept (bytes BLOB)")
  const keep = memory.prepare("INSERT INTO kept VALUES (randomblob(?))")
  return afterClaims(store, () => {
    keep.run(keptBytes)
  })
}

const faults: Readonly<Record<FaultName, (store: Store) => Store>> = {
  "forgets-responses": forgetsResponses,
  "ignores-claims": ignoresClaims,
  "writes-later": writesLater,
  "forgets-receipts": forgetsReceipts,
  "forgets-some-receipts": forgetsSomeReceipts,
  "keeps-everything": keepsEverything,
  "keeps-native-memory": keepsNativeMemory
}

/** Faults that a kill run must detect. */
export const faultNames: ReadonlyArray<FaultName> = [
  "forgets-responses",
  "ignores-claims",
  "writes-later",
  "forgets-receipts"
]
/** Faults that a day must detect. */
export const dayFaultNames: ReadonlyArray<FaultName> = [
  "forgets-some-receipts",
  "keeps-everything",
  "keeps-native-memory"
]

/** The store with the named fault. */
export const withFault = (store: Store, fault: FaultName | undefined): Store =>
  fault === undefined ? store : faults[fault](store)
