import type { CallContext } from "../runtime/Deadline.ts"
import { Context, Effect, Layer } from "effect"
import { type UpstreamError, UpstreamFailed } from "../domain/Errors.ts"
import { MalformedResponse } from "../runtime/MalformedResponse.ts"
import { type CallSettings, hostCall } from "./HostCall.ts"

/** A ZIP archive that can be sent. */
export interface VaultFile {
  /** The archive itself; a web stream or bytes. */
  readonly body: ReadableStream<Uint8Array> | Uint8Array
  /** Its length in bytes, if known: sent as `Content-Length`. */
  readonly size?: number
}

/** Opens the archives of vault items. */
export class VaultFiles extends Context.Service<
  VaultFiles,
  { readonly open: (item: { readonly slug: string }) => Effect.Effect<VaultFile, UpstreamError> }
>()("@till402/core/VaultFiles") {
  /**
   * The vault from a host's async function. The deadline covers opening; the stream is then read at the caller's pace.
   * A stream that can't be used, or comes after the deadline, is canceled.
   */
  static readonly fromPromise = (options: VaultOptions, settings: CallSettings): Layer.Layer<VaultFiles> =>
    Layer.succeed(VaultFiles, {
      open: Effect.fn("VaultFiles.open")(({ slug }: { readonly slug: string }) =>
        hostCall({
          port: "vault",
          operation: "open",
          settings,
          call: async (context) => {
            const file = await options.open({ slug }, context)
            if (context.signal.aborted) discard(file)
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

// Checked by shape, not by instanceof: a host's bundle or test environment may have its own classes.
const isBytes = (body: unknown): body is Uint8Array =>
  ArrayBuffer.isView(body) && Object.prototype.toString.call(body) === "[object Uint8Array]"
const isStream = (body: unknown): body is ReadableStream<Uint8Array> =>
  typeof body === "object" && body !== null && "getReader" in body && typeof body.getReader === "function"

const bodyOf = (file: unknown): unknown =>
  typeof file === "object" && file !== null && "body" in file ? file.body : undefined

const sizeOf = (file: unknown): unknown =>
  typeof file === "object" && file !== null && "size" in file ? file.size : undefined

/** Cancels a stream that won't be read; a failure to cancel is ignored. */
const discard = (file: unknown): void => {
  const body = bodyOf(file)
  if (isStream(body) && !body.locked) body.cancel().catch(() => undefined)
}

const malformed = (file: unknown, message: string): Effect.Effect<never, MalformedResponse> =>
  Effect.suspend(() => {
    discard(file)
    return Effect.fail(new MalformedResponse({ message }))
  })

const readFile = (file: unknown): Effect.Effect<VaultFile, MalformedResponse> => {
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
  if (body.locked) return malformed(file, "body: the stream is already being read")
  const size = sizeOf(file) ?? undefined
  if (size === undefined) return Effect.succeed({ body })
  return typeof size === "number" && Number.isSafeInteger(size) && size > 0
    ? Effect.succeed({ body, size })
    : malformed(file, "size: must be a whole number of bytes above zero")
}

/** A ZIP archive as a host's vault returns it. */
export interface OpenedArchive {
  /** The archive itself; of a Node stream, `Readable.toWeb(stream)`. */
  readonly body: ReadableStream<Uint8Array> | Uint8Array
  /** Its length in bytes; optional. Ignored if `body` is bytes. */
  readonly size?: number | null | undefined
}

/** Opens the ZIP archive of a vault item. Throw `TemporarilyUnavailable` for a 503; any other throw is a 502. */
export interface VaultOptions {
  readonly open: (item: { readonly slug: string }, context: CallContext) => Promise<OpenedArchive>
}
