import { describe, expect, it } from "vitest"
import * as Failures from "../../src/domain/ApiFailure.ts"

describe("ApiFailure", () => {
  it("of the storage and of too many quotes", () => {
    expect(Failures.storeFailure()).toMatchObject({
      status: 503,
      code: "STORAGE_UNAVAILABLE",
      retryAfterSeconds: 5
    })
    expect(Failures.rateLimited(9)).toMatchObject({
      status: 429,
      code: "RATE_LIMITED",
      retryAfterSeconds: 9
    })
  })

  it("of an input: names three faults, lists all", () => {
    const issues = ["a", "b", "", "d"].map((path) => ({ path, message: "is wrong" }))
    const failure = Failures.validationFailure(issues)
    expect(failure.message).toBe("The request is not valid: a is wrong; b is wrong; is wrong; …")
    expect(failure.details).toEqual({ issues })
  })
})
