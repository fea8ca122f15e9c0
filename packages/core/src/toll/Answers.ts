import { Effect } from "effect"
import type { RecordedAnswer } from "../ports/Charges.ts"
import { Secrets } from "../Secrets.ts"
import type { Answer, TollRequest } from "./TollRequest.ts"

/** How answers are kept with their charge, and given again. */
export const answers = Effect.gen(function* () {
  const secrets = yield* Secrets

  const record = Effect.fnUntraced(function* (request: TollRequest, answer: Answer) {
    const { contentType, status } = answer
    const body: RecordedAnswer["body"] =
      answer.body._tag === "File"
        ? { _tag: "Reopen", slug: answer.body.slug }
        : request.sealed
          ? { _tag: "Sealed", ...(yield* secrets.seal(answer.body.text)) }
          : { _tag: "Plain", text: answer.body.text }
    return { status, contentType, body } satisfies RecordedAnswer
  })

  const recall = Effect.fnUntraced(function* (request: TollRequest, recorded: RecordedAnswer) {
    const { contentType, status } = recorded
    const { body } = recorded
    if (body._tag === "Reopen") {
      const file = yield* request.reopen(body.slug)
      return { status, contentType, body: { _tag: "File", slug: body.slug, file } } satisfies Answer
    }
    const text = body._tag === "Plain" ? body.text : yield* secrets.open(body)
    if (text === undefined)
      return yield* Effect.die(new Error("a recorded answer was sealed with a key that is not configured"))
    return { status, contentType, body: { _tag: "Text", text } } satisfies Answer
  })

  return { record, recall }
})
