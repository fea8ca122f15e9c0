import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { createServer, type AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, afterEach, describe, expect, it, vi } from "vitest"
import { payingFetch, sellsOutAsin } from "@till402/sandbox"
import { parseArguments } from "../../src/cli/Arguments.ts"

/*
 * Both commands, run as a person or a program runs them.
 */

/** The temporary folder of every command here, to find and remove what they leave behind. */
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
  readonly wallets: ReadonlyArray<{ readonly privateKey: `0x${string}` }>
  readonly solana: { readonly rpcUrl: string }
}

// A command starts two chains, which takes a while on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const ready = async (run: ReturnType<typeof command>): Promise<Announced> => {
  await expect.poll(() => run.output.stdout, { timeout: 40_000 }).toContain("\n")
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
      wallets: [wallet, wallet],
      solana
    })
    expect((await fetch(`${announced.baseUrl}/x402/search?q=lamp`)).status).toBe(402)
    run.child.kill("SIGTERM")
    await run.closed
    expect(run.output.stderr).toContain("starting")
  })

  it("offers one network if it is told to", async () => {
    const runs = ["solana", "base-sepolia"].map((network) =>
      command("cli", ["--json", "--port=0", "--network", network])
    )
    const [onSolana, onEvm] = await Promise.all(runs.map(ready))
    expect(onSolana).toEqual({
      baseUrl: expect.stringMatching(/^http:/),
      adapter: "hono",
      facilitatorUrl: expect.stringMatching(/^http:/),
      solana
    })
    expect(Object.keys(onEvm!)).not.toContain("solana")
    expect(onEvm).toMatchObject({ network: "eip155:84532", wallets: [wallet, wallet] })
    for (const { child } of runs) child.kill("SIGTERM")
    await Promise.all(runs.map(({ closed }) => closed))
  })

  const solanaWallet = {
    address: expect.stringMatching(/^\w{32,44}$/),
    secretKey: expect.stringMatching(/^\w{86,88}$/),
    balanceAtomic: "1000000000"
  }
  const solana = {
    network: "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1",
    rpcUrl: expect.stringMatching(/^http:/),
    asset: "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU",
    payTo: expect.stringMatching(/^\w{32,44}$/),
    wallets: [solanaWallet, solanaWallet]
  }
  const wallet = {
    address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
    privateKey: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    balanceAtomic: "1000000000"
  }

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("stops everything at %s", async (signal) => {
    const run = command("cli", ["--json", "--port=0"])
    const { baseUrl, facilitatorUrl, rpcUrl, solana } = await ready(run)
    // A terminal's Ctrl-C can arrive more than once.
    run.child.kill(signal)
    run.child.kill(signal)
    expect(await run.closed).toBe(0)
    const urls = [baseUrl, facilitatorUrl, rpcUrl, solana.rpcUrl]
    expect((await Promise.all(urls.map(isUp))).filter((up) => up)).toEqual([])
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

  it("shows addresses and commands to try", async () => {
    const run = command("cli", ["--port=0", "--adapter=koa"])
    await expect.poll(() => run.output.stdout, { timeout: 40_000 }).toContain("Ctrl-C")
    for (const words of [
      "koa",
      "curl",
      "private key 0x",
      "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1",
      "secret key ",
      "TILL-DELIVERED",
      "CARRIER_NOT_DETECTED",
      sellsOutAsin
    ]) {
      expect(run.output.stdout).toContain(words)
    }
    // Piped output has no colors.
    expect(run.output.stdout).not.toContain("\u001b")
    run.child.kill("SIGTERM")
    expect(await run.closed).toBe(0)
  })

  it("prints each step of an order on standard error, one line each", async () => {
    const run = command("cli", ["--json", "--port=0"])
    const { baseUrl, wallets } = await ready(run)
    const response = await payingFetch(wallets[0]!.privateKey)(`${baseUrl}/x402/buy`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        asin: sellsOutAsin,
        email: "ada@example.com",
        shippingAddress: {
          name: "Ada Lovelace",
          line1: "12 Analytical Way",
          city: "San Francisco",
          state: "CA",
          postalCode: "94105",
          country: "US"
        }
      })
    })
    expect(response.status).toBe(200)
    const { orderId } = (await response.json()) as { readonly orderId: string }
    const steps = () => run.output.stderr.split("\n").filter((line) => line.startsWith("order "))
    await expect
      .poll(steps, { timeout: 40_000 })
      .toEqual([
        `order ${orderId}  awaiting_payment → processing`,
        `order ${orderId}  processing → placing`,
        `order ${orderId}  placing → failed  out_of_stock`,
        `order ${orderId}  failed → refund_due  out_of_stock`,
        `order ${orderId}  refund_due → refunded  out_of_stock`
      ])
    expect(run.output.stdout.split("\n")).toHaveLength(2)
    expect(run.output.stderr).not.toMatch(/Ada|Analytical|ada@/)
    run.child.kill("SIGTERM")
    expect(await run.closed).toBe(0)
  })

  it("reports that its port is in use", async () => {
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
    expect(parseArguments([])).toEqual({
      _tag: "Run",
      options: { port: 4021, adapter: "hono", network: "both", json: false }
    })
  })

  it.each([
    [["--port", "65536"], /--port must be 0 to 65535: got 65536/],
    [["--port", "-1"], /--port/],
    [["--port", "80a"], /got 80a/],
    [["--port", ""], /--port must be/],
    [["--port"], /--port/],
    [["--adapter", "toString"], /got toString/],
    [["--network", "polygon"], /--network must be both, base-sepolia or solana: got polygon/],
    [["--jsno"], /--jsno/],
    [["extra"], /extra/]
  ])("refuses %j", (args, message) => {
    expect(parseArguments(args)).toEqual({ _tag: "Wrong", message: expect.stringMatching(message) })
  })
})

const demo = async (args: ReadonlyArray<string>) => {
  const run = command("demo", args)
  expect(await run.closed, run.output.stderr).toBe(0)
  return run.output
}

/** A transaction's name on an EVM chain, and on Solana. */
const hash = "0x[0-9a-f]{64}"
const signature = "[1-9A-HJ-NP-Za-km-z]{86,88}"

describe("the demo command", () => {
  it("pays all seven routes on each network, follows two orders, and the balances add up", async () => {
    const { stderr, stdout } = await demo([])
    expect(stdout).not.toContain("\u001b")
    const [onEvm, onSolana, ...others] = stdout.split(/^(?=Till402 at )/m)
    expect(others).toEqual([])
    expectTour(onEvm ?? "", hash)
    expectTour(onSolana ?? "", signature)
    // Expected events aren't printed as warnings.
    expect(stderr).not.toContain("warning")
  })

  it("pays on one network if it is told to", async () => {
    const { stdout } = await demo(["--network", "solana"])
    expect(stdout).not.toMatch(/0x[0-9a-f]{64}/)
    expectTour(stdout, signature)
  })

  it("refuses another network with exit code 2", async () => {
    const run = command("demo", ["--network", "polygon"])
    expect(await run.closed).toBe(2)
    expect(run.output.stderr).toContain("--network must be both, base-sepolia or solana: got polygon")
  })

  /** Checks what the demo printed about one network. */
  const expectTour = (stdout: string, transaction: string): void => {
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
      "GET /x402/vault/download/{id}",
      // The folder that is published.
      "POST /x402/vault/buy",
      "GET /x402/vault/download/{id}",
      // The parcel of the order, and the order that is refunded.
      "GET /x402/track",
      "POST /x402/buy"
    ])
    const transactions = rows.map((row) => new RegExp(`  (${transaction})  `).exec(row)?.[1])
    expect(new Set(transactions).size).toBe(11)
    expect(transactions).not.toContain(undefined)
    expect(stdout).not.toMatch(/downloadToken/)
    const archive = /The archive is at (.*):/.exec(stdout)?.[1]
    expect(existsSync(archive ?? "")).toBe(true)
    const [, received = 0, size = 0] = /interrupted after (\d+) of (\d+) bytes/.exec(stdout) ?? []
    expect(Number(received)).toBeGreaterThan(Number(size) / 2)
    expect(stdout).toContain(`resumed under the same payment: ${Number(size) - Number(received)} bytes more`)
    expect(Number(received)).toBeLessThan(Number(size))
    expect(stdout).toContain("every file is the published one, byte for byte")

    const steps = [...stdout.matchAll(/^ {2}\d\d:\d\d:\d\d\.\d{3} {2}(\w+)/gm)].map(([, status]) => status)
    expect(steps.join(" ")).toBe("processing placed shipped delivered processing failed refund_due refunded")
    const trackingNumber = /shipped +Northline Express (NLX\w+)/.exec(stdout)?.[1]
    expect(rows[9]).toContain(`number=${trackingNumber} `)
    expect(rows[9]).toContain("Delivered")
    expectBalances(stdout, rows, transaction)
  }

  /** Adds up the printed amounts. */
  const expectBalances = (stdout: string, rows: ReadonlyArray<string>, transaction: string): void => {
    const atomic = (text: string | undefined): bigint => {
      const [, whole, fraction = ""] = /^(\d+)\.(\d{2,6})$/.exec(text ?? "") ?? []
      if (whole === undefined) throw new Error(`not an amount: ${text}`)
      return BigInt(whole + fraction.padEnd(6, "0"))
    }
    const priced = new RegExp(` (\\d+\\.\\d+) {2}${transaction}`)
    const prices = rows.map((row) => atomic(priced.exec(row)?.[1]))
    const sum = prices.reduce((total, price) => total + price, 0n)
    const refund = new RegExp(`^ {2}refund (\\S+) USDC {2}(${transaction})$`, "m")
    const [, refunded, name] = refund.exec(stdout) ?? []
    expect(atomic(refunded)).toBe(prices.at(-1))
    expect(rows.join("\n")).not.toContain(name)
    const lines = [...stdout.matchAll(/^ *(payer|payee) .*$/gm)].map(([line]) =>
      [...line.matchAll(/(?<![-+.\w])\d+\.\d+/g)].map(([amount]) => atomic(amount))
    )
    const [payer, payee, payerInAll, payeeInAll] = lines
    const price = prices.at(-1)!
    expect(payer).toEqual([payer![0], payer![0]! - price, payer![0]])
    expect(payee).toEqual([payee![0], payee![0]! + price, payee![0]])
    expect(payerInAll).toEqual([1_000_000_000n, 1_000_000_000n - sum + price])
    expect(payeeInAll).toEqual([0n, sum - price])
    expect(stdout).toContain("The balances add up to the atomic unit.")
  }

  it("stops everything when it is interrupted", async () => {
    const run = command("demo", [])
    await expect.poll(() => run.output.stderr, { timeout: 40_000 }).toContain("starting")
    run.child.kill("SIGTERM")
    expect(await run.closed).toBe(143)
    expect(databaseFolders()).toEqual([])
  })
})
