import { hkdf } from "@noble/hashes/hkdf"
import { sha256 } from "@noble/hashes/sha2"
import { Context, Effect, Layer, Result } from "effect"
import { Base64 } from "effect/encoding"
import { digests } from "../fast/Digests.ts"
import { type SecretText, unwrapped } from "./SecretText.ts"

/** An encrypted value, with the id of its key. */
export interface Encrypted {
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
 * Digests and encryption under the host secret.
 *
 * New values use the first key; values with the id of an older key are verified and decrypted with that key.
 */
export class Secrets extends Context.Service<
  Secrets,
  {
    /** Id of the key for new values. */
    readonly currentKeyId: string
    /** Ids of all keys, the current one first. */
    readonly keyIds: ReadonlyArray<string>
    /** Ids of keys that the host has given up. */
    readonly retiredKeyIds: ReadonlySet<string>
    /**
     * HMAC-SHA-256 of a text, in base64url; `undefined` if the key is unknown. `purpose`, one word such as `fingerprint`:
     * the same text has another digest for another purpose.
     */
    readonly digest: (purpose: string, text: string, keyId?: string) => string | undefined
    /** AES-256-GCM. */
    readonly encrypt: (text: string) => Effect.Effect<Encrypted>
    /** `undefined` if the key is unknown or did not encrypt this value. */
    readonly decrypt: (encrypted: Encrypted) => Effect.Effect<string | undefined>
  }
>()("@till402/core/Secrets") {
  static readonly layer = (
    keys: ReadonlyArray<SecretKey>,
    retiredKeys: ReadonlyArray<string> = []
  ): Layer.Layer<Secrets> =>
    Layer.effect(
      Secrets,
      Effect.gen(function* () {
        const derived = yield* Effect.promise(() => Promise.all(keys.map(keyOf)))
        const current = derived[0]!
        const byId = new Map(derived.map((key) => [key.id, key]))
        return Secrets.of({
          currentKeyId: current.id,
          keyIds: keys.map(({ id }) => id),
          retiredKeyIds: new Set(retiredKeys),
          digest: (purpose, text, keyId) => {
            const key = keyId === undefined ? current : byId.get(keyId)
            return key?.mac(`${purpose}\n${text}`)
          },
          encrypt: Effect.fnUntraced(function* (text) {
            const iv = crypto.getRandomValues(new Uint8Array(12))
            const bytes = yield* Effect.promise(() =>
              crypto.subtle.encrypt({ name: "AES-GCM", iv }, current.aead, encoder.encode(text))
            )
            const whole = new Uint8Array(iv.length + bytes.byteLength)
            whole.set(iv)
            whole.set(new Uint8Array(bytes), iv.length)
            return { keyId: current.id, base64: Base64.encode(whole) }
          }),
          decrypt: Effect.fnUntraced(function* (encrypted) {
            const key = byId.get(encrypted.keyId)
            if (key === undefined) return undefined
            const whole = Base64.decode(encrypted.base64)
            if (Result.isFailure(whole)) return undefined
            const iv = whole.success.slice(0, 12)
            return yield* Effect.tryPromise(() =>
              crypto.subtle.decrypt({ name: "AES-GCM", iv }, key.aead, whole.success.slice(12))
            ).pipe(
              Effect.map((bytes) => decoder.decode(bytes)),
              // A forged or foreign value is expected here, not a fault.
              Effect.catch(() => Effect.succeed(undefined))
            )
          })
        })
      })
    )
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Derives a separate key for each use by HKDF, so that no use weakens another. */
const keyOf = async (key: SecretKey): Promise<Key> => {
  const deriveKey = (info: string) =>
    hkdf(sha256, encoder.encode(unwrapped(key.secret)), undefined, `till402 ${info}`, 32)
  const raw = new Uint8Array(deriveKey("aead"))
  return {
    id: key.id,
    mac: digests.hmacOf(deriveKey("mac")),
    aead: await crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["encrypt", "decrypt"])
  }
}

/** Names a key without revealing it: the same key has the same digest, in base64. */
export const keyDigest = ({ secret }: SecretKey): string =>
  Base64.encode(hkdf(sha256, encoder.encode(unwrapped(secret)), undefined, "till402 identity", 32))

/** Compares two texts in constant time for their length. */
export const equalInConstantTime = (left: string, right: string): boolean => {
  if (left.length !== right.length) return false
  let difference = 0
  for (let index = 0; index < left.length; index++)
    difference |= left.charCodeAt(index) ^ right.charCodeAt(index)
  return difference === 0
}

/** A key of the host: a secret of at least 32 unguessable characters, and a short public id. */
export interface SecretKey {
  /** Short public name, unique in the list: letters, digits, `_` or `-`. */
  readonly id: string
  /** The key itself. */
  readonly secret: SecretText
}
