import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/*
 * A fake of S3, as far as the storage uses it: one bucket in memory, requests signed by version 4, uploads checked by
 * their length and digest, and ranges. It's written from Amazon's documentation, without the client's code.
 */

export const key = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "the key of the tests" }
export const region = "eu-central-1"

const hmac = (secret: string | Buffer, text: string): Buffer =>
  createHmac("sha256", secret).update(text).digest()
const sha256 = (bytes: string | Buffer): string => createHash("sha256").update(bytes).digest("hex")

/** Why a request isn't signed with the key; `undefined` if it is. */
const signatureFault = (
  { headers, method, url = "" }: IncomingMessage,
  secret: string
): string | undefined => {
  const fields =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([\w-]+)\/s3\/aws4_request, ?SignedHeaders=([\w;-]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? ""
    )
  if (fields === null) return "AccessDenied"
  const [, id, day = "", place = "", signed = "", signature = ""] = fields
  if (id !== key.accessKeyId) return "InvalidAccessKeyId"
  const date = String(headers["x-amz-date"])
  if (!date.startsWith(day) || place !== region) return "AuthorizationHeaderMalformed"
  if (!["host", "x-amz-content-sha256", "x-amz-date"].every((name) => signed.split(";").includes(name)))
    return "AccessDenied"
  const canonical = [
    method,
    new URL(url, "http://fake").pathname,
    "",
    ...signed.split(";").map((name) => `${name}:${String(headers[name]).trim()}`),
    "",
    signed,
    String(headers["x-amz-content-sha256"])
  ].join("\n")
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ["AWS4-HMAC-SHA256", date, scope, sha256(canonical)].join("\n")
  const derived = [region, "s3", "aws4_request"].reduce(hmac, hmac(`AWS4${secret}`, day))
  const due = hmac(derived, text)
  return timingSafeEqual(due, Buffer.from(signature, "hex")) ? undefined : "SignatureDoesNotMatch"
}

/** Why a link isn't signed with the key for what it requests, or isn't valid any more; `undefined` if it is. */
const linkFault = ({ headers, method, url = "" }: IncomingMessage, secret: string, nowMillis: number) => {
  const { pathname, searchParams } = new URL(url, "http://fake")
  const parameter = (name: string) => searchParams.get(`X-Amz-${name}`) ?? ""
  const [id, day = "", place = ""] = parameter("Credential").split("/")
  if (id !== key.accessKeyId) return "InvalidAccessKeyId"
  const date = parameter("Date")
  if (!date.startsWith(day) || place !== region) return "AuthorizationQueryParametersError"
  if (parameter("SignedHeaders") !== "host") return "AccessDenied"
  const query = Array.from(searchParams)
    .filter(([name]) => name !== "X-Amz-Signature")
    .map((pair) => pair.map(encoded).join("="))
    .toSorted()
    .join("&")
  const host = `host:${headers.host}`
  const canonical = [method, pathname, query, host, "", "host", "UNSIGNED-PAYLOAD"].join("\n")
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ["AWS4-HMAC-SHA256", date, scope, sha256(canonical)].join("\n")
  const derived = [region, "s3", "aws4_request"].reduce(hmac, hmac(`AWS4${secret}`, day))
  const given = Buffer.from(parameter("Signature"), "hex")
  const due = hmac(derived, text)
  if (given.length !== due.length || !timingSafeEqual(due, given)) return "SignatureDoesNotMatch"
  const signedAt = date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z")
  const endMillis = Date.parse(signedAt) + Number(parameter("Expires")) * 1_000
  return nowMillis < endMillis ? undefined : "AccessDenied"
}

/** As Amazon encodes a query: RFC 3986. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)

const refuse = (response: ServerResponse, status: number, code: string): void => {
  response.writeHead(status, { "content-type": "application/xml" })
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`)
}

/** The one range that a request names, from `start` to before `end`; `undefined` if it names none. */
const rangeOf = (header: string | undefined, length: number) => {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? []
  if (first === "" && last === "") return undefined
  const start = first === "" ? Math.max(0, length - Number(last)) : Number(first)
  const end = first === "" || last === "" ? length : Math.min(Number(last) + 1, length)
  return start < end ? { start, end } : "unsatisfiable"
}

/** Starts the fake; `secret` is the key that it expects. */
export const startFakeS3 = async (secret: string = key.secretAccessKey) => {
  const objects = new Map<string, Buffer>()
  const types = new Map<string, string>()
  const clock = { aheadMillis: 0 }
  const uploads: Array<string> = []
  const store = async (request: IncomingMessage, response: ServerResponse, name: string): Promise<void> => {
    uploads.push(name)
    const length = request.headers["content-length"]
    if (length === undefined) return refuse(response, 411, "MissingContentLength")
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    if (bytes.length !== Number(length)) return refuse(response, 400, "IncompleteBody")
    const stated = request.headers["x-amz-content-sha256"]
    if (stated !== "UNSIGNED-PAYLOAD" && stated !== sha256(bytes))
      return refuse(response, 400, "XAmzContentSHA256Mismatch")
    objects.set(name, bytes)
    types.set(name, request.headers["content-type"] ?? "binary/octet-stream")
    response.writeHead(200)
    response.end()
  }
  const send = (request: IncomingMessage, response: ServerResponse, name: string): void => {
    const bytes = objects.get(name)
    if (bytes === undefined) return refuse(response, 404, "NoSuchKey")
    const etag = `"${createHash("md5").update(bytes).digest("hex")}"`
    const required = request.headers["if-match"]
    if (required !== undefined && required !== etag) return refuse(response, 412, "PreconditionFailed")
    const range = rangeOf(request.headers.range, bytes.length)
    if (range === "unsatisfiable") return refuse(response, 416, "InvalidRange")
    const { start, end } = range ?? { start: 0, end: bytes.length }
    const { searchParams } = new URL(request.url ?? "", "http://fake")
    const disposition = searchParams.get("response-content-disposition")
    const type = searchParams.get("response-content-type") ?? types.get(name)
    response.writeHead(range === undefined ? 200 : 206, {
      etag,
      ...(type === undefined ? {} : { "content-type": type }),
      ...(disposition === null ? {} : { "content-disposition": disposition }),
      "content-length": end - start,
      ...(range === undefined ? {} : { "content-range": `bytes ${start}-${end - 1}/${bytes.length}` })
    })
    response.end(request.method === "HEAD" ? undefined : bytes.subarray(start, end))
  }
  const server = createServer((request, response) => {
    const url = request.url ?? ""
    const fault = url.includes("X-Amz-Signature")
      ? linkFault(request, secret, Date.now() + clock.aheadMillis)
      : signatureFault(request, secret)
    const name = new URL(url, "http://fake").pathname
    if (fault !== undefined) return refuse(response, fault.startsWith("Authorization") ? 400 : 403, fault)
    if (!name.startsWith("/bucket/")) return refuse(response, 404, "NoSuchBucket")
    if (request.method !== "PUT") return send(request, response, name)
    store(request, response, name).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/bucket/goods`,
    objects,
    /** How far the service's clock is ahead. */
    clock,
    uploads,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
