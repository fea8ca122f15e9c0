import { describe, expect, it } from "vitest"
import { exactLength as held } from "../../src/runtime/exactLength.ts"

const streamOf = (...sizes: ReadonlyArray<number>): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (controller) => {
      for (const size of sizes) controller.enqueue(new Uint8Array(size))
      controller.close()
    }
  })

const exactLength = (stream: ReadableStream<Uint8Array>, size: number) =>
  held(stream, size, (delivered) => new Error(`delivered ${delivered}`))

const sizeOf = async (stream: ReadableStream<Uint8Array>): Promise<number> =>
  (await new Response(stream).arrayBuffer()).byteLength

describe("a stream of a stated size", () => {
  it.each([[[]], [[7]], [[3, 4]], [[0, 7, 0]]])(
    "passes where its chunks are of that size: %j",
    async (sizes) => {
      const size = sizes.reduce((sum, each) => sum + each, 0)
      expect(await sizeOf(exactLength(streamOf(...sizes), size))).toBe(size)
    }
  )

  it.each([[[8]], [[7, 1]], [[3, 5]]])("breaks where it is longer: %j", async (sizes) => {
    await expect(sizeOf(exactLength(streamOf(...sizes), 7))).rejects.toThrow(/delivered 8 bytes or more/)
  })

  it.each([[[]], [[6]], [[3, 3]]])("breaks where it is shorter: %j", async (sizes) => {
    await expect(sizeOf(exactLength(streamOf(...sizes), 7))).rejects.toThrow(/delivered [06] bytes$/)
  })

  it("never passes a byte beyond its size", async () => {
    const reader = exactLength(streamOf(7, 1), 7).getReader()
    expect((await reader.read()).value?.byteLength).toBe(7)
    await expect(reader.read()).rejects.toThrow("or more")
  })
})
