import { request as requestHttp } from "node:http"
import { request as requestHttps } from "node:https"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { ArchiveFacts } from "@till402/core"
import { AwsClient } from "aws4fetch"
import { checked, digestOf, type LinkingStorage } from "../storage/ArchiveStorage.ts"

/** Where the archives are, and the key that may read and write them. */
export interface S3Options {
  /**
   * Address of the bucket, with or without a folder in it: `https://s3.eu-central-1.amazonaws.com/my-bucket/vault`,
   * `https://<account>.r2.cloudflarestorage.com/my-bucket`, `http://localhost:9000/my-bucket`.
   */
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Of temporary keys. */
  readonly sessionToken?: string
  /** Default: read from the address, else `us-east-1`; R2 needs `auto`. */
  readonly region?: string
  /** Timeout of a request until its response begins, in milliseconds: default 15,000. Uploads have none. */
  readonly timeoutMillis?: number
}

/** A link is valid for this long. */
const linkSeconds = 60

const failed = async (what: string, response: Response): Promise<Error> => {
  // XML with a code, such as AccessDenied. It holds no secret of this side.
  const code = /<Code>(\w{1,100})<\/Code>/.exec(await response.text().catch(() => ""))?.[1]
  return new Error(`the storage failed to ${what}: ${response.status}${code === undefined ? "" : ` ${code}`}`)
}

interface Upload {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly chunks: AsyncIterable<Uint8Array>
}

/** Uploads a body of known length, which `fetch` would send in chunks that S3 refuses. */
const upload = async ({ chunks, headers, url }: Upload): Promise<Response> => {
  const request = (url.protocol === "http:" ? requestHttp : requestHttps)(url, { method: "PUT", headers })
  const responded = new Promise<Response>((resolve, reject) => {
    request.once("error", reject)
    request.once("response", (incoming) => {
      incoming.setEncoding("utf8")
      let text = ""
      incoming.on("data", (part: string) => (text = `${text}${part}`.slice(0, 10_000)))
      incoming.once("end", () => resolve(new Response(text, { status: incoming.statusCode ?? 500 })))
      incoming.once("error", reject)
    })
  })
  const sent = pipeline(Readable.from(chunks), request)
  // The storage may refuse before all is sent: then its response says why, not the broken connection.
  const [sending, response] = await Promise.allSettled([sent, responded])
  if (response.status === "fulfilled") return response.value
  throw sending.status === "rejected" ? sending.reason : response.reason
}

/** A stream whose source is opened by its first read. */
const streamOf = (
  open: () => Promise<ReadableStreamDefaultReader<Uint8Array>>
): ReadableStream<Uint8Array> => {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        reader ??= await open()
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: async () => reader?.cancel()
    },
    { highWaterMark: 0 }
  )
}

/**
 * Stores archives in a bucket of S3 or a compatible service, such as R2 or MinIO: `<digest>.zip`. Needs the optional peer
 * `aws4fetch`. Each archive is one upload, which the service checks by its digest, so it's there whole or not at all; up to
 * 5 GB. With `vaultOver` archives are read through the till, at the buyer's pace; with `redirectingVault` the buyer gets a
 * link to the bucket that is signed for one archive and 60 seconds.
 *
 * @example
 * const storage = s3Storage({
 *   bucket: "https://s3.eu-central-1.amazonaws.com/my-bucket/vault",
 *   accessKeyId: process.env.AWS_ACCESS_KEY_ID!,
 *   secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY!
 * })
 */
export const s3Storage = ({ bucket, timeoutMillis = 15_000, ...key }: S3Options): LinkingStorage => {
  const client = new AwsClient({ ...key, service: "s3", retries: 0 })
  const addressOf = (archive: ArchiveFacts): string =>
    `${bucket.replace(/\/+$/, "")}/${digestOf(archive)}.zip`
  const send = async (
    method: "HEAD" | "GET",
    archive: ArchiveFacts,
    headers: Readonly<Record<string, string>> = {}
  ): Promise<Response> => {
    const request = await client.sign(addressOf(archive), { method, headers })
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(new Error("the storage didn't respond in time")), timeoutMillis)
    try {
      return await fetch(request, { signal: late.signal })
    } finally {
      clearTimeout(timer)
    }
  }
  const find = async (archive: ArchiveFacts): Promise<boolean> => {
    const response = await send("HEAD", archive)
    if (response.status === 404) return false
    if (!response.ok) throw await failed("look up an archive", response)
    return Number(response.headers.get("content-length")) === archive.size
  }
  const openPart = async (archive: ArchiveFacts, start: number, end: number) => {
    const response = await send("GET", archive, { range: `bytes=${start}-${end - 1}` })
    const isPart = response.headers.get("content-range") === `bytes ${start}-${end - 1}/${archive.size}`
    if (response.status === 206 && isPart && response.body !== null) return response.body.getReader()
    if (!response.ok) throw await failed("open an archive", response)
    // The body may be a whole archive: don't read it for an error's code.
    await response.body?.cancel()
    throw new Error(`the storage responded with other bytes than the range: ${response.status}`)
  }
  return {
    find,
    link: async (archive, name) => {
      const url = new URL(addressOf(archive))
      url.searchParams.set("X-Amz-Expires", String(linkSeconds))
      url.searchParams.set("response-content-disposition", `attachment; filename="${name}"`)
      url.searchParams.set("response-content-type", "application/zip")
      return (await client.sign(url, { method: "GET", aws: { signQuery: true } })).url
    },
    put: async (archive, read) => {
      if (await find(archive)) return
      const address = addressOf(archive)
      const { headers } = await client.sign(address, {
        method: "PUT",
        headers: { "content-type": "application/zip", "x-amz-content-sha256": archive.digest }
      })
      const length = { "content-length": String(archive.size) }
      const response = await upload({
        url: new URL(address),
        headers: { ...Object.fromEntries(headers), ...length },
        chunks: checked(read(), archive)
      })
      if (!response.ok) throw await failed("store an archive", response)
    },
    open: (archive, start, end) => {
      // A wrong digest fails here, before anything is sent.
      addressOf(archive)
      return streamOf(() => openPart(archive, start, end))
    }
  }
}
