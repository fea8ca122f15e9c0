import { execFile } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import { type AddressInfo } from "node:net"
import { promisify } from "node:util"
import { onTestFinished } from "vitest"

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

/** Starts a facilitator that is also a proxy: it serves requests to any host, and notes these hosts. */
export const facilitator = async () => {
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

export const run = async (prepare: string, url: string, env: Readonly<Record<string, string>> = {}) => {
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
export const elsewhere = "http://facilitator.invalid"
