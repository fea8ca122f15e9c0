import { type Effect, Schema } from "effect"
import { type UpstreamResponse, type ResponseMalformed, readJson } from "../upstream/index.ts"

/*
 * Rye's documents: https://rye.com/docs/api-v2. Only fields that money and goods depend on are required. States are
 * open lists; unknown fields are ignored.
 */

/** An id that is safe in a path. */
export const idPattern: RegExp = /^[\w-]{1,100}$/
const Id = Schema.String.check(Schema.isPattern(/^[\w-]{1,100}$/u))

const Intent = Schema.Struct({
  id: Id,
  state: Schema.String,
  createdAt: Schema.optional(Schema.Unknown),
  offer: Schema.optional(Schema.Unknown),
  failureReason: Schema.optional(Schema.Unknown)
})

/** A checkout intent of Rye. */
export type IntentDocument = typeof Intent.Type

export const readIntent: (response: UpstreamResponse) => Effect.Effect<IntentDocument, ResponseMalformed> =
  readJson(Intent)

const Shipments = Schema.Struct({
  data: Schema.Array(Schema.Unknown),
  pageInfo: Schema.optional(Schema.Unknown)
})

/** Reads one page of an intent's shipments, each unchecked. */
export const readShipments: (
  response: UpstreamResponse
) => Effect.Effect<typeof Shipments.Type, ResponseMalformed> = readJson(Shipments)

/** Reads the intent that a shipment belongs to. */
export const readShipmentOwner: (
  response: UpstreamResponse
) => Effect.Effect<{ readonly checkoutIntentId: string }, ResponseMalformed> = readJson(
  Schema.Struct({ checkoutIntentId: Id })
)

/** Reads an order's cancellation, if any, unchecked. */
export const readCancellation: (
  response: UpstreamResponse
) => Effect.Effect<{ readonly cancellation?: unknown }, ResponseMalformed> = readJson(
  Schema.Struct({ cancellation: Schema.optional(Schema.Unknown) })
)

/** Reads the account's drawdown balance. */
export const readBalance: (response: UpstreamResponse) => Effect.Effect<
  {
    readonly balance: { readonly amountSubunits: number; readonly currencyCode: string }
    readonly drawdownEnabled: boolean
  },
  ResponseMalformed
> = readJson(
  Schema.Struct({
    balance: Schema.Struct({ amountSubunits: Schema.Int, currencyCode: Schema.String }),
    drawdownEnabled: Schema.Boolean
  })
)

/** When an intent was created, in milliseconds since the epoch. */
export const createdAtOf = ({ createdAt }: IntentDocument): number | undefined => {
  const at = typeof createdAt === "string" ? Date.parse(createdAt) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}
