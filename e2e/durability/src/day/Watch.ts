import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Fleet } from "../Fleet.ts"

/*
 * The servers' metrics as a Prometheus would have them: scraped as text all day, and judged by the alert rules of
 * `@till402/telemetry` with Prometheus's own tool.
 */

/** One reading of all servers: values by series, whose labels have the server's name as `instance`. */
export interface Scrape {
  readonly atMillis: number
  readonly values: ReadonlyMap<string, number>
}

export interface FiredAlert {
  readonly name: string
  /** Since the first scrape. */
  readonly seconds: number
}

/** What the counters say at the end, in the ledger's unit. */
export interface Figures {
  readonly revenueAtomic: bigint
  readonly refundedAtomic: bigint
  readonly paidCalls: number
}

export const scrapeSeconds = 5
const scrapeMillis = 4_000

const rulesFile = fileURLToPath(
  new URL("../../../../packages/telemetry/prometheus/till402.rules.yml", import.meta.url)
)
const alertNames = Array.from(
  readFileSync(rulesFile, "utf8").matchAll(/- alert: (\w+)/gu),
  ([, name]) => name!
)

/** Reads Prometheus text. */
const readText = (text: string, instance: string): ReadonlyArray<readonly [series: string, value: number]> =>
  text.split("\n").flatMap((line) => {
    const [, name, labels, value] = /^(till402_\w+)(?:\{(.*)\})? (\S+)$/u.exec(line) ?? []
    if (name === undefined) return []
    const all = [...(labels === undefined ? [] : [labels]), `instance="${instance}"`].join(",")
    return [[`${name}{${all}}`, Number(value)] as const]
  })

/** Scrapes all running servers every 5 seconds, until stopped; one that doesn't respond has no values. */
export const watchFleet = (fleet: Pick<Fleet, "running">) => {
  const scrapes: Array<Scrape> = []
  const stopping = new AbortController()
  const scrape = async (): Promise<void> => {
    const texts = await Promise.all(
      fleet.running().map(async ({ name, origin }) => {
        try {
          const response = await fetch(new URL("/metrics", origin), {
            signal: AbortSignal.timeout(scrapeMillis)
          })
          return readText(await response.text(), name)
        } catch {
          // Killed meanwhile, or too slow: a Prometheus has no values either.
          return []
        }
      })
    )
    scrapes.push({ atMillis: Date.now(), values: new Map(texts.flat()) })
  }
  const watching = (async () => {
    for (let next = Date.now(); !stopping.signal.aborted; next += scrapeSeconds * 1_000) {
      await scrape()
      while (!stopping.signal.aborted && Date.now() < next + scrapeSeconds * 1_000)
        await new Promise((resolve) => setTimeout(resolve, 100))
    }
  })()
  return {
    /** Ends with a last scrape, which has the final counts. */
    stop: async (): Promise<ReadonlyArray<Scrape>> => {
      stopping.abort()
      await watching
      await scrape()
      return scrapes
    }
  }
}

/** Adds up what each process counted last: a process's counters begin at zero, and end with it. */
export const figuresOf = (scrapes: ReadonlyArray<Scrape>): Figures => {
  const last = new Map(scrapes.flatMap(({ values }) => [...values]))
  const sumOf = (wanted: (series: string) => boolean): number =>
    [...last].reduce((sum, [series, value]) => (wanted(series) ? sum + value : sum), 0)
  // Each counter is a sum of whole millionths: rounding restores them.
  const atomicOf = (name: string): bigint =>
    BigInt(Math.round(sumOf((series) => series.startsWith(`${name}{`)) * 1_000_000))
  return {
    revenueAtomic: atomicOf("till402_revenue_usd_total"),
    refundedAtomic: atomicOf("till402_refunded_usd_total"),
    paidCalls: sumOf(
      (series) => series.startsWith("till402_charges_total{") && series.includes('outcome="paid"')
    )
  }
}

const promtool = (...parameters: ReadonlyArray<string>) =>
  spawnSync("promtool", parameters, { encoding: "utf8", timeout: 120_000, maxBuffer: 64 * 1024 * 1024 })

/** Why alerts can't be judged; `undefined`: they can. */
export const missingPromtool = (): string | undefined =>
  promtool("--version").error === undefined ? undefined : "promtool is not on the PATH"

/** The same values as `promtool test rules` reads them. */
const inputSeries = (scrapes: ReadonlyArray<Scrape>) => {
  const names = new Set(scrapes.flatMap(({ values }) => [...values.keys()]))
  // Rules read no buckets.
  return [...names]
    .filter((name) => !/_(?:bucket|sum|count)\{/u.test(name))
    .map((series) => ({
      series,
      values: scrapes.map(({ values }) => values.get(series) ?? "_").join(" ")
    }))
}

/**
 * The alerts that fire over the scrapes. The tool compares with what is expected: it is told to expect none at any time,
 * and reports those that fire. `pace`: how much longer a scrape counts than it took, for alerts that wait for minutes.
 */
export const firedAlerts = (scrapes: ReadonlyArray<Scrape>, pace = 1): ReadonlyArray<FiredAlert> => {
  const seconds = scrapeSeconds * pace
  const interval = `${seconds}s`
  const times = scrapes.map((_, index) => index * seconds)
  const test = {
    rule_files: [rulesFile],
    evaluation_interval: interval,
    tests: [
      {
        interval,
        input_series: inputSeries(scrapes),
        alert_rule_test: times.flatMap((time) =>
          alertNames.map((alertname) => ({ eval_time: `${time}s`, alertname, exp_alerts: [] }))
        )
      }
    ]
  }
  const folder = mkdtempSync(join(tmpdir(), "till402-day-"))
  try {
    const file = join(folder, "day.test.yml")
    // YAML contains JSON.
    writeFileSync(file, JSON.stringify(test))
    const { status, stderr, stdout } = promtool("test", "rules", file)
    const output = stdout + stderr
    const fired = Array.from(
      output.matchAll(/alertname: ?(\w+), time: ?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?/gu),
      ([, name, hours = 0, minutes = 0, seconds = 0]) => ({
        name: name!,
        seconds: Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)
      })
    )
    if ((status === 0) !== (fired.length === 0))
      throw new Error(`promtool ended with ${status}: ${output.slice(0, 2_000)}`)
    return fired
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
