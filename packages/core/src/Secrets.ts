import { hkdf } from "@noble/hashes/hkdf"
import { sha256 } from "@noble/hashes/sha2"
import { Context, Effect, Layer } from "effect"
import { digests } from "./Digests.ts"
import type { SecretKey } from "./Options.ts"

/** A value that was sealed or digested with the key of this id. */
export interface Sealed {
  readonly keyId: string
  readonly base64: string
}

interface Key {
  readonly id: string
  /** HMAC-SHA-256, keyed once. */
  readonly mac: (text: string) => string
  readonly aead: CryptoKey
}

/**
 * What the host secret is used for. New things use the first key; what carries the id of an older key
 * is verified and opened with that one.
 */
export class Secrets extends Context.Service<
  Secrets,
  {
    /** Id of the key that new things use. */
    readonly currentKeyId: string
    /** HMAC-SHA-256 of a text for one purpose, in base64url; `undefined` where the key is unknown. */
    readonly digest: (purpose: string, text: string, keyId?: string) => string | undefined
    /** AES-256-GCM. */
    readonly seal: (text: string) => Effect.Effect<Sealed>
    /** `undefined` where the key is unknown or the bytes were not sealed by it. */
    readonly open: (sealed: Sealed) => Effect.Effect<string | undefined>
  }
>()("@till402/core/Secrets") {
  static readonly layer = (keys: ReadonlyArray<SecretKey>): Layer.Layer<Secrets> =>
    Layer.effect(
      Secrets,
      Effect.gen(function* () {
        const derived = yield* Effect.promise(() => Promise.all(keys.map(derive)))
        const current = derived[0]!
        const byId = new Map(derived.map((key) => [key.id, key]))
        return Secrets.of({
          currentKeyId: current.id,
          digest: (purpose, text, keyId) => {
            const key = keyId === undefined ? current : byId.get(keyId)
            return key?.mac(`${purpose}\n${text}`)
          },
          seal: Effect.fnUntraced(function* (text) {
            const iv = crypto.getRandomValues(new Uint8Array(12))
            const bytes = yield* Effect.promise(() =>
              crypto.subtle.encrypt({ name: "AES-GCM", iv }, current.aead, encoder.encode(text))
            )
            const whole = new Uint8Array(iv.length + bytes.byteLength)
            whole.set(iv)
            whole.set(new Uint8Array(bytes), iv.length)
            return { keyId: current.id, base64: toBase64(whole) }
          }),
          open: Effect.fnUntraced(function* (sealed) {
            const key = byId.get(sealed.keyId)
            if (key === undefined) return undefined
            const whole = fromBase64(sealed.base64)
            return yield* Effect.tryPromise(() =>
              crypto.subtle.decrypt({ name: "AES-GCM", iv: whole.slice(0, 12) }, key.aead, whole.slice(12))
            ).pipe(
              Effect.map((bytes) => decoder.decode(bytes)),
              // A forged or foreign value is an expected answer here, not a fault.
              Effect.catch(() => Effect.succeed(undefined))
            )
          })
        })
      })
    )
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** HKDF gives each use a key of its own, so that no use weakens another. */
const derive = async (key: SecretKey): Promise<Key> => {
  const of = (info: string) => hkdf(sha256, encoder.encode(key.secret), undefined, `till402 ${info}`, 32)
  const raw = new Uint8Array(of("aead"))
  return {
    id: key.id,
    mac: digests.hmacOf(of("mac")),
    aead: await crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["encrypt", "decrypt"])
  }
}

const toBase64 = (bytes: Uint8Array): string => {
  let binary = ""
  for (let start = 0; start < bytes.length; start += 8192) {
    binary += String.fromCharCode(...bytes.subarray(start, start + 8192))
  }
  return btoa(binary)
}

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (c) => c.charCodeAt(0))

/** Compares two texts in a time that depends on their length alone. */
export const equalInConstantTime = (left: string, right: string): boolean => {
  if (left.length !== right.length) return false
  let difference = 0
  for (let index = 0; index < left.length; index++)
    difference |= left.charCodeAt(index) ^ right.charCodeAt(index)
  return difference === 0
}
