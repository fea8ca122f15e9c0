import { type Effect, Schema } from "effect"
import { type Answer, type AnswerMalformed, readJson } from "../upstream/index.ts"

/*
 * Rye's documents: https://rye.com/docs/api-v2. Only what money and goods depend on is demanded, where they
 * depend on it; states are open lists, and fields that are new don't matter.
 */

/** An id that can stand in a path. */
export const idPattern: RegExp = /^[\w-]{1,100}$/
const Id = Schema.String.check(Schema.isPattern(/^[\w-]{1,100}$/u))

const Intent = Schema.Struct({
  id: Id,
  state: Schema.String,
  createdAt: Schema.optional(Schema.Unknown),
  offer: Schema.optional(Schema.Unknown),
  failureReason: Schema.optional(Schema.Unknown)
})

/** A checkout intent as Rye tells it. */
export type IntentDocument = typeof Intent.Type

export const readIntent: (answer: Answer) => Effect.Effect<IntentDocument, AnswerMalformed> = readJson(Intent)

const Shipments = Schema.Struct({
  data: Schema.Array(Schema.Unknown),
  pageInfo: Schema.optional(Schema.Unknown)
})

/** One page of an intent's shipments, each read on its own. */
export const readShipments: (answer: Answer) => Effect.Effect<typeof Shipments.Type, AnswerMalformed> =
  readJson(Shipments)

/** Whose shipment it is. */
export const readShipmentOwner: (
  answer: Answer
) => Effect.Effect<{ readonly checkoutIntentId: string }, AnswerMalformed> = readJson(
  Schema.Struct({ checkoutIntentId: Id })
)

/** An order's cancellation, if there is any: read on its own. */
export const readCancellation: (
  answer: Answer
) => Effect.Effect<{ readonly cancellation?: unknown }, AnswerMalformed> = readJson(
  Schema.Struct({ cancellation: Schema.optional(Schema.Unknown) })
)

/** When an intent was made, in milliseconds since the epoch. */
export const createdAtOf = ({ createdAt }: IntentDocument): number | undefined => {
  const at = typeof createdAt === "string" ? Date.parse(createdAt) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}
