import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpClientRequest, HttpClientResponse } from "effect/http"
import { BodyTooLarge, readBodyText, readBytes } from "../../src/runtime/BoundedBody.ts"

const responseOf = (body: BodyInit | null) =>
  HttpClientResponse.fromWeb(HttpClientRequest.get("https://node.example/"), new Response(body))

const streamOf = (chunks: ReadonlyArray<Uint8Array>, end: (controller: ReadableStreamController) => void) => {
  const state = { pulled: 0, canceled: false }
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const chunk = chunks[state.pulled++]
        if (chunk === undefined) end(controller)
        else controller.enqueue(chunk)
      },
      cancel: () => {
        state.canceled = true
      }
    },
    { highWaterMark: 0 }
  )
  return { body, state }
}
type ReadableStreamController = ReadableStreamDefaultController<Uint8Array>
const close = (controller: ReadableStreamController): void => controller.close()

describe("the text of a body", () => {
  it.effect("is empty where there is none", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* readBodyText(responseOf(null), 10), "")
      assert.strictEqual(yield* readBodyText(responseOf(""), 10), "")
    })
  )

  it.effect("is put together from bytes, wherever they are cut", () =>
    Effect.gen(function* () {
      const text = "é漢👩 ok"
      const bytes = Array.from(new TextEncoder().encode(text), (byte) => Uint8Array.of(byte))
      assert.strictEqual(yield* readBodyText(responseOf(streamOf(bytes, close).body), 100), text)
    })
  )

  it.effect("shows a character that is cut off at the end", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* readBodyText(responseOf(Uint8Array.of(0x61, 0xc3)), 10), "a\ufffd")
    })
  )

  it.effect("is read up to its bound, counted in bytes, and no further", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* readBodyText(responseOf("éé"), 4), "éé")
      const error = yield* Effect.flip(readBodyText(responseOf("ééa"), 4))
      assert.deepStrictEqual(error, new BodyTooLarge({ maxBytes: 4 }))
    })
  )

  it.effect("is refused unread if its header says that it is larger", () =>
    Effect.gen(function* () {
      const { body, state } = streamOf([Uint8Array.of(0x61)], () => undefined)
      const response = new Response(body, { headers: { "content-length": "11" } })
      const request = HttpClientRequest.get("https://node.example/")
      const error = yield* Effect.flip(readBodyText(HttpClientResponse.fromWeb(request, response), 10))
      assert.strictEqual(error._tag, "BodyTooLarge")
      assert.strictEqual(state.pulled, 0)
    })
  )

  it.effect("is not read on where it never ends", () =>
    Effect.gen(function* () {
      const endless = streamOf(
        Array.from({ length: 1_000 }, () => new Uint8Array(10)),
        close
      )
      const error = yield* Effect.flip(readBodyText(responseOf(endless.body), 25))
      assert.strictEqual(error._tag, "BodyTooLarge")
      assert.isBelow(endless.state.pulled, 10)
      assert.isTrue(endless.state.canceled)
    })
  )

  it.effect("fails where it breaks off", () =>
    Effect.gen(function* () {
      const { body } = streamOf([Uint8Array.of(0x61)], (controller) => controller.error(new Error("cut")))
      assert.strictEqual((yield* Effect.flip(readBodyText(responseOf(body), 10)))._tag, "HttpClientError")
    })
  )
})

describe("the bytes of a stream", () => {
  const chunks = (...sizes: ReadonlyArray<number>) =>
    streamOf(
      sizes.map((size) => new Uint8Array(size).fill(size)),
      close
    ).body

  it("are read up to their bound", async () => {
    assert.deepStrictEqual(await readBytes(chunks(2, 3), 5), Uint8Array.of(2, 2, 3, 3, 3))
    assert.deepStrictEqual(await readBytes(chunks(), 5), new Uint8Array())
    assert.isUndefined(await readBytes(chunks(2, 4), 5))
  })

  it("are not read on where they never end", async () => {
    const { body, state } = streamOf(
      Array.from({ length: 1_000 }, () => new Uint8Array(10)),
      close
    )
    assert.isUndefined(await readBytes(body, 25))
    assert.strictEqual(state.pulled, 3)
    assert.isTrue(state.canceled)
  })

  it("are not waited for once their reader is canceled", async () => {
    const controller = new AbortController()
    const reading = readBytes(new ReadableStream(), 5, controller.signal)
    controller.abort()
    assert.deepStrictEqual(await reading, new Uint8Array())
  })
})
