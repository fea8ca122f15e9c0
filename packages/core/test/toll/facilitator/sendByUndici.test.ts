import { execFile } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import { type AddressInfo } from "node:net"
import { promisify } from "node:util"
import { expect, it, onTestFinished } from "vitest"

const moduleAt = (path: string): string =>
  JSON.stringify(new URL(`../../../src/${path}`, import.meta.url).href)

/** Prepares the process as a host does, and then calls a facilitator for the first time; prints what it lists. */
const programOf = (prepare: string, url: string) => `
import { Effect, Layer } from "effect"
import { Facilitator } from ${moduleAt("toll/facilitator/Facilitator.ts")}
import { platformHttp } from ${moduleAt("till/platformHttp.ts")}

const place = Symbol.for("undici.globalDispatcher.1")
${prepare}
const set = globalThis[place]
const layer = Layer.provide(Facilitator.layerHttp({ url: ${JSON.stringify(url)} }), platformHttp)
const kinds = await Effect.runPromise(
  Effect.provide(Effect.flatMap(Facilitator, ({ supported }) => supported), layer)
)
process.stdout.write(kinds.length + " kinds" + (set === undefined || globalThis[place] === set ? "" : ", replaced"))
process.exit(0)
`

/** A facilitator, which is a proxy as well: it serves every request, whatever its host. Notes the hosts it is asked for. */
const facilitator = async () => {
  const hosts: Array<string | undefined> = []
  const kinds = [{ x402Version: 2, scheme: "exact", network: "eip155:84532" }]
  const server = createServer((request, response) => {
    hosts.push(request.headers.host)
    response.setHeader("content-type", "application/json").end(JSON.stringify({ kinds }))
  })
  // A tunnel ends here, too.
  server.on("connect", (_, socket) => {
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n")
    server.emit("connection", socket)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { hosts, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const run = async (prepare: string, url: string, env: Readonly<Record<string, string>> = {}) => {
  const node = [
    "--disable-warning=ExperimentalWarning",
    "--conditions=@till402/source",
    "--input-type=module"
  ]
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...node, "--eval", programOf(prepare, url)],
    { cwd: import.meta.dirname, env: { ...process.env, ...env } }
  )
  return stdout.split("\n").at(-1)
}

/** No name server knows it: only a proxy can reach it. */
const elsewhere = "http://facilitator.invalid"

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

it("calls by the proxy that a host has set with undici 8", async () => {
  const { hosts, url } = await facilitator()
  const prepare = `
    const { ProxyAgent, setGlobalDispatcher } = await import("undici")
    setGlobalDispatcher(new ProxyAgent(${JSON.stringify(url)}))`
  expect(await run(prepare, elsewhere)).toBe("1 kinds")
  expect(hosts).toEqual(["facilitator.invalid"])
})

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
const readsProxies = major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21)

it.runIf(readsProxies)("calls by the proxy of NODE_USE_ENV_PROXY", async () => {
  const { hosts, url } = await facilitator()
  const env = { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: url, http_proxy: url, NO_PROXY: "", no_proxy: "" }
  expect(await run("", elsewhere, env)).toBe("1 kinds")
  expect(hosts).toEqual(["facilitator.invalid"])
})
