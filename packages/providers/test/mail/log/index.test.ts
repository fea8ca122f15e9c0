import { logMailer } from "@till402/providers/mail/log"
import { assert, describe, it } from "vitest"
import { badRecipients, context, mail, thrownBy } from "../mails.ts"

const secretMail = { ...mail, text: "Download token: sTg0m-3_Qx7w", html: "<p>sTg0m-3_Qx7w</p>" }

describe("the log mailer", () => {
  it("writes a line with kind, key and size: neither address nor words nor token", async () => {
    const lines: Array<string> = []
    await logMailer((line) => lines.push(line)).send(secretMail, context)
    assert.deepStrictEqual(lines, [`mail order-confirmed ${mail.idempotencyKey} 47 bytes`])
  })

  it("counts bytes, not characters", async () => {
    const lines: Array<string> = []
    await logMailer((line) => lines.push(line)).send({ ...mail, text: "靴", html: "é" }, context)
    assert.match(lines[0]!, / 5 bytes$/)
  })

  it("writes each key once", async () => {
    const lines: Array<string> = []
    const { send } = logMailer((line) => lines.push(line))
    await send(mail, context)
    await send(mail, context)
    await send({ ...mail, idempotencyKey: "order-shipped:2" }, context)
    assert.strictEqual(lines.length, 2)
  })

  it("keeps to one line, whatever the key", async () => {
    const lines: Array<string> = []
    const idempotencyKey = `a\r\nmail b:\u2028${"c".repeat(1_000)}`
    await logMailer((line) => lines.push(line)).send({ ...mail, idempotencyKey }, context)
    assert.match(lines[0]!, /^mail a_mail_b a_mail_b:_c{200,256} \d+ bytes$/)
  })

  it("writes recipient, subject and text with bodies", async () => {
    const lines: Array<string> = []
    const subject = "Order confirmed\r\nTo: thief@example.com"
    await logMailer((line) => lines.push(line), { bodies: true }).send({ ...secretMail, subject }, context)
    assert.deepStrictEqual(lines[0]!.split("\n"), [
      `mail order-confirmed ${mail.idempotencyKey} 47 bytes`,
      "To: ada@example.com",
      "Subject: Order confirmed To: thief@example.com",
      "",
      "Download token: sTg0m-3_Qx7w"
    ])
  })

  it.each(badRecipients)("refuses the recipient %j as the real ones do", async (to) => {
    const lines: Array<string> = []
    const error = await thrownBy(logMailer((line) => lines.push(line)).send({ ...mail, to }, context))
    assert.strictEqual(error._tag, "MailRejected")
    assert.deepStrictEqual(lines, [])
  })

  it("retries a mail whose line could not be written", async () => {
    let isFull = true
    const lines: Array<string> = []
    const { send } = logMailer((line) => {
      if (isFull) throw new Error("disk full")
      lines.push(line)
    })
    assert.strictEqual((await thrownBy(send(mail, context))).message, "disk full")
    isFull = false
    await send(mail, context)
    assert.strictEqual(lines.length, 1)
  })

  it("needs a function", () => {
    assert.throws(() => logMailer("stdout" as never), /write must be a function/)
  })
})
