/*
 * Runs the tasks of this workspace: node scripts/run.mjs <task> [arguments]
 *
 * Needs only Node 20 or newer and npm; installs everything else first.
 */
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { constants, tmpdir } from "node:os"
import { join } from "node:path"
import { SetupError, ensureToolchain, root, toolScript } from "./toolchain.mjs"

/** The options of tasks whose programs don't list them. */
const options = {
  simulate: "--seeds N --seed S --store memory|sqlite|postgres --rail evm|solana --workers W",
  kill: "--rounds N --seed S --store sqlite|postgres --rail evm|solana --settler facilitator|local --fault NAME",
  day: "--minutes N --seed N --fault NAME",
  attack: "--requests N --rounds N --storage memory|sqlite|postgres",
  mutate: "--files NAME,NAME --concurrency N --incremental",
  release: "--dry-run --without-provenance"
}

const optionsOf = (name) => options[name]

const usage = `Usage: node scripts/run.mjs <task> [arguments]

  demo      official x402 clients pay all seven routes on local chains (EVM, Solana); orders are delivered, and refunded
  sandbox   runs the same service until Ctrl-C, for curl and agents (--help shows its options)
  till402   the command of that name: pay, doctor, check and more (--help lists them)
  example   an example against local chains, until Ctrl-C: its name, of the folder examples
  test      the tests that every change must pass, about 6 minutes on two cores; arguments go to vitest, --changed
            runs what a change touches
  test:deep many seeds, kill rounds, mutants and long floods: what takes too long for every change
  check     format, lint and types
  build     compiles the packages to dist, and bundles core and the providers for Node
  format    formats the sources
  docs      writes what is generated: tables of options, drawings of states and recorded benches, lint rules of folders
  bench     speed beside the official middleware: npm run bench -- --help lists its modes
  simulate  seeded worlds of crashes, faults and attackers around a paid call: ${optionsOf("simulate")}
  kill      servers killed at random moments under official clients: ${optionsOf("kill")}
  day       an hour of mixed traffic with faults on four servers and one PostgreSQL: ${optionsOf("day")}
  attack    one payment presented a thousand times at once: ${optionsOf("attack")}
  road      from an empty folder to a paid call as the documents say, for each framework; needs npm's registry, and the
            ports 3000 and 4021: optionally parts of roads' names
  mutate    mutation tests of the files that decide about money: ${optionsOf("mutate")}
  release   packs, checks and publishes the packages from the changes in .changeset: ${optionsOf("release")}
  staging   the upstreams' own staging services, where keys are set: names of upstreams, --place
`

let running
let interrupted

const interrupt = (signal) => {
  interrupted ??= signal
  // A signal between two child processes has no receiver.
  if (running === undefined) process.exit(128 + constants.signals[signal])
  running.kill(signal)
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => interrupt(signal))

/*
 * `npm run` starts this script through a shell that doesn't forward signals: when npm is ended, npm and the shell exit,
 * and this process only notices that its parent has changed.
 */
if (process.env.npm_lifecycle_event !== undefined) {
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    interrupt("SIGTERM")
  }, 250)
  watch.unref()
}

/** Runs a script with the chosen Node in this terminal, forwarding every signal; returns its exit code. */
const run = ({ node, env }, args, { cwd = root, extraEnv = {}, leash = false } = {}) =>
  new Promise((resolve, reject) => {
    running = spawn(node, args, {
      cwd,
      // Even if this process is killed, the child sees this channel close and stops.
      stdio: leash ? ["inherit", "inherit", "inherit", "ipc"] : "inherit",
      env: { ...env, ...extraEnv }
    })
    running.once("error", (error) => {
      running = undefined
      reject(error)
    })
    running.once("exit", (code, signal) => {
      running = undefined
      resolve(signal === null ? code : 128 + constants.signals[signal])
    })
  })

const source = (path) => [
  // Both are warnings of Node about itself: type stripping on Node 22, and node:sqlite.
  "--disable-warning=ExperimentalWarning",
  "--conditions=@till402/source",
  path
]

const tool = (name) => [toolScript(name)]

const countsFile = join(root, "scripts", "test-counts.json")

/**
 * Runs a suite with vitest. The very last line has the numbers of passed and failed tests. A whole suite must not have
 * fewer tests than are recorded for it.
 */
const suite = (name) => async (toolchain, args) => {
  const folder = mkdtempSync(join(tmpdir(), "till402-test-"))
  const counts = join(folder, "counts.json")
  try {
    const code = await run(
      toolchain,
      [...tool("vitest"), "run", `--reporter=${join(root, "scripts", "suite-reporter.mjs")}`, ...args],
      { extraEnv: { TILL402_TEST_COUNTS: counts, TILL402_SUITE: name } }
    )
    const { passed, failed, skipped } = readCounts(counts)
    const isFewer = args.length === 0 && code === 0 && compareCounts(name, passed + failed + skipped)
    // A failure outside the tests (no files found, bad configuration, interrupted) is a failure, too.
    const failures = (code !== 0 && failed === 0) || isFewer ? failed + 1 : failed
    process.stdout.write(
      `\n${passed} passed, ${failures} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`
    )
    return code === 0 && failures > 0 ? 1 : code
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const readCounts = (file) => {
  try {
    return JSON.parse(readFileSync(file, "utf8"))
  } catch {
    // Vitest ended before it could count.
    return { passed: 0, failed: 0, skipped: 0 }
  }
}

/** Prints the tests of both suites, and records more of them; returns whether this suite has fewer than recorded. */
const compareCounts = (name, count) => {
  const recorded = JSON.parse(readFileSync(countsFile, "utf8"))
  const isFewer = count < recorded[name]
  if (isFewer)
    process.stdout.write(
      `\nThis suite had ${recorded[name]} tests, and has ${count}. Say in the commit what covers the missing ones now, and write ${count} to scripts/test-counts.json.\n`
    )
  const both = { ...recorded, [name]: count }
  if (count > recorded[name] && process.env.CI === undefined)
    writeFileSync(countsFile, `${JSON.stringify(both, undefined, 2)}\n`)
  process.stdout.write(
    `\nTests in npm test: ${both.test}, in npm run test:deep: ${both.deep}, together: ${both.test + both.deep}\n`
  )
  return isFewer
}

/** Runs every check, even after one fails, so that one run shows all faults. */
const check = async (toolchain) => {
  const checks = [
    ["Format", [...tool("oxfmt"), "--check"]],
    ["Lint", [...tool("oxlint")]],
    ["Types and build", [...tool("tsc"), "-b"]],
    ["Types of tests and examples", [...tool("tsc"), "-p", "tsconfig.test.json"]]
  ]
  const failed = []
  for (const [name, args] of checks) {
    process.stdout.write(`\n== ${name}\n`)
    const code = await run(toolchain, args)
    if (interrupted !== undefined) return code
    if (code !== 0) failed.push(name.toLowerCase())
  }
  process.stdout.write(
    failed.length === 0 ? "\nAll checks passed.\n" : `\nChecks that failed: ${failed.join(", ")}.\n`
  )
  return failed.length === 0 ? 0 : 1
}

/** Compiles the packages, then bundles core and the providers from their sources. */
const build = async (toolchain, args) => {
  const code = await run(toolchain, [...tool("tsc"), "-b", ...args])
  return code === 0 ? run(toolchain, source("packages/core/build/bundle.ts")) : code
}

const nameExamples = (text) => {
  const names = readdirSync(join(root, "examples")).filter((name) =>
    existsSync(join(root, "examples", name, "src", "main.ts"))
  )
  process.stderr.write(
    `${text}\n\nUsage: npm run example -- NAME [main]\n\n` +
      "NAME is one of these; without main, those marked with * run against local chains:\n\n" +
      `${names.map((name) => `  ${name}${existsSync(exampleFile(name, "sandbox")) ? " *" : ""}`).join("\n")}\n`
  )
  return 2
}

const exampleFile = (name, part) => join(root, "examples", name, "src", `${part}.ts`)

/** Runs an example with its own sandbox, or as it is (`main`) with settings of the environment or its `.env`. */
const example = async (toolchain, [name = "", part, ...others]) => {
  const isName = /^[a-z0-9-]+$/.test(name) && existsSync(exampleFile(name, "main"))
  if (!isName) return nameExamples(name === "" ? "Name an example." : `There is no example "${name}".`)
  if (others.length > 0 || (part !== undefined && part !== "main"))
    return nameExamples(`After its name, an example takes only main: got "${[part, ...others].join(" ")}".`)
  const hasSandbox = part === undefined && existsSync(exampleFile(name, "sandbox"))
  const file = join(root, "examples", name, ".env")
  const settings = existsSync(file) ? [`--env-file=${file}`] : []
  return run(toolchain, [...settings, ...source(exampleFile(name, hasSandbox ? "sandbox" : "main"))])
}

const tasks = {
  demo: (toolchain, args) =>
    run(toolchain, [...source("packages/sandbox/src/demo/main.ts"), ...args], { leash: true }),
  sandbox: (toolchain, args) =>
    run(toolchain, [...source("packages/sandbox/src/cli/main.ts"), ...args], { leash: true }),
  till402: (toolchain, args) =>
    run(toolchain, [...source(join(root, "packages/till402/src/main.ts")), ...args], {
      leash: true,
      // Its arguments are paths of where npm was called.
      cwd: process.env.INIT_CWD ?? root
    }),
  example,
  test: suite("test"),
  "test:deep": suite("deep"),
  check,
  build,
  format: (toolchain, args) => run(toolchain, [...tool("oxfmt"), ...args]),
  docs: (toolchain) => run(toolchain, source("e2e/docs/writeTables.ts")),
  bench: (toolchain, args) => run(toolchain, ["--expose-gc", ...source("bench/src/main.ts"), ...args]),
  kill: (toolchain, args) => run(toolchain, [...source("e2e/durability/killRounds.ts"), ...args]),
  day: (toolchain, args) => run(toolchain, [...source("e2e/durability/day.ts"), ...args]),
  attack: (toolchain, args) => run(toolchain, [...source("e2e/attacks/replayRounds.ts"), ...args]),
  simulate: (toolchain, args) =>
    run(toolchain, [...source("packages/core/test/simulation/main.ts"), ...args]),
  road: (toolchain, args) => run(toolchain, [...source("e2e/packed/road.ts"), ...args]),
  mutate: (toolchain, args) => run(toolchain, [...source("mutation/main.ts"), ...args]),
  release: (toolchain, args) => run(toolchain, [...source("release/main.ts"), ...args]),
  staging: (toolchain, args) => run(toolchain, [...source("e2e/staging/main.ts"), ...args])
}

const main = async ([name, ...args]) => {
  if (name === "--help" || name === "-h") {
    process.stdout.write(usage)
    return 0
  }
  const task = Object.hasOwn(tasks, name ?? "") ? tasks[name] : undefined
  if (task === undefined) {
    process.stderr.write(`${name === undefined ? "" : `There is no task "${name}".\n\n`}${usage}`)
    return 2
  }
  const wrong = wrongOption(name, args)
  if (wrong !== undefined) {
    const isHelp = wrong === "--help" || wrong === "-h"
    const text = `Usage: npm run ${name} -- ${options[name]}\n`
    if (isHelp) process.stdout.write(text)
    else process.stderr.write(`There is no option ${wrong}.\n\n${text}`)
    return isHelp ? 0 : 2
  }
  return task(await ensureToolchain(), args)
}

/** The first option that a task doesn't have, before it starts. */
const wrongOption = (name, args) => {
  if (!Object.hasOwn(options, name)) return undefined
  const known = options[name].match(/--[a-z-]+/g)
  return args.find((each) => each.startsWith("-") && !known.includes(each.replace(/=.*/s, "")))
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${error instanceof SetupError ? error.message : error.stack}\n`)
  process.exitCode = 1
}
