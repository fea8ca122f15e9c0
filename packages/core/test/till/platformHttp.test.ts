import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it, onTestFinished, vi } from "vitest"
import { fakeFacilitator, fakeTracker } from "../../../testing/src/index.ts"
import { memory } from "../../src/stores/memory.ts"
import { Till } from "../../src/till/PlainTill.ts"
import { settings } from "./hosted.ts"

/*
 * What a till without Effect asks of nodes, by the platform's `fetch`. A framework may have replaced that by one with a
 * cache, as Next 14 does, from which a node's newest block would stay the same for ever.
 */

/** What the requests for a node's newest block say of caches. */
const askedOf = async () => {
  const asked: Array<string | undefined> = []
  const node = createServer((request, response) => {
    asked.push(request.headers["cache-control"])
    response.setHeader("content-type", "application/json").end("{}")
  }).listen(0)
  onTestFinished(() => void node.close())
  await once(node, "listening")
  const rpcUrl = `http://127.0.0.1:${(node.address() as AddressInfo).port}`
  const till = Till.make({
    ...settings,
    networks: [{ network: "base-sepolia", rpcUrl }],
    facilitator: fakeFacilitator(),
    storage: memory(),
    tracker: fakeTracker(),
    onEvent: () => undefined
  })
  onTestFinished(till.dispose)
  await till.ready
  await expect.poll(() => asked.length).toBeGreaterThan(0)
  return new Set(asked)
}

it("fetch is asked past its cache, which shows itself in a header", async () => {
  expect(await askedOf()).toEqual(new Set(["no-cache"]))
})

it("fetch is asked without the option where the platform refuses it, as older Workers of Cloudflare do", async () => {
  class OldRequest extends Request {
    constructor(input: string | URL | Request, init: RequestInit = {}) {
      if (init.cache !== undefined) throw new Error("The 'cache' field is not implemented")
      super(input, init)
    }
  }
  vi.stubGlobal("Request", OldRequest)
  onTestFinished(() => void vi.unstubAllGlobals())
  expect(await askedOf()).toEqual(new Set([undefined]))
})
