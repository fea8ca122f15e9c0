import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { connect } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Postgres, sharedPostgres, startPostgres } from "../src/index.ts"
import { query, runScript } from "./clusterRuns.ts"

/*
 * Clusters of tests. testPostgres.deep.test.ts ends the processes that start them in other ways.
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

it("is started once for all files of a process", async () => {
  const [one, two] = await Promise.all([sharedPostgres(), sharedPostgres()])
  expect(one).toBe(two)
  expect(await query(await one.createDatabase(), "SELECT 1 AS one")).toEqual([{ one: 1 }])
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
