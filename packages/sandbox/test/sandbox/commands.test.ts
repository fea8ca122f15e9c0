import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { createServer, type AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import { parseArguments } from "../../src/cli/Arguments.ts"

/*
 * Both commands, run as a person or a program runs them: from the outside.
 */

/** The temporary folder of every command here, so that what they leave behind is seen and removed. */
const temporary = mkdtempSync(join(tmpdir(), "commands-"))
afterAll(() => rmSync(temporary, { recursive: true, force: true }))

const databaseFolders = () => readdirSync(temporary).filter((name) => name.startsWith("till402-sandbox-"))

const children: Array<ChildProcess> = []
afterEach(async () => {
  const left = children
    .splice(0)
    .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
  await Promise.all(left.map((child) => (child.kill("SIGKILL"), once(child, "exit"))))
})

const command = (name: "cli" | "demo", args: ReadonlyArray<string>) => {
  const main = fileURLToPath(new URL(`../../src/${name}/main.ts`, import.meta.url))
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", "--conditions=@till402/source", main, ...args],
    { stdio: ["ignore", "pipe", "pipe", "ipc"], env: { ...process.env, TMPDIR: temporary } }
  )
  children.push(child)
  const output = { stdout: "", stderr: "" }
  child.stdout!.on("data", (chunk: Buffer) => (output.stdout += chunk.toString()))
  child.stderr!.on("data", (chunk: Buffer) => (output.stderr += chunk.toString()))
  const closed = once(child, "close").then(([code]) => code as number | null)
  return { child, output, closed }
}

const isUp = (url: string) =>
  fetch(url).then(
    () => true,
    () => false
  )

interface Announced {
  readonly baseUrl: string
  readonly rpcUrl: string
  readonly facilitatorUrl: string
}

const ready = async (run: ReturnType<typeof command>): Promise<Announced> => {
  await expect.poll(() => run.output.stdout, { timeout: 15_000 }).toContain("\n")
  return JSON.parse(run.output.stdout) as Announced
}

describe("the sandbox command", () => {
  it("prints exactly one line of JSON once it is ready", async () => {
    const run = command("cli", ["--json", "--port", "0", "--adapter", "express"])
    const announced = await ready(run)
    expect(run.output.stdout.split("\n")).toHaveLength(2)
    expect(announced).toEqual({
      baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      adapter: "express",
      chainId: 84532,
      network: "eip155:84532",
      rpcUrl: expect.stringMatching(/^http:/),
      asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
      payTo: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      facilitatorUrl: expect.stringMatching(/^http:/),
      wallets: [wallet, wallet]
    })
    expect((await fetch(`${announced.baseUrl}/x402/search?q=lamp`)).status).toBe(402)
    run.child.kill("SIGTERM")
    await run.closed
    expect(run.output.stderr).toContain("starting")
  })
  const wallet = {
    address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
    privateKey: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    balanceAtomic: "1000000000"
  }

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("stops all of it at %s", async (signal) => {
    const run = command("cli", ["--json", "--port=0"])
    const { baseUrl, facilitatorUrl, rpcUrl } = await ready(run)
    // A terminal's Ctrl-C can arrive more than once.
    run.child.kill(signal)
    run.child.kill(signal)
    expect(await run.closed).toBe(0)
    expect(await Promise.all([baseUrl, facilitatorUrl, rpcUrl].map(isUp))).toEqual([false, false, false])
    expect(databaseFolders()).toEqual([])
  })

  it("stops when the process that started it is gone", async () => {
    const run = command("cli", ["--json", "--port=0"])
    const { rpcUrl } = await ready(run)
    // Node emits no `close` for a child whose channel was closed from this side.
    const exited = once(run.child, "exit")
    run.child.disconnect()
    expect(await exited).toEqual([0, null])
    expect(await isUp(rpcUrl)).toBe(false)
  })

  it("shows a person where everything is and what to try", async () => {
    const run = command("cli", ["--port=0", "--adapter=koa"])
    await expect.poll(() => run.output.stdout, { timeout: 15_000 }).toContain("Ctrl-C")
    for (const words of ["koa", "curl", "private key 0x", "TILL-DELIVERED", "CARRIER_NOT_DETECTED"]) {
      expect(run.output.stdout).toContain(words)
    }
    // Piped output is plain.
    expect(run.output.stdout).not.toContain("\u001b")
    run.child.kill("SIGTERM")
    expect(await run.closed).toBe(0)
  })

  it("says that its port is in use", async () => {
    const other = createServer().listen(0, "127.0.0.1")
    await once(other, "listening")
    const { port } = other.address() as AddressInfo
    const run = command("cli", ["--json", "--port", String(port)])
    expect(await run.closed).toBe(1)
    expect(run.output.stdout).toBe("")
    expect(run.output.stderr.trim()).toBe(
      `Port ${port} is in use; choose another with --port, or 0 for a free one.`
    )
    other.close()
  })

  it("refuses wrong arguments with exit code 2, and explains itself with 0", async () => {
    const wrong = command("cli", ["--adapter", "fastify"])
    expect(await wrong.closed).toBe(2)
    expect(wrong.output.stdout).toBe("")
    expect(wrong.output.stderr).toContain("--adapter must be hono, express or koa: got fastify")
    const help = command("cli", ["--help"])
    expect(await help.closed).toBe(0)
    expect(help.output.stdout).toContain("--port N")
  })
})

describe("parseArguments", () => {
  it("has defaults", () => {
    expect(parseArguments([])).toEqual({ _tag: "Run", options: { port: 4021, adapter: "hono", json: false } })
  })

  it.each([
    [["--port", "65536"], /--port must be 0 to 65535: got 65536/],
    [["--port", "-1"], /--port/],
    [["--port", "80a"], /got 80a/],
    [["--port", ""], /--port must be/],
    [["--port"], /--port/],
    [["--adapter", "toString"], /got toString/],
    [["--jsno"], /--jsno/],
    [["extra"], /extra/]
  ])("refuses %j", (args, message) => {
    expect(parseArguments(args)).toEqual({ _tag: "Wrong", message: expect.stringMatching(message) })
  })
})

describe("the demo command", () => {
  it("pays all seven routes, and the balances add up", async () => {
    const run = command("demo", [])
    expect(await run.closed, run.output.stderr).toBe(0)
    const { stdout } = run.output
    expect(stdout).not.toContain("\u001b")
    const rows = stdout.split("\n").filter((line) => /^(GET|POST) /.test(line))
    expect(
      rows.map((row) =>
        row
          .split(/\s+|\?/)
          .slice(0, 2)
          .join(" ")
          .replace(/[0-9a-f-]{36}$/, "{id}")
      )
    ).toEqual([
      "GET /x402/search",
      "POST /x402/shop",
      "POST /x402/buy",
      "GET /x402/track",
      "GET /x402/vault/search",
      "POST /x402/vault/buy",
      "GET /x402/vault/download/{id}"
    ])
    const transactions = rows.map((row) => /0x[0-9a-f]{64}/.exec(row)?.[0])
    expect(new Set(transactions).size).toBe(7)
    expect(transactions).not.toContain(undefined)
    expect(stdout).toContain("The balances add up to the atomic unit.")
    expect(stdout).not.toMatch(/downloadToken/)
    const archive = /The archive is at (.*):/.exec(stdout)?.[1]
    expect(existsSync(archive ?? "")).toBe(true)
  })

  it("stops all of it when it is interrupted", async () => {
    const run = command("demo", [])
    await expect.poll(() => run.output.stderr, { timeout: 15_000 }).toContain("starting")
    run.child.kill("SIGTERM")
    expect(await run.closed).toBe(143)
    expect(databaseFolders()).toEqual([])
  })
})
