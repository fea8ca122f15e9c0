import { Effect, Layer } from "effect"
import { ConfigurationError, type StoreError } from "../domain/Errors.ts"
import { type Marks, StorageMarks } from "../ports/StorageMarks.ts"
import { report } from "../runtime/events.ts"
import { keyDigest, type SecretKey } from "../runtime/Secrets.ts"

/*
 * A database is used with the keys it was used with before. Under other keys, a paid caller's retry would be taken for
 * another request, and stored responses and download tokens would be lost, without an error.
 */

const prefix = "secret."
const markOf = ({ id }: SecretKey): string => `${prefix}${id}`

const advice = `Restore it, or list the old key second: secret: [{ id: "2", … }, { id: "1", … }]. See docs/options.md, "The secret"`

/** Compares the keys with the marks. Pure. */
export const keyFault = (
  keys: ReadonlyArray<SecretKey>,
  marks: ReadonlyMap<string, string>
): string | undefined => {
  const changed = keys.filter((key) => (marks.get(markOf(key)) ?? keyDigest(key)) !== keyDigest(key))
  const isUsed = [...marks.keys()].some((name) => name.startsWith(prefix))
  if (!isUsed || (changed.length === 0 && keys.some((key) => marks.has(markOf(key))))) return undefined
  const which = changed.length === 0 ? "" : ` (id ${changed.map(({ id }) => `"${id}"`).join(", ")})`
  return `secret${which} is not the one this database was used with: stored responses and download tokens would be lost. ${advice}`
}

/** The ids of keys that the database was used with and that aren't given any more. Pure. */
export const missingKeys = (
  keys: ReadonlyArray<SecretKey>,
  marks: ReadonlyMap<string, string>
): ReadonlyArray<string> =>
  [...marks.keys()]
    .filter((name) => name.startsWith(prefix) && !keys.some((key) => markOf(key) === name))
    .map((name) => name.slice(prefix.length))

const mark = Effect.fnUntraced(function* (
  marks: Marks,
  keys: ReadonlyArray<SecretKey>
): Effect.fn.Return<void, ConfigurationError | StoreError> {
  const refuse = Effect.flatMap(marks.all, (found) => {
    const fault = keyFault(keys, found)
    return fault === undefined
      ? Effect.succeed(found)
      : Effect.fail(new ConfigurationError({ message: fault }))
  })
  const found = yield* refuse
  const gone = missingKeys(keys, found)
  if (gone.length > 0)
    yield* report(
      "Warn",
      "secret_key_missing",
      `This database was used with keys that secret doesn't list any more: ${gone.join(", ")}. Downloads that were bought under them, and responses stored under them, are refused. List them after the current key for as long as somebody may come back`
    )
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
