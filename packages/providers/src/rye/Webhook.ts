import { Effect, type Redacted } from "effect"
import { fieldsOf } from "../listing/fields.ts"
import { isUnavailable } from "../upstream/index.ts"
import { idPattern } from "./IntentDocument.ts"
import type { Intents } from "./Intents.ts"
import type { FulfilmentUpdate } from "./Options.ts"
import { answer, readSigned } from "../fulfilment/SignedBody.ts"

/*
 * Rye's webhooks (https://rye.com/docs/api-v2/webhooks): thin events, which name what they are about and are
 * signed in `x-rye-signature`. Nothing of them is believed but that something happened.
 */

export interface WebhookSettings {
  readonly webhookSecret: Redacted.Redacted<string> | undefined
  readonly onUpdate: ((update: FulfilmentUpdate) => void | Promise<void>) | undefined
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
 * Rye asks an endpoint that was just set up for the id of itself. The name of the field stands in no document we
 * have: this is the one guess.
 */
const challengeAnswer = (endpointId: string): Response => Response.json({ challenge: endpointId })

export const makeWebhook = (intents: Intents, { onUpdate, webhookSecret }: WebhookSettings) => {
  /** The intent that an event is about; `undefined`: none of an order's. */
  const referenceOf = ({ data, sourceId, sourceType }: RyeEvent) => {
    if (sourceType === "checkout_intent") return Effect.succeed(sourceId)
    if (sourceType !== "shipment") return Effect.succeed(undefined)
    const { checkoutIntentId } = fieldsOf(data)
    return typeof checkoutIntentId === "string" && idPattern.test(checkoutIntentId)
      ? Effect.succeed(checkoutIntentId)
      : // Not taken up: Rye sends it again.
        Effect.mapError(intents.ownerOf(sourceId), (fault) => answer(isUnavailable(fault) ? 503 : 502))
  }

  const take = Effect.fnUntraced(function* (request: Request): Effect.fn.Return<Response, Response> {
    const rule = { header: "x-rye-signature", prefix: "v0=", secret: webhookSecret }
    const event = readEvent(yield* readSigned(request, rule))
    if (event === undefined) return answer(400)
    if (event.type === "webhook_endpoint.verification_challenge") return challengeAnswer(event.sourceId)
    if (onUpdate === undefined) return answer(200)
    const reference = yield* referenceOf(event)
    if (reference === undefined) return answer(200)
    yield* Effect.tryPromise({
      try: async () => onUpdate({ reference, event: event.type }),
      catch: () => answer(500)
    })
    return answer(200)
  })

  return (request: Request): Effect.Effect<Response> =>
    Effect.catch(take(request), (refusal) => Effect.succeed(refusal))
}
