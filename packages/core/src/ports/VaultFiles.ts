import { Context, Effect, Layer } from "effect"
import { type UpstreamError, UpstreamFailed } from "../domain/Errors.ts"
import type { VaultOptions } from "../ProviderOptions.ts"
import { MalformedAnswer } from "./HostAnswer.ts"
import { type CallSettings, hostCall } from "./HostCall.ts"

/** A ZIP archive ready to be sent. */
export interface VaultFile {
  readonly body: ReadableStream<Uint8Array> | Uint8Array
  /** Bytes, where known: sent as `Content-Length`. */
  readonly size?: number
}

/** Opens the archive of a vault item. */
export class VaultFiles extends Context.Service<
  VaultFiles,
  { readonly open: (item: { readonly slug: string }) => Effect.Effect<VaultFile, UpstreamError> }
>()("@till402/core/VaultFiles") {
  /**
   * The vault of a host without Effect. The deadline is that of opening; a stream is then read at the
   * caller's pace. A stream that can't be used, or comes too late, is cancelled.
   */
  static readonly fromPromise = (
    options: VaultOptions,
    { timeoutMillis }: CallSettings
  ): Layer.Layer<VaultFiles> =>
    Layer.succeed(VaultFiles, {
      open: Effect.fn("VaultFiles.open")(({ slug }: { readonly slug: string }) =>
        hostCall({
          port: "vault",
          timeoutMillis,
          ask: async (asking) => {
            const file = await options.open({ slug }, asking)
            if (asking.signal.aborted) discard(file)
            return file
          },
          read: readFile
        })
      )
    })

  /** Archives by slug. */
  static readonly layerMemory = (archives: ReadonlyMap<string, Uint8Array>): Layer.Layer<VaultFiles> =>
    Layer.succeed(VaultFiles, {
      open: ({ slug }) => {
        const body = archives.get(slug)
        return body === undefined
          ? Effect.fail(new UpstreamFailed({ port: "vault", cause: new Error(`no archive of ${slug}`) }))
          : Effect.succeed({ body, size: body.byteLength })
      }
    })
}

// By shape, not by instanceof: a host's bundle or test environment may bring classes of its own.
const isBytes = (body: unknown): body is Uint8Array =>
  ArrayBuffer.isView(body) && Object.prototype.toString.call(body) === "[object Uint8Array]"
const isStream = (body: unknown): body is ReadableStream<Uint8Array> =>
  typeof body === "object" && body !== null && "getReader" in body && typeof body.getReader === "function"

const bodyOf = (file: unknown): unknown =>
  typeof file === "object" && file !== null && "body" in file ? file.body : undefined

/** Lets go of a stream that nobody will read; one that fails to close is past helping. */
const discard = (file: unknown): void => {
  const body = bodyOf(file)
  if (isStream(body) && !body.locked) body.cancel().catch(() => undefined)
}

const malformed = (file: unknown, message: string): Effect.Effect<never, MalformedAnswer> =>
  Effect.suspend(() => {
    discard(file)
    return Effect.fail(new MalformedAnswer({ message }))
  })

const readFile = (file: unknown): Effect.Effect<VaultFile, MalformedAnswer> => {
  const body = bodyOf(file)
  if (isBytes(body)) {
    return body.byteLength === 0
      ? malformed(file, "body: is empty")
      : Effect.succeed({ body, size: body.byteLength })
  }
  if (!isStream(body)) {
    return malformed(
      file,
      "body: must be a Uint8Array or a web ReadableStream (Readable.toWeb of a Node stream)"
    )
  }
  if (body.locked) return malformed(file, "body: the stream is being read already")
  const size = (file as { readonly size?: unknown }).size ?? undefined
  if (size === undefined) return Effect.succeed({ body })
  return typeof size === "number" && Number.isSafeInteger(size) && size > 0
    ? Effect.succeed({ body, size })
    : malformed(file, "size: must be a whole number of bytes above zero")
}
