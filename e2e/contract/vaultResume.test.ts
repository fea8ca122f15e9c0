import { createHash } from "node:crypto"
import type { OpenedArchive } from "@till402/core"
import { describe, expect, it } from "vitest"
import { anotherPurchase, calls } from "./calls.ts"
import { buyResponse } from "./expectations.ts"
import { type Paid, pay } from "./payer.ts"
import { vaultItem } from "./samples.ts"
import { type Call, isInProcess, openShop, type Shop } from "./till.ts"

const archive = Uint8Array.from({ length: 10_000 }, (_, index) => (index * 31) % 251)
archive.set(Buffer.from("PK"))
const chunkLength = 1_000

/** The archive, or a part of it, as a stream that is read at the caller's pace. */
const streamed = (seen: { read: number; canceled: number }, start = 0, end = archive.length) => {
  let at = start
  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        if (at >= end) return controller.close()
        const chunk = archive.subarray(at, Math.min(at + chunkLength, end))
        at += chunk.length
        seen.read += chunk.length
        controller.enqueue(chunk)
      },
      cancel: () => {
        seen.canceled++
      }
    },
    { highWaterMark: 0 }
  )
}

interface Download {
  readonly shop: Shop
  readonly call: Call
  readonly paid: Paid
  /** The same payment again, with headers. */
  readonly again: (headers: Readonly<Record<string, string>>) => Promise<Response>
}

/** Buys an item and pays for its download, whose response isn't read yet. */
const startDownload = async (open: () => OpenedArchive): Promise<Download> => {
  const shop = await openShop({ script: { open: async () => open() } })
  const bought = (await buyResponse(shop, anotherPurchase(calls.vaultBuy))) as {
    purchaseId: string
    downloadToken: string
  }
  const call = { path: `/x402/vault/download/${bought.purchaseId}?downloadToken=${bought.downloadToken}` }
  const paid = await pay(shop, call)
  return { shop, call, paid, again: (headers) => paid.again({ ...call, headers }) }
}

/** Reads at least `count` bytes and breaks off. */
const readSome = async (response: Response, count: number): Promise<Uint8Array> => {
  const chunks: Array<Uint8Array> = []
  const reader = response.body!.getReader()
  for (let length = 0; length < count;) {
    const { done, value } = await reader.read()
    if (done) break
    chunks.push(value)
    length += value.length
  }
  await reader.cancel()
  return Buffer.concat(chunks)
}

const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer())
const nothing = () => ({ read: 0, canceled: 0 })

describe("an interrupted download", () => {
  const sources: ReadonlyArray<readonly [string, (seen: ReturnType<typeof nothing>) => OpenedArchive]> = [
    ["bytes", () => ({ body: archive })],
    ["a stream", (seen) => ({ body: streamed(seen), size: archive.length, digest: "v1" })],
    [
      "a stream that opens at any place",
      (seen) => ({
        body: streamed(nothing()),
        size: archive.length,
        digest: "v1",
        range: (start, end) => streamed(seen, start, end)
      })
    ]
  ]

  it.each(sources)("resumes under the same payment: %s", async (_, open) => {
    const { again, paid, shop } = await startDownload(() => open(nothing()))
    expect(paid.response.status).toBe(200)
    expect(paid.response.headers.get("accept-ranges")).toBe("bytes")
    expect(paid.response.headers.get("content-length")).toBe("10000")
    const etag = paid.response.headers.get("etag")!
    const first = (await readSome(paid.response, 4_000)).subarray(0, 4_000)
    const rest = await again({ range: `bytes=${first.length}-`, "if-range": etag })
    expect(rest.status).toBe(206)
    expect(rest.headers.get("content-range")).toBe(`bytes ${first.length}-9999/10000`)
    expect(rest.headers.get("content-length")).toBe(String(10_000 - first.length))
    expect(rest.headers.get("etag")).toBe(etag)
    expect(rest.headers.get("payment-response")).toBe(paid.response.headers.get("payment-response"))
    expect(new Uint8Array(Buffer.concat([first, await bytesOf(rest)]))).toEqual(archive)
    expect(shop.settlements).toHaveLength(2)
  })

  it("has the digest of its bytes as tag", async () => {
    const { paid } = await startDownload(() => ({ body: archive }))
    expect(paid.response.headers.get("etag")).toBe(`"${createHash("sha256").update(archive).digest("hex")}"`)
  })

  it("reads a part at its place where the host can, and cancels the stream that it doesn't need", async () => {
    const whole = nothing()
    const parts = nothing()
    const { again, paid } = await startDownload(() => ({
      body: streamed(whole),
      size: archive.length,
      range: (start, end) => streamed(parts, start, end)
    }))
    await paid.response.arrayBuffer()
    const before = { ...whole }
    expect(await bytesOf(await again({ range: "bytes=9000-9999" }))).toEqual(archive.subarray(9_000))
    expect(parts.read).toBe(1_000)
    // A chunk may have been read ahead.
    expect(whole.read).toBeLessThanOrEqual(before.read + chunkLength)
    expect(whole.canceled).toBe(before.canceled + 1)
  })

  it("begins anew where the file has changed since", async () => {
    let digest = "v1"
    const { again, paid } = await startDownload(() => ({
      body: streamed(nothing()),
      size: archive.length,
      digest
    }))
    await readSome(paid.response, 1_000)
    digest = "v2"
    const response = await again({ range: "bytes=1000-", "if-range": '"v1"' })
    expect([response.status, response.headers.get("etag")]).toEqual([200, '"v2"'])
    expect(await bytesOf(response)).toEqual(archive)
  })

  it("416: no byte is in the range; the payment can be used with another one", async () => {
    const { again, paid, shop } = await startDownload(() => ({ body: archive }))
    await paid.response.arrayBuffer()
    const response = await again({ range: "bytes=10000-" })
    expect(response.status).toBe(416)
    expect(response.headers.get("content-range")).toBe("bytes */10000")
    expect(await response.json()).toMatchObject({ code: "RANGE_NOT_SATISFIABLE" })
    expect((await again({ range: "bytes=-5" })).status).toBe(206)
    expect(shop.settlements).toHaveLength(2)
  })

  it.each(["bytes=5000-", "bytes=20000-"])(
    "a first request gets the whole file, whatever its range: %s",
    async (range) => {
      const { call, shop } = await startDownload(() => ({ body: archive }))
      const { response } = await pay(shop, { ...call, headers: { range } })
      expect(response.status).toBe(200)
      expect(await bytesOf(response)).toEqual(archive)
    }
  )

  it.runIf(isInProcess)("sends one stream at a time: the newer one ends the one before", async () => {
    const seen = nothing()
    const { again, paid } = await startDownload(() => ({ body: streamed(seen), size: archive.length }))
    const reader = paid.response.body!.getReader()
    await reader.read()
    const rest = await again({ range: "bytes=1000-" })
    expect(await bytesOf(rest)).toEqual(archive.subarray(1_000))
    const drained = async () => {
      while (!(await reader.read()).done);
    }
    await expect(drained()).rejects.toThrow("resumed by another request")
    expect(seen.canceled).toBeGreaterThan(0)
  })

  it("402: twice the bytes of a large file were sent, and nothing more is charged", async () => {
    const size = 12 * 2 ** 20
    const large = (): OpenedArchive => ({ body: new Blob(["PK", new Uint8Array(size - 2)]).stream(), size })
    const { again, paid, shop } = await startDownload(large)
    expect((await paid.response.arrayBuffer()).byteLength).toBe(size)
    await (await again({ range: "bytes=0-8999999" })).arrayBuffer()
    const opened = shop.calls.open.length
    const refused = await again({})
    expect(refused.status).toBe(402)
    expect(((await refused.json()) as { error: string }).error).toContain("received its file twice")
    expect((await again({ range: "bytes=8999999-" })).status).toBe(402)
    expect(shop.calls.open).toHaveLength(opened)
    const rest = await again({ range: "bytes=9000000-" })
    expect((await rest.arrayBuffer()).byteLength).toBe(size - 9_000_000)
    expect((await again({ range: "bytes=0-0" })).status).toBe(402)
    expect(shop.calls.open).toHaveLength(opened + 1)
    expect(shop.settlements).toHaveLength(2)
  })

  it("of a small file may be repeated many times: losing it three times costs no second payment", async () => {
    const { again, paid } = await startDownload(() => ({ body: archive }))
    await paid.response.arrayBuffer()
    for (let copy = 0; copy < 20; copy++) expect(await bytesOf(await again({}))).toEqual(archive)
  })

  it("402: a payment of another purchase gets no part of the file", async () => {
    const { call, shop } = await startDownload(() => ({ body: archive }))
    const other = (await buyResponse(shop, anotherPurchase(calls.vaultBuy))) as {
      purchaseId: string
      downloadToken: string
    }
    const path = `/x402/vault/download/${other.purchaseId}?downloadToken=${other.downloadToken}`
    const { again } = await pay(shop, { path })
    expect((await again({ ...call, headers: { range: "bytes=0-9" } })).status).toBe(402)
  })

  it("of unknown size starts again", async () => {
    const { again, paid } = await startDownload(() => ({ body: streamed(nothing()) }))
    expect(paid.response.headers.has("accept-ranges")).toBe(false)
    await readSome(paid.response, 1_000)
    const response = await again({ range: "bytes=1000-" })
    expect(response.status).toBe(200)
    expect(await bytesOf(response)).toEqual(archive)
  })

  it("402: a large file of unknown size was sent twice, and is opened for nobody then", async () => {
    const size = 9 * 2 ** 20
    const large = (): OpenedArchive => ({ body: new Blob(["PK", new Uint8Array(size - 2)]).stream() })
    const { again, paid, shop } = await startDownload(large)
    expect((await paid.response.arrayBuffer()).byteLength).toBe(size)
    expect((await (await again({})).arrayBuffer()).byteLength).toBe(size)
    for (let copy = 0; copy < 3; copy++) expect((await again({ range: "bytes=0-0" })).status).toBe(402)
    // Once for the purchase.
    expect(shop.calls.open).toHaveLength(3)
    expect(shop.settlements).toHaveLength(2)
  })

  it("of a small file of unknown size may be repeated many times", async () => {
    const { again, paid } = await startDownload(() => ({ body: streamed(nothing()) }))
    await paid.response.arrayBuffer()
    for (let copy = 0; copy < 20; copy++) expect(await bytesOf(await again({}))).toEqual(archive)
  })
})

describe("the file name of a download", () => {
  it.each([
    ["launch-plan", 'attachment; filename="launch-plan.zip"'],
    [
      `Café "x"; (1)/..\\é'`,
      `attachment; filename="Caf___x____1__..___.zip"; filename*=UTF-8''Caf%C3%A9%20%22x%22%3B%20%281%29_.._%C3%A9%27.zip`
    ]
  ])("%j", async (slug, header) => {
    const shop = await openShop({ items: [{ ...vaultItem, slug }] })
    const buy = { ...calls.vaultBuy, body: { ...Object(calls.vaultBuy.body), slug } }
    const bought = (await buyResponse(shop, buy)) as { purchaseId: string; downloadToken: string }
    const { response } = await pay(shop, {
      path: `/x402/vault/download/${bought.purchaseId}?downloadToken=${bought.downloadToken}`
    })
    expect(response.headers.get("content-disposition")).toBe(header)
  })
})
