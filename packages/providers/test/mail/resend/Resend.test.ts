import { resend, type ResendOptions } from "@till402/providers/mail/resend"
import { delay, http, HttpResponse } from "msw"
import { afterEach, assert, describe, it, vi } from "vitest"
import { interceptRequests } from "../../interceptRequests.ts"
import { badRecipients, context, everyWordOf, from, mail, thrownBy } from "../mails.ts"

const server = interceptRequests()
afterEach(() => void vi.useRealTimers())

const endpoint = "https://api.resend.com/emails"
const apiKey = "re_k3y_of_the_test"
const open = (change: Partial<ResendOptions> = {}) =>
  resend({ apiKey, from, retries: 0, requestsPerSecond: 1_000, ...change })
const taken = () => HttpResponse.json({ id: "49a3999c-0ce1-4ea6-ab68-afcd6dc2e794" })
const refused = (status: number, name: string, headers: Record<string, string> = {}) =>
  HttpResponse.json(
    { statusCode: status, name, message: `no: ${mail.to}, ${mail.subject}` },
    { status, headers }
  )

/** Sends these responses in turn, then repeats the last; returns the requests received. */
const respondWith = (...responses: Array<() => Response | Promise<Response>>) => {
  const requests: Array<Request> = []
  server.use(
    http.post(endpoint, async ({ request }) => {
      requests.push(request.clone())
      return responses[Math.min(requests.length, responses.length) - 1]!()
    })
  )
  return requests
}

describe("resend", () => {
  it("is sent the mail, with its key in the header", async () => {
    const requests = respondWith(taken)
    await open({ replyTo: "help@shop.example" }).send(mail, context)
    const { headers } = requests[0]!
    assert.strictEqual(headers.get("authorization"), `Bearer ${apiKey}`)
    assert.strictEqual(headers.get("idempotency-key"), mail.idempotencyKey)
    assert.strictEqual(headers.get("content-type"), "application/json")
    assert.strictEqual(headers.get("user-agent"), "till402")
    assert.deepStrictEqual(await requests[0]!.json(), {
      from: '"Shop" <orders@shop.example>',
      to: ["ada@example.com"],
      subject: mail.subject,
      text: mail.text,
      html: mail.html,
      reply_to: "help@shop.example",
      headers: { "Auto-Submitted": "auto-generated" }
    })
  })

  it.each([
    ["a key with line breaks", "a\r\nx-evil: 1"],
    ["a key that is too long", "k".repeat(257)],
    ["an empty key", ""],
    ["a key that is not ASCII", "bestellung:ü"]
  ])("is given a digest of %s, the same each time", async (_, idempotencyKey) => {
    const requests = respondWith(taken)
    await open().send({ ...mail, idempotencyKey }, context)
    await open().send({ ...mail, idempotencyKey }, context)
    const keys = requests.map(({ headers }) => headers.get("idempotency-key"))
    assert.match(keys[0]!, /^sha256-[0-9a-f]{64}$/)
    assert.strictEqual(keys[1], keys[0])
    assert.isNull(requests[0]!.headers.get("x-evil"))
  })

  it("is sent a subject of one line", async () => {
    const requests = respondWith(taken)
    await open().send({ ...mail, subject: "Shoes\r\nBcc: thief@example.com\0" }, context)
    assert.strictEqual(
      ((await requests[0]!.json()) as { subject: string }).subject,
      "Shoes Bcc: thief@example.com"
    )
  })

  it.each(badRecipients)("is not called for the recipient %j", async (to) => {
    const requests = respondWith(taken)
    const error = await thrownBy(open().send({ ...mail, to }, context))
    assert.deepStrictEqual([error._tag, error.code], ["MailRejected", "INVALID_RECIPIENT"])
    assert.strictEqual(requests.length, 0)
  })
})

describe("a refusal by resend", () => {
  it.each<[number, string, string]>([
    [400, "validation_error", "MailRejected"],
    [422, "validation_error", "MailRejected"],
    [422, "missing_required_field", "MailRejected"],
    [413, "", "MailRejected"],
    [451, "security_error", "MailRejected"],
    [422, "invalid_from_address", "Rejected"],
    [401, "missing_api_key", "Rejected"],
    [403, "validation_error", "Rejected"],
    [404, "not_found", "Rejected"],
    [409, "concurrent_idempotent_requests", "TemporarilyUnavailable"],
    [429, "daily_quota_exceeded", "TemporarilyUnavailable"],
    [500, "application_error", "TemporarilyUnavailable"],
    [501, "", "TemporarilyUnavailable"],
    [503, "", "TemporarilyUnavailable"]
  ])("%i %s is %s, without the key, the address or the subject in it", async (status, name, tag) => {
    const requests = respondWith(() => refused(status, name))
    const error = await thrownBy(open().send(mail, context))
    assert.deepStrictEqual([error._tag, error.code], [tag, `HTTP_${status}`])
    assert.strictEqual(requests.length, 1)
    for (const secret of [apiKey, mail.to, mail.subject]) assert.notInclude(everyWordOf(error), secret)
  })

  it("because the key went out with other words counts as sent", async () => {
    respondWith(() => refused(409, "invalid_idempotent_request"))
    await open().send(mail, context)
  })

  it("for too many requests is waited out, with the same key", async () => {
    const requests = respondWith(() => refused(429, "rate_limit_exceeded", { "retry-after": "0.05" }), taken)
    await open({ retries: 1 }).send(mail, context)
    assert.deepStrictEqual(
      requests.map(({ headers }) => headers.get("idempotency-key")),
      [mail.idempotencyKey, mail.idempotencyKey]
    )
  })

  it("for longer than a call may last reports the pause, and stops the next call", async () => {
    const requests = respondWith(() => refused(429, "rate_limit_exceeded", { "retry-after": "60" }))
    const { send } = open({ retries: 2 })
    for (const _ of [1, 2]) {
      const error = await thrownBy(send(mail, context))
      assert.deepStrictEqual([error._tag, error.retryAfterSeconds], ["TemporarilyUnavailable", 60])
    }
    assert.strictEqual(requests.length, 1)
  })

  it("with a 500 is tried again, with the same key", async () => {
    const requests = respondWith(() => refused(500, "application_error"), taken)
    await open({ retries: 1 }).send(mail, context)
    assert.strictEqual(requests[1]!.headers.get("idempotency-key"), mail.idempotencyKey)
  })
})

describe("a response of resend", () => {
  it("that is slow is given up", async () => {
    respondWith(async () => {
      await delay(2_000)
      return taken()
    })
    const error = await thrownBy(open({ timeoutMillis: 50 }).send(mail, context))
    assert.deepStrictEqual([error._tag, error.code], ["TemporarilyUnavailable", "TimedOut"])
  })

  it("that breaks off is unavailable", async () => {
    respondWith(() => HttpResponse.error())
    assert.strictEqual((await thrownBy(open().send(mail, context)))._tag, "TemporarilyUnavailable")
  })

  it.each<[string, () => Response]>([
    ["is not JSON", () => HttpResponse.text("<html>sent!</html>")],
    ["has no id", () => HttpResponse.json({ ok: true })],
    ["is empty", () => new HttpResponse(null, { status: 200 })]
  ])("that %s is no success", async (_, response) => {
    respondWith(response)
    assert.strictEqual((await thrownBy(open().send(mail, context)))._tag, "ResponseMalformed")
  })

  it("that redirects is not followed", async () => {
    respondWith(
      () => new HttpResponse(null, { status: 307, headers: { location: "https://thief.example/" } })
    )
    assert.strictEqual((await thrownBy(open().send(mail, context)))._tag, "Redirected")
  })

  it("is not waited for by a call that is given up", async () => {
    const controller = new AbortController()
    const { promise: givenUp, resolve: giveUp } = Promise.withResolvers<void>()
    respondWith(async () => {
      controller.abort()
      await givenUp
      return taken()
    })
    await thrownBy(open().send(mail, { signal: controller.signal }))
    giveUp()
  })
})

describe("requests to resend", () => {
  it("keep to the rate: two within a second by default", async () => {
    // The clock stands still.
    vi.useFakeTimers({ toFake: ["Date"] })
    const requests = respondWith(taken)
    const { send, usage } = resend({ apiKey, from, retries: 0, deadlineMillis: 60_000 })
    const sending = Promise.all(
      [1, 2, 3].map((each) => send({ ...mail, idempotencyKey: `order-shipped:${each}` }, context))
    )
    await vi.waitFor(() => assert.isAtLeast(requests.length, 2), { timeout: 60_000 })
    await new Promise((resolve) => setTimeout(resolve, 200))
    assert.strictEqual(requests.length, 2)
    vi.useRealTimers()
    await sending
    assert.deepInclude(usage(), { calls: 3, failures: 0, requests: 3 })
  })
})

describe("options of resend", () => {
  it.each<[string, Partial<ResendOptions>]>([
    ["key", { apiKey: "" }],
    ["key", { apiKey: "re_1\r\nx-evil: 1" }],
    ["from", { from: "" }],
    ["from", { from: "Shop" }],
    ["from", { from: "Shop <orders@shop.example>\r\nBcc: thief@example.com" }],
    ["from", { from: "Shop\r\n <orders@shop.example>" }],
    ["from", { from: "a@shop.example, b@shop.example" }],
    ["from", { from: 'Sh"op <orders@shop.example>' }],
    ["from", { from: undefined as never }],
    ["replyTo", { replyTo: "help" }],
    ["baseUrl", { baseUrl: "http://mail.example" }],
    ["requestsPerSecond", { requestsPerSecond: 0 }],
    ["requestsPerSecond", { requestsPerSecond: Number.NaN }],
    ["timeoutMillis", { timeoutMillis: 0 }]
  ])("with a wrong %s fail at once: %j", (word, change) => {
    try {
      open(change)
    } catch (error) {
      assert.strictEqual((error as { _tag: string })._tag, "ConfigurationError")
      assert.include((error as Error).message, word)
      assert.notInclude((error as Error).message, "re_1")
      return
    }
    assert.fail("it was taken")
  })

  it.each([
    ["orders@shop.example", "orders@shop.example"],
    ["Shop <orders@shop.example>", '"Shop" <orders@shop.example>'],
    ['"Shop, Inc." <orders@shop.example>', '"Shop, Inc." <orders@shop.example>'],
    ["Schuhe für alle <orders@shop.example>", '"Schuhe für alle" <orders@shop.example>'],
    ["<orders@shop.example>", "orders@shop.example"]
  ])("take the sender %s", async (sender, header) => {
    const requests = respondWith(taken)
    await open({ from: sender }).send(mail, context)
    assert.strictEqual(((await requests[0]!.json()) as { from: string }).from, header)
  })
})
