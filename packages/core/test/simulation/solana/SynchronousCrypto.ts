import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto"

/*
 * Web Crypto without threads: a result that comes back from a thread has no place in virtual time.
 */

type Subtle = typeof crypto.subtle

const bytesOf = (data: BufferSource): Uint8Array =>
  data instanceof ArrayBuffer
    ? new Uint8Array(data)
    : new Uint8Array(data.buffer, data.byteOffset, data.byteLength)

const spkiPrefix = Buffer.from("302a300506032b6570032100", "hex")
const keys = new WeakMap<object, KeyObject>()

const importKey = async (_format: string, data: BufferSource): Promise<CryptoKey> => {
  const key = Buffer.concat([spkiPrefix, bytesOf(data)])
  // The form that libraries look at; the key itself is kept beside it.
  const shown = { type: "public", algorithm: { name: "Ed25519" }, extractable: true, usages: ["verify"] }
  keys.set(shown, createPublicKey({ key, format: "der", type: "spki" }))
  return shown as CryptoKey
}

const verifySignature = async (
  _algorithm: unknown,
  key: CryptoKey,
  signature: BufferSource,
  data: BufferSource
): Promise<boolean> => verify(null, bytesOf(data), keys.get(key)!, bytesOf(signature))

const digest = async (_algorithm: unknown, data: BufferSource): Promise<ArrayBuffer> =>
  Uint8Array.from(createHash("sha256").update(bytesOf(data)).digest()).buffer

/** Replaces what Solana's signatures and addresses need; returns how to undo that. */
export const installSynchronousCrypto = (): (() => void) => {
  const subtle = crypto.subtle as unknown as Record<string, unknown>
  const replaced: Partial<Record<keyof Subtle, unknown>> = { importKey, verify: verifySignature, digest }
  Object.assign(subtle, replaced)
  return () => {
    // What was assigned hides the methods of the prototype.
    for (const name of Object.keys(replaced)) delete subtle[name]
  }
}
