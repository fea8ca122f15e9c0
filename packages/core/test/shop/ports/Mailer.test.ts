import { assert, it } from "@effect/vitest"
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
    { ErrorCode: "Success", MessageResults: [], TransactionReceipt: "socketlabs-1" },
    { error: "none", messageId: "1" },
    { error: [], data: "queued" },
    { error: {} },
    [{ statusCode: 202, headers: {} }, ""],
    { statusCode: 202, errors: [] },
    { accepted: ["ada@shop.example"], rejected: [], response: "250 OK" },
    { accepted: [], rejected: [], pending: ["ada@shop.example"] },
    { success: true, errors: null },
    { status: "queued", error: () => undefined },
    { message: "Email sent" },
    { message: "Queued. Thank you.", id: "<mailgun-1>" },
    { code: "ok", message: "done" },
    { message: "Not in a list of refusals", messageId: "brevo-1" },
    { Messages: [{ Status: "success", Errors: null, To: [{ MessageID: 1 }] }] },
    [{ email: "ada@shop.example", status: "sent", reject_reason: null, _id: "mandrill-1" }],
    true,
    "",
    { StatusCode: 202 },
    { message: "Your mail is scheduled; no reply required" },
    { data: { succeeded: 0, failed: 0 } },
    { request_id: "r", data: { succeeded: 1, failed: 0, failures: [], email_id: "smtp2go-1" } },
    { $metadata: { httpStatusCode: 200 }, MessageId: "ses-1" }
  ])
    it.effect(`counts as sent: ${JSON.stringify(result)}`, () =>
      Effect.flatMap(guardedMailer, (mailer) => Option.getOrThrow(mailer).send(mail)).pipe(
        Effect.provide(Mailer.layerPromise({ send: async () => result }))
      )
    )
})

describe("a mailer's result that says that nothing was sent", () => {
  for (const result of [
    new Response("{}", { status: 401 }),
    false,
    { StatusCode: 401, ErrorMessage: "API key authentication failure" },
    { message: "Unauthenticated." },
    { request_id: "r", data: { succeeded: 0, failed: 1, failures: ["no such domain"] } },
    { code: "unauthorized", message: "Key not found" },
    { message: "Forbidden" },
    { message: "'from' parameter is not a valid address" },
    { status: "error", code: -1, name: "Invalid_Key", message: "Invalid API key" },
    [{ email: "ada@shop.example", status: "rejected", reject_reason: "hard-bounce", _id: "mandrill-1" }],
    [{ email: "ada@shop.example", status: "invalid", _id: "mandrill-1" }],
    { message: "The given data was invalid.", errors: { "from.email": ["must be verified"] } },
    { Messages: [{ Status: "error", Errors: [{ ErrorCode: "mj-0004" }] }] },
    { ErrorIdentifier: "a", ErrorCode: "mj-0001", StatusCode: 401, ErrorMessage: "API key denied" },
    { request_id: "r", data: { error: "no permission", error_code: "E_ApiResponseCodes" } },
    { Error: "Access Denied." },
    { message: "The security token included in the request is invalid.", requestId: "r" },
    { ErrorCode: "InvalidAuthentication" },
    { error: "nothing sent: key revoked" },
    { error: { code: 1 } },
    { data: null, error: new Error("key revoked") },
    { message: "Your request could not be processed" },
    { ErrorCode: 300, Message: "Invalid email request" },
    { error: 7 }
  ])
    it.effect(`counts as not sent: ${JSON.stringify(result)}`, () =>
      Effect.gen(function* () {
        const mailer = Option.getOrThrow(yield* guardedMailer)
        assert.strictEqual((yield* Effect.flip(mailer.send(mail)))._tag, "UpstreamFailed")
      }).pipe(Effect.provide(Mailer.layerPromise({ send: async () => result })))
    )
})
