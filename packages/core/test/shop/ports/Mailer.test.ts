import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Mail, Mailer } from "../../../src/shop/ports/Mailer.ts"

describe("Mailer", () => {
  it.effect("in memory: keeps each mail once", () => {
    const outbox: Array<Mail> = []
    const mail: Mail = { to: "a@b.example", subject: "Hi", text: "", html: "", idempotencyKey: "1" }
    return Effect.gen(function* () {
      const mailer = yield* Mailer
      yield* mailer.send(mail)
      yield* mailer.send({ ...mail, subject: "Hi again" })
      yield* mailer.send({ ...mail, idempotencyKey: "2" })
      assert.deepStrictEqual(outbox, [mail, { ...mail, idempotencyKey: "2" }])
    }).pipe(Effect.provide(Mailer.layerMemory(outbox)))
  })
})
