import { it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { describe } from "vitest"
import { guardedMailer, Mailer } from "../../../src/shop/ports/Mailer.ts"

const mail = { to: "ada@shop.example", subject: "Hello", text: "Hi", html: "<p>Hi", idempotencyKey: "1" }

describe("a mailer's result that says that the mail was sent", () => {
  for (const result of [
    undefined,
    "queued",
    202,
    new Response("{}", { status: 202 }),
    { id: "resend-1" },
    { data: { id: "resend-1" }, error: null },
    { ErrorCode: 0, Message: "OK", MessageID: "postmark-1" },
    [{ statusCode: 202, headers: {} }, ""],
    { statusCode: 202, errors: [] },
    { accepted: ["ada@shop.example"], rejected: [], response: "250 OK" },
    { accepted: [], rejected: [], pending: ["ada@shop.example"] },
    { success: true, errors: null },
    { status: "queued", error: () => undefined }
  ])
    it.effect(`counts as sent: ${JSON.stringify(result)}`, () =>
      Effect.flatMap(guardedMailer, (mailer) => Option.getOrThrow(mailer).send(mail)).pipe(
        Effect.provide(Mailer.layerPromise({ send: async () => result }))
      )
    )
})
