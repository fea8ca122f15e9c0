import { Schema } from "effect"

/**
 * The body of every error but 402: `code` for programs, `message` for people, `details` free-form.
 * The contract's table lists codes and statuses; `docs/errors.md` lists those that it doesn't have.
 */
export const ApiError = Schema.Struct({
  /** For programs: `PRODUCT_NOT_FOUND`. */
  code: Schema.String.annotate({ description: "For programs." }),
  /** For people: what happened, what was charged, what to do. */
  message: Schema.String.annotate({
    description: "For people: what happened, what was charged, what to do."
  }),
  /** Facts for programs, by code. */
  details: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Json).annotate({ description: "Facts for programs, by code." })
  )
}).annotate({ identifier: "ApiError", description: "What went wrong and how to fix it." })
export type ApiError = typeof ApiError.Type

/** A code of errors, for the documents. */
export interface ErrorCode {
  readonly code: string
  readonly status: number
  /** When it is returned: a sentence without a full stop, after the code and a colon. */
  readonly meaning: string
  /** What `details` has, as JSON Schemas by name. */
  readonly details?: Readonly<Record<string, object>>
}

/** One fault of an input. */
export interface Issue {
  /** Dotted path, e.g. `shippingAddress.country`; `""` for the input as a whole. */
  readonly path: string
  /** What would be valid: `must be a UUID`. */
  readonly message: string
}
