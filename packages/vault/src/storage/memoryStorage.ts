import { type ArchiveStorage, checked, digestOf } from "./ArchiveStorage.ts"

const chunkBytes = 64 * 1024

/** Stores archives in memory, for tests. */
export const memoryStorage = (): ArchiveStorage => {
  const archives = new Map<string, Uint8Array>()
  return {
    find: async (archive) => archives.get(digestOf(archive))?.byteLength === archive.size,
    put: async (archive, read) => {
      const digest = digestOf(archive)
      if (archives.has(digest)) return
      const chunks: Array<Uint8Array> = []
      for await (const chunk of checked(read(), archive)) chunks.push(chunk)
      archives.set(digest, Buffer.concat(chunks))
    },
    open: (archive, start, end) => {
      const bytes = archives.get(digestOf(archive))
      let position = start
      return new ReadableStream<Uint8Array>(
        {
          pull: (controller) => {
            if (bytes === undefined) throw new Error("the archive isn't stored")
            if (position < end)
              controller.enqueue(bytes.slice(position, Math.min(position + chunkBytes, end)))
            position += chunkBytes
            if (position >= end) controller.close()
          }
        },
        { highWaterMark: 0 }
      )
    }
  }
}
