import { Effect, type Redacted } from "effect"
import { fieldsOf } from "../listing/Fields.ts"
import { isUnavailable } from "../upstream/index.ts"
import { idPattern } from "./IntentDocument.ts"
import type { Intents } from "./Intents.ts"
import type { OnFulfilmentUpdate } from "../fulfilment/FulfilmentUpdate.ts"
import { emptyResponse, readSigned } from "../fulfilment/SignedBody.ts"

/*
 * Rye's webhooks (https://rye.com/docs/api-v2/webhooks): events that name an order and are
 * signed in `x-rye-signature`. An event is only a reason to query the order's status.
 */

export interface WebhookSettings {
  readonly webhookSecret: Redacted.Redacted<string> | undefined
  readonly onUpdate: OnFulfilmentUpdate | undefined
}

interface RyeEvent {
  readonly type: string
  readonly sourceType: string
  readonly sourceId: string
  readonly data: unknown
}

const readEvent = (document: unknown): RyeEvent | undefined => {
  const { data, source, type } = fieldsOf(document)
  const { id, type: sourceType } = fieldsOf(source)
  return typeof type === "string" &&
    /^[\w.]{1,100}$/.test(type) &&
    typeof id === "string" &&
    idPattern.test(id)
    ? { type, sourceType: typeof sourceType === "string" ? sourceType : "", sourceId: id, data }
    : undefined
}

/**
 * Responds to the verification of a new endpoint, which requests the endpoint's own id. The name of the
 * field is not documented: `challenge` is a guess.
 */
const challengeResponse = (endpointId: string): Response => Response.json({ challenge: endpointId })

export const makeWebhook = (intents: Intents, { onUpdate, webhookSecret }: WebhookSettings) => {
  /** The intent of an event; `undefined` if the event is not about an order. */
  const referenceOf = ({ data, sourceId, sourceType }: RyeEvent) => {
    if (sourceType === "checkout_intent") return Effect.succeed(sourceId)
    if (sourceType !== "shipment") return Effect.succeed(undefined)
    const { checkoutIntentId } = fieldsOf(data)
    return typeof checkoutIntentId === "string" && idPattern.test(checkoutIntentId)
      ? Effect.succeed(checkoutIntentId)
      : // Refused, so that Rye sends it again.
        Effect.mapError(intents.ownerOf(sourceId), (fault) => emptyResponse(isUnavailable(fault) ? 503 : 502))
  }

  const handle = Effect.fnUntraced(function* (request: Request): Effect.fn.Return<Response, Response> {
    const rule = { header: "x-rye-signature", prefix: "v0=", secret: webhookSecret }
    const event = readEvent(yield* readSigned(request, rule))
    if (event === undefined) return emptyResponse(400)
    if (event.type === "webhook_endpoint.verification_challenge") return challengeResponse(event.sourceId)
    if (onUpdate === undefined) return emptyResponse(200)
    const reference = yield* referenceOf(event)
    if (reference === undefined) return emptyResponse(200)
    yield* Effect.tryPromise({
      try: async () => onUpdate({ reference, event: event.type }),
      catch: () => emptyResponse(500)
    })
    return emptyResponse(200)
  })

  return (request: Request): Effect.Effect<Response> =>
    Effect.catch(handle(request), (response) => Effect.succeed(response))
}
