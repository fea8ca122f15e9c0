import { describe, expect, it } from "vitest"
import {
  NotPlaced,
  PlacementRefused,
  UpstreamFailed,
  UpstreamUnavailable
} from "../../../src/shop/ports/PortErrors.ts"
import { failedPlacement, notPlaced } from "../../../src/shop/orders/OrderPlacing.ts"

describe("notPlaced", () => {
  it("retries a first attempt, with upstream's pause", () => {
    expect(notPlaced({ status: "processing" }, 9_000)).toEqual({ _tag: "NotPlaced", retryAfterMillis: 9_000 })
  })

  it("stays unclear if an earlier attempt may have placed the order", () => {
    expect(notPlaced({ status: "placing" }, 9_000)).toEqual({ _tag: "PlacementUnclear" })
  })
})

describe("failedPlacement", () => {
  const cause = new Error("no connection")
  it.each([
    [new PlacementRefused({ reason: "sold_out" }), { _tag: "PlacementRefused", reason: "sold_out" }],
    [new NotPlaced({ message: "later" }), { _tag: "NotPlaced", retryAfterMillis: undefined }],
    [
      new NotPlaced({ message: "later", retryAfterSeconds: 9 }),
      { _tag: "NotPlaced", retryAfterMillis: 9_000 }
    ],
    [new UpstreamFailed({ port: "fulfilment", cause }), { _tag: "PlacementUnclear" }],
    [new UpstreamUnavailable({ port: "fulfilment", cause }), { _tag: "PlacementUnclear" }]
  ])("of a first attempt: %s", (error, event) => {
    expect(failedPlacement({ status: "processing", attempts: 3 }, error)).toEqual(event)
  })

  it("of a repeated attempt is unclear, unless upstream refuses the order for good", () => {
    const again = { status: "placing", attempts: 6 } as const
    expect(failedPlacement(again, new NotPlaced({ message: "later" }))).toEqual({ _tag: "PlacementUnclear" })
    expect(failedPlacement(again, new PlacementRefused({ reason: "sold_out" }))).toEqual({
      _tag: "PlacementRefused",
      reason: "sold_out"
    })
  })

  it.each([
    [0, "PlacementRefused"],
    [1, "PlacementUnclear"],
    [5, "PlacementUnclear"],
    [6, "PlacementRefused"]
  ])("that is refused after %i retries, whose first request may still arrive, is %s", (attempts, event) => {
    const refused = new PlacementRefused({ reason: "sold_out" })
    expect(failedPlacement({ status: "placing", attempts }, refused)._tag).toBe(event)
  })
})
