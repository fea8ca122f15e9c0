import { expect, it } from "vitest"
import { elsewhere, facilitator, run } from "./hostProcess.ts"

/*
 * The way of calls to a facilitator, in a process of its own. sendByUndici.deep.test.ts has other hosts.
 */

it("calls by the proxy that a host has set with undici 8", async () => {
  const { hosts, url } = await facilitator()
  const prepare = `
    const { ProxyAgent, setGlobalDispatcher } = await import("undici")
    setGlobalDispatcher(new ProxyAgent(${JSON.stringify(url)}))`
  expect(await run(prepare, elsewhere)).toBe("1 kinds")
  expect(hosts).toEqual(["facilitator.invalid"])
})
