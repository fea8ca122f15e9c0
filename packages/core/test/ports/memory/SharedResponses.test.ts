import { expect, it } from "@effect/vitest"
import type { Charge, RecordedResponse } from "../../../src/ports/Charge.ts"
import { SharedResponses } from "../../../src/ports/memory/SharedResponses.ts"

const charge = (fingerprint: string): Charge => ({ fingerprint }) as Charge

const plain = (text: string, more?: Partial<RecordedResponse>): RecordedResponse => ({
  status: 200,
  contentType: "application/json",
  body: { _tag: "Plain", text },
  ...more
})

it("keeps an equal response to an equal request once", () => {
  const responses = new SharedResponses()
  const first = plain("{}")
  expect(responses.share(charge("a"), first)).toBe(first)
  expect(responses.share(charge("a"), plain("{}"))).toBe(first)
})

it("never takes another request's response", () => {
  const responses = new SharedResponses()
  responses.share(charge("a"), plain("{}"))
  const other = plain("{}")
  expect(responses.share(charge("b"), other)).toBe(other)
})

const encrypted: RecordedResponse["body"] = { _tag: "Encrypted", keyId: "k", base64: "e30=" }

it.each<[string, RecordedResponse, RecordedResponse]>([
  ["text", plain("{}"), plain("[]")],
  ["status", plain("{}"), plain("{}", { status: 201 })],
  ["content type", plain("{}"), plain("{}", { contentType: "text/plain" })],
  ["headers of the second", plain("{}"), plain("{}", { headers: { link: "/next" } })],
  ["headers of the first", plain("{}", { headers: { link: "/next" } }), plain("{}")],
  ["kind of body", plain("{}"), plain("", { body: { _tag: "Reference", reference: "{}" } })],
  ["encryption", plain("", { body: encrypted }), plain("", { body: encrypted })]
])("keeps responses apart that differ in their %s", (_difference, first, second) => {
  const responses = new SharedResponses()
  responses.share(charge("a"), first)
  expect(responses.share(charge("a"), second)).toBe(second)
  // From now on, that one is the latest.
  expect(responses.share(charge("a"), second)).toBe(second)
})
