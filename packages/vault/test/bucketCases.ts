import { createHash, randomBytes } from "node:crypto"
import { AwsClient } from "aws4fetch"
import { expect, it, onTestFinished, vi } from "vitest"
import type { ArchiveFacts } from "@till402/core"
import { redirectingVault } from "@till402/vault"
import { type S3Options, s3Storage } from "@till402/vault/s3"

const chunkBytes = 64 * 1024
const context = { signal: new AbortController().signal }

/** Random bytes, as an archive that can be stored. */
const sample = (size: number) => {
  const bytes = randomBytes(size)
  const archive: ArchiveFacts = { digest: createHash("sha256").update(bytes).digest("hex"), size }
  const read = async function* () {
    for (let at = 0; at < size; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
  }
  return { archive, bytes, read }
}

const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer())

const statusAndCode = async (response: Response) => [
  response.status,
  /<Code>(\w+)<\/Code>/.exec(await response.text())?.[1]
]

const atTime = async <A>(timeMillis: number, work: () => Promise<A>): Promise<A> => {
  vi.useFakeTimers({ toFake: ["Date"], now: timeMillis })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const result = await work()
  vi.useRealTimers()
  return result
}

/** A test of an archive that is larger than what a server or a client takes at once. */
export const largeCase = (placeOf: () => S3Options, mebibytes: number): void => {
  it(`stores ${mebibytes} MiB in chunks, and reads them back`, async () => {
    const storage = s3Storage(placeOf())
    const { archive, bytes, read } = sample(mebibytes * 2 ** 20)
    await storage.put(archive, read)
    const whole = await bytesOf(new Response(storage.open(archive, 0, archive.size)))
    expect(whole.equals(bytes)).toBe(true)
    const part = await bytesOf(new Response(storage.open(archive, 9, archive.size - 9)))
    expect(part.equals(bytes.subarray(9, -9))).toBe(true)
  })
}

/** Tests of `s3Storage` beside the contract, for any server of S3: the fake, and a real one. */
export const bucketCases = (placeOf: () => S3Options): void => {
  const storedSample = async (size = 1_000) => {
    const storage = s3Storage(placeOf())
    const { archive, bytes, read } = sample(size)
    await storage.put(archive, read)
    return { archive, bytes, storage, link: await storage.link(archive, "launch-plan.zip") }
  }

  it("redirects to a link that gets the archive under its name, as a ZIP archive", async () => {
    const { archive, bytes, storage } = await storedSample()
    const opened = await redirectingVault(storage).open({ slug: "launch-plan", archive }, context)
    const response = await fetch("redirect" in opened ? opened.redirect : "")
    expect(response.status).toBe(200)
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="launch-plan.zip"')
    expect(response.headers.get("content-type")).toBe("application/zip")
    expect(await bytesOf(response)).toEqual(bytes)
    expect(response.url).not.toContain(encodeURIComponent(placeOf().secretAccessKey))
  })

  it.each([
    ["bytes=4-8", "bytes 4-8/1000"],
    ["bytes=990-", "bytes 990-999/1000"],
    ["bytes=-10", "bytes 990-999/1000"],
    ["bytes=990-2000", "bytes 990-999/1000"]
  ])("a link gets the range %s", async (range, expected) => {
    const { bytes, link } = await storedSample()
    const response = await fetch(link, { headers: { range } })
    expect([response.status, response.headers.get("content-range")]).toEqual([206, expected])
    const [start = 0, end = 0] = expected.match(/\d+/g)?.map(Number) ?? []
    expect(await bytesOf(response)).toEqual(bytes.subarray(start, end + 1))
  })

  it("a link gets no range behind the end", async () => {
    const { link } = await storedSample()
    const response = await fetch(link, { headers: { range: "bytes=1000-" } })
    expect(await statusAndCode(response)).toEqual([416, "InvalidRange"])
  })

  it("an archive keeps its ETag, by which a download resumes", async () => {
    const { link } = await storedSample()
    const etag = (await fetch(link)).headers.get("etag") ?? ""
    expect(etag).toMatch(/^"[^"]+"$/)
    const again = await fetch(link, { headers: { range: "bytes=4-8", "if-match": etag } })
    expect([again.status, again.headers.get("etag")]).toEqual([206, etag])
    const other = await fetch(link, { headers: { range: "bytes=4-8", "if-match": '"another"' } })
    expect(await statusAndCode(other)).toEqual([412, "PreconditionFailed"])
  })

  it("a link gets no other archive, under no other name, and writes nothing", async () => {
    const { archive, bytes, link, storage } = await storedSample()
    const other = await storedSample()
    const changed = [
      link.replace(archive.digest, other.archive.digest),
      link.replace("launch-plan", "press-kit"),
      link.replace("X-Amz-Expires=60", "X-Amz-Expires=6000")
    ]
    for (const url of changed) {
      expect(url).not.toBe(link)
      expect(await statusAndCode(await fetch(url))).toEqual([403, "SignatureDoesNotMatch"])
    }
    for (const method of ["PUT", "DELETE"])
      expect(await statusAndCode(await fetch(link, { method }))).toEqual([403, "SignatureDoesNotMatch"])
    expect(await bytesOf(new Response(storage.open(archive, 0, archive.size)))).toEqual(bytes)
  })

  it("a link is valid for 60 seconds", async () => {
    const { archive, storage } = await storedSample()
    const linkSigned = (secondsAgo: number) =>
      atTime(Date.now() - secondsAgo * 1_000, () => storage.link(archive, "launch-plan.zip"))
    expect((await fetch(await linkSigned(50))).status).toBe(200)
    expect(await statusAndCode(await fetch(await linkSigned(62)))).toEqual([403, "AccessDenied"])
  })

  it("fails with the service's status where the key is wrong, and stores nothing", async () => {
    const { archive } = await storedSample()
    const wrong = s3Storage({ ...placeOf(), secretAccessKey: "another key" })
    await expect(wrong.find(archive)).rejects.toThrow("the storage failed to look up an archive: 403")
    const opened = new Response(wrong.open(archive, 0, 3)).text()
    await expect(opened).rejects.toThrow("the storage failed to open an archive: 403 SignatureDoesNotMatch")
    const fresh = sample(10)
    await expect(wrong.put(fresh.archive, fresh.read)).rejects.toThrow("403")
    expect(await s3Storage(placeOf()).find(fresh.archive)).toBe(false)
    const link = await wrong.link(archive, "launch-plan.zip")
    expect(await statusAndCode(await fetch(link))).toEqual([403, "SignatureDoesNotMatch"])
  })

  it("fails with the service's code where the region is wrong", async () => {
    const { archive } = await storedSample()
    const wrong = s3Storage({ ...placeOf(), region: "mars-north-1" })
    await expect(wrong.find(archive)).rejects.toThrow("the storage failed to look up an archive: 400")
    const opened = new Response(wrong.open(archive, 0, 3)).text()
    await expect(opened).rejects.toThrow(
      "the storage failed to open an archive: 400 AuthorizationHeaderMalformed"
    )
    const link = await wrong.link(archive, "launch-plan.zip")
    expect(await statusAndCode(await fetch(link))).toEqual([400, "AuthorizationQueryParametersError"])
  })

  it("the service refuses an upload whose bytes have another digest", async () => {
    const { archive } = sample(10)
    const client = new AwsClient({ ...placeOf(), service: "s3", retries: 0 })
    const response = await client.fetch(`${placeOf().bucket}/${archive.digest}.zip`, {
      method: "PUT",
      body: "other bytes",
      headers: { "x-amz-content-sha256": archive.digest }
    })
    expect(response.status).toBe(400)
    expect(await s3Storage(placeOf()).find(archive)).toBe(false)
  })

  it("an archive that isn't stored fails to open with the service's code", async () => {
    const opened = new Response(s3Storage(placeOf()).open(sample(10).archive, 0, 3)).text()
    await expect(opened).rejects.toThrow("the storage failed to open an archive: 404 NoSuchKey")
  })

  it("a bucket that doesn't exist fails to store and open with the service's code", async () => {
    const bucket = new URL(placeOf().bucket)
    bucket.pathname = "/till402-missing"
    const missing = s3Storage({ ...placeOf(), bucket: bucket.href })
    const { archive, read } = sample(10)
    await expect(missing.put(archive, read)).rejects.toThrow(
      "the storage failed to store an archive: 404 NoSuchBucket"
    )
    const opened = new Response(missing.open(archive, 0, 3)).text()
    await expect(opened).rejects.toThrow("the storage failed to open an archive: 404 NoSuchBucket")
  })
}
