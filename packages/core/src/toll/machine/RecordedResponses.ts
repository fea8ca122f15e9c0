import { Effect } from "effect"
import type { RecordedResponse } from "../../ports/Charges.ts"
import type { Secrets } from "../../runtime/Secrets.ts"
import { ContentUnavailable } from "../PaymentErrors.ts"
import type { TollRequest, WorkResponse } from "../TollRequest.ts"

/** Records responses with their charge, and opens them again for a replay. */
export class RecordedResponses {
  private readonly secrets: Secrets["Service"]
  constructor(secrets: Secrets["Service"]) {
    this.secrets = secrets
  }

  /** The record of a response, encrypted if the request says so. */
  *record(
    { encrypted }: Pick<TollRequest<unknown>, "encrypted">,
    response: WorkResponse
  ): Effect.fn.Return<RecordedResponse> {
    const { body, ...head } = response
    if (body._tag === "Bytes") return { ...head, body: { _tag: "Reference", reference: body.reference } }
    if (!encrypted) return { ...head, body: { _tag: "Plain", text: body.text } }
    return { ...head, body: { _tag: "Encrypted", ...(yield* this.secrets.encrypt(body.text)) } }
  }

  /** The response of a record. */
  *open<E>(
    request: Pick<TollRequest<E>, "reopen">,
    recorded: RecordedResponse
  ): Effect.fn.Return<WorkResponse, ContentUnavailable<E>> {
    const { body, ...head } = recorded
    if (body._tag === "Reference") {
      const { reference } = body
      const content = yield* Effect.mapError(
        request.reopen(reference),
        (error) => new ContentUnavailable(error)
      )
      return { ...head, body: { _tag: "Bytes", reference, content } }
    }
    const text = body._tag === "Plain" ? body.text : yield* this.secrets.decrypt(body)
    if (text === undefined)
      return yield* Effect.die(
        new Error("a recorded response was encrypted with a key that is not configured")
      )
    return { ...head, body: { _tag: "Text", text } }
  }
}
