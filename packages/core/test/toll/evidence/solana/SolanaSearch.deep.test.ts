import { describe, it } from "@effect/vitest"
import { findAmid } from "./searches.ts"

describe("the search for a payment", () => {
  it.effect("finds it among 5,000 dust transfers within 15 minutes, and reads each of them once", () =>
    findAmid(5_000, 15 * 60)
  )
})
