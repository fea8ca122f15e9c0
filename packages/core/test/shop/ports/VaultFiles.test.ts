import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { ProviderFailure } from "../../../src/ports/ProviderFailure.ts"
import { PortSettings } from "../../../src/shop/ports/PortGuard.ts"
import { UpstreamFailed, UpstreamUnavailable } from "../../../src/shop/ports/PortErrors.ts"
import { causeName } from "../../../src/runtime/causeName.ts"
import {
  guardedVaultFiles,
  type OpenedArchive,
  type VaultFile,
  VaultFiles
} from "../../../src/shop/ports/VaultFiles.ts"
import { timeoutMillis, withSettings } from "../../ports/subjects.ts"

describe("VaultFiles", () => {
  const openOf = (open: (signal: AbortSignal) => Promise<OpenedArchive>) =>
    Effect.flatMap(guardedVaultFiles, (files) => files.open({ slug: "launch-plan" })).pipe(
      Effect.provide(VaultFiles.layerPromise({ open: (_, { signal }) => open(signal) })),
      withSettings
    )
  const watched = () => {
    const seen = { cancelled: false, read: "" }
    const chunks = ["", "P", "K3", "45"]
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          const chunk = chunks.shift()
          if (chunk === undefined) return controller.close()
          seen.read += chunk
          controller.enqueue(Buffer.from(chunk))
        },
        cancel: () => {
          seen.cancelled = true
        }
      },
      { highWaterMark: 0 }
    )
    return { body, seen }
  }

  const textOf = (body: VaultFile["body"]) => Effect.promise(() => new Response(body as BodyInit).text())

  it.effect("passes a stream on once it begins as an archive, with its size where known", () =>
    Effect.gen(function* () {
      const { body, seen } = watched()
      const sized = yield* openOf(async () => ({ body, size: 5 }))
      assert.deepStrictEqual([sized.size, seen.read, seen.cancelled], [5, "PK3", false])
      assert.strictEqual(yield* textOf(sized.body), "PK345")
      const unsized = yield* openOf(async () => ({ body: watched().body, size: undefined }) as never)
      assert.deepStrictEqual(Object.keys(unsized), ["body"])
      const unread = watched()
      const opened = yield* openOf(async () => ({ body: unread.body }))
      yield* Effect.promise(() => (opened.body as ReadableStream).cancel())
      assert.deepStrictEqual(unread.seen, { read: "PK3", cancelled: true })
    })
  )

  it.effect("doesn't ask an async function for a range: the stream is read up to it", () =>
    Effect.gen(function* () {
      const opened = yield* openOf(
        async () => ({ body: watched().body, range: async () => watched().body }) as never
      )
      assert.deepStrictEqual(Object.keys(opened), ["body"])
      assert.strictEqual(yield* textOf(opened.body), "PK345")
    })
  )

  const failures: Array<ProviderFailure> = []
  const noting = { timeoutMillis, onError: (failure: ProviderFailure) => void failures.push(failure) }
  const filesOf = (file: () => OpenedArchive) =>
    Effect.provide(guardedVaultFiles, VaultFiles.layerPromise({ open: async () => file() })).pipe(
      Effect.provideService(PortSettings, noting)
    )
  const messages = () => failures.splice(0).map(({ error, port }) => [port, (error as Error).message])
  const wrong = (delivered: string, size: number) => [
    [
      "vault",
      `size: launch-plan has ${delivered} where its size makes ${size}: return its true size, or none`
    ]
  ]

  it.effect("reports a stream that hasn't its size, and no caller who leaves", () =>
    Effect.gen(function* () {
      for (const [size, delivered] of [
        [4, "5 bytes or more"],
        [6, "5 bytes"]
      ] as const) {
        const range = (start: number, end: number) => new Blob(["PK345".slice(start, end - 1)]).stream()
        const files = yield* filesOf(() => ({ body: watched().body, size, range }))
        const file = yield* files.open({ slug: "launch-plan" })
        assert.isTrue(Exit.isFailure(yield* Effect.exit(textOf(file.body))))
        assert.deepStrictEqual(messages(), wrong(delivered, size))
        assert.isTrue(Exit.isFailure(yield* Effect.exit(textOf(file.range!(0, 3)))))
        assert.deepStrictEqual(messages(), wrong("2 bytes", 3))
        const left = (yield* files.open({ slug: "launch-plan" })).body as ReadableStream<Uint8Array>
        const reader = left.getReader()
        yield* Effect.promise(() => reader.read())
        yield* Effect.promise(() => reader.cancel())
      }
      const pending = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(Buffer.from("PK"))
      })
      const files = yield* filesOf(() => ({ body: pending, size: 5 }))
      const left = (yield* files.open({ slug: "launch-plan" })).body as ReadableStream<Uint8Array>
      const reader = left.getReader()
      yield* Effect.promise(() => reader.read())
      const waiting = reader.read()
      yield* Effect.promise(() => reader.cancel())
      yield* Effect.promise(() => waiting)
      assert.deepStrictEqual(messages(), [])
    })
  )

  it.effect("finds the wrong size of a small file before it is sold, and doesn't read a large one", () =>
    Effect.gen(function* () {
      const ensure = (size: number | undefined) =>
        Effect.gen(function* () {
          const { body, seen } = watched()
          const files = yield* filesOf(() => ({ body, ...(size === undefined ? {} : { size }) }))
          const exit = yield* Effect.exit(files.ensureOpens({ slug: "launch-plan" }))
          return [Exit.isSuccess(exit), seen.read]
        })
      assert.deepStrictEqual(yield* ensure(4), [false, "PK345"])
      assert.deepStrictEqual(messages(), wrong("5 bytes or more", 4))
      assert.deepStrictEqual(yield* ensure(6), [false, "PK345"])
      assert.deepStrictEqual(messages(), wrong("5 bytes", 6))
      assert.deepStrictEqual(yield* ensure(5), [true, "PK345"])
      assert.deepStrictEqual(yield* ensure(2 ** 20 + 1), [true, "PK3"])
      assert.deepStrictEqual(yield* ensure(undefined), [true, "PK3"])
      assert.deepStrictEqual(messages(), [])
    })
  )

  it.effect("takes an empty archive, and what a link leads to", () =>
    Effect.gen(function* () {
      const empty = Buffer.from("PK\u0005\u0006".padEnd(22, "\0"))
      assert.strictEqual((yield* openOf(async () => ({ body: empty }))).size, 22)
      const file = yield* openOf(async () => ({ body: new Blob([empty]).stream() }))
      assert.strictEqual(yield* textOf(file.body), empty.toString())
      const redirect = "https://bucket.example/launch-plan.zip"
      assert.strictEqual((yield* openOf(async () => ({ redirect }) as never)).redirect, redirect)
      for (const path of ["https://undefined/a.zip", "https://null/a.zip", "https://files.example/undefined"])
        assert.match(
          causeName((yield* Effect.flip(openOf(async () => ({ redirect: path }) as never))).cause),
          /^redirect: has "(?:undefined|null)" in it/
        )
      const named = "https://files.example/undefined-behavior/null?of=undefined"
      assert.strictEqual((yield* openOf(async () => ({ redirect: named }) as never)).redirect, named)
    })
  )

  it.effect("cancels a stream of what is no bytes", () =>
    Effect.gen(function* () {
      for (const chunk of ["PK34", new ArrayBuffer(4)]) {
        let isCancelled = false
        const body = new ReadableStream({
          pull: (controller) => controller.enqueue(chunk),
          cancel: () => {
            isCancelled = true
          }
        })
        assert.strictEqual((yield* Effect.flip(openOf(async () => ({ body }))))._tag, "UpstreamFailed")
        assert.isTrue(isCancelled)
      }
    })
  )

  it.effect("fails as a stream that breaks off before it begins, and cancels an error page", () =>
    Effect.gen(function* () {
      const gone = Object.assign(new Error("no such file"), { code: "ENOENT" })
      const broken = new ReadableStream<Uint8Array>({ pull: () => Promise.reject(gone) })
      const failure = yield* Effect.flip(openOf(async () => ({ body: broken })))
      assert.strictEqual(causeName(failure), "UpstreamFailed: Error ENOENT")
      let cancelled = false
      const page = new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(Buffer.from("<Error>")),
        cancel: () => {
          cancelled = true
        }
      })
      assert.match(
        causeName((yield* Effect.flip(openOf(async () => ({ body: page })))).cause),
        /begins with PK/
      )
      assert.isTrue(cancelled)
      const short = yield* Effect.flip(openOf(async () => ({ body: new Blob(["P"]).stream() })))
      assert.match(causeName(short.cause), /begins with PK/)
    })
  )

  it.effect("cancels a stream that doesn't begin before the deadline", () =>
    Effect.gen(function* () {
      let cancelled = false
      const begins = Promise.withResolvers<void>()
      const body = new ReadableStream<Uint8Array>(
        {
          pull: () => {
            begins.resolve()
            return new Promise(() => undefined)
          },
          cancel: () => {
            cancelled = true
          }
        },
        { highWaterMark: 0 }
      )
      const fiber = yield* Effect.forkChild(Effect.flip(openOf(async () => ({ body }))))
      yield* Effect.promise(() => begins.promise)
      yield* TestClock.adjust(timeoutMillis)
      assert.instanceOf(yield* Fiber.join(fiber), UpstreamUnavailable)
      assert.isTrue(cancelled)
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
      assert.strictEqual(opened.digest, "v1")
      // As a method.
      assert.strictEqual(opened.range?.(1, 2), body)
      const bytes = yield* openOf(async () => ({ body: Buffer.from("PK"), digest: "v1" }))
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
