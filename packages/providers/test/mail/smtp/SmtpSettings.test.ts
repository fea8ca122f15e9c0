import { smtp, type SmtpOptions } from "@till402/providers/mail/smtp"
import { assert, describe, it } from "vitest"
import { from } from "../mails.ts"

describe("options of SMTP", () => {
  const given: SmtpOptions = { host: "smtp.shop.example", from }
  it.each<[string, Partial<SmtpOptions>]>([
    ["host", { host: "" }],
    ["host", { host: "smtp.shop.example\r\n" }],
    ["host", { host: "smtp shop" }],
    ["host", { host: "smtp://shop.example" }],
    ["host", { host: undefined as never }],
    ["port", { port: 0 }],
    ["port", { port: 65_536 }],
    ["port", { port: "25" as never }],
    ["security", { security: "none" }],
    ["security", { security: "maybe" as never }],
    ["security", { host: "localhost.evil.example", security: "none" }],
    ["security", { host: "127.evil.example", security: "none" }],
    ["from", { from: "" }],
    ["from", { from: "Shop" }],
    ["from", { from: "orders@shop.example\r\nBcc: thief@example.com" }],
    ["from", { from: "orders@shop.example, thief@example.com" }],
    ["replyTo", { replyTo: "help" }],
    ["password", { user: "orders" }],
    ["password", { password: "s3cret" }],
    ["password", { user: "orders", password: "s3cret\r\n" }],
    ["ca", { ca: "s3cret" }],
    ["connectTimeoutMillis", { connectTimeoutMillis: 0 }],
    ["socketTimeoutMillis", { socketTimeoutMillis: Number.NaN }],
    ["deadlineMillis", { deadlineMillis: Number.POSITIVE_INFINITY }],
    ["maxConcurrent", { maxConcurrent: 0 }],
    ["maxWaiting", { maxWaiting: -1 }]
  ])("with a wrong %s fail at once: %j", (word, change) => {
    try {
      smtp({ ...given, ...change })
    } catch (error) {
      assert.strictEqual((error as { _tag: string })._tag, "ConfigurationError")
      assert.include((error as Error).message, word)
      assert.notInclude((error as Error).message, "s3cret")
      return
    }
    assert.fail("it was taken")
  })

  it.each<Partial<SmtpOptions>>([
    {},
    { host: "192.0.2.1" },
    { host: "2001:db8::1" },
    { host: "mail_relay.internal." },
    { host: "127.0.0.1", security: "none" },
    { host: "::1", security: "none" },
    { host: "localhost", security: "none" },
    { user: "orders", password: "s3cret" }
  ])("that are right are taken: %j", (change) => {
    assert.isFunction(smtp({ ...given, ...change }).send)
  })
})
