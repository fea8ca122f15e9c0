import { Effect } from "effect"
import { findNetwork } from "../domain/Network.ts"
import { BoundedMap } from "../runtime/BoundedMap.ts"
import { nonceOf, payerOf } from "../toll/exact/SignedPayment.ts"
import type { Payment } from "../toll/request/PaymentHeader.ts"
import type { ByteContent } from "../toll/request/TollRequest.ts"
import { type ByteRange, type FileFacts, partOf, readRange } from "./ByteRange.ts"
import { discardBody } from "../runtime/BoundedBody.ts"
import type { IncomingRequest, PlainResponse } from "./HttpMessage.ts"

/** Payments whose downloads are remembered; the oldest are forgotten first. */
const maxPayments = 10_000
/** Bytes that a payment downloads, in parts or whole: its file twice, and at least as many as cost next to nothing. */
const leastBytes = 16 * 2 ** 20
const maxBytesOf = (size: number): number => Math.max(2 * size, leastBytes)
/** Deliveries of a file of unknown length, unless they were small. */
const maxDeliveries = 2

/** A request for the file that a payment has bought. */
export interface DownloadRequest {
  /** Network, payer and nonce of the payment. */
  readonly paymentKey: string
  /** The payment was presented before. The first response is always the whole file. */
  readonly isReplay: boolean
  readonly range: string | null
  readonly ifRange: string | null
  /** Something else counts what is downloaded. */
  readonly isUnlimited?: boolean
}

/** A request for the file that its payment has bought. In both versions of the protocol it is the same payment. */
export const downloadOf = (
  request: Pick<IncomingRequest, "header">,
  { payload }: Payment,
  isReplay: boolean
): DownloadRequest => {
  const name = payload.x402Version === 1 ? payload.network : payload.accepted.network
  const network = findNetwork(name)?.caip2 ?? name
  return {
    paymentKey: `${network}:${payerOf(payload)}:${nonceOf(payload).toLowerCase()}`,
    isReplay,
    range: request.header("range"),
    ifRange: request.header("if-range")
  }
}

/** What a request gets of this file: a link is always to the whole. */
export const wantedOf = (
  request: Pick<DownloadRequest, "range" | "ifRange">,
  { isLink, ...facts }: ContentFacts
): ByteRange => (isLink ? { _tag: "Whole" } : readRange(request, facts))

interface ContentFacts extends FileFacts {
  readonly isLink: boolean
}

/** What is known of a file before it is read. */
export const factsOf = ({ body, digest, redirect, size }: ByteContent): ContentFacts => ({
  size: body instanceof Uint8Array && redirect === undefined ? body.byteLength : size,
  etag: digest === undefined ? undefined : `"${digest}"`,
  isLink: redirect !== undefined
})

/** `Spent`: the payment has downloaded as much as it may. */
export type Delivery =
  | { readonly _tag: "Sent"; readonly response: PlainResponse }
  | { readonly _tag: "Unsatisfiable"; readonly size: number }
  | { readonly _tag: "Spent" }

interface PaymentDownloads {
  sentBytes: number
  deliveries: number
  /** By the largest file that was opened: a smaller one may replace it before all of it was sent. */
  maxBytes: number
  /** The file as it was opened last. */
  facts: ContentFacts
  /** Ends the stream that is being sent. */
  stop: () => void
}

/** The part of a body. A host that opens parts itself need not read what comes before. */
const cut = (
  body: Uint8Array | ReadableStream<Uint8Array>,
  { range }: ByteContent,
  { end, start }: { readonly start: number; readonly end: number }
): Uint8Array | ReadableStream<Uint8Array> => {
  if (body instanceof Uint8Array) return body.subarray(start, end)
  if (range === undefined) return partOf(body, start, end)
  discardBody(body)
  return range(start, end)
}

const lengthOf = (wanted: ByteRange, { size }: FileFacts): number | undefined =>
  wanted._tag === "Part" ? wanted.end - wanted.start : size

/** Whether a payment may download this many bytes of its file. Pure. */
const isLeft = (
  { deliveries, maxBytes, sentBytes }: PaymentDownloads,
  length: number | undefined,
  { size }: FileFacts
): boolean =>
  length === undefined || size === undefined
    ? deliveries < maxDeliveries || sentBytes < leastBytes
    : sentBytes + length <= Math.max(maxBytes, maxBytesOf(size))

/** The content of a replay that isn't opened, because its payment may not download it. */
const unopened: ByteContent = { body: new Uint8Array() }

/**
 * Sends files, whole or in parts, so that an interrupted download resumes under the same payment. Per payment it sends
 * one stream at a time, a new one ends the one before, and up to 16 MiB, or twice the file if that
 * is more. A file of unknown length is sent twice, or a stream until 16 MiB were sent. Counts in this process only.
 */
export class Downloads {
  private readonly payments = new BoundedMap<string, PaymentDownloads>(maxPayments)

  /**
   * Opens a file for a replay, unless its payment has downloaded as much as it may of the file as it was opened last.
   * `deliver` returns `Spent` for what is returned then.
   */
  reopen<E>(request: DownloadRequest, open: Effect.Effect<ByteContent, E>): Effect.Effect<ByteContent, E> {
    const payment = this.payments.get(request.paymentKey)
    if (payment === undefined) return open
    const { facts } = payment
    const wanted = wantedOf(request, facts)
    // The file may have changed: only its bytes tell that a range isn't in it.
    const mayOpen = wanted._tag === "Unsatisfiable" || isLeft(payment, lengthOf(wanted, facts), facts)
    return mayOpen ? open : Effect.succeed(unopened)
  }

  /** Sends `content` with the status and headers of `whole`, or the part of it that the request wants. */
  deliver(whole: PlainResponse, content: ByteContent, request: DownloadRequest): Delivery {
    const { body } = whole
    if (content === unopened) return { _tag: "Spent" }
    if (content.redirect === undefined && (body === null || typeof body === "string"))
      return { _tag: "Sent", response: whole }
    const facts = factsOf(content)
    const { etag, size } = facts
    const wanted: ByteRange = request.isReplay ? wantedOf(request, facts) : { _tag: "Whole" }
    if (wanted._tag === "Unsatisfiable" && size !== undefined) {
      discardBody(body)
      return { _tag: "Unsatisfiable", size }
    }
    const payment = this.begin(request, lengthOf(wanted, facts), facts)
    if (payment === undefined) {
      discardBody(body)
      return { _tag: "Spent" }
    }
    if (body === null || typeof body === "string") {
      // Of a link's use nothing is known, so it counts as the whole file, and as a large one of unknown length.
      payment.sentBytes += size ?? leastBytes
      return { _tag: "Sent", response: whole }
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

  /** Ends the stream before; `undefined` if the payment has too little left. */
  private begin(
    { isUnlimited = false, paymentKey: key }: DownloadRequest,
    length: number | undefined,
    facts: ContentFacts
  ): PaymentDownloads | undefined {
    const payment = this.payments.get(key) ?? {
      sentBytes: 0,
      deliveries: 0,
      maxBytes: 0,
      facts,
      stop: () => undefined
    }
    payment.facts = facts
    payment.maxBytes = Math.max(payment.maxBytes, maxBytesOf(facts.size ?? 0))
    if (!isUnlimited && !isLeft(payment, length, facts)) return undefined
    payment.stop()
    payment.stop = () => undefined
    payment.deliveries++
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
    payment.stop = () => stopped.abort(new Error("the file was resumed by another request"))
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
