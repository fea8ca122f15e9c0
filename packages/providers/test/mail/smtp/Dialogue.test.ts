import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"

/*
 * A host that has not installed nodemailer, in a process of its own.
 */

const script = `
import { registerHooks } from "node:module"
registerHooks({
  resolve: (specifier, context, next) => {
    if (specifier !== "nodemailer") return next(specifier, context)
    throw Object.assign(new Error("Cannot find package 'nodemailer'"), { code: "ERR_MODULE_NOT_FOUND" })
  }
})
const { smtp } = await import("@till402/providers/mail/smtp")
await import("@till402/providers/mail/resend")
await import("@till402/providers/mail/log")
const { send } = smtp({ host: "localhost", from: "orders@shop.example" })
const mail = { to: "ada@example.com", subject: "s", text: "t", html: "h", idempotencyKey: "k" }
const error = await send(mail, { signal: new AbortController().signal }).catch((thrown) => thrown)
console.log(JSON.stringify({ tag: error._tag, message: error.message }))
`

describe("nodemailer", () => {
  it("is needed only by the SMTP mailer, with its first mail, whose error names it", async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--conditions=@till402/source", "--input-type=module", "--eval", script],
      { cwd: fileURLToPath(new URL("../../..", import.meta.url)), timeout: 120_000 }
    )
    assert.deepStrictEqual(JSON.parse(stdout), {
      tag: "ConfigurationError",
      message: "smtp: install nodemailer: npm install nodemailer"
    })
  })
})
