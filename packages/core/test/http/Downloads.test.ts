import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Downloads } from "../../src/http/Downloads.ts"

const large = new Uint8Array(20 * 2 ** 20)
const small = new Uint8Array(100)

/** What a payment gets of its file, as it is now. */
const requestsOf = () => {
  const downloads = new Downloads()
  return async (body: Uint8Array, isReplay = true): Promise<string> => {
    const request = { paymentKey: "a", isReplay, range: null, ifRange: null }
    const opened = { body, size: body.byteLength, digest: String(body.byteLength) }
    const content = await Effect.runPromise(downloads.reopen(request, Effect.succeed(opened)))
    return downloads.deliver({ status: 200, headers: {}, body: content.body }, content, request)._tag
  }
}

describe("a payment", () => {
  it("downloads its file twice", async () => {
    const request = requestsOf()
    expect([await request(large, false), await request(large), await request(large)]).toEqual([
      "Sent",
      "Sent",
      "Spent"
    ])
  })

  it("downloads the smaller file that has replaced its own, of which it may not have got all", async () => {
    const request = requestsOf()
    expect([await request(large, false), await request(small), await request(small)]).toEqual([
      "Sent",
      "Sent",
      "Sent"
    ])
    // No more than twice the larger one.
    expect([await request(large), await request(large)]).toEqual(["Spent", "Spent"])
  })
})
