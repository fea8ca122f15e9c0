import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { connect } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Postgres, startPostgres } from "../src/index.ts"
import { query, runScript } from "./clusterRuns.ts"

/*
 * Clusters of tests, and the ends of processes that start them.
 */

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

it("starts clusters side by side, each on its own port", async () => {
  expect(new URL(first.url).port).not.toBe(new URL(second.url).port)
  const [row] = await query(first.url, "SELECT current_setting('server_version_num')::int AS version")
  expect(row?.version).toBeGreaterThanOrEqual(180_000)
})

it("waits for the disk if requested", async () => {
  expect(await query(first.url, "SHOW fsync")).toEqual([{ fsync: "off" }])
  expect(await query(second.url, "SHOW fsync")).toEqual([{ fsync: "on" }])
  expect(await query(second.url, "SHOW synchronous_commit")).toEqual([{ synchronous_commit: "on" }])
})

it("stops with a process that is killed", async () => {
  const ended = await runScript(
    'const p = await sharedPostgres(); console.log(p.url); process.kill(process.pid, "SIGKILL")'
  )
  expect(ended.code).toBe(null)
  expect(ended.printed).toMatch(/^postgres:\S+$/)
  await expect(query(ended.printed, "SELECT 1")).rejects.toThrow(/ECONNREFUSED/)
})

it("stops with connections open, removes its folder, and may be stopped twice", async () => {
  const [row] = await query(first.url, "SELECT current_setting('data_directory') AS folder")
  const folder = String(row?.folder)
  expect(existsSync(folder)).toBe(true)
  const open = connect(Number(new URL(first.url).port), "127.0.0.1")
  await new Promise((resolve) => open.once("connect", resolve))
  await Promise.all([first.stop(), first.stop()])
  open.destroy()
  expect(existsSync(folder)).toBe(false)
  await expect(query(first.url, "SELECT 1")).rejects.toThrow(/ECONNREFUSED/)
})

it("can be stopped after it ended by itself, e.g. by Ctrl-C in its terminal", async () => {
  const [row] = await query(second.url, "SELECT current_setting('data_directory') AS folder")
  const folder = String(row?.folder)
  const pidFile = join(folder, "postmaster.pid")
  process.kill(Number.parseInt(await readFile(pidFile, "utf8"), 10), "SIGINT")
  await expect.poll(() => existsSync(pidFile)).toBe(false)
  await second.stop()
  expect(existsSync(folder)).toBe(false)
})

it("preserves a script's exit code", async () => {
  const ended = await runScript("const p = await startPostgres(); await p.stop(); process.exitCode = 3")
  expect(ended).toEqual({ code: 3, printed: "" })
})

it("stops with a process that forgets to stop it", async () => {
  const ended = await runScript("const p = await sharedPostgres(); console.log(p.url); process.exit(4)")
  expect(ended.code).toBe(4)
  expect(ended.printed).toMatch(/^postgres:\S+$/)
  await expect(query(ended.printed, "SELECT 1")).rejects.toThrow(/ECONNREFUSED/)
})

it("leaves nothing of a process that is killed while it starts", async () => {
  const ended = await runScript(
    'setTimeout(() => process.kill(process.pid, "SIGKILL"), 400); await startPostgres(); await new Promise(() => {})'
  )
  expect(ended).toEqual({ code: null, printed: "" })
})
