import { hmac } from "@noble/hashes/hmac"
import { sha256 } from "@noble/hashes/sha2"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils"
import { Effect, Redacted } from "effect"

/*
 * Webhooks that are signed with an HMAC-SHA-256 of their body, byte for byte as it came, in hex.
 */

/** Looks at every character, so that the time it takes tells nothing of where two texts differ. */
const isSameText = (given: string, right: string): boolean => {
  let difference = given.length ^ right.length
  for (let index = 0; index < right.length; index++) {
    difference |= right.charCodeAt(index) ^ (given.charCodeAt(index) || 0)
  }
  return difference === 0
}

const isSigned = (body: Uint8Array, signature: string, secret: Redacted.Redacted<string>): boolean =>
  isSameText(signature, bytesToHex(hmac(sha256, utf8ToBytes(Redacted.value(secret)), body)))

/** Notifications are thin; a body above that is none. */
const maxBodyBytes = 256 * 1024

/** The whole body; `undefined` where it is too large. */
const readBody = async (request: Request): Promise<Uint8Array | undefined> => {
  if (Number(request.headers.get("content-length") ?? 0) > maxBodyBytes) return undefined
  const reader = request.body?.getReader()
  const chunks: Array<Uint8Array> = []
  let length = 0
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {}
    if (done) break
    length += value?.byteLength ?? 0
    if (length > maxBodyBytes) {
      await reader?.cancel()
      return undefined
    }
    if (value !== undefined) chunks.push(value)
  }
  const body = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    body.set(chunk, offset)
    offset += chunk.byteLength
  }
  return body
}

/** An answer to a webhook, without words. */
export const answer = (status: number, headers: Record<string, string> = {}): Response =>
  new Response(null, { status, headers })

export interface SignatureRule {
  /** Name of the header with the signature. */
  readonly header: string
  /** What stands before the hex digits: `v0=`. */
  readonly prefix: string
  /** Without one nothing is signed: 404. */
  readonly secret: Redacted.Redacted<string> | undefined
}

/**
 * The JSON document of a signed webhook. Fails with the answer to one that is not taken up: 404 (no secret), 405,
 * 413 (over 256 KiB), 401 (not signed), 400 (broken off, or not JSON).
 */
export const readSigned = Effect.fnUntraced(function* (
  request: Request,
  { header, prefix, secret }: SignatureRule
): Effect.fn.Return<unknown, Response> {
  if (secret === undefined) return yield* Effect.fail(answer(404))
  if (request.method !== "POST") return yield* Effect.fail(answer(405, { allow: "POST" }))
  const body = yield* Effect.tryPromise({ try: () => readBody(request), catch: () => answer(400) })
  if (body === undefined) return yield* Effect.fail(answer(413))
  const signature = (request.headers.get(header) ?? "").trim().toLowerCase()
  if (!signature.startsWith(prefix) || !isSigned(body, signature.slice(prefix.length), secret)) {
    return yield* Effect.fail(answer(401))
  }
  return yield* Effect.try({
    try: (): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)),
    catch: () => answer(400)
  })
})
