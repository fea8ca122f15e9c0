import { hmac } from "@noble/hashes/hmac"
import { sha256 } from "@noble/hashes/sha2"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils"
import { Effect, Redacted } from "effect"
import { isSameText, readBody } from "../upstream/WebhookBody.ts"

/*
 * Webhooks that are signed with an HMAC-SHA-256 of their body, byte for byte as it came, in hex.
 */

const isSigned = (body: Uint8Array, signature: string, secret: Redacted.Redacted<string>): boolean =>
  isSameText(signature, bytesToHex(hmac(sha256, utf8ToBytes(Redacted.value(secret)), body)))

/** Notifications are thin; a body above that is none. */
const maxBodyBytes = 256 * 1024

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
  const body = yield* Effect.tryPromise({
    try: () => readBody(request, maxBodyBytes),
    catch: () => answer(400)
  })
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
