import { expect, it } from "vitest"
import { elsewhere, facilitator, run } from "./hostProcess.ts"

it("calls by undici's dispatcher where fetch has none of its own, and leaves that of fetch as it is", async () => {
  const { hosts, url } = await facilitator()
  const prepare = `
    class Agent { dispatch() { throw new Error("no call by fetch was expected") } }
    globalThis[place] = new Agent()`
  expect(await run(prepare, url)).toBe("1 kinds")
  expect(hosts).toHaveLength(1)
})

it("calls by the dispatcher that a host has set for fetch with an older undici", async () => {
  const { url } = await facilitator()
  const prepare = `
    const none = globalThis[place]
    await fetch("data:,")
    const agent = globalThis[place]
    class ProxyAgent {
      dispatch(options, handler) { return agent.dispatch({ ...options, origin: ${JSON.stringify(url)} }, handler) }
    }
    globalThis[place] = new ProxyAgent()`
  expect(await run(prepare, elsewhere)).toBe("1 kinds")
})

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
const readsProxies = major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21)

it.runIf(readsProxies)("calls by the proxy of NODE_USE_ENV_PROXY", async () => {
  const { hosts, url } = await facilitator()
  const env = { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: url, http_proxy: url, NO_PROXY: "", no_proxy: "" }
  expect(await run("", elsewhere, env)).toBe("1 kinds")
  expect(hosts).toEqual(["facilitator.invalid"])
})
