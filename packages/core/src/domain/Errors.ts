import { Data } from "effect"

/** The host's storage failed (503 `STORAGE_UNAVAILABLE`). */
export class StoreError extends Data.TaggedError("StoreError")<{
  /** The store method that failed: `charges.claim`. */
  readonly operation: string
  readonly cause: unknown
}> {
  override get message(): string {
    return `the storage failed: ${this.operation}`
  }
}

/** The host's options are wrong: thrown by `Till.make` with every fault found. */
export class ConfigurationError extends Data.TaggedError("ConfigurationError")<{
  readonly message: string
}> {}
