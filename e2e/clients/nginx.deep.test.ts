import { spawn, spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { exampleCalls, headOf, openTill, serve } from "./tillServer.ts"

/*
 * Debian's nginx with its defaults in front of a till. It buffers 4 KB of a response's head, and answers 502 to a longer
 * one: `proxy_buffer_size` is a page of memory.
 */

/** Its own configuration, with which Debian installs it. */
const debianFile = "/etc/nginx/nginx.conf"
/** Where Debian has it, also for users whose path lacks it. */
const env = { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin` }
const isInstalled = existsSync(debianFile) && spawnSync("nginx", ["-v"], { env }).status === 0

const freePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === "string") throw new Error("the server has no port")
  return address.port
}

interface Ports {
  readonly from: number
  readonly to: number
}

/** A server that passes all on to a port, with nginx's defaults. */
const plainServer = ({ from, to }: Ports): string =>
  `server { listen 127.0.0.1:${from}; location / { proxy_pass http://127.0.0.1:${to}; } }`

/** That of docs/go-live.md, without its certificate. */
const documentedServer = async ({ from, to }: Ports): Promise<string> => {
  const page = await readFile(new URL("../../docs/go-live.md", import.meta.url), "utf8")
  const server = /^```nginx\n(.*?)^```/ms.exec(page)?.[1] ?? ""
  return server
    .replace(/^ *ssl_.*$/gm, "")
    .replace("listen 443 ssl;", `listen 127.0.0.1:${from};`)
    .replace("127.0.0.1:3000", `127.0.0.1:${to}`)
}

/** Debian's file with the paths of this test's folder, and a server. */
const configurationOf = (debian: string, folder: string, server: string) => {
  return debian
    .replace(/^user .*$/m, "")
    .replace(/^include .*modules-enabled.*$/m, "")
    .replace(/^pid .*$/m, `pid ${folder}/nginx.pid;`)
    .replace(/error_log .*;/g, `error_log ${folder}/error.log;`)
    .replace(/access_log .*;/g, `access_log ${folder}/access.log;`)
    .replace(/include \/etc\/nginx\/conf\.d.*;/, "")
    .replace(/include \/etc\/nginx\/sites-enabled.*;/, server)
}

/** Starts an nginx in front of a port; it ends with the test. */
const startNginx = async (
  to: number,
  serverOf: (ports: Ports) => string | Promise<string> = plainServer
): Promise<{ readonly port: number; readonly errors: () => Promise<string> }> => {
  const folder = await mkdtemp(join(tmpdir(), "till402-nginx-"))
  const from = await freePort()
  const file = join(folder, "nginx.conf")
  await writeFile(
    file,
    configurationOf(await readFile(debianFile, "utf8"), folder, await serverOf({ from, to }))
  )
  const nginx = spawn("nginx", ["-c", file, "-p", folder, "-g", "daemon off;"], {
    env,
    stdio: "ignore"
  })
  const ended = new Promise<void>((resolve) => nginx.once("exit", () => resolve()))
  onTestFinished(async () => {
    nginx.kill("SIGTERM")
    await ended
    await rm(folder, { recursive: true, force: true })
  })
  await vi.waitFor(() => fetch(`http://127.0.0.1:${from}/`), { timeout: 60_000, interval: 50 })
  return { port: from, errors: () => readFile(join(folder, "error.log"), "utf8") }
}

const solana = { network: "solana", payTo: "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM" }

const reason = "nginx isn't installed here: apt-get install nginx-light"

describe("nginx with Debian's defaults", () => {
  beforeEach(({ skip }) => skip(!isInstalled, reason))

  it("passes on the 402 of every route, of two networks", async () => {
    const till = await openTill({ networks: ["base", solana] })
    onTestFinished(() => till.dispose())
    const { close, port } = await serve(till)
    onTestFinished(close)
    const nginx = await startNginx(port)
    for (const [id, call] of Object.entries(exampleCalls)) {
      const head = await headOf(nginx.port, call)
      expect(head, id).toMatch(/^HTTP\/1\.1 402 /)
      expect(head.toLowerCase(), id).toMatch(/\r\npayment-required: /)
    }
  })

  it("answers 502 to a head of more than 4 KB, and takes it with the settings of docs/go-live.md", async () => {
    const { close, port } = await serve({
      handle: async () => ({
        status: 402,
        headers: { "payment-required": "x".repeat(4_096) },
        body: "{}"
      })
    })
    onTestFinished(close)
    const nginx = await startNginx(port)
    expect(await headOf(nginx.port, exampleCalls["search"]!)).toMatch(/^HTTP\/1\.1 502 /)
    expect(await nginx.errors()).toContain("upstream sent too big header")
    const documented = await startNginx(port, documentedServer)
    expect(await headOf(documented.port, exampleCalls["search"]!)).toMatch(/^HTTP\/1\.1 402 /)
  })
})
