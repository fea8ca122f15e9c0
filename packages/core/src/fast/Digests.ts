import { hmac } from "@noble/hashes/hmac"
import { sha256 } from "@noble/hashes/sha2"

/*
 * Digests texts synchronously, by the platform's synchronous hash if it has one, as Node does.
 *
 * Replaces: the JavaScript digests of `@noble/hashes`, which all other platforms use. WebCrypto's are asynchronous.
 * Gain: 7 µs → 0.5 µs for SHA-256 and 5 µs → 0.8 µs for HMAC, 20 % of a paid call.
 * Equivalence: test/fast/Digests.test.ts.
 */

/** The one-shot hash of `node:crypto`. */
type OneShot = (
  algorithm: "sha256",
  data: string | Uint8Array,
  encoding: "hex" | "base64url" | "latin1"
) => string

interface Digests {
  /** SHA-256 of a text's UTF-8 bytes, in lower-case hexadecimal. */
  readonly sha256Hex: (text: string) => string
  /** HMAC-SHA-256 with one key (up to 64 bytes), in base64url without padding. */
  readonly hmacOf: (key: Uint8Array) => (text: string) => string
}

const encoder = new TextEncoder()
const blockBytes = 64
const digestBytes = 32
/** Longest text, in bytes, that is digested in preallocated memory. */
const shortTextBytes = 1024

const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

const toBase64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")

/** Digests in JavaScript, for any platform. */
export const portableDigests: Digests = {
  sha256Hex: (text) => toHex(sha256(encoder.encode(text))),
  hmacOf: (key) => {
    const keyed = hmac.create(sha256, key)
    return (text) => toBase64Url(keyed.clone().update(encoder.encode(text)).digest())
  }
}

/** A block of the key, each byte XORed with the pad: RFC 2104, section 2. */
const padded = (key: Uint8Array, pad: number): Uint8Array => {
  const block = new Uint8Array(blockBytes).fill(pad)
  for (const [index, byte] of key.entries()) block[index]! ^= byte
  return block
}

/** Digests by the platform's one-shot hash. */
export const digestsBy = (oneShot: OneShot): Digests => ({
  sha256Hex: (text) => oneShot("sha256", text, "hex"),
  hmacOf: (key) => {
    const innerPad = padded(key, 0x36)
    const inner = new Uint8Array(blockBytes + shortTextBytes)
    inner.set(innerPad)
    const outer = new Uint8Array(blockBytes + digestBytes)
    outer.set(padded(key, 0x5c))
    const innerOf = (text: string): Uint8Array => {
      // A code unit is up to three bytes.
      if (text.length * 3 <= shortTextBytes) {
        const { written } = encoder.encodeInto(text, inner.subarray(blockBytes))
        return inner.subarray(0, blockBytes + written)
      }
      const bytes = encoder.encode(text)
      const whole = new Uint8Array(blockBytes + bytes.length)
      whole.set(innerPad)
      whole.set(bytes, blockBytes)
      return whole
    }
    return (text) => {
      // As a binary string: a buffer would cost twice the hash.
      const digest = oneShot("sha256", innerOf(text), "latin1")
      for (let index = 0; index < digestBytes; index++) outer[blockBytes + index] = digest.charCodeAt(index)
      return oneShot("sha256", outer, "base64url")
    }
  }
})

/** The platform's built-in modules, without an import: core runs on platforms that have none. */
const platform = globalThis as {
  readonly process?: { readonly getBuiltinModule?: (id: string) => unknown }
}

const findOneShot = (): OneShot | undefined => {
  const crypto = platform.process?.getBuiltinModule?.("node:crypto") as
    | { readonly hash?: OneShot }
    | undefined
  return typeof crypto?.hash === "function" ? crypto.hash : undefined
}

let chosen: Digests | undefined

/** Chosen at the first digest: on Node, loading `node:crypto` takes longer than any other file of core. */
const fastest = (): Digests => {
  if (chosen !== undefined) return chosen
  const oneShot = findOneShot()
  chosen = oneShot === undefined ? portableDigests : digestsBy(oneShot)
  return chosen
}

/** The fastest digests of this platform. */
export const digests: Digests = {
  sha256Hex: (text) => fastest().sha256Hex(text),
  hmacOf: (key) => fastest().hmacOf(key)
}
