import { Effect, Layer } from "effect"
import { ConfigurationError, type StoreError } from "../domain/Errors.ts"
import { type Marks, StorageMarks } from "../ports/StorageMarks.ts"
import { report } from "../runtime/events.ts"
import { keyDigest, type SecretKey } from "../runtime/Secrets.ts"
import { type Check, checkOf, type Finding, textOf } from "./Check.ts"

/*
 * A database is used with the keys it was used with before. Under other keys, a paid caller's retry would be taken for
 * another request, and stored responses and download tokens would be lost, without an error.
 */

const prefix = "secret."
const markOf = ({ id }: SecretKey): string => `${prefix}${id}`

const advice = `Restore it, or list the old key second: secret: [{ id: "2", … }, { id: "1", … }]. See docs/options.md, "The secret"`

/** What is wrong with the keys, by the marks; `undefined`: nothing that loses what is stored. Pure. */
const keyFault = (
  keys: ReadonlyArray<SecretKey>,
  marks: ReadonlyMap<string, string>
): Finding | undefined => {
  const changed = keys.filter((key) => (marks.get(markOf(key)) ?? keyDigest(key)) !== keyDigest(key))
  const isUsed = [...marks.keys()].some((name) => name.startsWith(prefix))
  if (!isUsed || (changed.length === 0 && keys.some((key) => marks.has(markOf(key))))) return undefined
  const which = changed.length === 0 ? "" : ` (id ${changed.map(({ id }) => `"${id}"`).join(", ")})`
  return {
    status: "fail",
    problem: `secret${which} is not the one this database was used with: stored responses and download tokens would be lost`,
    cure: advice
  }
}

/** Names the keys that the database was used with and that aren't given any more. Pure. */
const missingKeys = (
  keys: ReadonlyArray<SecretKey>,
  marks: ReadonlyMap<string, string>
): Finding | undefined => {
  const gone = [...marks.keys()]
    .filter((name) => name.startsWith(prefix) && !keys.some((key) => markOf(key) === name))
    .map((name) => name.slice(prefix.length))
  return gone.length === 0
    ? undefined
    : {
        status: "warn",
        problem: `This database was used with keys that secret doesn't list any more: ${gone.join(", ")}. Downloads that were bought under them, and responses stored under them, are refused`,
        cure: "List them after the current key for as long as somebody may come back"
      }
}

/** The check of the keys by the marks of their database. Pure. */
export const secretCheckOf = (keys: ReadonlyArray<SecretKey>, marks: ReadonlyMap<string, string>): Check =>
  checkOf("secret", undefined, keyFault(keys, marks) ?? missingKeys(keys, marks))

const mark = Effect.fnUntraced(function* (
  marks: Marks,
  keys: ReadonlyArray<SecretKey>
): Effect.fn.Return<void, ConfigurationError | StoreError> {
  const refuse = Effect.flatMap(marks.all, (found) => {
    const check = secretCheckOf(keys, found)
    return check.status === "fail"
      ? Effect.fail(new ConfigurationError({ message: textOf(check) }))
      : Effect.succeed({ found, check })
  })
  const { check, found } = yield* refuse
  if (check.status === "warn") yield* report("Warn", "secret_key_missing", textOf(check))
  const missing = keys.filter((key) => !found.has(markOf(key)))
  if (missing.length === 0) return
  for (const key of missing) yield* marks.add(markOf(key), keyDigest(key))
  // Of two processes that start with different keys on a new database, one is refused.
  yield* refuse
})

/** Fails with `ConfigurationError` where the storage was used with other keys; marks it with those that are new. */
export const keyCheck = (
  keys: ReadonlyArray<SecretKey>
): Layer.Layer<never, ConfigurationError | StoreError> =>
  Layer.effectDiscard(
    Effect.flatMap(StorageMarks, (marks) => (marks === undefined ? Effect.void : mark(marks, keys)))
  )
