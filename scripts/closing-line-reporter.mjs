import { writeFileSync } from "node:fs"

/**
 * A vitest reporter that counts tests for the last line of `scripts/run.mjs test`. It writes the counts to the file
 * that TILL402_TEST_COUNTS names, or prints the line itself if there is none.
 *
 * A failure outside a test counts as one: a file that doesn't load, a failed hook of a suite, an uncaught error.
 */
export default class ClosingLineReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === "passed") counts.passed++
        else if (state === "failed") counts.failed++
        else counts.skipped++
      }
      counts.failed += module.errors().length
      for (const suite of module.children.allSuites()) counts.failed += suite.errors().length
    }
    const file = process.env.TILL402_TEST_COUNTS
    if (file !== undefined) writeFileSync(file, JSON.stringify(counts))
    else {
      const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : ""
      process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed${skipped}\n`)
    }
  }
}
