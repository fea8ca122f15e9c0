import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** The root of the repository. */
export const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))))

/** Maximum time for a program to run. */
export const toolTimeoutMillis = 600_000

/**
 * Affect how Node resolves packages, or fill the tests' cache with files of a folder that each run makes anew; the others
 * are those that the test runner sets, and apps read: Vite's base is `/`.
 */
const ours =
  /^(?:NODE_OPTIONS|NODE_PATH|NODE_COMPILE_CACHE|NODE_ENV|BASE_URL|DEV|PROD|MODE|SSR|TEST|VITEST.*)$/

/** The environment of a user. */
export const plainEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)))

interface Outcome {
  readonly code: number | null
  readonly output: string
  readonly complaint: string
}

const outcome = (command: string, args: ReadonlyArray<string>, cwd: string): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: plainEnvironment(),
      stdio: ["ignore", "pipe", "pipe"],
      timeout: toolTimeoutMillis
    })
    let output = ""
    let complaint = ""
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => (complaint += chunk.toString()))
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, output, complaint }))
  })

/**
 * Runs a program to its end; returns its standard output.
 *
 * @throws Error with all its output, if its exit code isn't 0 or it takes longer than `toolTimeoutMillis`
 */
export const run = async (command: string, args: ReadonlyArray<string>, cwd: string): Promise<string> => {
  const { code, complaint, output } = await outcome(command, args, cwd)
  if (code === 0) return output
  throw new Error(`${command} ${args.join(" ")} ended with ${code}\n${output}${complaint}`)
}

const compiler = join(root, "node_modules", "typescript", "bin", "tsc")

const compile = (args: ReadonlyArray<string>): ReadonlyArray<string> => [
  compiler,
  ...args,
  "--pretty",
  "false"
]

/**
 * Builds projects with the workspace's compiler, in sequence, which is fastest on few cores; then makes the Node bundles.
 * Unless `checked`, it doesn't check types, which takes most of the time and changes no file of the build.
 */
export const build = async (
  projects: ReadonlyArray<string>,
  cwd: string,
  checked: boolean
): Promise<void> => {
  const args = ["-b", ...projects, "--builders", "1", "--checkers", "1", ...(checked ? [] : ["--noCheck"])]
  await run(process.execPath, compile(args), cwd)
  const bundle = join(cwd, "packages", "core", "build", "bundle.ts")
  await run(process.execPath, ["--disable-warning=ExperimentalWarning", bundle], cwd)
}

/** Counts that the compiler's work on a project consists of, such as `Types` and `Instantiations`. */
export const compilerCounts = async (project: string, cwd: string): Promise<ReadonlyMap<string, number>> => {
  const output = await run(
    process.execPath,
    compile(["-p", project, "--checkers", "1", "--extendedDiagnostics"]),
    cwd
  )
  return new Map(
    Array.from(output.matchAll(/^(\w+): +(\d+)$/gm), ([, name, count]) => [name!, Number(count)])
  )
}

/** Errors that the workspace's compiler, on one core, finds in a project, one text each. */
export const complaintsOf = async (project: string, cwd: string): Promise<ReadonlyArray<string>> => {
  const { code, complaint, output } = await outcome(
    process.execPath,
    compile(["-p", project, "--checkers", "1"]),
    cwd
  )
  if (code === 0) return []
  // The details of an error are indented below it.
  const complaints = output.split(/\n(?=\S)/).filter((text) => text.trim() !== "")
  return complaints.length > 0 ? complaints : [`tsc ended with ${code} ${complaint}`]
}

/** The pnpm that the workspace installed, or else the one on PATH. */
export const pnpm = (args: ReadonlyArray<string>, cwd: string): Promise<string> => {
  const own = join(root, ".toolchain", "pnpm", "node_modules", "pnpm", "bin", "pnpm.mjs")
  return existsSync(own) ? run(process.execPath, [own, ...args], cwd) : run("pnpm", args, cwd)
}
