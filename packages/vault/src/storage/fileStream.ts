import { type FileHandle, open } from "node:fs/promises"

/** Bytes of one read: each of many slow readers holds a few of these. */
const chunkBytes = 64 * 1024

/** The bytes of a file from `start` to before `end`, opened with the first read and read at the caller's pace. */
export const fileStream = (path: string, start: number, end: number): ReadableStream<Uint8Array> => {
  let handle: FileHandle | undefined
  let position = start
  const close = async (): Promise<void> => {
    const opened = handle
    handle = undefined
    await opened?.close()
  }
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          handle ??= await open(path, "r")
          const buffer = Buffer.allocUnsafeSlow(Math.min(chunkBytes, end - position))
          const { bytesRead } = await handle.read(buffer, 0, buffer.byteLength, position)
          if (bytesRead === 0 && position < end) throw new Error("the file is shorter than expected")
          position += bytesRead
          if (bytesRead > 0) controller.enqueue(buffer.subarray(0, bytesRead))
          if (position < end) return
          await close()
          controller.close()
        } catch (cause) {
          await close()
          throw cause
        }
      },
      cancel: close
    },
    { highWaterMark: 0 }
  )
}
