import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, afterEach, beforeAll, expect } from "vitest"

/*
 * Runs the commands as a person or a program runs them, and reads what they print.
 */

/** The temporary folder of every command here, to find and remove what they leave behind. */
let temporary = ""

export const databaseFolders = () =>
  readdirSync(temporary).filter((name) => name.startsWith("till402-sandbox-"))

const children: Array<ChildProcess> = []

/** Registers the hooks of a file that runs commands. */
export const useCommands = (): void => {
  beforeAll(() => {
    temporary = mkdtempSync(join(tmpdir(), "commands-"))
  })
  afterEach(async () => {
    const left = children
      .splice(0)
      .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
    await Promise.all(left.map((child) => (child.kill("SIGKILL"), once(child, "exit"))))
  })
  afterAll(() => rmSync(temporary, { recursive: true, force: true }))
}

export const command = (name: "cli" | "demo", args: ReadonlyArray<string>) => {
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

export const isUp = (url: string) =>
  fetch(url).then(
    () => true,
    () => false
  )

interface Announced {
  readonly baseUrl: string
  readonly rpcUrl: string
  readonly facilitatorUrl: string
  readonly wallets: ReadonlyArray<{ readonly privateKey: `0x${string}` }>
  /** Absent where only the EVM network is offered. */
  readonly solana?: { readonly rpcUrl: string }
}

/** Maximum time for a test, and for a command to start: it starts two chains, which takes a while on a busy machine. */
export const commandMillis = 300_000
export const startMillis = 150_000

export const ready = async (run: ReturnType<typeof command>): Promise<Announced> => {
  await expect.poll(() => run.output.stdout, { timeout: startMillis }).toContain("\n")
  return JSON.parse(run.output.stdout) as Announced
}

export const solanaWallet = {
  address: expect.stringMatching(/^\w{32,44}$/),
  secretKey: expect.stringMatching(/^\w{86,88}$/),
  balanceAtomic: "1000000000"
}
export const solana = {
  network: "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1",
  rpcUrl: expect.stringMatching(/^http:/),
  asset: "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU",
  payTo: expect.stringMatching(/^\w{32,44}$/),
  wallets: [solanaWallet, solanaWallet]
}
export const wallet = {
  address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
  privateKey: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  balanceAtomic: "1000000000"
}

export const demo = async (args: ReadonlyArray<string>) => {
  const run = command("demo", args)
  expect(await run.closed, run.output.stderr).toBe(0)
  return run.output
}

/** A shortened transaction on an EVM chain, and on Solana. */
export const hash = "0x[0-9a-f]{6}…[0-9a-f]{6}"
export const signature = "[1-9A-HJ-NP-Za-km-z]{8}…[1-9A-HJ-NP-Za-km-z]{6}"

/** What the demo prints on the EVM chain, without what differs from run to run. */
export const unchanging = (stdout: string): string =>
  stdout
    .replaceAll(/0x\w{6}…\w{6}|[0-9a-f]{8}…[0-9a-f]{6}/g, "{name}")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{10,}…?/g, "{id}")
    .replaceAll(/\b(?:SO-|NLX)\w{12,}/g, "{number}")
    .replaceAll(/\d\d:\d\d:\d\d\.\d{3}|\d+\.\d s/g, "{time}")
    .replaceAll(/:\d{4,5}\b|\/tmp\S*\/|\d{7,8}/g, "{other}")
    .replaceAll(/ +/g, " ")

/** Checks what the demo printed about one network. */
export const expectTour = (stdout: string, transaction: string): void => {
  for (const line of stdout.split("\n"))
    if (!line.startsWith("The archive is at")) expect([...line].length, line).toBeLessThanOrEqual(80)
  // Price, call and transaction, and the lines of the result.
  const rows = [...stdout.matchAll(/^ +\d+\.\d+ {2}(?:GET|POST) .*\n(?: {10}.*\n)+/gm)].map(([row]) => row)
  expect(
    rows.map((row) => {
      const [, , method, path = ""] = row.split(/\s+|\?/)
      return `${method} ${path.replace(/[0-9a-f-]{20,}…?$/, "{id}")}`
    })
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
  const transactions = rows.map((row) => new RegExp(`  (${transaction})\\n`).exec(row)?.[1])
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
  const prices = rows.map((row) => atomic(/^ +(\S+)/.exec(row)?.[1]))
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

/** Starts the sandbox, ends it by a signal, and checks that nothing is left of it. */
export const expectStopAt = async (signal: NodeJS.Signals): Promise<void> => {
  const run = command("cli", ["--json", "--port=0"])
  await expectStop(run, await ready(run), signal)
}

/** Ends a sandbox by a signal, and checks that nothing is left of it. */
export const expectStop = async (
  run: ReturnType<typeof command>,
  { baseUrl, facilitatorUrl, rpcUrl, solana }: Announced,
  signal: NodeJS.Signals
): Promise<void> => {
  // A terminal's Ctrl-C can arrive more than once.
  run.child.kill(signal)
  run.child.kill(signal)
  expect(await run.closed).toBe(0)
  const urls = [baseUrl, facilitatorUrl, rpcUrl, ...(solana === undefined ? [] : [solana.rpcUrl])]
  expect((await Promise.all(urls.map(isUp))).filter((up) => up)).toEqual([])
  expect(databaseFolders()).toEqual([])
}
