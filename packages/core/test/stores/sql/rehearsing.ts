import { Effect } from "effect"
import { StorageRehearsal } from "../../../src/ports/StorageMarks.ts"

/** What the routes of a till of all routes store. */
export const allKinds: ReadonlySet<string> = new Set(["quotes", "purchases"])

/** Starts as a till of all routes does, or one that stores these kinds. A file that it has just created isn't rehearsed on. */
export const rehearsing = (kinds = allKinds) =>
  Effect.flatMap(StorageRehearsal, (rehearse) => rehearse?.(kinds) ?? Effect.void)
