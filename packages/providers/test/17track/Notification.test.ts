import { assert, describe, it } from "@effect/vitest"
import { sha256 } from "@noble/hashes/sha2"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { isSigned } from "../../src/17track/Notification.ts"
import { delivered, item, inTransit, webhookBody, webhookMeta } from "./documents.ts"
import { apiKey, type Behaviour } from "./provider.ts"
import { isFound, number, open } from "./tracking.ts"

const url = "https://shop.example/17track"
const signatureOf = (body: string | Uint8Array, key = apiKey): string => {
  const bytes = typeof body === "string" ? utf8ToBytes(body) : body
  return bytesToHex(
    sha256
      .create()
      .update(bytes)
      .update(utf8ToBytes(`/${key}`))
      .digest()
  )
}
const post = (body: string | Uint8Array, sign: string | null = signatureOf(body)): Request =>
  new Request(url, {
    method: "POST",
    body: body as BodyInit,
    ...(sign === null ? {} : { headers: { sign } })
  })
const event = (name: string, data: unknown): Request => post(JSON.stringify({ event: name, data }))

/** The shipment in transit of the fixtures, two days on. */
const updated = item(inTransit, {
  number,
  carrier: 100_002,
  track_info: {
    latest_status: { status: "Delivered", sub_status: "Delivered_Other" },
    latest_event: { time_iso: "2026-11-20T11:00:00-05:00", description: "Delivered", stage: "Delivered" }
  }
})

const opened = (behaviour: Behaviour = {}) =>
  Effect.gen(function* () {
    const all = yield* open(behaviour)
    all.provider.register({ number, carrier: 100_002 })
    const send = (request: Request) => Effect.map(all.tracker.webhook(request), ({ status }) => status)
    return { ...all, send }
  })

describe("a webhook's signature", () => {
  it("is the documented one of the documented body", () => {
    assert.strictEqual(signatureOf(webhookBody, webhookMeta.apiKey), webhookMeta.value)
    const key = Redacted.make(webhookMeta.apiKey)
    assert.isTrue(isSigned(utf8ToBytes(webhookBody), webhookMeta.value, key))
    assert.isTrue(isSigned(utf8ToBytes(webhookBody), webhookMeta.value.toUpperCase(), key))
  })

  it.effect.each([
    ["none", null],
    ["an empty one", ""],
    ["that of another key", signatureOf(webhookBody, "another")],
    ["that of another body", signatureOf(`${webhookBody} `)],
    ["a part of the right one", signatureOf(webhookBody).slice(0, 63)],
    ["the right one and more", `${signatureOf(webhookBody)}0`],
    ["letters that are no hex", "z".repeat(64)]
  ] as const)("refused: %s", ([, sign]) =>
    Effect.gen(function* () {
      const { send } = yield* opened()
      assert.strictEqual(yield* send(post(webhookBody, sign)), 401)
    })
  )

  it("differs with any one character of the body", () => {
    const bytes = utf8ToBytes(webhookBody)
    const key = Redacted.make(apiKey)
    const sign = signatureOf(bytes)
    for (let index = 0; index < bytes.length; index += 97) {
      const other = bytes.slice()
      other[index]! ^= 1
      assert.isFalse(isSigned(other, sign, key), `byte ${index}`)
    }
  })
})

describe("a webhook", () => {
  it.effect("updates the cache without a call", () =>
    Effect.gen(function* () {
      const { provider, send, track } = yield* opened()
      assert.strictEqual((yield* track({ number })).status, "InTransit")
      assert.strictEqual(yield* send(event("TRACKING_UPDATED", updated)), 200)
      const result = yield* track({ number })
      assert.strictEqual(result.status, "Delivered")
      assert.strictEqual(result.number, number)
      assert.strictEqual(provider.calls.length, 1)
      // And it is kept as long as a delivered one.
      yield* TestClock.adjust("23 hours")
      yield* track({ number })
      assert.strictEqual(provider.calls.length, 1)
    })
  )

  it.effect("takes the documented body", () =>
    Effect.gen(function* () {
      const { provider, send, track } = yield* opened()
      yield* track({ number })
      assert.strictEqual(yield* send(post(webhookBody)), 200)
      assert.strictEqual((yield* track({ number: number.toLowerCase() })).status, "InTransit")
      assert.strictEqual(provider.calls.length, 1)
    })
  )

  it.effect("adds nothing to the cache", () =>
    Effect.gen(function* () {
      const { provider, send, track } = yield* opened()
      assert.strictEqual(yield* send(event("TRACKING_UPDATED", updated)), 200)
      assert.strictEqual((yield* track({ number })).status, "InTransit")
      assert.strictEqual(provider.calls.length, 1)
    })
  )

  it.effect("reveals nothing to callers who didn't pass the carrier's check", () =>
    Effect.gen(function* () {
      const { provider, send, tracker, track } = yield* opened()
      provider.registrations.clear()
      provider.register({ number, carrier: 100_002, phone_number_last_4: "1234" })
      assert.strictEqual(yield* isFound(track({ number, phone: "9999" })), false)
      assert.strictEqual(yield* send(event("TRACKING_UPDATED", updated)), 200)
      assert.strictEqual(yield* isFound(track({ number, phone: "9999" })), false)
      assert.strictEqual((yield* track({ number, phone: "1234" })).found, true)
      assert.strictEqual((yield* Effect.flip(track({ number })))._tag, "AdditionalFieldRequired")
      assert.strictEqual(tracker.usage().quotaSpent, 0)
    })
  )

  it.effect("of an older state than the one that is remembered changes nothing", () =>
    Effect.gen(function* () {
      const { send, track } = yield* opened({
        news: (registration) => item(delivered, { ...registration, cpf_or_cnpj: null })
      })
      yield* track({ number })
      const old = item(inTransit, { number, carrier: 100_002 })
      const info = old["track_info"] as Record<string, unknown>
      const before = {
        ...old,
        track_info: {
          ...info,
          latest_event: { time_iso: "2026-01-01T00:00:00Z", description: "long ago" },
          tracking: {}
        }
      }
      assert.strictEqual(yield* send(event("TRACKING_UPDATED", before)), 200)
      assert.strictEqual((yield* track({ number })).status, "Delivered")
    })
  )

  it.effect("of another carrier's registration changes nothing", () =>
    Effect.gen(function* () {
      const { send, track } = yield* opened()
      yield* track({ number, carrier: 100_002 })
      yield* send(event("TRACKING_UPDATED", { ...updated, carrier: 3_011 }))
      assert.strictEqual((yield* track({ number, carrier: 100_002 })).status, "InTransit")
    })
  )

  it.effect("that reports the end of tracking drops the number from the cache", () =>
    Effect.gen(function* () {
      const { provider, send, track } = yield* opened()
      yield* track({ number })
      const stopped = { number, carrier: 100_002, param: null, tag: null }
      assert.strictEqual(yield* send(event("TRACKING_STOPPED", stopped)), 200)
      yield* track({ number })
      assert.strictEqual(provider.calls.length, 2)
    })
  )

  it.effect("drops a number from the cache that was refused or had no news", () =>
    Effect.gen(function* () {
      let isReady = false
      const { send, track, provider } = yield* opened({
        intercept: ({ path }) =>
          path === "gettrackinfo" && !isReady
            ? {
                status: 200,
                body: { code: 0, data: { rejected: [{ number, error: { code: -18_019_909 } }] } }
              }
            : undefined
      })
      assert.strictEqual((yield* Effect.flip(track({ number })))._tag, "NoTrackingInfo")
      isReady = true
      assert.strictEqual((yield* Effect.flip(track({ number })))._tag, "NoTrackingInfo")
      yield* send(event("TRACKING_UPDATED", updated))
      assert.strictEqual((yield* track({ number })).found, true)
      assert.strictEqual(provider.calls.length, 2)
    })
  )

  it.effect.each([
    ["an event that is not known", JSON.stringify({ event: "TRACKING_DREAMT", data: {} }), 200],
    ["unknown fields", JSON.stringify({ event: "TRACKING_UPDATED", data: updated, more: [1] }), 200],
    ["a document without a shipment", JSON.stringify({ event: "TRACKING_UPDATED" }), 400],
    ["a document without an event", JSON.stringify({ data: updated }), 400],
    ["no JSON", "event=TRACKING_UPDATED", 400],
    ["a cut document", webhookBody.slice(0, 1_000), 400],
    ["nothing", "", 400],
    ["bytes that are no text", new Uint8Array([0xff, 0xfe, 0x7b]), 400],
    ["a body that is too large", "x".repeat(1024 * 1024 + 1), 413]
  ] as const)("with %s: %s", ([, body, status]) =>
    Effect.gen(function* () {
      const { send } = yield* opened()
      assert.strictEqual(yield* send(post(body)), status)
    })
  )

  it.effect("that is too large is not read completely, whatever its announced length", () =>
    Effect.gen(function* () {
      let pulled = 0
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          pulled += 1
          controller.enqueue(new Uint8Array(64 * 1024))
        }
      })
      const { send } = yield* opened()
      const request = new Request(url, { method: "POST", body, duplex: "half" } as RequestInit)
      assert.strictEqual(yield* send(request), 413)
      assert.isBelow(pulled, 20)
    })
  )

  it.effect("is a POST", () =>
    Effect.gen(function* () {
      const { tracker } = yield* opened()
      const response = yield* tracker.webhook(new Request(url))
      assert.strictEqual(response.status, 405)
      assert.strictEqual(response.headers.get("allow"), "POST")
    })
  )

  it.effect("whose body breaks off is 400", () =>
    Effect.gen(function* () {
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => controller.error(new Error("reset"))
      })
      const { send } = yield* opened()
      const request = new Request(url, { method: "POST", body, duplex: "half" } as RequestInit)
      assert.strictEqual(yield* send(request), 400)
    })
  )
})
