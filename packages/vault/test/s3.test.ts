import { createHash } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { s3Storage } from "@till402/vault/s3"
import { storageTests } from "@till402/vault/testing"
import { bucketCases, largeCase } from "./bucketCases.ts"
import { key, region, startFakeS3 } from "./fakeS3.ts"

const bytes = Buffer.from("the bytes of an archive")
const archive = { digest: createHash("sha256").update(bytes).digest("hex"), size: bytes.length }
const read = async function* () {
  yield bytes
}

const forTest = async (secret?: string) => {
  const fake = await startFakeS3(secret)
  onTestFinished(fake.stop)
  return fake
}

describe("s3Storage, on a fake of S3 that checks signatures, lengths and digests", () => {
  let fake: Awaited<ReturnType<typeof startFakeS3>>
  beforeAll(async () => {
    fake = await startFakeS3()
  })
  afterAll(() => fake.stop())

  it.each(storageTests(() => s3Storage({ ...key, region, bucket: fake.url })))("$name", ({ run }) => run())
  bucketCases(() => ({ ...key, region, bucket: fake.url }))
  largeCase(() => ({ ...key, region, bucket: fake.url }), 8)
})

describe("s3Storage", () => {
  it("has one object for each archive, under its digest", async () => {
    const { objects, url } = await forTest()
    await s3Storage({ ...key, region, bucket: `${url}/` }).put(archive, read)
    expect(Array.from(objects)).toEqual([[`/bucket/goods/${archive.digest}.zip`, bytes]])
  })

  it("uploads an archive once", async () => {
    const { uploads, url } = await forTest()
    const storage = s3Storage({ ...key, region, bucket: url })
    await storage.put(archive, read)
    await storage.put(archive, read)
    expect(uploads).toHaveLength(1)
  })

  it("fails with the code of the service where the key is wrong, and says nothing of the key", async () => {
    const { url } = await forTest("another key")
    const storage = s3Storage({ ...key, region, bucket: url })
    await expect(storage.find(archive)).rejects.toThrow("the storage failed to look up an archive: 403")
    const opened = new Response(storage.open(archive, 0, 3)).text()
    await expect(opened).rejects.toThrow("the storage failed to open an archive: 403 SignatureDoesNotMatch")
    const error = await storage.put(archive, read).catch((cause: unknown) => cause)
    expect(String(error)).not.toContain(key.secretAccessKey)
  })

  it("fails where nobody listens, and where nobody responds", async () => {
    const { stop, url } = await startFakeS3()
    await stop()
    await expect(s3Storage({ ...key, region, bucket: url }).find(archive)).rejects.toThrow("fetch failed")
    const silent = createServer(() => undefined)
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => {
      silent.close()
      silent.closeAllConnections()
    })
    const bucket = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/bucket`
    const slow = s3Storage({ ...key, region, bucket, timeoutMillis: 50 })
    await expect(slow.find(archive)).rejects.toThrow("the storage didn't respond in time")
  })

  it("fails at once where the service ignores the range, without waiting for the rest of the bytes", async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200)
      response.write("the beginning of the whole archive")
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => {
      server.close()
      server.closeAllConnections()
    })
    const bucket = `http://127.0.0.1:${(server.address() as AddressInfo).port}/bucket`
    const opened = new Response(s3Storage({ ...key, region, bucket }).open(archive, 4, 9)).text()
    await expect(opened).rejects.toThrow("the storage responded with other bytes than the range: 200")
  })
})

describe("a link of s3Storage", () => {
  it("expires when 60 seconds are over", async () => {
    const fake = await forTest()
    const storage = s3Storage({ ...key, region, bucket: fake.url })
    await storage.put(archive, read)
    const link = await storage.link(archive, "launch-plan.zip")
    expect(new URL(link).searchParams.get("X-Amz-Expires")).toBe("60")
    fake.clock.aheadMillis = 58_000
    expect((await fetch(link)).status).toBe(200)
    fake.clock.aheadMillis = 60_000
    const late = await fetch(link)
    expect(late.status).toBe(403)
    expect(await late.text()).toContain("<Code>AccessDenied</Code>")
  })
})
