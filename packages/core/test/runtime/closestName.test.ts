import { describe, expect, it } from "vitest"
import { closestName } from "../../src/runtime/closestName.ts"

describe("the closest name", () => {
  it.each([
    ["pirces", "prices"],
    ["price", "prices"],
    ["PRICES", "prices"],
    ["storag", "storage"],
    ["secert", "secret"],
    ["mail", "mailer"],
    ["secretKey", "secret"]
  ])("of %s is %s", (given, name) => {
    expect(closestName(given, ["cors", "mailer", "prices", "secret", "storage"])).toBe(name)
  })

  it.each(["logger", "x", "database", "ports", "store"])("of %s is none", (given) => {
    expect(closestName(given, ["cors", "mailer", "prices", "secret", "storage"])).toBeUndefined()
  })
})
