import { Clock, Context, Effect, Layer } from "effect"
import { ConfigurationError, type StoreError } from "../domain/Errors.ts"
import { Operations } from "../operations/Operation.ts"
import { Charges } from "../ports/Charges.ts"
import { KeyedRecords } from "../ports/KeyedRecords.ts"
import { type Marks, StorageMarks } from "../ports/StorageMarks.ts"
import { report } from "../runtime/events.ts"
import { keyDigest, type SecretKey } from "../runtime/Secrets.ts"
import { type Check, checkOf, type Finding, textOf } from "./Check.ts"
import type { ConfiguredSettings } from "./settings/Configuration.ts"

/*
 * A database is used with the keys it was used with before, for as long as it has what was made under them. Without its
 * key, a paid caller's retry would be taken for another request, and stored responses and download tokens would be lost.
 */

/** The host's keys: those in use, and the ids of those that it gave up. */
type Keys = Pick<ConfiguredSettings, "retiredKeys" | "secret">
type KeySettings = Keys & Pick<ConfiguredSettings, "responseLifetimeMillis">

const prefix = "secret."
const markOf = ({ id }: Pick<SecretKey, "id">): string => `${prefix}${id}`

const advice = `Restore it, or list the old key second: secret: [{ id: "2", … }, { id: "1", … }]. If it is lost for good, give the new key another id, and the old one's in retiredKeys. See docs/secret.md, "The secret"`

/** The ids of keys that the database was used with and that are neither given nor retired. Pure. */
export const missingKeys = (
  { retiredKeys, secret }: Keys,
  marks: ReadonlyMap<string, string>
): ReadonlyArray<string> =>
  [...marks.keys()]
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
    .filter((id) => !secret.some((key) => key.id === id) && !retiredKeys.includes(id))

/** What is wrong with the keys, by the marks; `undefined`: nothing that loses what is stored. Pure. */
const keyFault = (keys: Keys, marks: ReadonlyMap<string, string>): Finding | undefined => {
  const { secret } = keys
  const changed = secret.filter((key) => (marks.get(markOf(key)) ?? keyDigest(key)) !== keyDigest(key))
  const isForeign = missingKeys(keys, marks).length > 0 && !secret.some((key) => marks.has(markOf(key)))
  if (changed.length === 0 && !isForeign) return undefined
  const which = changed.length === 0 ? "" : ` (id ${changed.map(({ id }) => `"${id}"`).join(", ")})`
  return {
    status: "fail",
    problem: `secret${which} is not the one this database was used with: stored responses and download tokens would be lost`,
    cure: advice
  }
}

const refuse = (keys: Keys, marks: Marks) =>
  Effect.flatMap(marks.all, (found) => {
    const fault = keyFault(keys, found)
    return fault === undefined
      ? Effect.succeed(found)
      : Effect.fail(new ConfigurationError({ message: textOf(fault) }))
  })

/** What is lost without a key of the host, by its id. */
export interface KeyUse {
  /** The key's id in `secret` or `retiredKeys`. */
  readonly id: string
  /** `current`: new records are made under it. `older`: it is in `secret` as well. `retired`: it is in `retiredKeys`. */
  readonly status: "current" | "older" | "retired"
  /** Purchases of vault items whose download token is derived from it, and that can still be downloaded. */
  readonly purchases: number
  /** Paid calls whose response can still be requested with the same payment. */
  readonly responses: number
  /** Quotes that can still be paid. */
  readonly quotes: number
}

type Losses = Omit<KeyUse, "id" | "status">

const areNone = ({ purchases, quotes, responses }: Losses): boolean => purchases + quotes + responses === 0

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

const wordsOf = ({ purchases, quotes, responses }: Losses): string =>
  `${counted(purchases, "purchase")}, ${counted(responses, "stored response")} and ${counted(quotes, "quote")}`

/** What is wrong without a key, and both cures. Pure. */
const missingFault = (id: string, losses: Losses): Finding => ({
  status: "fail",
  problem: `secret lacks the key "${id}", under which this database has ${wordsOf(losses)}: these purchases can't be downloaded, these responses can't be requested again, and these quotes can't be paid`,
  cure: `Bring the key back, after the current one: secret: [{ id: "new", … }, { id: "${id}", … }]. Or retire it, with retiredKeys: ["${id}"]: then the wallet that paid for a purchase downloads it with a sign-in, and the rest is lost. See docs/secret.md, "Remove an old key"`
})

/** What is lost with a retired key. Pure. */
const retiredFault = (id: string, losses: Losses): Finding => ({
  status: "warn",
  problem: `The key "${id}" is retired: ${wordsOf(losses)} were made under it. The wallet that paid for a purchase downloads it with a sign-in; the rest is lost`,
  cure: "If that was not meant, list the key in secret again"
})

/** Counts what each key of the till is needed for. */
export class KeyOperator extends Context.Service<
  KeyOperator,
  {
    /** The keys in use, the current one first, then the retired ones, each with what is lost without it. */
    readonly list: Effect.Effect<ReadonlyArray<KeyUse>, StoreError>
    /** What is lost without a key, whether or not the till has it. */
    readonly losses: (keyId: string) => Effect.Effect<Losses, StoreError>
  }
>()("@till402/core/KeyOperator") {
  static readonly layer = (settings: KeySettings) => Layer.effect(KeyOperator, makeOperator(settings))
}

const makeOperator = Effect.fnUntraced(function* ({
  responseLifetimeMillis,
  retiredKeys,
  secret
}: KeySettings) {
  const records = yield* KeyedRecords
  const responses = yield* countResponses(responseLifetimeMillis)
  const losses = (keyId: string) =>
    Effect.all({
      purchases: records.count("purchases", keyId),
      responses: responses(keyId),
      quotes: records.count("quotes", keyId)
    })
  const ids = [
    ...secret.map(({ id }, index) => ({
      id,
      status: index === 0 ? ("current" as const) : ("older" as const)
    })),
    ...retiredKeys.map((id) => ({ id, status: "retired" as const }))
  ]
  return KeyOperator.of({
    losses,
    list: Effect.forEach(ids, (key) => Effect.map(losses(key.id), (lost): KeyUse => ({ ...key, ...lost })))
  })
})

/** Counts responses, each for as long as its operation replays it. Priced routes are added later, and have all the time. */
const countResponses = Effect.fnUntraced(function* (keptMillis: number) {
  const charges = yield* Charges
  const operations = yield* Operations
  return Effect.fnUntraced(function* (keyId: string) {
    const nowMillis = yield* Clock.currentTimeMillis
    const count = (millis: number, served?: ReadonlyArray<string>) =>
      charges.countUnderKey(keyId, served, nowMillis - millis, nowMillis)
    let responses = yield* count(keptMillis)
    for (const { endpoint, response } of yield* operations.all) {
      const served = [endpoint.identifier]
      if (response.replayMillis < keptMillis)
        responses += (yield* count(response.replayMillis, served)) - (yield* count(keptMillis, served))
    }
    return responses
  })
})

/** The checks of the keys by the marks of their database: one, or one for each key that is missing or retired. */
export const keyChecks = Effect.fnUntraced(function* (
  keys: Keys,
  marks: ReadonlyMap<string, string>
): Effect.fn.Return<ReadonlyArray<Check>, StoreError, KeyOperator> {
  const { losses } = yield* KeyOperator
  const fault = keyFault(keys, marks)
  if (fault !== undefined) return [checkOf("secret", undefined, fault)]
  const found: Array<Check> = []
  const look = Effect.fnUntraced(function* (id: string, faultOf: typeof missingFault) {
    const lost = yield* losses(id)
    if (!areNone(lost)) found.push(checkOf("secret", `key ${id}`, faultOf(id, lost)))
  })
  for (const id of missingKeys(keys, marks)) yield* look(id, missingFault)
  for (const id of keys.retiredKeys) yield* look(id, retiredFault)
  return found.length === 0 ? [checkOf("secret")] : found
})

/** Reports a database with charges and without the marks that each start leaves: somebody has deleted them. */
const reportLost = Effect.gen(function* () {
  const charges = yield* Charges
  if ((yield* charges.list({ limit: 1 })).length > 0)
    yield* report(
      "Warn",
      "service_changed",
      "This database has charges, and lost its marks: restore till_marks",
      { reason: "till_marks" }
    )
})

const start = Effect.fnUntraced(function* (
  keys: Keys,
  marks: Marks | undefined
): Effect.fn.Return<void, ConfigurationError | StoreError, Charges | KeyOperator> {
  const found = marks === undefined ? new Map<string, string>() : yield* marks.all
  if (marks !== undefined && found.size === 0) yield* reportLost
  const checks = yield* keyChecks(keys, found)
  const fault = checks.find(({ status }) => status === "fail")
  if (fault !== undefined)
    return yield* new ConfigurationError({ message: `Till402 can't start: ${textOf(fault)}` })
  for (const check of checks)
    if (check.status === "warn")
      yield* report("Warn", "secret_key_retired", textOf(check), { reason: check.subject })
  if (marks === undefined) return
  for (const key of keys.secret) if (!found.has(markOf(key))) yield* marks.add(markOf(key), keyDigest(key))
  // Of two processes that start with different keys on a new database, one is refused.
  yield* refuse(keys, marks)
})

/** Fails with `ConfigurationError` where the storage was used with other keys. */
export const keyCheck = (keys: Keys): Layer.Layer<never, ConfigurationError | StoreError> =>
  Layer.effectDiscard(
    Effect.flatMap(StorageMarks, (marks) => (marks === undefined ? Effect.void : refuse(keys, marks)))
  )

/**
 * Fails with `ConfigurationError` where a key is missing that is needed, reports what is lost with those that are retired,
 * and marks the storage with those that are new.
 */
export const keyLossCheck = (keys: Keys) =>
  Layer.effectDiscard(Effect.flatMap(StorageMarks, (marks) => start(keys, marks)))
