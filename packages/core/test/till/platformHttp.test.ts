import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import { fakeFacilitator, fakeTracker } from "../../../testing/src/index.ts"
import { memory } from "../../src/stores/memory.ts"
import { Till } from "../../src/till/PlainTill.ts"
import { settings } from "./hosted.ts"

/*
 * What a till without Effect asks of nodes, by the platform's `fetch`. A framework may have replaced that by one with a
 * cache, as Next 14 does, from which a node's newest block would stay the same for ever.
 */

it("fetch is asked past its cache, which shows itself in a header", async () => {
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
  expect(new Set(asked)).toEqual(new Set(["no-cache"]))
})
