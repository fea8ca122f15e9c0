import { expect, it, onTestFinished, vi } from "vitest"
import { fakeTracker } from "../../../testing/src/index.ts"
import { memory } from "../../src/stores/memory.ts"
import { Till } from "../../src/till/PlainTill.ts"
import { settings } from "./hosted.ts"

/*
 * What a till without Effect asks of facilitators and nodes, by the platform's `fetch`. A framework may have replaced that by
 * one with a cache, as Next 14 does, from which a node's newest block would stay the same for ever.
 */

it("is asked past a cache of fetch", async () => {
  const asked = new Map<string, Array<RequestCache | undefined>>()
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const { host } = new URL(String(input))
    asked.set(host, [...(asked.get(host) ?? []), init?.cache])
    return new Response("{}")
  })
  onTestFinished(() => void vi.restoreAllMocks())
  const till = Till.make({
    ...settings,
    networks: [{ network: "base-sepolia", rpcUrl: "https://node.example" }],
    facilitator: { url: "https://facilitator.example" },
    storage: memory(),
    tracker: fakeTracker(),
    onEvent: () => undefined
  })
  await till.ready
  await till.check()
  await till.dispose()
  expect([...asked.keys()].toSorted()).toEqual(["facilitator.example", "node.example"])
  expect(new Set([...asked.values()].flat())).toEqual(new Set(["no-store"]))
})
