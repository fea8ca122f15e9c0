import { describe, expect, it } from "vitest"
import { fromBase64, toBinary, toText } from "../../src/fast/base64.ts"
import { property } from "../domain/seeded.ts"

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** The plain code: strict base64 by a pattern, and every byte decoded. */
const plainText = (base64: string): string | undefined => {
  if (base64 === "" || /[ \t\n\f\r]/.test(base64)) return undefined
  try {
    return utf8.decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)))
  } catch {
    return undefined
  }
}

const textOf = (base64: string): string | undefined => {
  const binary = fromBase64(base64)
  return binary === undefined ? undefined : toText(binary)
}

const alphabet = 'aZ09{}[]":,\\\u0000\u007f\u0080\u00e9\u07ff\u4e16\uffff\u{1f600}\ufeff'
/** Around the room that the check for ASCII has. */
const lengths = [0, 1, 7, 63, 900, 16_383, 16_384, 16_385]

describe("base64 and UTF-8", () => {
  property("of any text are those of the platform", 60, (dice, run) => {
    const ascii = dice.below(2) === 0
    const length = lengths[run % lengths.length]!
    const text = dice.text(ascii ? 'az09{}":,\\\u0000\u007f' : alphabet, length).toWellFormed()
    const bytes = Buffer.from(text, "utf8")
    expect(toBinary(text)).toBe(bytes.toString("latin1"))
    expect(btoa(toBinary(text))).toBe(bytes.toString("base64"))
    expect(toText(toBinary(text))).toBe(plainText(bytes.toString("base64") || "AA==")?.slice(0, text.length))
  })

  property("of any bytes are read as the plain code reads them", 1_000, (dice) => {
    const base64 = Buffer.from(dice.hex(dice.below(12)).slice(2), "hex").toString("base64")
    expect(textOf(base64)).toBe(plainText(base64))
  })

  property("of texts that may not be base64 are read as the plain code reads them", 2_000, (dice) => {
    const base64 = dice.text("QUFBw6k=-_ \n\t\f\r\u000b\u00a0\u00e9", dice.below(9))
    expect(textOf(base64)).toBe(plainText(base64))
  })

  it("of lone surrogates are those of the replacement character", () => {
    expect(toBinary("\ud800")).toBe("\u00ef\u00bf\u00bd")
  })
})
