import { Effect, Schema } from "effect"
import type { RecordedResponse } from "../../ports/Charges.ts"
import type { Secrets } from "../../runtime/Secrets.ts"
import { ContentUnavailable } from "../request/PaymentErrors.ts"
import type { TollRequest, WorkResponse } from "../request/TollRequest.ts"

/** Headers and text that were encrypted together. */
const decodeWhole = Schema.decodeUnknownEffect(
  Schema.fromJsonString(
    Schema.Struct({ headers: Schema.Record(Schema.String, Schema.String), text: Schema.String })
  )
)

/** Records responses with their charge, and opens them again for a replay. */
export class RecordedResponses {
  private readonly secrets: Secrets["Service"]
  constructor(secrets: Secrets["Service"]) {
    this.secrets = secrets
  }

  /** The record of a response, encrypted if the request requires it. */
  record(
    { encrypted }: Pick<TollRequest<unknown>, "encrypted">,
    response: WorkResponse
  ): Effect.Effect<RecordedResponse> {
    const { body } = response
    if (body._tag === "Bytes")
      return Effect.succeed({ ...response, body: { _tag: "Reference", reference: body.reference } })
    if (!encrypted) return Effect.succeed({ ...response, body: { _tag: "Plain", text: body.text } })
    const { headers, ...plain } = response
    const withHeaders = headers !== undefined
    const text = withHeaders ? JSON.stringify({ headers, text: body.text }) : body.text
    return Effect.map(this.secrets.encrypt(text), (sealed) => ({
      ...plain,
      body: { _tag: "Encrypted", ...sealed, ...(withHeaders ? { withHeaders } : {}) }
    }))
  }

  /** The response of a record. */
  open<E>(
    request: Pick<TollRequest<E>, "reopen">,
    recorded: RecordedResponse
  ): Effect.Effect<WorkResponse, ContentUnavailable<E>> {
    return Effect.gen({ self: this }, function* (): Effect.fn.Return<WorkResponse, ContentUnavailable<E>> {
      const { body, ...head } = recorded
      if (body._tag === "Reference") {
        const { reference } = body
        const content = yield* Effect.mapError(
          request.reopen(reference),
          (error) => new ContentUnavailable(error)
        )
        return { ...head, body: { _tag: "Bytes", reference, content, isReplay: true } }
      }
      const text = body._tag === "Plain" ? body.text : yield* this.secrets.decrypt(body)
      if (text === undefined)
        return yield* Effect.die(
          new Error("a recorded response was encrypted with a key that is not configured")
        )
      if (body._tag === "Encrypted" && body.withHeaders === true) {
        const whole = yield* Effect.orDie(decodeWhole(text))
        return { ...head, headers: whole.headers, body: { _tag: "Text", text: whole.text } }
      }
      return { ...head, body: { _tag: "Text", text } }
    })
  }
}
