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

const queries = dashboard.panels.flatMap(({ targets }) =>
  targets.map(({ expr }) => expr.replaceAll("$__rate_interval", "5m"))
)

/** Writes a file of Prometheus, which is YAML, and thus may be JSON. */
const written = (content: unknown): string => {
  const folder = mkdtempSync(join(tmpdir(), "till402-rules-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, "file.yml")
  writeFileSync(file, JSON.stringify(content))
  return file
}

/** Checks queries as Prometheus reads rules. */
const check = (exprs: ReadonlyArray<string>) => {
  const rules = exprs.map((expr, index) => ({ record: `query_${index}`, expr }))
  return promtool("check", "rules", written({ groups: [{ name: "queries", rules }] }))
}

const rowsOfPage = readFileSync(join(import.meta.dirname, "../../../docs/metrics.md"), "utf8").matchAll(
  /^\| `(till402_\w+)` \| (\w+) \|([^|]*)\|/gmu
)
/** Values by which queries select a label's series; another for labels that none selects. */
const valuesOf = (label: string): ReadonlyArray<string> => {
  const selected = queries
    .flatMap((query) => [...query.matchAll(/(\w+)=~?"([^"]*)"/gu)])
    .flatMap(([, name, value]) => (name === label ? value!.split("|") : []))
  return ["any", ...new Set(selected)]
}
const labelSets = (labels: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
  labels.reduce<ReadonlyArray<ReadonlyArray<string>>>(
    (sets, label) => sets.flatMap((set) => valuesOf(label).map((value) => [...set, `${label}="${value}"`])),
    [[]]
  )

/** Every documented metric with each combination of its labels, growing for half an hour. */
const everySeries = [...rowsOfPage].flatMap(([, name, kind, labels]) =>
  labelSets(Array.from(labels!.matchAll(/`(\w+)`/gu), ([, label]) => label!)).flatMap((set) => {
    const seriesOf = (suffix: string, extra: ReadonlyArray<string> = []) => ({
      series: `${name}${suffix}{${[...set, ...extra, 'instance="a"'].join(",")}}`,
      values: "1+1x30"
    })
    return kind === "histogram"
      ? [
          seriesOf("_bucket", ['le="0.5"']),
          seriesOf("_bucket", ['le="+Inf"']),
          seriesOf("_sum"),
          seriesOf("_count")
        ]
      : [seriesOf("")]
  })
)

/** Runs queries over that half an hour; each must have a result. */
const run = (exprs: ReadonlyArray<string>) =>
  promtool(
    "test",
    "rules",
    written({
      rule_files: [],
      evaluation_interval: "1m",
      tests: [
        {
          interval: "1m",
          input_series: everySeries,
          promql_expr_test: exprs.map((expr) => ({
            expr: `clamp(count(${expr}), 1, 1)`,
            eval_time: "25m",
            exp_samples: [{ labels: "{}", value: 1 }]
          }))
        }
      ]
    })
  )

describe("promtool", () => {
  it("finds that each fault fires its alert, and nothing else does", ({ skip }) => {
    skip(reason !== undefined, reason)
    const { status, stderr } = promtool("test", "rules", join(import.meta.dirname, "till402.rules.test.yml"))
    expect([status, stderr]).toEqual([0, ""])
  })

  it("reads every query of the dashboard, and refuses a wrong one", ({ skip }) => {
    skip(reason !== undefined, reason)
    expect(queries.length).toBeGreaterThan(10)
    const { status, stderr } = check(queries)
    expect([status, stderr]).toEqual([0, ""])
    expect(check(["sum by ("]).status).not.toBe(0)
  })

  it("finds data for every query of the dashboard, and none for a metric or label that doesn't exist", ({
    skip
  }) => {
    skip(reason !== undefined, reason)
    const { status, stderr, stdout } = run(queries)
    expect([status, stderr], stdout).toEqual([0, ""])
    for (const wrong of ["till402_gone", 'till402_charges_total{outcome="gone"}'])
      expect(run([wrong]).status, wrong).not.toBe(0)
  })
})
