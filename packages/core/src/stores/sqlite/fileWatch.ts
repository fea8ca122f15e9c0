import { stat } from "node:fs/promises"
import { Effect } from "effect"
import { report } from "../../runtime/events.ts"

/*
 * Whether the file of an open database is still at its path. SQLite goes on with a file that was deleted or replaced, and
 * what it writes there is gone when the process ends.
 */

const everyMillis = 15_000

/** The file at a path, as the file system tells files apart; `undefined` if there is none, or it can't be read now. */
const fileAt = (path: string): Effect.Effect<string | undefined> =>
  Effect.promise(() =>
    stat(path, { bigint: true }).then(
      ({ dev, ino }) => `${dev} ${ino}`,
      (error: unknown) =>
        error instanceof Error && "code" in error && error.code === "ENOENT" ? "" : undefined
    )
  )

/** Reports a file that is deleted or replaced, once, for as long as the scope is open. Call it when the file was opened. */
export const watchFile = Effect.fnUntraced(function* (path: string) {
  const opened = yield* fileAt(path)
  if (opened === undefined || opened === "") return
  const watching = Effect.gen(function* () {
    for (;;) {
      yield* Effect.sleep(everyMillis)
      const found = yield* fileAt(path)
      if (found === undefined || found === opened) continue
      return yield* report(
        "Error",
        "storage_file_lost",
        `The SQLite file ${path} was ${found === "" ? "deleted" : "replaced"} while it is in use: what is stored since then is lost when this process ends. Stop the till, and put the right file there`
      )
    }
  })
  yield* Effect.forkScoped(watching)
})
