import { globSync, readFileSync } from "node:fs"
import type { LedgerCheck } from "@till402/core"
import { Context, Metric } from "effect"
import { describe, expect, it } from "vitest"
import { tillMetrics } from "../src/index.ts"

const root = new URL("../../../", import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), "utf8")
const page = read("docs/metrics.md")
const rowsOf = (pattern: RegExp) => [...page.matchAll(pattern)].map(([, ...cells]) => cells as Array<string>)
const namesIn = (text: string) => Array.from(text.matchAll(/`(\w+)`/gu), ([, name]) => name!)

/** Kind and labels of each documented metric. */
const documented = new Map(
  rowsOf(/^\| `(till402_\w+)` \| (\w+) \|([^|]*)\|/gmu).map(([name, kind, labels]) => [
    name!,
    { kind: kind!, labels: namesIn(labels!) }
  ])
)
const alerts = rowsOf(/^\| `(Till402\w+)` \| `([^|]+)` \|/gmu)
const rules = Array.from(
  read("packages/telemetry/prometheus/till402.rules.yml").matchAll(
    /- alert: (\w+)\s+expr: (?:>-\s+)?([\s\S]+?)\n +(?:for|annotations):/gu
  ),
  ([, alert, expression]) => [alert!, expression!.replaceAll(/\s+/gu, " ")]
)
const dashboard: {
  readonly panels: ReadonlyArray<{ readonly targets: ReadonlyArray<{ readonly expr: string }> }>
} = JSON.parse(read("packages/telemetry/grafana/till402.json"))
const queries = [
  ...rules.map(([, expression]) => expression!),
  ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
]

/** Faults of a query: metrics that don't exist, and labels that none of its metrics has. */
const faultsOf = (query: string): ReadonlyArray<string> => {
  const names = (query.match(/till402_\w+/gu) ?? []).map((name) => {
    const base = name.replace(/_(?:bucket|sum|count)$/u, "")
    return documented.get(base)?.kind === "histogram" ? base : name
  })
  const labels = [
    ...Array.from(query.matchAll(/by \(([\w, ]+)\)/gu), ([, found]) => found!.split(", ")).flat(),
    ...Array.from(query.matchAll(/(\w+)(?:=~|!~|!=|=)"/gu), ([, found]) => found!)
  ]
  const known = ["instance", "le", ...names.flatMap((name) => documented.get(name)?.labels ?? [])]
  return [
    ...(names.length === 0 ? ["no metric"] : []),
    ...names.filter((name) => !documented.has(name)),
    ...labels.filter((label) => !known.includes(label))
  ]
}

describe("docs/metrics.md", () => {
  it("lists every metric of the packages, with its kind, and no other", () => {
    const defined = globSync("packages/*/src/**/*.ts", { cwd: root }).flatMap((path) =>
      Array.from(
        read(path).matchAll(/Metric\.(\w+)\("(till402_\w+)"/gu),
        ([, kind, name]) => [name, kind] as const
      )
    )
    expect(defined.length).toBeGreaterThan(20)
    expect(Object.fromEntries([...documented].map(([name, { kind }]) => [name, kind]))).toEqual(
      Object.fromEntries(defined)
    )
  })

  it("lists the labels that a till's metrics have", async () => {
    const context = Context.make(Metric.MetricRegistry, new Map())
    const { countEvents, onPayment, text, watch } = tillMetrics({ context })
    countEvents(() => {})({ level: "error", code: "storage_failed", message: "" })
    const about = { at: new Date(0), operation: "search", network: "eip155:8453", amountAtomic: 1n }
    for (const code of ["payment_required", "payment_settled", "payment_refunded"] as const)
      onPayment({ code, ...about })
    onPayment({ code: "payment_paid", durationMillis: 1, ...about })
    watch({
      orders: { list: async () => [] },
      charges: { list: async () => [] },
      ledger: { check: async () => ({ faults: [] }) as unknown as LedgerCheck },
      health: async () => ({
        status: "pass",
        live: true,
        ready: true,
        at: new Date(0),
        lossBudgetUsed: 0.5,
        checks: [
          {
            name: "refund wallet",
            status: "pass",
            balance: { network: "eip155:8453", asset: "0x", amountAtomic: "1" }
          }
        ],
        work: {
          oldestSettlementMillis: 0,
          oldestOrderMillis: 0,
          oldestPurchaseMillis: 0,
          oldestRefundMillis: 0,
          refundsDue: 0,
          areRefundsStopped: false
        }
      })
    })
    const shown = [...(await text()).matchAll(/^(till402_\w+?)(?:_sum)?(?:\{(.*)\})? [\d.]+$/gmu)]
    const own = shown.filter(([, name, labels = ""]) => documented.has(name!) && !labels.includes('le="'))
    expect(own.length).toBeGreaterThan(10)
    for (const [, name, labels = ""] of own)
      expect([name, Array.from(labels.matchAll(/(\w+)="/gu), ([, label]) => label)]).toEqual([
        name,
        documented.get(name!)?.labels
      ])
  })

  it("lists each alert with its query", () => {
    expect(rules.length).toBeGreaterThan(5)
    expect(alerts).toEqual(rules)
  })
})

describe("the queries of alert rules and dashboard", () => {
  it.each(queries)("%s: reads metrics and labels that exist", (query) => {
    expect(faultsOf(query)).toEqual([])
  })

  it("are told from those of metrics or labels that don't exist", () => {
    expect(faultsOf("max(till402_gone)")).toEqual(["till402_gone"])
    expect(faultsOf("sum by (payer) (till402_charges_total)")).toEqual(["payer"])
    expect(faultsOf('till402_ready{queue="x"}')).toEqual(["queue"])
    expect(faultsOf("till402_ready_sum")).toEqual(["till402_ready_sum"])
  })
})

it("metrics of core and providers are in the same registry: all take effect from the host", () => {
  // A dependency may become a second copy, which has a registry of its own, and `/metrics` would be without theirs.
  const rangeIn = (name: string) => {
    const {
      dependencies = {},
      peerDependencies = {}
    }: Record<string, Record<string, string>> = JSON.parse(read(`packages/${name}/package.json`))
    return { dependency: dependencies["effect"], peer: peerDependencies["effect"] }
  }
  const core = rangeIn("core")
  expect(core.peer).toBeDefined()
  expect([rangeIn("telemetry"), rangeIn("providers")]).toEqual([core, core])
})
