/*
 * The vitest reporter of `npm test` and `npm run test:deep`: progress, failures with the command that repeats them, the
 * slowest files, and counts for the closing line of scripts/run.mjs.
 *
 * A failure outside a test counts as one: a file that doesn't load, a failed hook of a suite, an uncaught error.
 */
import { writeFileSync } from "node:fs"
import { relative } from "node:path"
import { DefaultReporter } from "vitest/node"

const progressMillis = 15_000
const slowest = 10

const seconds = (millis) => `${(millis / 1000).toFixed(1)} s`
/** The name by which `-t` finds a test: its suites' names and its own, read as a pattern. */
const patternOf = ({ name, parent }) => {
  const names = [name]
  for (let suite = parent; suite.type === "suite"; suite = suite.parent) names.unshift(suite.name)
  return `^${names.join(" > ").replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)}$`
}
const quote = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`

export default class SuiteReporter extends DefaultReporter {
  #files = 0
  #counts = { passed: 0, failed: 0, skipped: 0 }
  #durations = []
  #command = process.env.TILL402_SUITE === "deep" ? "npm run test:deep" : "npm test"

  onTestRunStart(specifications) {
    super.onTestRunStart(specifications)
    this.#total = specifications.length
    // A terminal shows its own progress.
    if (this.isTTY) return
    this.#timer = setInterval(() => this.log(this.#progress()), progressMillis)
    this.#timer.unref()
  }

  #total = 0
  #timer

  #progress() {
    const { failed, passed } = this.#counts
    return `${this.#files} of ${this.#total} files: ${passed} tests passed, ${failed} failed`
  }

  onTestModuleEnd(testModule) {
    this.#files++
    for (const test of testModule.children.allTests()) {
      const { state } = test.result()
      this.#counts[state === "passed" || state === "failed" ? state : "skipped"]++
    }
    this.#counts.failed += testModule.errors().length
    for (const suite of testModule.children.allSuites()) this.#counts.failed += suite.errors().length
    const { collectDuration, duration, prepareDuration, setupDuration } = testModule.diagnostic()
    this.#durations.push([
      testModule.relativeModuleId,
      collectDuration + duration + prepareDuration + setupDuration
    ])
    super.onTestModuleEnd(testModule)
  }

  /** Passed files are silent; the others are printed as vitest prints them. */
  printTestModule(testModule) {
    if (testModule.state() === "failed") super.printTestModule(testModule)
  }

  onTestRunEnd(modules, unhandledErrors, reason) {
    clearInterval(this.#timer)
    super.onTestRunEnd(modules, unhandledErrors, reason)
    this.#counts.failed += unhandledErrors.length
    this.#printCommands(modules)
    this.#printSkipped(modules)
    const ranked = this.#durations.toSorted(([, left], [, right]) => right - left).slice(0, slowest)
    if (ranked.length > 1) {
      this.log("\nSlowest files:")
      for (const [file, millis] of ranked) this.log(`${seconds(millis).padStart(9)}  ${file}`)
    }
    const file = process.env.TILL402_TEST_COUNTS
    if (file !== undefined) writeFileSync(file, JSON.stringify({ ...this.#counts, files: this.#files }))
  }

  #printCommands(modules) {
    const commands = modules.flatMap((testModule) => {
      const path = relative(process.cwd(), testModule.moduleId)
      const failed = [...testModule.children.allTests("failed")]
      if (failed.length > 0)
        return failed.map((test) => `${this.#command} -- ${path} -t ${quote(patternOf(test))}`)
      return testModule.state() === "failed" ? [`${this.#command} -- ${path}`] : []
    })
    if (commands.length > 0) this.log(`\nTo repeat what failed:\n${commands.join("\n")}`)
  }

  #printSkipped(modules) {
    const skipped = modules.flatMap((testModule) => {
      const count = [...testModule.children.allTests("skipped")].length
      return count > 0 ? [`${String(count).padStart(9)}  ${testModule.relativeModuleId}`] : []
    })
    // With -t, most tests are skipped on purpose.
    if (skipped.length > 0 && this.ctx.config.testNamePattern === undefined)
      this.log(`\nSkipped tests (the file says why):\n${skipped.join("\n")}`)
  }
}
