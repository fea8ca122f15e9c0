import { spawn } from "node:child_process"
import { existsSync, globSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { read, samplesOf } from "../docs/documents.ts"
import { packAll } from "./src/Packing.ts"
import { send, sendPaid } from "./src/Payer.ts"
import { plainEnvironment, run, toolTimeoutMillis } from "./src/Tool.ts"

/*
 * The servers of docs/frameworks.md that have no adapter, word for word, on the packed packages: Bun, Deno and Next. npm
 * installs these three in a folder of their own: they have 500 MB.
 */

const runtimes = [
  "bun@^1.4.0",
  "deno@^2.9.0",
  "next@^16.4.0",
  "react@^19.0.0",
  "react-dom@^19.0.0",
  // Next checks types, and would install these itself.
  "typescript@^5.9.0",
  "@types/node@^24.0.0",
  "@types/react@^19.0.0"
]

const secret = "a text that nobody can guess, of 32 characters or more"

let folder: string
let app: string

const guide = read("docs/frameworks.md")
/** The samples below a heading of the guide; the first under its title makes the till. */
const samplesBelow = (heading: string): ReadonlyArray<string> => {
  const lines = guide.text.split("\n")
  const start = lines.indexOf(heading) + 1
  const length = lines.slice(start).findIndex((line) => line.startsWith("## "))
  const end = length < 0 ? lines.length : start + length
  return samplesOf(guide).flatMap(({ code, line }) => (line > start && line <= end ? [code] : []))
}

const write = (file: string, text: string): void => {
  mkdirSync(dirname(join(app, file)), { recursive: true })
  writeFileSync(join(app, file), text)
}

const writeNextApp = (): void => {
  const [contract, own] = samplesBelow("## Next")
  const depthOf = (file: string) => "../".repeat(file.split("/").length - 1)
  const route = (file: string, text: string) => write(file, text.replace("./till.ts", `${depthOf(file)}till`))
  write("till.ts", samplesBelow("# In your framework")[0]!)
  const documents = contract!.replace(/^export .*$/m, "export { handle as GET }")
  route("app/x402/[...path]/route.ts", contract!)
  route("app/x402-status/[...path]/route.ts", contract!)
  route("app/openapi.json/route.ts", documents)
  route("app/.well-known/x402/route.ts", documents)
  route("app/tides/route.ts", own!)
  write("app/layout.tsx", "export default ({ children }) => <html><body>{children}</body></html>\n")
  write("app/page.tsx", "export default () => <p>my own route</p>\n")
  write("next.config.mjs", samplesBelow("## Next")[2]!)
}

beforeAll(async () => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "till402-packed-"))
  app = join(folder, "app")
  mkdirSync(app)
  await packAll(folder, (name) => join(folder, "packages", name))
  write("package.json", JSON.stringify({ name: "web-servers", private: true, type: "module" }))
  const tarballs = globSync("*-{core,testing}-*.tgz", { cwd: join(folder, "tarballs") })
  const packages = tarballs.map((name) => join(folder, "tarballs", name))
  await run("npm", ["install", "--no-audit", "--no-fund", ...packages, ...runtimes], app)
  write("server.ts", samplesBelow("## Bun and Deno")[0]!)
}, 4 * toolTimeoutMillis)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const freePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Runs a server until `use` has ended. */
const withServer = async (
  argsFor: (port: number) => ReadonlyArray<string>,
  use: (port: number) => Promise<void>
): Promise<void> => {
  const port = await freePort()
  const [command, ...args] = argsFor(port)
  const child = spawn(command!, args, {
    cwd: app,
    env: {
      ...plainEnvironment(),
      PORT: String(port),
      TILL_SECRET: secret,
      NEXT_TELEMETRY_DISABLED: "1"
    },
    stdio: ["ignore", "pipe", "pipe"],
    // npm's commands run the server as a process of their own: the whole group is ended.
    detached: true
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)))
  const ended = new Promise((resolve) => child.once("exit", resolve))
  try {
    const isUp = () =>
      send(port, { path: "/" }).then(
        ({ ok }) => ok || output,
        () => output
      )
    await expect.poll(isUp, { timeout: 120_000, interval: 200 }).toBe(true)
    await use(port)
  } finally {
    process.kill(-child.pid!, "SIGKILL")
    await ended
  }
}

const paysItsCalls = async (port: number): Promise<void> => {
  expect(await (await send(port, { path: "/" })).text()).toContain("my own route")
  for (const [path, text] of [
    ["/x402/track?number=AB123456", '"number":"AB123456"'],
    ["/tides", '{"high":"12:40"}']
  ] as const) {
    const { paid, payment, unpaid } = await sendPaid(port, { path })
    const body = await paid.text()
    expect([unpaid.status, paid.status, body]).toEqual([402, 200, expect.stringContaining(text)])
    expect(paid.headers.get("payment-response")).not.toBeNull()
    expect(await (await send(port, { path }, payment)).text()).toBe(body)
  }
  const listing = (await (await send(port, { path: "/.well-known/x402" })).json()) as object
  expect(listing).toMatchObject({ resources: expect.arrayContaining(["GET /tides"]) })
}

/** Next's build waits for other processes and files: on a busy machine, for minutes. */
const buildNext = async (): Promise<void> => {
  const child = spawn(process.execPath, [binary("next"), "build"], {
    cwd: app,
    env: { ...plainEnvironment(), TILL_SECRET: secret, NEXT_TELEMETRY_DISABLED: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 3 * toolTimeoutMillis
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)))
  const code = await new Promise((resolve) => {
    child.once("close", resolve)
  })
  expect(code, output).toBe(0)
}

const binary = (name: string): string => {
  const path = join(app, "node_modules", ".bin", name)
  if (!existsSync(path)) throw new Error(`npm has not installed ${name}`)
  return path
}

describe("docs/frameworks.md", { timeout: 5 * toolTimeoutMillis }, () => {
  it("is right about Bun", () => withServer(() => [binary("bun"), "server.ts"], paysItsCalls))

  it("is right about Deno", () =>
    withServer(
      (port) => [
        binary("deno"),
        "serve",
        "--allow-all",
        "--node-modules-dir=manual",
        `--port=${port}`,
        "server.ts"
      ],
      paysItsCalls
    ))

  it("is right about Next", async () => {
    writeNextApp()
    await buildNext()
    await withServer((port) => [process.execPath, binary("next"), "start", `--port=${port}`], paysItsCalls)
  })
})
