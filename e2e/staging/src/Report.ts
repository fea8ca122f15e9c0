import { setTimeout as sleep } from "node:timers/promises"
import { type Claim, claims } from "./claims.ts"
import { type Recorded, recordingFetch } from "./Recording.ts"
import type { Settings, StagingScript, Steps, Variable } from "./StagingScript.ts"

/** The longest step: an offer of a shop that a robot visits. */
const stepMillis = 90_000
/** Shorter values would also be hidden in unrelated words. */
const shortestHidden = 6

export interface RunOptions {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly mayPlace: boolean
  /** Called with each line. */
  readonly print: (line: string) => void
  /** Receives each response, sanitized, to be stored as a fixture. */
  readonly record?: (recorded: Recorded) => void
  /** Maximum time for a step, in milliseconds; default 90000. */
  readonly stepMillis?: number
}

export type Outcome = "passed" | "failed" | "skipped"

const valueOf = (environment: RunOptions["environment"], { name }: Variable): string | undefined => {
  const value = environment[name]?.trim()
  return value === "" ? undefined : value
}

/** Removes the values of variables from a line, so that errors don't expose keys or addresses. */
const discreet = (script: StagingScript, { environment, print }: RunOptions) => {
  const hidden = [...script.required, ...script.optional]
    .flatMap((variable) => valueOf(environment, variable) ?? [])
    .flatMap((value) => [value, ...value.split(",").map((part) => part.trim())])
    .filter((value) => value.length >= shortestHidden)
    .toSorted((left, right) => right.length - left.length)
  return (line: string): void =>
    print(hidden.reduce((text, value) => text.replaceAll(value, "[hidden]"), line))
}

/** An error as a line: its name, its code, and its message if that is ours. */
const inWords = (error: unknown): string => {
  if (!(error instanceof Error)) return "failed with a value that is not an error"
  const fields = error as Error & { readonly _tag?: unknown; readonly code?: unknown }
  const name = typeof fields._tag === "string" ? fields._tag : error.name
  const code = typeof fields.code === "string" && /^\w{1,60}$/.test(fields.code) ? ` ${fields.code}` : ""
  const isOurs = typeof fields._tag === "string" || name === "Unexpected" || name === "TimeoutError"
  return `${name}${code}${isOurs ? `: ${error.message.split("\n")[0]}` : ""}`
}

const stepsOf = (
  name: string,
  write: (line: string) => void,
  longestMillis: number,
  reports: { readonly failed: () => void; readonly passed: (what: string) => void }
): Steps => ({
  take: async (what, work, summary) => {
    const startedAt = performance.now()
    const line = (verdict: string, rest: string) => {
      const millis = Math.round(performance.now() - startedAt)
      write(`${name}: ${what}: ${verdict} in ${millis} ms${rest === "" ? "" : `: ${rest}`}`)
    }
    const ended = new AbortController()
    const late = sleep(longestMillis, undefined, { signal: ended.signal }).then(() => {
      throw new DOMException(`not done within ${longestMillis} ms`, "TimeoutError")
    })
    try {
      const outcome = await Promise.race([work({ signal: AbortSignal.timeout(longestMillis) }), late])
      line("ok", summary?.(outcome) ?? "")
      reports.passed(what)
      return outcome
    } catch (error) {
      line("failed", inWords(error))
      reports.failed()
      throw error
    } finally {
      ended.abort()
      late.catch(() => undefined)
    }
  },
  skip: (what, why) => write(`${name}: ${what}: skipped: ${why}`)
})

const listed = (variables: ReadonlyArray<Variable>): string =>
  variables.map(({ name, what }) => `${name} (${what})`).join(", ")

const claimLine = (name: string, { claim, provenBy }: Claim, passed: ReadonlySet<string>): string => {
  if (provenBy === undefined) return `${name}: not provable here: ${claim}`
  return `${name}: ${passed.has(provenBy) ? "proved" : "not proved"}: ${claim}`
}

/** Runs one script and prints its result. Never rejects. */
export const runScript = async (script: StagingScript, options: RunOptions): Promise<Outcome> => {
  const { name, optional, required } = script
  const write = discreet(script, options)
  write(`${name}: needs ${listed(required)}${optional.length === 0 ? "" : `; reads ${listed(optional)}`}`)
  const missing = required.filter((variable) => valueOf(options.environment, variable) === undefined)
  if (missing.length > 0) {
    const names = missing.map((variable) => variable.name).join(", ")
    write(`${name}: skipped: ${names} ${missing.length === 1 ? "is" : "are"} not set`)
    for (const each of claims[name] ?? []) write(claimLine(name, each, new Set()))
    return "skipped"
  }
  const settings: Settings = {
    of: (wanted) => valueOf(options.environment, { name: wanted, what: "" }) ?? "",
    maybe: (wanted) => valueOf(options.environment, { name: wanted, what: "" }),
    mayPlace: options.mayPlace,
    fetch: options.record === undefined ? (...args) => fetch(...args) : recordingFetch(name, options.record)
  }
  let isReported = false
  const passed = new Set<string>()
  const steps = stepsOf(name, write, options.stepMillis ?? stepMillis, {
    failed: () => {
      isReported = true
    },
    passed: (what) => void passed.add(what)
  })
  const writeClaims = () => {
    for (const each of claims[name] ?? []) write(claimLine(name, each, passed))
  }
  const startedAt = performance.now()
  try {
    await script.run(steps, settings)
  } catch (error) {
    if (!isReported) write(`${name}: ${inWords(error)}`)
    writeClaims()
    write(`${name}: failed`)
    return "failed"
  }
  writeClaims()
  write(`${name}: passed in ${Math.round(performance.now() - startedAt)} ms`)
  return "passed"
}

/** Runs scripts in sequence; returns the exit code: 1 if one failed. */
export const runScripts = async (
  scripts: ReadonlyArray<StagingScript>,
  options: RunOptions
): Promise<0 | 1> => {
  const outcomes: Array<Outcome> = []
  for (const script of scripts) outcomes.push(await runScript(script, options))
  const count = (wanted: Outcome) => outcomes.filter((outcome) => outcome === wanted).length
  options.print(`${count("passed")} passed, ${count("failed")} failed, ${count("skipped")} skipped`)
  return count("failed") === 0 ? 0 : 1
}
