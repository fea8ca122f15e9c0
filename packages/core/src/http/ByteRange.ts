/** The part of a file that a request gets: bytes from `start` to before `end`. */
export type ByteRange =
  | { readonly _tag: "Whole" }
  | { readonly _tag: "Part"; readonly start: number; readonly end: number }
  | { readonly _tag: "Unsatisfiable" }

const whole: ByteRange = { _tag: "Whole" }
const unsatisfiable: ByteRange = { _tag: "Unsatisfiable" }

/** A file as it is now: its bytes, and its `ETag`, if they are known. */
export interface FileFacts {
  readonly size: number | undefined
  readonly etag: string | undefined
}

/**
 * Reads the headers `Range` and `If-Range` (RFC 9110): one range of bytes. Several ranges, other units and malformed
 * ranges get the whole file, as does a part of a file that has changed since. Pure.
 */
export const readRange = (
  { ifRange, range }: { readonly range: string | null; readonly ifRange: string | null },
  { etag, size }: FileFacts
): ByteRange => {
  if (range === null || size === undefined) return whole
  // A date says nothing: files have no time of change.
  if (ifRange !== null && (etag === undefined || ifRange.trim() !== etag)) return whole
  const [, first, last] = /^\s*bytes\s*=\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/i.exec(range) ?? []
  if (first === undefined || last === undefined || (first === "" && last === "")) return whole
  if (first === "") {
    const length = Math.min(Number(last), size)
    return length === 0 ? unsatisfiable : { _tag: "Part", start: size - length, end: size }
  }
  const start = Number(first)
  if (last !== "" && Number(last) < start) return whole
  if (start >= size) return unsatisfiable
  return { _tag: "Part", start, end: last === "" ? size : Math.min(Number(last) + 1, size) }
}

/** A part of a stream, whose bytes before it are read and dropped. The stream is canceled behind it. */
export const partOf = (
  stream: ReadableStream<Uint8Array>,
  start: number,
  end: number
): ReadableStream<Uint8Array> => {
  let position = 0
  return stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        const from = Math.max(start - position, 0)
        const to = Math.min(end - position, chunk.byteLength)
        position += chunk.byteLength
        if (from < to) controller.enqueue(chunk.subarray(from, to))
        if (position >= end) controller.terminate()
      }
    })
  )
}
