import { Context, Effect, Layer } from "effect"
import type { StoreError } from "../domain/Errors.ts"

/** Counts the records of one kind that are lost without a key of the host, by the key's id. */
export type CountUnderKey = (keyId: string) => Effect.Effect<number, StoreError>

/** What a till stores that needs the host's keys, by kind. Whatever stores such records registers its count. */
export class KeyedRecords extends Context.Service<
  KeyedRecords,
  {
    readonly add: (kind: string, count: CountUnderKey) => Effect.Effect<void>
    /** The kinds that this till stores. */
    readonly kinds: Effect.Effect<ReadonlySet<string>>
    /** 0 for an unknown kind: this till doesn't serve what needs them. */
    readonly count: (kind: string, keyId: string) => Effect.Effect<number, StoreError>
  }
>()("@till402/core/KeyedRecords") {
  static readonly layer: Layer.Layer<KeyedRecords> = Layer.sync(KeyedRecords, () => {
    const counts = new Map<string, CountUnderKey>()
    return KeyedRecords.of({
      add: (kind, count) => Effect.sync(() => void counts.set(kind, count)),
      kinds: Effect.sync(() => new Set(counts.keys())),
      count: (kind, keyId) => Effect.suspend(() => counts.get(kind)?.(keyId) ?? Effect.succeed(0))
    })
  })
}
