/*
 * Mutation tests of the files that decide about money: changes them in thousands of small ways, and counts the changes
 * that their tests notice.
 *
 *   node --conditions=@till402/source mutation/main.ts [--files NAME,NAME] [--concurrency N] [--incremental]
 *
 * Prints the score of each file and of all, and every change that no test noticed. Such a survivor is a missing test, a
 * condition that nothing needs, or a change without an effect. Ends with code 1 where the score of all is below the limit.
 *
 * --files        only files whose path contains one of these names
 * --concurrency  test processes at a time; all cores without it
 * --incremental  reuses the results of the last run for what has not changed since
 */
import { existsSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { Stryker } from "@stryker-mutator/core"
import { chooseTests, lowestScore, type MutatedFile, scope } from "./Scope.ts"
import { type Change, changeOf } from "./Change.ts"

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

type Options = ConstructorParameters<typeof Stryker>[0]
type Mutants = Awaited<ReturnType<Stryker["runMutationTest"]>>
type Status = Mutants[number]["status"]

interface Result {
  readonly file: string
  readonly counts: ReadonlyMap<Status, number>
  readonly survivors: ReadonlyArray<Change & { readonly line: number; readonly covered: boolean }>
  readonly seconds: number
}

const readArguments = () => {
  const { values } = parseArgs({
    options: {
      files: { type: "string" },
      concurrency: { type: "string", default: String(availableParallelism()) },
      incremental: { type: "boolean", default: false }
    }
  })
  const concurrency = Number(values.concurrency)
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw new Error("--concurrency must be a whole number above zero")
  const names = values.files?.split(",").map((name) => name.trim())
  const files = scope.filter(({ file }) => names === undefined || names.some((name) => file.includes(name)))
  if (files.length === 0) throw new Error(`no file that is mutated has a name with ${values.files}`)
  return { concurrency, files, incremental: values.incremental, isWhole: names === undefined }
}

/**
 * A name in `Scope.ts` that leads nowhere would be a file without mutants, and so without survivors. Deep tests judge no
 * mutant: what decides about money is held by `npm test`.
 */
const checkScope = (files: ReadonlyArray<MutatedFile>): void => {
  for (const path of files.flatMap(({ file, tests }) => [file, ...tests])) {
    if (!existsSync(path)) throw new Error(`mutation/Scope.ts names ${path}, which does not exist`)
    if (path.endsWith(".deep.test.ts"))
      throw new Error(`mutation/Scope.ts names ${path}, which npm test leaves out`)
  }
}

const packageOf = (file: string): string => file.split("/").slice(0, 2).join("/")

const mutate = async (
  mutated: MutatedFile,
  { concurrency, incremental }: { readonly concurrency: number; readonly incremental: boolean }
): Promise<Result> => {
  const startMillis = performance.now()
  const { file } = mutated
  chooseTests(mutated)
  const slug = file.replaceAll(/[^A-Za-z0-9]+/g, "-")
  const mutants = await new Stryker({
    mutate: [file],
    testRunner: "vitest",
    plugins: [fileURLToPath(import.meta.resolve("@stryker-mutator/vitest-runner")), here("Words.ts")],
    ignorers: ["words"],
    vitest: { configFile: "mutation/vitest.config.ts", related: false },
    coverageAnalysis: "perTest",
    concurrency,
    incremental,
    incrementalFile: `.tmp/mutation-results/${slug}.json`,
    tempDirName: `.tmp/mutation-${process.pid}`,
    // The copy holds no more than the package, its tests and what they import. Types are stripped: no tsconfig is needed.
    ignorePatterns: [
      "/*",
      "!/packages",
      "/packages/*",
      `!/${packageOf(file)}`,
      "!/packages/testing",
      "!/mutation",
      "tsconfig*.json"
    ],
    disableTypeChecks: false,
    reporters: [],
    logLevel: "error" as NonNullable<Options["logLevel"]>,
    timeoutMS: 10_000
  }).runMutationTest()
  const source = readFileSync(file, "utf8")
  const counts = new Map<Status, number>()
  for (const { status } of mutants) counts.set(status, (counts.get(status) ?? 0) + 1)
  const survivors = mutants
    .filter(({ status }) => status === "Survived" || status === "NoCoverage")
    .map((mutant) => ({
      ...changeOf(source, mutant),
      line: mutant.location.start.line,
      covered: mutant.status === "Survived"
    }))
  return { file, counts, survivors, seconds: (performance.now() - startMillis) / 1_000 }
}

const count = (results: ReadonlyArray<Result>, ...statuses: ReadonlyArray<Status>): number =>
  results.reduce((sum, { counts }) => sum + statuses.reduce((all, of) => all + (counts.get(of) ?? 0), 0), 0)

/** Percentage of mutants that a test detected, of all that compile and change more than texts. */
const scoreOf = (results: ReadonlyArray<Result>): number => {
  const noticed = count(results, "Killed", "Timeout")
  const all = noticed + count(results, "Survived", "NoCoverage")
  return all === 0 ? 100 : (noticed / all) * 100
}

const row = (name: string, ...cells: ReadonlyArray<string>): string =>
  `${name.padEnd(46)}${cells.map((cell) => cell.padStart(11)).join("")}\n`

const rowOf = (name: string, results: ReadonlyArray<Result>): string =>
  row(
    name,
    `${(Math.floor(scoreOf(results) * 100) / 100).toFixed(2)} %`,
    String(count(results, "Killed")),
    String(count(results, "Timeout")),
    String(count(results, "Survived")),
    String(count(results, "NoCoverage")),
    String(count(results, "Ignored")),
    results.reduce((sum, { seconds }) => sum + seconds, 0).toFixed(0)
  )

const printSurvivors = ({ file, survivors }: Result): void => {
  for (const { after, before, covered, line } of survivors)
    process.stdout.write(
      `\n${file}:${line}${covered ? "" : " (no test comes here)"}\n- ${before}\n+ ${after}\n`
    )
}

const main = async (): Promise<number> => {
  const { files, ...options } = readArguments()
  checkScope(files)
  process.stdout.write(row("", "score", "killed", "timed out", "survived", "untested", "words", "seconds"))
  const results: Array<Result> = []
  for (const file of files) {
    const result = await mutate(file, options)
    results.push(result)
    process.stdout.write(rowOf(file.file, [result]))
  }
  process.stdout.write(rowOf("all", results))
  results.forEach(printSurvivors)
  if (scoreOf(results) >= lowestScore) return 0
  process.stdout.write(`\nThe score is below ${lowestScore} %.\n`)
  return 1
}

try {
  process.exitCode = await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 2
}
