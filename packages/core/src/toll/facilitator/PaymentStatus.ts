import { Clock, Effect, Option, Schema } from "effect"
import type { FacilitatorRequest, Settlement } from "./FacilitatorVerdicts.ts"
import { elsewhere, type SettleResponse, toSettlement } from "./Wire.ts"

/*
 * Status of a pending settlement: `GET /status/{paymentId}` below the facilitator's address. A facilitator that has it
 * names the `paymentId` in its response to `/settle`.
 * https://developers.circle.com/api-reference/facilitator-service/get-payment-status
 */

const optional = Schema.optionalKey(Schema.NullishOr(Schema.String))

const StatusResponse = Schema.Struct({
  status: Schema.Literals(["pending", "completed", "failed"]),
  network: optional,
  transaction: optional,
  payer: optional,
  retryAfterMs: Schema.optionalKey(Schema.NullishOr(Schema.Finite))
})

const readStatus = Schema.decodeUnknownOption(StatusResponse)

const minPauseMillis = 500
const maxPauseMillis = 5_000

/** A settlement that may be pending, and how long its status may be read. */
export interface PendingSettlement {
  readonly settlement: Settlement
  readonly response: typeof SettleResponse.Type
  readonly request: FacilitatorRequest
  readonly endMillis: number
}

/** The id of a pending payment, if its status can be read. */
const paymentIdOf = ({ response, settlement }: PendingSettlement): string | undefined => {
  const { paymentId } = response
  return settlement._tag === "Unknown" && typeof paymentId === "string" && /^[\w-]{1,64}$/.test(paymentId)
    ? paymentId
    : undefined
}

/** What a status says about a settlement; `undefined`: still pending. */
const settlementOf = (
  { network, payer, status, transaction }: typeof StatusResponse.Type,
  { request, settlement: earlier }: PendingSettlement
): Settlement | undefined => {
  if (status === "pending") return undefined
  // A payment that failed there may still have been sent: only the chain shows that it hasn't moved.
  const reply = {
    success: status === "completed",
    errorReason: "settlement_failed",
    network,
    transaction,
    payer
  }
  const settlement = toSettlement(reply, request)
  return settlement._tag === "Unknown" && earlier._tag === "Unknown" && settlement.reason !== elsewhere
    ? { ...settlement, transaction: settlement.transaction ?? earlier.transaction }
    : settlement
}

/** Reads the status of a pending settlement until its outcome is known, or its time is over. */
export const pollStatus = Effect.fnUntraced(function* <E>(
  pending: PendingSettlement,
  read: (paymentId: string) => Effect.Effect<unknown, E>
): Effect.fn.Return<Settlement> {
  const paymentId = paymentIdOf(pending)
  if (paymentId === undefined) return pending.settlement
  let pauseMillis = minPauseMillis
  for (;;) {
    const leftMillis = pending.endMillis - (yield* Clock.currentTimeMillis)
    if (leftMillis <= pauseMillis) return pending.settlement
    yield* Effect.sleep(pauseMillis)
    const document = yield* read(paymentId).pipe(
      Effect.timeout(leftMillis - pauseMillis),
      Effect.catch(() => Effect.succeed(undefined))
    )
    const status = Option.getOrUndefined(readStatus(document))
    const settlement = status === undefined ? undefined : settlementOf(status, pending)
    if (settlement !== undefined) return settlement
    pauseMillis = Math.min(maxPauseMillis, Math.max(pauseMillis * 2, status?.retryAfterMs ?? 0))
  }
})
