import { describe, expect, it } from "vitest"
import { partOf, readRange } from "../../src/http/ByteRange.ts"

const file = { size: 100, etag: '"digest"' }
const part = (start: number, end: number) => ({ _tag: "Part", start, end })
const whole = { _tag: "Whole" }
const unsatisfiable = { _tag: "Unsatisfiable" }

describe("a range of a file of 100 bytes", () => {
  it.each([
    [null, whole],
    ["bytes=0-", part(0, 100)],
    ["bytes=40-", part(40, 100)],
    ["bytes=40-49", part(40, 50)],
    ["bytes=99-", part(99, 100)],
    ["bytes=0-0", part(0, 1)],
    ["bytes=40-1000", part(40, 100)],
    ["bytes=-1", part(99, 100)],
    ["bytes=-1000", part(0, 100)],
    ["Bytes = 1 - 2", part(1, 3)],
    ["bytes=100-", unsatisfiable],
    ["bytes=100-200", unsatisfiable],
    ["bytes=-0", unsatisfiable],
    ["bytes=50-40", whole],
    ["bytes=-", whole],
    ["bytes=", whole],
    ["bytes=0-1,5-6", whole],
    ["bytes=a-b", whole],
    ["bytes=1.5-", whole],
    ["bytes=-1-2", whole],
    ["bytes=99999999999999999999-", whole],
    ["items=0-1", whole],
    ["", whole]
  ])("%j", (range, due) => {
    expect(readRange({ range, ifRange: null }, file)).toEqual(due)
  })

  it.each([
    ['"digest"', part(40, 100)],
    ['"other"', whole],
    ['W/"digest"', whole],
    ["digest", whole],
    ["Sun, 22 Nov 2026 18:00:00 GMT", whole]
  ])("if it is still %j", (ifRange, due) => {
    expect(readRange({ range: "bytes=40-", ifRange }, file)).toEqual(due)
  })

  it("is the whole file where its size or its tag is not known", () => {
    expect(readRange({ range: "bytes=40-", ifRange: null }, { size: undefined, etag: file.etag })).toEqual(
      whole
    )
    expect(readRange({ range: "bytes=40-", ifRange: '"digest"' }, { size: 100, etag: undefined })).toEqual(
      whole
    )
  })
})

describe("a part of a stream", () => {
  const bytes = Uint8Array.from({ length: 100 }, (_, index) => index)
  const chunked = (size: number) => {
    let at = 0
    let canceled = false
    const stream = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          if (at >= bytes.length) return controller.close()
          controller.enqueue(bytes.subarray(at, at + size))
          at += size
        },
        cancel: () => {
          canceled = true
        }
      },
      { highWaterMark: 0 }
    )
    return { stream, isCanceled: () => canceled }
  }

  it.each([1, 7, 100])("has its bytes, whatever the chunks: %d", async (size) => {
    for (const [start, end] of [
      [0, 100],
      [0, 1],
      [40, 50],
      [41, 42],
      [99, 100]
    ] as const) {
      const { stream } = chunked(size)
      expect(await new Response(partOf(stream, start, end)).bytes()).toEqual(bytes.subarray(start, end))
    }
  })

  it("reads no further than its end", async () => {
    const { isCanceled, stream } = chunked(10)
    await new Response(partOf(stream, 15, 25)).bytes()
    await expect.poll(isCanceled).toBe(true)
  })
})
