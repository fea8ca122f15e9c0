import { Context } from "effect"
import { type Check, checkOf } from "./Check.ts"

/** A part that runs longer than this is stuck, in milliseconds: each of its calls is bounded by seconds. */
const stuckMillis = 10 * 60_000

interface Run {
  /** `undefined`: it isn't running. */
  readonly startedMillis: number | undefined
  /** How the run before ended. */
  readonly hasFailed: boolean
}

/** What the background work of one till does at present. */
export class WorkerRuns {
  private readonly runs = new Map<string, Run>()

  started(operation: string, nowMillis: number): void {
    this.runs.set(operation, {
      startedMillis: nowMillis,
      hasFailed: this.runs.get(operation)?.hasFailed ?? false
    })
  }

  ended(operation: string, hasFailed: boolean): void {
    this.runs.set(operation, { startedMillis: undefined, hasFailed })
  }

  /** Which parts are stuck, and which failed when they ran last. */
  check(nowMillis: number): Check {
    const found = [...this.runs]
    const stuck = found.filter(
      ([, { startedMillis }]) => startedMillis !== undefined && nowMillis - startedMillis > stuckMillis
    )
    const failed = found.filter(([, { hasFailed }]) => hasFailed)
    if (stuck.length === 0 && failed.length === 0) return checkOf("workers")
    const texts = [
      ...(stuck.length === 0 ? [] : [`running for more than 10 minutes: ${namesOf(stuck)}`]),
      ...(failed.length === 0 ? [] : [`failed at the last run: ${namesOf(failed)}`])
    ]
    return checkOf("workers", undefined, {
      status: "warn",
      problem: `Background work isn't done; ${texts.join("; ")}`,
      cure: "Look for the event housekeeping_failed, and restart the process if a part is stuck"
    })
  }
}

const namesOf = (runs: ReadonlyArray<readonly [operation: string, run: Run]>): string =>
  runs.map(([operation]) => operation).join(", ")

/** The runs of a till; by default those that nobody reads. */
export const Workers: Context.Reference<WorkerRuns> = Context.Reference<WorkerRuns>("@till402/core/Workers", {
  defaultValue: () => new WorkerRuns()
})
