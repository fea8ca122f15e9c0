import { Effect, type Redacted } from "effect"
import { fieldsOf } from "../listing/fields.ts"
import type { FulfilmentUpdate } from "../rye/Options.ts"
import { answer, readSigned } from "../fulfilment/SignedBody.ts"
import { idPattern } from "./OrderDocument.ts"

/*
 * Zinc's webhooks (https://www.zinc.com/docs/v2/api-reference/introduction/webhooks), signed in
 * `x-webhook-signature`. Nothing of them is believed but that something happened to an order.
 */

export interface WebhookSettings {
  readonly webhookSecret: Redacted.Redacted<string> | undefined
  readonly onUpdate: ((update: FulfilmentUpdate) => void | Promise<void>) | undefined
}

export const makeWebhook = ({ onUpdate, webhookSecret }: WebhookSettings) => {
  const take = Effect.fnUntraced(function* (request: Request): Effect.fn.Return<Response, Response> {
    const rule = { header: "x-webhook-signature", prefix: "", secret: webhookSecret }
    const { event, order_id } = fieldsOf(yield* readSigned(request, rule))
    if (typeof event !== "string" || !/^[\w.]{1,100}$/.test(event)) return answer(400)
    // Returns are the host's own business with Zinc.
    if (!event.startsWith("order.")) return answer(200)
    if (typeof order_id !== "string" || !idPattern.test(order_id)) return answer(400)
    yield* Effect.tryPromise({
      try: async () => onUpdate?.({ reference: order_id, event }),
      catch: () => answer(500)
    })
    return answer(200)
  })

  return (request: Request): Effect.Effect<Response> =>
    Effect.catch(take(request), (refusal) => Effect.succeed(refusal))
}
