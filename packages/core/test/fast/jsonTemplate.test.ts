import { describe, expect } from "vitest"
import { base64JsonTemplate, jsonTemplate } from "../../src/fast/jsonTemplate.ts"
import { type Dice, property } from "../domain/seeded.ts"

const ascii = Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index)).join("")

/** A document with the text at any place, and with texts that look like a template's. */
const documentOf = (dice: Dice, depth = 0): ((text: string) => unknown) => {
  const constant = dice.pick<unknown>([1, null, "über", 'text"', "\\u0000text\\u0000", "\u0000", {}])
  switch (dice.below(depth > 3 ? 2 : 4)) {
    case 0:
      return (text) => text
    case 1:
      return () => constant
    case 2: {
      const items = Array.from({ length: dice.below(4) }, () => documentOf(dice, depth + 1))
      return (text) => items.map((item) => item(text))
    }
    default: {
      const fields = Array.from({ length: dice.below(4) }, () => documentOf(dice, depth + 1))
      return (text) => Object.fromEntries(fields.map((field, index) => [`f${index}`, field(text)]))
    }
  }
}

describe("a template of JSON", () => {
  property("writes what JSON.stringify writes, whatever the text", 500, (dice) => {
    const make = documentOf(dice)
    const [write, writeBase64] = [jsonTemplate(make), base64JsonTemplate(make)]
    for (let times = 0; times < 3; times++) {
      const text = dice.text(ascii, dice.below(40))
      const json = JSON.stringify(make(text))
      expect(write(text)).toBe(json)
      expect(writeBase64(text)).toBe(Buffer.from(json, "utf8").toString("base64"))
    }
  })
})
