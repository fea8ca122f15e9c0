/**
 * Limits a stream to exactly `size` bytes; fails if it is longer or shorter. Bytes after a response's declared length
 * would be read as the start of the next response.
 */
export const exactLength = (stream: ReadableStream<Uint8Array>, size: number): ReadableStream<Uint8Array> => {
  let left = size
  return stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        if (chunk.byteLength > left) throw new Error("the file is longer than its size")
        left -= chunk.byteLength
        controller.enqueue(chunk)
      },
      flush: () => {
        if (left > 0) throw new Error("the file is shorter than its size")
      }
    })
  )
}
