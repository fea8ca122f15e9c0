import { BoundedMap } from "../runtime/BoundedMap.ts"
import type { ByteContent } from "../toll/TollRequest.ts"
import { partOf, readRange } from "./ByteRange.ts"
import { exactLength } from "./exactLength.ts"
import type { PlainResponse } from "./HttpMessage.ts"

/** Payments whose downloads are remembered; the oldest are forgotten first. */
const maxPayments = 10_000
/** Bytes that a payment downloads, in parts or whole: its file twice, and at least as many as cost next to nothing. */
const leastBytes = 16 * 2 ** 20
const maxBytesOf = (size: number): number => Math.max(2 * size, leastBytes)

/** A request for the file that a payment has bought. */
export interface DownloadRequest {
  /** Network, payer and nonce of the payment. */
  readonly paymentKey: string
  /** The payment was presented before. The first response is always the whole file. */
  readonly isReplay: boolean
  readonly range: string | null
  readonly ifRange: string | null
  /** Bytes that it downloads in all, where something else counts them. */
  readonly maxBytes?: number
}

/** `Spent`: the payment has downloaded as much as it may. */
export type Delivery =
  | { readonly _tag: "Sent"; readonly response: PlainResponse }
  | { readonly _tag: "Unsatisfiable"; readonly size: number }
  | { readonly _tag: "Spent" }

interface PaymentDownloads {
  sentBytes: number
  /** Ends the stream that is being sent. */
  stop: () => void
}

const discard = (body: PlainResponse["body"]): void => {
  if (body instanceof ReadableStream) body.cancel().catch(() => undefined)
}

/** The part of a body. A host that opens parts itself need not read what comes before. */
const cut = (
  body: Uint8Array | ReadableStream<Uint8Array>,
  { range }: ByteContent,
  { end, start }: { readonly start: number; readonly end: number }
): Uint8Array | ReadableStream<Uint8Array> => {
  if (body instanceof Uint8Array) return body.subarray(start, end)
  if (range === undefined) return partOf(body, start, end)
  discard(body)
  return exactLength(range(start, end), end - start)
}

/**
 * Sends files, whole or in parts, so that an interrupted download resumes under the same payment. Per payment it sends
 * one stream at a time, a new one ends the one before, and up to 16 MiB, or twice the file if that
 * is more. Counts in this process only.
 */
export class Downloads {
  private readonly payments = new BoundedMap<string, PaymentDownloads>(maxPayments)

  /** Sends `content` with the status and headers of `whole`, or the part of it that the request wants. */
  deliver(whole: PlainResponse, content: ByteContent, request: DownloadRequest): Delivery {
    const { body } = whole
    if (content.redirect !== undefined) return this.deliverLink(whole, content, request)
    if (body === null || typeof body === "string") return { _tag: "Sent", response: whole }
    const size = body instanceof Uint8Array ? body.byteLength : content.size
    const etag = content.digest === undefined ? undefined : `"${content.digest}"`
    const wanted = request.isReplay ? readRange(request, { size, etag }) : { _tag: "Whole" as const }
    if (wanted._tag === "Unsatisfiable" && size !== undefined) {
      discard(body)
      return { _tag: "Unsatisfiable", size }
    }
    const length = wanted._tag === "Part" ? wanted.end - wanted.start : size
    const payment = this.begin(request, length, size)
    if (payment === undefined) {
      discard(body)
      return { _tag: "Spent" }
    }
    const sent = this.counted(wanted._tag === "Part" ? cut(body, content, wanted) : body, payment)
    const headers = {
      ...whole.headers,
      ...(size === undefined ? {} : { "accept-ranges": "bytes" }),
      ...(etag === undefined ? {} : { etag })
    }
    if (wanted._tag !== "Part") return { _tag: "Sent", response: { ...whole, headers, body: sent } }
    const part = {
      "content-length": String(wanted.end - wanted.start),
      "content-range": `bytes ${wanted.start}-${wanted.end - 1}/${size}`
    }
    return { _tag: "Sent", response: { status: 206, headers: { ...headers, ...part }, body: sent } }
  }

  /** A link counts as the whole file, which is all that's known of its use. */
  private deliverLink(response: PlainResponse, { size }: ByteContent, request: DownloadRequest): Delivery {
    const payment = this.begin(request, size, size)
    if (payment === undefined) return { _tag: "Spent" }
    payment.sentBytes += size ?? 0
    return { _tag: "Sent", response }
  }

  /** Cancels the body of a response that isn't sent. */
  discard({ body }: PlainResponse): void {
    discard(body)
  }

  /** Ends the stream before; `undefined` if the payment has too few bytes left. */
  private begin(
    { maxBytes, paymentKey: key }: DownloadRequest,
    length: number | undefined,
    size: number | undefined
  ): PaymentDownloads | undefined {
    const payment = this.payments.get(key) ?? { sentBytes: 0, stop: () => undefined }
    if (
      length !== undefined &&
      size !== undefined &&
      payment.sentBytes + length > (maxBytes ?? maxBytesOf(size))
    )
      return undefined
    payment.stop()
    payment.stop = () => undefined
    this.payments.set(key, payment)
    return payment
  }

  /** Counts the bytes that the caller's connection takes. */
  private counted(
    body: Uint8Array | ReadableStream<Uint8Array>,
    payment: PaymentDownloads
  ): Uint8Array | ReadableStream<Uint8Array> {
    if (body instanceof Uint8Array) {
      payment.sentBytes += body.byteLength
      return body
    }
    const stopped = new AbortController()
    payment.stop = () => stopped.abort(new Error("the download was resumed by another request"))
    const counter = new TransformStream<Uint8Array, Uint8Array>(
      {
        transform: (chunk, controller) => {
          payment.sentBytes += chunk.byteLength
          controller.enqueue(chunk)
        }
      },
      undefined,
      // The connection's pace decides: at most a chunk is read ahead.
      { highWaterMark: 0 }
    )
    return body.pipeThrough(counter, { signal: stopped.signal })
  }
}
