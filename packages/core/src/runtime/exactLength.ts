/**
 * Limits a stream to exactly `size` bytes; fails with `wrong` if it is longer or shorter. Bytes after a response's declared
 * length would be read as the start of the next response.
 */
export const exactLength = (
  stream: ReadableStream<Uint8Array>,
  size: number,
  wrong: (delivered: string) => Error
): ReadableStream<Uint8Array> => {
  const reader = stream.getReader()
  let delivered = 0
  let isCanceled = false
  const cancel = (reason?: unknown): Promise<void> => {
    isCanceled = true
    return reader.cancel(reason)
  }
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await reader.read()
        // Whoever read it has gone, which ends a pending read: it isn't short.
        if (isCanceled) return
        delivered += value?.byteLength ?? 0
        if (done ? delivered < size : delivered > size) {
          cancel().catch(() => undefined)
          throw wrong(`${delivered} bytes${done ? "" : " or more"}`)
        }
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel
    },
    { highWaterMark: 0 }
  )
}
