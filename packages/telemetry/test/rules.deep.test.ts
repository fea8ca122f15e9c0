import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"

/*
 * The alert rules and the dashboard's queries, by Prometheus's own tool. It comes with Prometheus (Debian: the package
 * `prometheus`); where it isn't on the PATH, these tests are skipped, and `names.test.ts` remains.
 */

const promtool = (...parameters: ReadonlyArray<string>) =>
  spawnSync("promtool", parameters, { encoding: "utf8", timeout: 60_000 })
const reason = promtool("--version").error === undefined ? undefined : "promtool is not on the PATH"

const dashboard: {
  readonly panels: ReadonlyArray<{ readonly targets: ReadonlyArray<{ readonly expr: string }> }>
} = JSON.parse(readFileSync(join(import.meta.dirname, "../grafana/till402.json"), "utf8"))

/** Checks queries as Prometheus reads rules. */
const check = (queries: ReadonlyArray<string>) => {
  const folder = mkdtempSync(join(tmpdir(), "till402-rules-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, "rules.yml")
  const rules = queries.map((expr, index) => ({ record: `query_${index}`, expr }))
  // YAML contains JSON.
  writeFileSync(file, JSON.stringify({ groups: [{ name: "queries", rules }] }))
  return promtool("check", "rules", file)
}

describe("promtool", () => {
  it("finds that each fault fires its alert, and nothing else does", ({ skip }) => {
    skip(reason !== undefined, reason)
    const { status, stderr } = promtool("test", "rules", join(import.meta.dirname, "till402.rules.test.yml"))
    expect([status, stderr]).toEqual([0, ""])
  })

  it("reads every query of the dashboard, and refuses a wrong one", ({ skip }) => {
    skip(reason !== undefined, reason)
    const queries = dashboard.panels.flatMap(({ targets }) =>
      targets.map(({ expr }) => expr.replaceAll("$__rate_interval", "5m"))
    )
    expect(queries.length).toBeGreaterThan(10)
    const { status, stderr } = check(queries)
    expect([status, stderr]).toEqual([0, ""])
    expect(check(["sum by ("]).status).not.toBe(0)
  })
})
