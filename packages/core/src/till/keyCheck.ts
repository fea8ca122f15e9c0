import { Effect, Layer } from "effect"
import { ConfigurationError, type StoreError } from "../domain/Errors.ts"
import { type Marks, StorageMarks } from "../ports/StorageMarks.ts"
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
