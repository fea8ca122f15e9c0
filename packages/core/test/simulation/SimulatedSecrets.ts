import { createCipheriv, createDecipheriv, createHmac } from "node:crypto"
import { Effect } from "effect"
import type { Secrets } from "../../src/runtime/Secrets.ts"
import type { SeededRandom } from "./SeededRandom.ts"

const keyId = "1"
const macKey = "the key of the simulated world's digests"
const aeadKey = Buffer.from("32 bytes of a simulated world ..")

/**
 * The real ciphers with fixed keys, but synchronous: WebCrypto runs on other threads, which would make runs
 * nondeterministic.
 */
export const simulatedSecrets = (random: SeededRandom): Secrets["Service"] => ({
  currentKeyId: keyId,
  keyIds: [keyId],
  retiredKeyIds: new Set<string>(),
  digest: (purpose, text, id = keyId) =>
    id === keyId ? createHmac("sha256", macKey).update(`${purpose}\n${text}`).digest("base64url") : undefined,
  encrypt: (text) =>
    Effect.sync(() => {
      const iv = Buffer.from(random.hex(12).slice(2), "hex")
      const cipher = createCipheriv("aes-256-gcm", aeadKey, iv)
      const bytes = Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()])
      return { keyId, base64: bytes.toString("base64") }
    }),
  decrypt: ({ base64, keyId: id }) =>
    Effect.sync(() => {
      if (id !== keyId) return undefined
      const bytes = Buffer.from(base64, "base64")
      const decipher = createDecipheriv("aes-256-gcm", aeadKey, bytes.subarray(0, 12))
      decipher.setAuthTag(bytes.subarray(-16))
      try {
        return decipher.update(bytes.subarray(12, -16), undefined, "utf8") + decipher.final("utf8")
      } catch {
        // Like the real service for bytes that it did not encrypt.
        return undefined
      }
    })
})
