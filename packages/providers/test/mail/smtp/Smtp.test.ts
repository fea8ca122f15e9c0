import { smtp, type SmtpOptions } from "@till402/providers/mail/smtp"
import type { SMTPServerOptions } from "smtp-server"
import { afterEach, assert, describe, it } from "vitest"
import { badRecipients, context, from, mail, thrownBy } from "../mails.ts"
import { response, certificate, type Received, type RunningServer, startSmtpServer } from "./smtpServer.ts"

/*
 * Against a real SMTP server. Refusals.test.ts has what servers do wrong.
 */

let server: RunningServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

const start = async (options: SMTPServerOptions = {}): Promise<RunningServer> => {
  server = await startSmtpServer(options)
  return server
}
const open = (change: Partial<SmtpOptions> = {}) =>
  smtp({ host: "127.0.0.1", port: server!.port, from, ...change })

/** Headers by lower-case name, unfolded; each must stand there once. */
const headersOf = ({ raw }: Received): Record<string, string> => {
  const head = raw.slice(0, raw.indexOf("\r\n\r\n")).replace(/\r\n[ \t]+/g, " ")
  const headers: Record<string, string> = {}
  for (const line of head.split("\r\n")) {
    const [name, value] = [
      line.slice(0, line.indexOf(":")).toLowerCase(),
      line.slice(line.indexOf(":") + 1).trim()
    ]
    assert.notProperty(headers, name)
    headers[name] = value
  }
  return headers
}

describe("a mail over SMTP", () => {
  it("arrives with both versions, its sender and its recipient", async () => {
    const { received } = await start()
    await open({ replyTo: "Help <help@shop.example>" }).send(mail, context)
    assert.strictEqual(received.length, 1)
    assert.deepInclude(received[0]!, { from: "orders@shop.example", to: ["ada@example.com"] })
    const headers = headersOf(received[0]!)
    assert.strictEqual(headers["from"], "Shop <orders@shop.example>")
    assert.strictEqual(headers["to"], "ada@example.com")
    assert.strictEqual(headers["reply-to"], "Help <help@shop.example>")
    assert.strictEqual(headers["subject"], mail.subject)
    assert.strictEqual(headers["auto-submitted"], "auto-generated")
    assert.match(headers["content-type"]!, /^multipart\/alternative;/)
    const { raw } = received[0]!
    assert.include(raw, "Total paid: 97.00 USD")
    assert.include(raw, "<p>Thank you for your order.</p>")
  })

  it("carries a title in any script", async () => {
    const { received } = await start()
    await open().send({ ...mail, subject: "Order confirmed: 靴 für Läufer 👟" }, context)
    const encoded = headersOf(received[0]!)["subject"]!
    const words = Array.from(encoded.matchAll(/=\?UTF-8\?([QB])\?([^?]*)\?=/g), ([, how, text]) =>
      how === "B"
        ? Buffer.from(text!, "base64")
        : Buffer.from(
            text!
              .replaceAll("_", " ")
              .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
            "latin1"
          )
    )
    assert.include(Buffer.concat(words).toString("utf8"), "靴 für Läufer 👟")
  })

  it("has the same Message-ID for the same key, from every process, and another for another", async () => {
    const { received } = await start()
    await open().send(mail, context)
    await open().send(mail, context)
    await open().send({ ...mail, idempotencyKey: "order-shipped:1" }, context)
    const [first, again, other] = received.map((each) => headersOf(each)["message-id"])
    assert.match(first!, /^<[0-9a-f]{40}@shop\.example>$/)
    assert.strictEqual(again, first)
    assert.notStrictEqual(other, first)
  })

  it("has a Message-ID without line breaks, whatever the key", async () => {
    const { received } = await start()
    await open().send({ ...mail, idempotencyKey: "a>\r\nBcc: <thief@example.com" }, context)
    assert.match(headersOf(received[0]!)["message-id"]!, /^<[0-9a-f]{40}@shop\.example>$/)
    assert.notInclude(received[0]!.raw, "thief")
  })

  it("is not turned into a second header by its subject", async () => {
    const { received } = await start()
    for (const [index, lineBreak] of ["\r\n", "\n", "\r", "\u0085", "\u2028", "\r\n "].entries()) {
      const subject = `Shoes${lineBreak}Bcc: thief@example.com`
      await open().send({ ...mail, subject, idempotencyKey: String(index) }, context)
      assert.notProperty(headersOf(received[index]!), "bcc")
      assert.deepStrictEqual(received[index]!.to, ["ada@example.com"])
    }
    assert.strictEqual(received.length, 6)
  })

  it("keeps lines of one dot, and lines that are very long", async () => {
    const { received } = await start()
    await open().send({ ...mail, text: `before\n.\n${"x".repeat(5_000)}\nafter\n` }, context)
    const { raw } = received[0]!
    assert.match(raw, /before\r\n\.\r\n/)
    assert.include(raw.replaceAll("=\r\n", ""), "x".repeat(5_000))
    assert.include(raw, "after")
    for (const line of raw.split("\r\n")) assert.isAtMost(line.length, 998)
  })

  it.each(badRecipients)("to %j is refused permanently before anything is sent", async (to) => {
    const { connections } = await start()
    const error = await thrownBy(open().send({ ...mail, to }, context))
    assert.deepStrictEqual([error._tag, error.code], ["MailRejected", "INVALID_RECIPIENT"])
    assert.strictEqual(connections(), 0)
  })
})

describe("a key", () => {
  it("that was sent by this mailer is not sent again", async () => {
    const { connections, received } = await start()
    const { send } = open()
    await send(mail, context)
    await send({ ...mail, subject: "again" }, context)
    assert.strictEqual(received.length, 1)
    assert.strictEqual(connections(), 1)
  })

  it("that is under way is waited for", async () => {
    const { received } = await start()
    const { send } = open()
    await Promise.all([send(mail, context), send(mail, context), send(mail, context)])
    assert.strictEqual(received.length, 1)
  })

  it("that failed is sent again", async () => {
    let isBusy = true
    const { received } = await start({
      onRcptTo: (_address, _session, callback) => callback(isBusy ? response(450, "mailbox busy") : null)
    })
    const { send } = open()
    assert.strictEqual((await thrownBy(send(mail, context)))._tag, "TemporarilyUnavailable")
    isBusy = false
    await send(mail, context)
    assert.strictEqual(received.length, 1)
  })

  it("whose call was canceled is still sent, once", async () => {
    const { connections, received } = await start({
      onRcptTo: (_address, _session, callback) => setTimeout(() => callback(), 100)
    })
    const { send } = open()
    const controller = new AbortController()
    const givenUp = send(mail, { signal: controller.signal })
    setTimeout(() => controller.abort(), 20)
    await thrownBy(givenUp)
    await send(mail, context)
    assert.strictEqual(received.length, 1)
    assert.strictEqual(connections(), 1)
  })
})

describe("connections", () => {
  it("are no more than allowed at the same time", async () => {
    const talking: Array<() => void> = []
    let most = 0
    const { port, received } = await start({
      // Goes on once two connections talk, and after a while in which a third one would.
      onMailFrom: (_address, _session, callback) => {
        most = Math.max(most, talking.push(callback))
        if (talking.length === 2) setTimeout(() => talking.splice(0).forEach((goOn) => goOn()), 20)
      }
    })
    const { send } = open({ port, maxConcurrent: 2 })
    await Promise.all(
      Array.from({ length: 8 }, (_, index) => send({ ...mail, idempotencyKey: `k:${index}` }, context))
    )
    assert.strictEqual(received.length, 8)
    assert.strictEqual(most, 2)
  })

  it("are waited for by no more mails than allowed", async () => {
    const { received } = await start()
    const { send } = open({ maxConcurrent: 1, maxWaiting: 2 })
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, (_, index) => send({ ...mail, idempotencyKey: `k:${index}` }, context))
    )
    assert.deepStrictEqual(
      outcomes.map((each) => (each.status === "rejected" ? (each.reason as { code: string }).code : "sent")),
      ["sent", "sent", "sent", "OVERLOADED", "OVERLOADED"]
    )
    assert.strictEqual(received.length, 3)
  })
})

describe("encryption and login", () => {
  const password = "p4ss w0rd: ü"
  const withLogin: SMTPServerOptions = {
    authOptional: false,
    onAuth: (auth, _session, callback) =>
      auth.username === "orders" && auth.password === password
        ? callback(null, { user: "orders" })
        : callback(response(535, `no such login: ${auth.username} ${auth.password}`))
  }

  it("are used if required: from the first byte", async () => {
    const { received } = await start({ ...withLogin, secure: true })
    await open({ security: "tls", ca: certificate, user: "orders", password }).send(mail, context)
    assert.deepInclude(received[0]!, { isEncrypted: true, user: "orders" })
  })

  it("are used if required: by STARTTLS, before login", async () => {
    const { received } = await start({ ...withLogin, disabledCommands: [] })
    await open({ security: "starttls", ca: certificate, user: "orders", password }).send(mail, context)
    assert.deepInclude(received[0]!, { isEncrypted: true, user: "orders" })
  })

  it.each(["tls", "starttls"] as const)(
    "refuse a certificate that nobody vouches for: %s",
    async (security) => {
      const { received } = await start({ ...withLogin, secure: security === "tls", disabledCommands: [] })
      const error = await thrownBy(open({ security, user: "orders", password }).send(mail, context))
      assert.strictEqual(error._tag, "TemporarilyUnavailable")
      assert.match(error.code!, /^(?:ESOCKET|ETLS|ECONNECTION)$/)
      assert.strictEqual(received.length, 0)
    }
  )

  it("are not left out because the server doesn't offer them", async () => {
    const { received } = await start()
    const error = await thrownBy(open({ security: "starttls" }).send(mail, context))
    assert.strictEqual(error._tag, "TemporarilyUnavailable")
    assert.strictEqual(received.length, 0)
  })

  it("that are refused don't reject the mail, and reveal neither name nor password", async () => {
    await start({ ...withLogin, secure: true })
    const wrong = { security: "tls", ca: certificate, user: "orders", password: "gu3ss" } as const
    const error = await thrownBy(open(wrong).send(mail, context))
    assert.deepStrictEqual([error._tag, error.code], ["TemporarilyUnavailable", "SMTP_535"])
    assert.notMatch(`${error.message} ${JSON.stringify(error)}`, /gu3ss|orders/)
  })
})
