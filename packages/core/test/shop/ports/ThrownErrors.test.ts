import { describe, expect, it } from "vitest"
import * as Errors from "../../../src/shop/ports/PortErrors.ts"
import { toPortError } from "../../../src/shop/ports/ThrownErrors.ts"

describe("toPortError", () => {
  it("keeps an allowed error, its fields checked and bounded", () => {
    const thrown = { _tag: "ProductUnavailable", message: "x".repeat(1_000), reason: 1, secret: "s" }
    const error = toPortError("fulfilment", ["ProductUnavailable"], thrown)
    expect(error).toBeInstanceOf(Errors.ProductUnavailable)
    expect(error).toMatchObject({ _tag: "ProductUnavailable", message: "x".repeat(500) })
    expect(error).not.toHaveProperty("reason")
    expect(error).not.toHaveProperty("secret")
  })

  it("recognizes it by its tag, whichever copy of the package threw it", () => {
    const thrown = Object.assign(new Error("no such mailbox"), { _tag: "MailRejected" })
    expect(toPortError("mail", ["MailRejected"], thrown)).toEqual(
      new Errors.MailRejected({ message: "no such mailbox" })
    )
  })

  it.each([
    ["without a message", { _tag: "NoTrackingInfo" }, "No information on this tracking number yet."],
    [
      "with an empty one",
      { _tag: "NoTrackingInfo", message: "" },
      "No information on this tracking number yet."
    ]
  ])("has words for an error %s", (_, thrown, message) => {
    expect(toPortError("tracking", ["NoTrackingInfo"], thrown)).toEqual(
      new Errors.NoTrackingInfo({ message })
    )
  })

  it.each([
    [undefined, undefined],
    [-1, undefined],
    ["5", undefined],
    [0, 1],
    [2.5, 3],
    [1e9, 86_400]
  ])("makes TemporarilyUnavailable of any port unavailable; retryAfterSeconds %j → %j", (given, seconds) => {
    const cause = { _tag: "TemporarilyUnavailable", message: "down", retryAfterSeconds: given }
    expect(toPortError("vault", [], cause)).toEqual(
      new Errors.UpstreamUnavailable({
        port: "vault",
        cause,
        ...(seconds === undefined ? {} : { retryAfterSeconds: seconds })
      })
    )
  })

  it.each([
    ["an error that the port doesn't allow", new Errors.ProductNotFound({ message: "gone" })],
    ["an allowed one that can't be used", { _tag: "AdditionalFieldRequired", field: "shoeSize" }],
    ["an error without a tag", new RangeError("no")],
    ["a text", "no"],
    ["nothing", undefined]
  ])("makes %s a failure of the port", (_, cause) => {
    expect(toPortError("tracking", ["AdditionalFieldRequired"], cause)).toEqual(
      new Errors.UpstreamFailed({ port: "tracking", cause })
    )
  })
})
