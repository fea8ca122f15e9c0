import { expect, it } from "vitest"
import { sharedPostgres } from "../src/index.ts"
import { query } from "./clusterRuns.ts"

/*
 * The cluster of tests that a process shares. testPostgres.deep.test.ts starts others, and ends them.
 */

it("makes fresh databases that share nothing", async () => {
  const cluster = await sharedPostgres()
  const [one, two] = await Promise.all([cluster.createDatabase(), cluster.createDatabase()])
  expect(one).not.toBe(two)
  await query(one, "CREATE TABLE kept (id int)")
  expect(await query(one, "SELECT to_regclass('kept') IS NOT NULL AS there")).toEqual([{ there: true }])
  expect(await query(two, "SELECT to_regclass('kept') IS NOT NULL AS there")).toEqual([{ there: false }])
  expect(await query(two, "SELECT current_setting('server_encoding') AS encoding")).toEqual([
    { encoding: "UTF8" }
  ])
})

it("is started once for all files of a process", async () => {
  const [one, two] = await Promise.all([sharedPostgres(), sharedPostgres()])
  expect(one).toBe(two)
  expect(await query(await one.createDatabase(), "SELECT 1 AS one")).toEqual([{ one: 1 }])
})
