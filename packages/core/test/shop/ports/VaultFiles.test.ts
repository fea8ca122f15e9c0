import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { UpstreamFailed, UpstreamUnavailable } from "../../../src/shop/ports/PortErrors.ts"
import { causeName } from "../../../src/runtime/causeName.ts"
import { guardedVaultFiles, type OpenedArchive, VaultFiles } from "../../../src/shop/ports/VaultFiles.ts"
import { timeoutMillis, withSettings } from "../../ports/subjects.ts"

describe("VaultFiles", () => {
  const openOf = (open: (signal: AbortSignal) => Promise<OpenedArchive>) =>
    Effect.flatMap(guardedVaultFiles, (files) => files.open({ slug: "launch-plan" })).pipe(
      Effect.provide(VaultFiles.layerPromise({ open: (_, { signal }) => open(signal) })),
      withSettings
    )
  const watched = () => {
    const seen = { cancelled: false }
    const body = new ReadableStream<Uint8Array>({
      cancel: () => {
        seen.cancelled = true
      }
    })
    return { body, seen }
  }

  it.effect("passes a stream on unread, with its size where known", () =>
    Effect.gen(function* () {
      const { body, seen } = watched()
      assert.deepStrictEqual(yield* openOf(async () => ({ body, size: 10 })), { body, size: 10 })
      assert.deepStrictEqual(yield* openOf(async () => ({ body, size: undefined }) as never), { body })
      assert.isFalse(body.locked)
      assert.isFalse(seen.cancelled)
    })
  )

  it.effect("knows the size of bytes itself", () =>
    Effect.gen(function* () {
      const file = yield* openOf(async () => ({ body: Buffer.from("PK"), size: 99 }))
      assert.strictEqual(file.size, 2)
    })
  )

  it.effect("passes on a digest and a function for parts, and refuses others", () =>
    Effect.gen(function* () {
      const { body } = watched()
      const file = {
        body,
        digest: "v1",
        range(start: number, end: number) {
          assert.deepStrictEqual([start, end], [1, 2])
          return this.body
        }
      }
      const opened = yield* openOf(async () => file)
      assert.strictEqual(opened.body, body)
      assert.strictEqual(opened.digest, "v1")
      // As a method.
      assert.strictEqual(opened.range?.(1, 2), body)
      const bytes = yield* openOf(async () => ({ body: new Uint8Array([1]), digest: "v1" }))
      assert.strictEqual(bytes.digest, "v1")
      for (const wrong of [
        { digest: 'a"b' },
        { digest: "a b" },
        { digest: "" },
        { digest: 1 },
        { range: true }
      ]) {
        const { body: unused, seen } = watched()
        const refused = openOf(async () => ({ body: unused, ...wrong }) as never)
        assert.instanceOf(yield* Effect.flip(refused), UpstreamFailed)
        assert.isTrue(seen.cancelled)
      }
    })
  )

  it.effect("cancels a stream it can't use, and refuses one that is being read", () =>
    Effect.gen(function* () {
      const { body, seen } = watched()
      assert.instanceOf(yield* Effect.flip(openOf(async () => ({ body, size: -1 }))), UpstreamFailed)
      assert.isTrue(seen.cancelled)
      const taken = watched()
      taken.body.getReader()
      const failure = yield* Effect.flip(openOf(async () => ({ body: taken.body })))
      assert.match(causeName(failure.cause), /already being read/)
    })
  )

  it.effect("cancels a stream that comes after the deadline", () =>
    Effect.gen(function* () {
      const { body, seen } = watched()
      const late = Promise.withResolvers<OpenedArchive>()
      const fiber = yield* Effect.forkChild(Effect.flip(openOf(() => late.promise)))
      yield* TestClock.adjust(timeoutMillis)
      assert.instanceOf(yield* Fiber.join(fiber), UpstreamUnavailable)
      late.resolve({ body })
      yield* Effect.promise(() => late.promise)
      assert.isTrue(seen.cancelled)
    })
  )
})
