import { describe, expect, it } from "vitest"
import { stemOf } from "../../../src/shop/goods/WordStem.ts"

describe("the stem of a word", () => {
  it.each([
    ["review", "reviews reviewed reviewing reviewer"],
    ["request", "requests requested requesting"],
    ["migrate", "migrates migration migrations migrating"],
    ["automate", "automation automating automated"],
    ["optimize", "optimization optimizing optimizes"],
    ["document", "documents documentation"],
    ["write", "writes writing writer"],
    ["plan", "plans planned planning planner"],
    ["code", "codes coding"],
    ["manage", "manager managers management managing"],
    ["category", "categories"],
    ["crash", "crashes crashing"],
    ["create", "creation creating"]
  ])("of %s is that of %s", (word, others) => {
    for (const other of others.split(" ")) expect(stemOf(other), other).toBe(stemOf(word))
  })

  it.each([
    ["product", "productivity"],
    ["format", "form"],
    ["test", "text"],
    ["need", "ned"],
    ["news", "newspaper"]
  ])("of %s isn't that of %s", (word, other) => {
    expect(stemOf(word)).not.toBe(stemOf(other))
  })

  it.each(["ios", "css", "feed", "status", "東京", "über", "5g", "v2s", "\u{1f680}"])(
    "of %s is itself",
    (word) => {
      expect(stemOf(word)).toBe(word)
    }
  )
})
