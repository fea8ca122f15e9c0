import { Cause, Effect, Exit } from "effect"
import { describe, expect, it } from "vitest"
import type { RecordedResponse } from "../../../src/ports/Charges.ts"
import { Secrets } from "../../../src/runtime/Secrets.ts"
import { RecordedResponses } from "../../../src/toll/perform/RecordedResponses.ts"
import { ContentUnavailable } from "../../../src/toll/request/PaymentErrors.ts"
import type { WorkResponse } from "../../../src/toll/request/TollRequest.ts"

const keys = (...ids: ReadonlyArray<string>) =>
  Secrets.layer(ids.map((id) => ({ id, secret: id.repeat(40) })))
const head = { status: 201, contentType: "text/plain", headers: { "x-missing": "a" } }
const text: WorkResponse = { ...head, body: { _tag: "Text", text: "a secret" } }
const content = { body: new Uint8Array([1, 2]), size: 2 }
const bytes: WorkResponse = { ...head, body: { _tag: "Bytes", reference: "item-1", content } }

const never = () => Effect.die(new Error("nothing was to be opened again"))

const use = <A, E>(
  run: (responses: RecordedResponses) => Effect.Effect<A, E>,
  layer = keys("new", "old")
): Promise<Exit.Exit<A, E>> =>
  Effect.runPromiseExit(
    Effect.flatMap(Secrets, (secrets) => run(new RecordedResponses(secrets))).pipe(Effect.provide(layer))
  )

describe("recorded responses", () => {
  it("are plain text unless the request encrypts them", async () => {
    const recorded: RecordedResponse = { ...head, body: { _tag: "Plain", text: "a secret" } }
    expect(await use((responses) => responses.record({ encrypted: false }, text))).toEqual(
      Exit.succeed(recorded)
    )
    expect(await use((responses) => responses.open({ reopen: never }, recorded))).toEqual(Exit.succeed(text))
  })

  it("are encrypted under the current key, and opened again", async () => {
    const exit = await use(
      Effect.fnUntraced(function* (responses) {
        const recorded = yield* responses.record({ encrypted: true }, text)
        return { recorded, opened: yield* responses.open({ reopen: never }, recorded) }
      })
    )
    expect(exit).toMatchObject({
      value: { recorded: { status: 201, body: { _tag: "Encrypted", keyId: "new" } } }
    })
    expect(exit).toMatchObject({ value: { opened: text } })
    expect(JSON.stringify(exit)).not.toContain(Buffer.from("a secret").toString("base64"))
  })

  it("are encrypted with their headers", async () => {
    const location = { ...text, headers: { location: "https://files.example/?token=secret" } }
    const exit = await use((responses) => responses.record({ encrypted: true }, location))
    const recorded = Exit.isSuccess(exit) ? exit.value : expect.unreachable()
    expect(recorded).not.toHaveProperty("headers")
    expect(JSON.stringify(recorded)).not.toContain("files.example")
    expect(await use((responses) => responses.open({ reopen: never }, recorded))).toEqual(
      Exit.succeed(location)
    )
  })

  it("of which only the text was encrypted open too", async () => {
    const { headers: _, ...bare } = text
    const like = { ...bare, body: { _tag: "Text", text: '{"headers":{"a":"b"},"text":"c"}' } } as const
    const exit = await use((responses) => responses.record({ encrypted: true }, like))
    const recorded = Exit.isSuccess(exit) ? exit.value : expect.unreachable()
    expect(recorded.body).not.toHaveProperty("withHeaders")
    const older: RecordedResponse = { ...recorded, headers: head.headers }
    expect(await use((responses) => responses.open({ reopen: never }, recorded))).toEqual(Exit.succeed(like))
    expect(await use((responses) => responses.open({ reopen: never }, older))).toEqual(
      Exit.succeed({ ...like, headers: head.headers })
    )
  })

  it("of bytes are a reference, encrypted or not, and their operation opens them again", async () => {
    const recorded: RecordedResponse = { ...head, body: { _tag: "Reference", reference: "item-1" } }
    for (const encrypted of [true, false])
      expect(await use((responses) => responses.record({ encrypted }, bytes))).toEqual(Exit.succeed(recorded))
    const opened: Array<string> = []
    const reopen = (reference: string) =>
      Effect.sync(() => {
        opened.push(reference)
        return content
      })
    const replayed = { ...bytes, body: { ...bytes.body, isReplay: true } }
    expect(await use((responses) => responses.open({ reopen }, recorded))).toEqual(Exit.succeed(replayed))
    expect(opened).toEqual(["item-1"])
  })

  it("whose bytes can't be opened now fail with the operation's error", async () => {
    const recorded: RecordedResponse = { ...head, body: { _tag: "Reference", reference: "item-1" } }
    const reopen = () => Effect.fail("down")
    const exit = await use((responses) => responses.open({ reopen }, recorded))
    const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
    expect(error).toBeInstanceOf(ContentUnavailable)
    expect(error).toMatchObject({ error: "down" })
  })

  it("encrypted under a key that is no longer configured are a defect", async () => {
    const recorded = await use((responses) => responses.record({ encrypted: true }, text), keys("lost"))
    const body = Exit.isSuccess(recorded) ? recorded.value : expect.unreachable()
    const exit = await use((responses) => responses.open({ reopen: never }, body))
    expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause)).toBe(true)
  })
})
