import { smtp, type SmtpOptions } from "@till402/providers/mail/smtp"
import { afterEach, assert, describe, it } from "vitest"
import { context, everyWordOf, from, mail, thrownBy } from "../mails.ts"
import { type ScriptedSmtpServer, startScriptedSmtpServer } from "./smtpServer.ts"

/*
 * Servers that refuse, break off, or stay silent: which faults pass and which don't.
 */

let server: ScriptedSmtpServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

const greeting = "220 mail.example ESMTP"

/** A server that accepts everything except commands that begin with a key of `responses`, which get its value. */
const start = async (responses: Record<string, string | undefined>, greets: string | null = greeting) => {
  let isData = false
  server = await startScriptedSmtpServer(greets, (line) => {
    if (isData && line !== ".") return undefined
    const command = isData ? "." : Object.keys(responses).find((word) => line.startsWith(word))
    isData = false
    if (command !== undefined && command in responses) return responses[command]
    if (line.startsWith("EHLO")) return "250-mail.example\r\n250 8BITMIME"
    if (line === "DATA") {
      isData = true
      return "354 go on"
    }
    return line === "QUIT" ? "221 bye" : "250 fine"
  })
  return server
}

const open = (change: Partial<SmtpOptions> = {}) =>
  smtp({
    host: "127.0.0.1",
    port: server!.port,
    from,
    connectTimeoutMillis: 300,
    socketTimeoutMillis: 300,
    deadlineMillis: 5_000,
    ...change
  })

describe("an SMTP server that refuses", () => {
  it.each<[string, Record<string, string>, string, string]>([
    ["the recipient for good", { RCPT: "550 5.1.1 no ada@example.com here" }, "MailRejected", "SMTP_550"],
    ["the recipient's name", { RCPT: "553 5.1.3 bad address ada@example.com" }, "MailRejected", "SMTP_553"],
    ["the mail before it is sent", { DATA: "554 5.7.1 spam to ada@example.com" }, "MailRejected", "SMTP_554"],
    ["the mail once it is sent", { ".": "552 5.3.4 too large" }, "MailRejected", "SMTP_552"],
    ["the recipient for now", { RCPT: "451 4.7.1 greylisted" }, "TemporarilyUnavailable", "SMTP_451"],
    ["a full mailbox", { RCPT: "452 4.2.2 ada@example.com is full" }, "TemporarilyUnavailable", "SMTP_452"],
    ["the mail for now", { ".": "451 4.3.0 try later" }, "TemporarilyUnavailable", "SMTP_451"],
    ["because it shuts down", { RCPT: "421 4.3.2 shutting down" }, "TemporarilyUnavailable", "SMTP_421"],
    ["the order of commands", { RCPT: "503 5.5.1 MAIL first" }, "TemporarilyUnavailable", "SMTP_503"],
    ["who has not logged in", { RCPT: "530 5.7.0 log in" }, "TemporarilyUnavailable", "SMTP_530"],
    ["the sender", { MAIL: "550 5.7.1 not from orders@shop.example" }, "TemporarilyUnavailable", "SMTP_550"]
  ])("%s", async (_, responses, tag, code) => {
    await start(responses)
    const error = await thrownBy(open().send(mail, context))
    assert.deepStrictEqual([error._tag, error.code], [tag, code])
    for (const secret of [mail.to, "orders@shop.example", mail.subject]) {
      assert.notInclude(everyWordOf(error), secret)
    }
  })

  it("everybody", async () => {
    await start({}, "554 5.7.1 your address is on a list")
    const error = await thrownBy(open().send(mail, context))
    assert.deepStrictEqual([error._tag, error.code], ["TemporarilyUnavailable", "SMTP_554"])
  })

  it("receives the recipient, and nothing after its refusal", async () => {
    const { lines } = await start({ RCPT: "550 no" })
    await thrownBy(open().send(mail, context))
    assert.includeMembers([...lines], ["MAIL FROM:<orders@shop.example>", "RCPT TO:<ada@example.com>"])
    assert.notInclude(lines, "DATA")
  })
})

describe("an SMTP server that is in trouble passes:", () => {
  it.each<[string, Record<string, string | undefined>, string | null]>([
    ["it never greets", {}, null],
    ["it hangs up at once", {}, "close"],
    ["it never responds", { EHLO: undefined }, greeting],
    ["it hangs up after the recipient", { RCPT: "close" }, greeting],
    ["it is silent after the mail", { ".": undefined }, greeting],
    ["it hangs up after the mail", { ".": "close" }, greeting],
    ["it speaks something else", {}, "HTTP/1.1 400 Bad Request"],
    ["it returns nonsense", { RCPT: "perhaps" }, greeting]
  ])("%s", async (_, responses, greets) => {
    await start(responses, greets)
    const error = await thrownBy(open().send(mail, context))
    assert.strictEqual(error._tag, "TemporarilyUnavailable")
    assert.match(error.code!, /^[A-Z][A-Z0-9_]+$/)
  })

  it("nobody is there", async () => {
    await start({})
    const mailer = open()
    await server!.close()
    const error = await thrownBy(mailer.send(mail, context))
    assert.strictEqual(error._tag, "TemporarilyUnavailable")
  })

  it("it drips, so that it is never silent for long", async () => {
    const closed = Promise.withResolvers<string>()
    server = await startScriptedSmtpServer(greeting, (line, socket) => {
      if (!line.startsWith("EHLO")) return undefined
      const dripping = setInterval(() => socket.write("250-more\r\n"), 20)
      socket.on("close", () => {
        clearInterval(dripping)
        closed.resolve("closed")
      })
      return undefined
    })
    const error = await thrownBy(open({ deadlineMillis: 400 }).send(mail, context))
    assert.deepStrictEqual([error._tag, error.code], ["TemporarilyUnavailable", "DEADLINE_EXCEEDED"])
    const patience = setTimeout(() => closed.resolve("still open"), 60_000)
    assert.strictEqual(await closed.promise, "closed")
    clearTimeout(patience)
  })

  it("it responds without end", async () => {
    await start({ EHLO: `250-${"x".repeat(2 * 1024 * 1024)}` })
    const error = await thrownBy(open().send(mail, context))
    assert.strictEqual(error._tag, "TemporarilyUnavailable")
  })
})

describe("a mail that was refused", () => {
  it("is offered again under the same Message-ID", async () => {
    let refusals = 1
    const ids: Array<string> = []
    let isData = false
    server = await startScriptedSmtpServer(greeting, (line) => {
      if (line.startsWith("Message-ID:")) ids.push(line)
      if (isData && line !== ".") return undefined
      if (isData) {
        isData = false
        return refusals-- > 0 ? "451 later" : "250 fine"
      }
      if (line === "DATA") {
        isData = true
        return "354 go on"
      }
      return line.startsWith("EHLO") ? "250 mail.example" : "250 fine"
    })
    const { send } = open()
    await thrownBy(send(mail, context))
    await send(mail, context)
    assert.strictEqual(ids.length, 2)
    assert.strictEqual(ids[0], ids[1])
  })
})
