import { Effect } from "effect"
import { ApiFailure } from "../ApiFailure.ts"
import type { RecordedAnswer } from "../ports/Charges.ts"
import { Secrets } from "../Secrets.ts"
import type { Answer, TollRequest } from "./TollRequest.ts"

/** The file of a settled payment can't be opened just now: unlike before settlement, something was charged. */
const unopened = (failure: ApiFailure) =>
  new ApiFailure({
    ...failure,
    message: "The file can't be opened now. Your payment stands: send the same payment again."
  })

/** How answers are kept with their charge, and given again. */
export const answers = Effect.gen(function* () {
  const secrets = yield* Secrets

  /** Done at once, unless the answer is to be encrypted. */
  const record = Effect.fnUntracedEager(function* (request: TollRequest, answer: Answer) {
    const { body: _, ...head } = answer
    const body: RecordedAnswer["body"] =
      answer.body._tag === "File"
        ? { _tag: "Reopen", slug: answer.body.slug }
        : request.sealed
          ? { _tag: "Sealed", ...(yield* secrets.seal(answer.body.text)) }
          : { _tag: "Plain", text: answer.body.text }
    return { ...head, body } satisfies RecordedAnswer
  })

  const recall = Effect.fnUntraced(function* (request: TollRequest, recorded: RecordedAnswer) {
    const { body, ...head } = recorded
    if (body._tag === "Reopen") {
      const file = yield* Effect.mapError(request.reopen(body.slug), unopened)
      return { ...head, body: { _tag: "File", slug: body.slug, file } } satisfies Answer
    }
    const text = body._tag === "Plain" ? body.text : yield* secrets.open(body)
    if (text === undefined)
      return yield* Effect.die(new Error("a recorded answer was sealed with a key that is not configured"))
    return { ...head, body: { _tag: "Text", text } } satisfies Answer
  })

  return { record, recall }
})
