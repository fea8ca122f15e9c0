import { hmac } from "@noble/hashes/hmac"
import { sha256 } from "@noble/hashes/sha2"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils"
import { equalInConstantTime, readBytes } from "@till402/core/effect"
import { Effect, Redacted } from "effect"

/*
 * Webhooks signed with an HMAC-SHA-256 of their unchanged body, in hex.
 */

const isSigned = (body: Uint8Array, signature: string, secret: Redacted.Redacted<string>): boolean =>
  equalInConstantTime(signature, bytesToHex(hmac(sha256, utf8ToBytes(Redacted.value(secret)), body)))

/** Larger than any notification. */
const maxBodyBytes = 256 * 1024

/** A response to a webhook, without a body. */
export const emptyResponse = (status: number, headers: Record<string, string> = {}): Response =>
  new Response(null, { status, headers })

export interface SignatureRule {
  /** Name of the signature's header. */
  readonly header: string
  /** Text before the hex digits: `v0=`. */
  readonly prefix: string
  /** Without it every webhook gets a 404. */
  readonly secret: Redacted.Redacted<string> | undefined
}

/**
 * Reads the JSON document of a signed webhook. Fails with the response to a refused one: 404 (no secret), 405,
 * 413 (over 256 KiB), 401 (not signed), 400 (incomplete, or not JSON).
 */
export const readSigned = Effect.fnUntraced(function* (
  request: Request,
  { header, prefix, secret }: SignatureRule
): Effect.fn.Return<unknown, Response> {
  if (secret === undefined) return yield* Effect.fail(emptyResponse(404))
  if (request.method !== "POST") return yield* Effect.fail(emptyResponse(405, { allow: "POST" }))
  const body = yield* Effect.tryPromise({
    try: async () => (request.body === null ? new Uint8Array() : readBytes(request.body, maxBodyBytes)),
    catch: () => emptyResponse(400)
  })
  if (body === undefined) return yield* Effect.fail(emptyResponse(413))
  const signature = (request.headers.get(header) ?? "").trim().toLowerCase()
  if (!signature.startsWith(prefix) || !isSigned(body, signature.slice(prefix.length), secret)) {
    return yield* Effect.fail(emptyResponse(401))
  }
  return yield* Effect.try({
    try: (): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)),
    catch: () => emptyResponse(400)
  })
})
