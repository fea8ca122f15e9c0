import { Effect, type Redacted } from "effect"
import { fieldsOf } from "../listing/Fields.ts"
import type { OnFulfilmentUpdate } from "../fulfilment/FulfilmentUpdate.ts"
import { emptyResponse, readSigned } from "../fulfilment/SignedBody.ts"
import { idPattern } from "./OrderDocument.ts"

/*
 * Zinc's webhooks (https://www.zinc.com/docs/v2/api-reference/introduction/webhooks), signed in
 * `x-webhook-signature`. An event is only a reason to query the order's status.
 */

export interface WebhookSettings {
  readonly webhookSecret: Redacted.Redacted<string> | undefined
  readonly onUpdate: OnFulfilmentUpdate | undefined
}

export const makeWebhook = ({ onUpdate, webhookSecret }: WebhookSettings) => {
  const handle = Effect.fnUntraced(function* (request: Request): Effect.fn.Return<Response, Response> {
    const rule = { header: "x-webhook-signature", prefix: "", secret: webhookSecret }
    const { event, order_id } = fieldsOf(yield* readSigned(request, rule))
    if (typeof event !== "string" || !/^[\w.]{1,100}$/.test(event)) return emptyResponse(400)
    // Events about returns don't concern the till.
    if (!event.startsWith("order.")) return emptyResponse(200)
    if (typeof order_id !== "string" || !idPattern.test(order_id)) return emptyResponse(400)
    yield* Effect.tryPromise({
      try: async () => onUpdate?.({ reference: order_id, event }),
      catch: () => emptyResponse(500)
    })
    return emptyResponse(200)
  })

  return (request: Request): Effect.Effect<Response> =>
    Effect.catch(handle(request), (response) => Effect.succeed(response))
}
