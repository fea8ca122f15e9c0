import { describe, expect, it } from "vitest"
import * as Failures from "../../../src/shop/ports/ApiFailures.ts"
import * as Errors from "../../../src/shop/ports/PortErrors.ts"

const message = "the provider's message"

describe("ApiFailures", () => {
  it.each([
    [new Errors.ProductNotFound({ message }), { status: 400, code: "PRODUCT_NOT_FOUND", message }],
    [new Errors.ProductUnavailable({ message }), { status: 400, code: "PRODUCT_UNAVAILABLE", message }],
    [
      new Errors.ProductUnavailable({ message, reason: "out_of_stock" }),
      { status: 400, code: "PRODUCT_UNAVAILABLE", message, details: { reason: "out_of_stock" } }
    ],
    [new Errors.AddressNotServed({ message }), { status: 400, code: "ADDRESS_NOT_SERVED", message }]
  ])("of a quote: %s", (error, failure) => {
    expect(Failures.quoteFailure(error)).toMatchObject(failure)
    if (!("details" in failure)) expect(Failures.quoteFailure(error).details).toBeUndefined()
  })

  it.each([
    [new Errors.NoTrackingInfo({ message }), { status: 404, code: "NO_TRACKING_INFO", message }],
    [new Errors.InvalidCarrier({ message }), { status: 422, code: "INVALID_CARRIER", message }],
    [
      new Errors.CarrierNotDetected({ message }),
      { status: 422, code: "CARRIER_NOT_DETECTED", message, details: { candidates: [] } }
    ],
    [
      new Errors.CarrierNotDetected({ message, candidates: [{ code: 1, name: "UPS" }] }),
      { status: 422, code: "CARRIER_NOT_DETECTED", details: { candidates: [{ code: 1, name: "UPS" }] } }
    ],
    [
      new Errors.AdditionalFieldRequired({ message, field: "phone" }),
      { status: 422, code: "ADDITIONAL_FIELD_REQUIRED", message, details: { field: "phone" } }
    ],
    [
      new Errors.InvalidTrackingNumber({ message }),
      { status: 400, code: "VALIDATION_ERROR", details: { issues: [{ path: "number", message }] } }
    ]
  ])("of a shipment: %s", (error, failure) => {
    expect(Failures.trackingFailure(error)).toMatchObject(failure)
  })

  it("of an upstream: 502 or 503, with a pause of 30 seconds by default", () => {
    const port = "tracking"
    expect(Failures.upstreamFailure(new Errors.UpstreamFailed({ port }))).toMatchObject({
      status: 502,
      code: "TRACKING_PROVIDER_ERROR",
      message: "The tracking provider responded with an error. Nothing was charged."
    })
    expect(Failures.upstreamFailure(new Errors.UpstreamUnavailable({ port }))).toMatchObject({
      status: 503,
      code: "TRACKING_PROVIDER_UNAVAILABLE",
      retryAfterSeconds: 30
    })
    const paused = new Errors.UpstreamUnavailable({ port, retryAfterSeconds: 7 })
    expect(Failures.upstreamFailure(paused).retryAfterSeconds).toBe(7)
  })

  it("of the vault", () => {
    for (const page of [undefined, "https://shop.example/x402-status/purchases/1"]) {
      const failures = [
        Failures.itemNotFound,
        Failures.purchaseNotFound(page),
        Failures.downloadForbidden(page)
      ]
      expect(failures.map(({ code, status }) => [status, code])).toEqual([
        [404, "ITEM_NOT_FOUND"],
        [404, "PURCHASE_NOT_FOUND"],
        [403, "DOWNLOAD_FORBIDDEN"]
      ])
      const named = failures.map(({ message }) => message.includes(`sign`) && message.includes(String(page)))
      expect(named).toEqual([false, page !== undefined, page !== undefined])
    }
  })
})
