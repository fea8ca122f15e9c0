import { createHash, createHmac, hash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { digests, digestsBy, portableDigests } from "../../src/fast/Digests.ts"
import { property } from "../domain/seeded.ts"

const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, "hex"))

const all = {
  portable: portableDigests,
  platform: digestsBy(hash as Parameters<typeof digestsBy>[0]),
  digests
}

describe.each(Object.entries(all))("digests: %s", (_name, { hmacOf, sha256Hex }) => {
  it("of the texts of FIPS 180-2", () => {
    expect(sha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    expect(sha256Hex("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  })

  it("with the keys of RFC 4231, cases 1 and 2", () => {
    expect(Buffer.from(hmacOf(bytesOf("0b".repeat(20)))("Hi There"), "base64url").toString("hex")).toBe(
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    )
    const keyed = hmacOf(new TextEncoder().encode("Jefe"))
    expect(Buffer.from(keyed("what do ya want for nothing?"), "base64url").toString("hex")).toBe(
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    )
  })

  property("the same as node:crypto's, whatever was digested before", 300, (dice) => {
    const key = bytesOf(dice.hex(1 + dice.below(64)).slice(2))
    const keyed = hmacOf(key)
    for (let text = 0; text < 3; text++) {
      const input = dice.text(
        "aZ09:\n\u00e9\u4e16\u{1f600}\ud800",
        dice.pick([0, 1, 55, 56, 63, 64, 65, 700])
      )
      expect(keyed(input)).toBe(createHmac("sha256", key).update(input).digest("base64url"))
      expect(sha256Hex(input)).toBe(createHash("sha256").update(input).digest("hex"))
    }
  })
})

it("takes the platform's where there is one", () => {
  const key = bytesOf("0b".repeat(20))
  expect(digests.hmacOf(key).toString()).toBe(all.platform.hmacOf(key).toString())
  expect(digests.hmacOf(key).toString()).not.toBe(portableDigests.hmacOf(key).toString())
})
