import { accidentIn } from "../../domain/Accident.ts"
import { exactLength } from "../../runtime/exactLength.ts"
import { discardBody, isStream } from "../../runtime/BoundedBody.ts"
import type { CallContext } from "../../runtime/Deadline.ts"
import { Context, Effect, Layer } from "effect"
import { type TemporarilyUnavailable, type UpstreamError, UpstreamFailed } from "./PortErrors.ts"
import type { ArchiveFacts } from "../goods/VaultListing.ts"
import { MalformedResponse } from "../../runtime/MalformedResponse.ts"
import { isAsyncFunction } from "../../runtime/isAsyncFunction.ts"
import { fromOptions, fromPromise, guarded, PortSettings, reportFailure } from "./PortGuard.ts"

/** A ZIP archive that can be sent. */
export interface VaultFile {
  /** The archive itself; a web stream or bytes. */
  readonly body: ReadableStream<Uint8Array> | Uint8Array
  /** Its length in bytes, if known: sent as `Content-Length`. */
  readonly size?: number
  /** Its digest, or another text that changes with its bytes: sent as `ETag`. */
  readonly digest?: string
  /** Opens the bytes from `start` to before `end`, for a download that resumes. */
  readonly range?: (start: number, end: number) => ReadableStream<Uint8Array>
  /** Where the caller gets the bytes instead; `body` is empty then. */
  readonly redirect?: string
}

/** The archive of a vault item to open. */
export interface ArchiveToOpen {
  readonly slug: string
  /** Of an item that was published with `till.vault.publish`: which of its archives. */
  readonly archive?: ArchiveFacts
}

/** Opens the archives of vault items. */
export class VaultFiles extends Context.Service<
  VaultFiles,
  {
    readonly open: (
      item: ArchiveToOpen
    ) => Effect.Effect<OpenedArchive | ArchiveLink, TemporarilyUnavailable | UpstreamError>
    /** See `VaultOptions`. */
    readonly maxAgeMillis?: number | undefined
    /** See `VaultOptions`. */
    readonly maxDownloads?: number | undefined
    /** See `VaultOptions`. */
    readonly freeReaccess?: boolean | undefined
  }
>()("@till402/core/VaultFiles") {
  /** The vault from a host's async function. A stream that comes after the deadline is canceled. */
  static readonly layerPromise = (options: VaultOptions): Layer.Layer<VaultFiles> =>
    Layer.succeed(
      VaultFiles,
      fromOptions<VaultFiles["Service"]>(options, {
        maxAgeMillis: options.maxAgeMillis,
        maxDownloads: options.maxDownloads,
        freeReaccess: options.freeReaccess,
        open: (item) =>
          fromPromise(async (context) => {
            const file = await options.open(item, context)
            if (context.signal.aborted) discardBody(bodyOf(file))
            return file
          })
      })
    )
}

/** A vault whose calls are guarded. */
export interface GuardedVaultFiles extends Omit<VaultFiles["Service"], "open"> {
  readonly open: (item: ArchiveToOpen) => Effect.Effect<VaultFile, UpstreamError>
  /** Fails if it can't be opened; a small one is read up to its size, which finds most wrong sizes before a sale. */
  readonly ensureOpens: (item: ArchiveToOpen) => Effect.Effect<void, UpstreamError>
}

const port = "vault"
const span = "VaultFiles.open"
/** A file whose size is checked before it is sold. */
const maxCheckedBytes = 2 ** 20

/** Holds the streams of a file to their size. */
const held = (file: VaultFile, slug: string, onWrong: (fault: MalformedResponse) => void): VaultFile => {
  const { body, range, size } = file
  if (size === undefined || !isStream(body)) return file
  const exact = (stream: ReadableStream<Uint8Array>, length: number) =>
    exactLength(stream, length, (delivered) => {
      const message = `size: ${slug} has ${delivered} where its size makes ${length}: return its true size, or none`
      const fault = new MalformedResponse({ message })
      onWrong(fault)
      return fault
    })
  return {
    ...file,
    body: exact(body, size),
    ...(range === undefined ? {} : { range: (start, end) => exact(range(start, end), end - start) })
  }
}

/** Reads a small file up to its size, and doesn't wait for the end of its stream. */
const readSmall = ({ body, size = Infinity }: VaultFile): Effect.Effect<void, unknown> =>
  !isStream(body) || size > maxCheckedBytes
    ? Effect.sync(() => discardBody(body))
    : fromPromise(async ({ signal }) => {
        const reader = body.getReader()
        const stop = () => void reader.cancel().catch(() => undefined)
        signal.addEventListener("abort", stop)
        for (let left = size; left > 0;) left -= (await reader.read()).value?.byteLength ?? left
        stop()
      })

/**
 * The vault as the till calls it. The deadline covers opening and the first bytes; the stream is then read at the caller's
 * pace. A stream that can't be used is canceled.
 */
export const guardedVaultFiles = Effect.gen(function* () {
  const settings = yield* PortSettings
  const files = yield* VaultFiles
  return {
    maxAgeMillis: files.maxAgeMillis,
    maxDownloads: files.maxDownloads,
    freeReaccess: files.freeReaccess,
    open: (item) =>
      Effect.contextWith((context: Context.Context<never>) => {
        const onWrong = (cause: MalformedResponse): void =>
          void Effect.runForkWith(context)(
            reportFailure("open", new UpstreamFailed({ port, cause }), settings)
          )
        const read = (file: unknown) => Effect.map(readFile(file), (each) => held(each, item.slug, onWrong))
        return guarded(settings, { port, span, read }, () => files.open(item))
      }),
    ensureOpens: (item) => {
      // The guard itself reports what fails before its deadline.
      const read = (file: unknown) =>
        Effect.flatMap(readFile(file), (each) => readSmall(held(each, item.slug, () => undefined)))
      return Effect.asVoid(guarded(settings, { port, span, read }, () => files.open(item)))
    }
  } satisfies GuardedVaultFiles
})

const hex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("")

/** Bytes know their size and digest themselves. */
const fileOfBytes = (body: Uint8Array, digest: string | undefined): Effect.Effect<VaultFile> => {
  const size = body.byteLength
  if (digest !== undefined) return Effect.succeed({ body, size, digest })
  const { buffer, byteOffset } = body
  // Web Crypto digests no shared memory.
  const view = buffer instanceof ArrayBuffer ? new Uint8Array(buffer, byteOffset, size) : new Uint8Array(body)
  return Effect.promise(async () => ({
    body,
    size,
    digest: hex(await crypto.subtle.digest("SHA-256", view))
  }))
}

// Checked by shape, not by instanceof: a host's bundle or test environment may have its own classes.
const isBytes = (body: unknown): body is Uint8Array =>
  ArrayBuffer.isView(body) && Object.prototype.toString.call(body) === "[object Uint8Array]"

const bodyOf = (file: unknown): unknown =>
  typeof file === "object" && file !== null && "body" in file ? file.body : undefined

const sizeOf = (file: unknown): unknown =>
  typeof file === "object" && file !== null && "size" in file ? file.size : undefined

/** The first two bytes as text: `PK` in every ZIP archive, an empty one too. */
const headOf = (bytes: Uint8Array): string => String.fromCharCode(...bytes.subarray(0, 2))

const noZip = new MalformedResponse({ message: "body: must be a ZIP archive, which begins with PK" })

/** Reads how a stream begins, and returns an equal one: the error page of a bucket is no archive. */
const begun = async (
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal
): Promise<ReadableStream<Uint8Array>> => {
  const reader = body.getReader()
  const cancel = (reason?: unknown): Promise<void> => reader.cancel(reason)
  const drop = (): void => void cancel().catch(() => undefined)
  signal.addEventListener("abort", drop)
  const read: Array<Uint8Array> = []
  let head = ""
  try {
    while (head.length < 2) {
      const { done, value } = await reader.read()
      if (done) break
      read.push(value)
      head += headOf(value)
    }
    if (!head.startsWith("PK")) throw noZip
  } catch (thrown) {
    drop()
    throw thrown
  }
  signal.removeEventListener("abort", drop)
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => read.forEach((chunk) => controller.enqueue(chunk)),
      pull: async (controller) => {
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel
    },
    { highWaterMark: 0 }
  )
}

const malformed = (file: unknown, message: string): Effect.Effect<never, MalformedResponse> =>
  Effect.suspend(() => {
    discardBody(bodyOf(file))
    return Effect.fail(new MalformedResponse({ message }))
  })

const fieldOf = (file: unknown, name: "digest" | "range" | "redirect"): unknown =>
  typeof file === "object" && file !== null ? (Reflect.get(file, name) ?? undefined) : undefined

/** What an entity tag may contain between its quotes. */
const isDigest = (digest: unknown): digest is string =>
  typeof digest === "string" && /^[\x21\x23-\x7e]{1,200}$/.test(digest)

const isRange = (range: unknown): range is (start: number, end: number) => ReadableStream<Uint8Array> =>
  typeof range === "function"

const isLink = (text: unknown): text is string =>
  typeof text === "string" && /^https?:\/\/[\x21-\x7e]{1,8000}$/.test(text) && URL.canParse(text)

const isSize = (size: unknown): size is number =>
  typeof size === "number" && Number.isSafeInteger(size) && size > 0

const readLink = (file: unknown, redirect: unknown): Effect.Effect<VaultFile, MalformedResponse> => {
  if (!isLink(redirect))
    return malformed(file, "redirect: must be the address of a file, up to 8,000 characters")
  const accident = accidentIn(redirect)
  if (accident !== undefined)
    return malformed(file, `redirect: has "${accident}" in it: what it is made of is not set`)
  const size = sizeOf(file) ?? undefined
  if (size !== undefined && !isSize(size))
    return malformed(file, "size: must be a whole number of bytes above zero")
  return Effect.succeed({ body: new Uint8Array(), redirect, ...(size === undefined ? {} : { size }) })
}

const readFile = (file: unknown): Effect.Effect<VaultFile, unknown> => {
  const body = bodyOf(file)
  const redirect = fieldOf(file, "redirect")
  if (redirect !== undefined && body === undefined) return readLink(file, redirect)
  const digest = fieldOf(file, "digest")
  if (digest !== undefined && !isDigest(digest))
    return malformed(file, "digest: must be 1 to 200 printable ASCII characters without spaces and quotes")
  if (isBytes(body)) return headOf(body) === "PK" ? fileOfBytes(body, digest) : Effect.fail(noZip)
  if (!isStream(body)) {
    return malformed(
      file,
      "body: must be a Uint8Array or a web ReadableStream (Readable.toWeb of a Node stream)"
    )
  }
  if (body.locked) return malformed(file, "body: the stream is already being read")
  const range = fieldOf(file, "range")
  if (range !== undefined && !isRange(range)) return malformed(file, "range: must be a function")
  const size = sizeOf(file) ?? undefined
  if (size !== undefined && !isSize(size))
    return malformed(file, "size: must be a whole number of bytes above zero")
  return Effect.map(
    fromPromise(({ signal }) => begun(body, signal)),
    (whole) => ({
      body: whole,
      ...(size === undefined ? {} : { size }),
      ...(digest === undefined ? {} : { digest }),
      // Called as a method: an object of a class keeps what it needs in `this`.
      ...(range === undefined || isAsyncFunction(range) ? {} : { range: range.bind(file) })
    })
  )
}

/** A ZIP archive as a host's vault returns it. */
export interface OpenedArchive {
  /** The archive itself; of a Node stream, `Readable.toWeb(stream)`. The till reads how it begins before it charges. */
  readonly body: ReadableStream<Uint8Array> | Uint8Array
  /**
   * Its length in bytes; optional. Ignored if `body` is bytes. Without it, a download can't be resumed, and a payment
   * gets it twice, or more often until 16 MiB were sent.
   */
  readonly size?: number | null | undefined
  /**
   * Its digest, e.g. SHA-256 in hexadecimal, or another text that changes with its bytes; up to 200 printable ASCII
   * characters without spaces and quotes. Sent as `ETag`, so that no download is resumed with another version. Of bytes
   * the till computes it.
   */
  readonly digest?: string | null | undefined
  /**
   * Opens the bytes from `start` to before `end`, for a download that resumes. Then `body` is canceled. Without it,
   * `body` is read up to `start`. Ignored if `body` is bytes, and if it is an async function: a stream opens at once.
   */
  readonly range?: ((start: number, end: number) => ReadableStream<Uint8Array>) | null | undefined
}

/**
 * An address from which the buyer gets the archive, instead of its bytes. The response to a download is then a 302 with it
 * as `Location`, not the contract's 200. Make a new one each time that expires soon: whoever has it can download.
 */
export interface ArchiveLink {
  readonly redirect: string
  /** The archive's length in bytes, for the limits of a payment; optional. Without it, a payment gets two links. */
  readonly size?: number | null | undefined
}

/**
 * Opens the ZIP archive of a vault item. Throw `TemporarilyUnavailable` for a 503; any other throw is a 502, and so are
 * bytes that don't begin with `PK`.
 */
export interface VaultOptions {
  /**
   * Downloads of a purchase end after this time, in milliseconds: 1 minute or more. By default they never end. A later
   * download is a 403 `DOWNLOAD_EXPIRED`, and not charged; one that was paid before can be resumed.
   */
  readonly maxAgeMillis?: number
  /**
   * A purchase can be downloaded this many times: 1 to 1,000; without a limit by default. A further download is a 403
   * `DOWNLOADS_USED_UP`, and not charged. Resumed downloads, and those whose payment fails, don't count.
   */
  readonly maxDownloads?: number
  /**
   * Whether the wallet that paid for a purchase downloads it without another payment: it proves itself by the extension
   * `sign-in-with-x`, and presents the download token. Up to three times the file, or 16 MiB, in 24 hours. `false` by
   * default: each download costs its price.
   */
  readonly freeReaccess?: boolean
  readonly open: (item: ArchiveToOpen, context: CallContext) => Promise<OpenedArchive | ArchiveLink>
}
