import { Context, Effect, Exit, Layer, Scope } from "effect"
import { onTestFinished } from "vitest"
import { StorageRisks } from "../../../src/ports/StorageMarks.ts"
import { sqlite } from "../../../src/sqlite.ts"
import type { Stores } from "../../../src/stores/Stores.ts"

/**
 * A database for several tills, one after the other, which take it for a file. It is in memory: a file costs a thread for
 * each till, and commits wait for the disk.
 */
export const keptInMemory = async (): Promise<Layer.Layer<Stores>> => {
  const scope = Scope.makeUnsafe()
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const context = await Effect.runPromise(Layer.buildWithScope(sqlite({ filename: ":memory:" }), scope))
  return Layer.succeedContext(Context.add(context, StorageRisks, []))
}
