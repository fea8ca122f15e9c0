/*
 * Provides the requirements of a task from Node 20, npm and the npm registry: a Node that is new enough, pnpm, and the
 * installed workspace. Costs a fifth of a second if everything is there.
 */
import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { step } from "./progress.mjs"

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

const minimumNode = [22, 19]
const nodeVersion = "24.21.0"
const pnpmVersion = "12.21.0"
const toolchain = join(root, ".toolchain")

/** An error of which only the message is shown. */
export class SetupError extends Error {}

const manifest = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

const versionOf = (folder) => {
  try {
    return manifest(folder).version
  } catch {
    return undefined
  }
}

/** Runs a command; shows its output only if it fails. */
const quietly = (command, args, options = {}) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      // A registry that hangs should produce a message, not silence.
      timeout: 15 * 60_000,
      ...options
    })
    let output = ""
    const keep = (chunk) => {
      output = (output + chunk).slice(-20_000)
    }
    // Stops an installation when its task is interrupted.
    const abandon = () => child.kill()
    process.once("exit", abandon)
    child.once("close", () => process.removeListener("exit", abandon))
    child.stdout.on("data", keep)
    child.stderr.on("data", keep)
    child.once("error", (error) => reject(new SetupError(`${command} can't be started: ${error.message}`)))
    child.once("close", (code, signal) => {
      if (code === 0) resolve()
      else {
        const how = signal === null ? `exit code ${code}` : signal
        reject(new SetupError(`${output.trim()}\n\n${command} ${args.join(" ")}\nfailed (${how}).`))
      }
    })
  })

/** Installs one npm package into its own folder below `.toolchain`. */
const installTool = async (name, version, folder) => {
  mkdirSync(folder, { recursive: true })
  const args = [
    "install",
    `--prefix=${folder}`,
    "--no-save",
    "--no-package-lock",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    // The version is exact, so npm's cached metadata is good enough.
    "--prefer-offline",
    "--fetch-timeout=60000",
    `${name}@${version}`
  ]
  // Under `npm run`, npm provides the path of its program; otherwise it is looked up on PATH.
  const program = process.env.npm_execpath
  const underNpm = program !== undefined && /npm-cli\.c?js$/.test(program)
  await (underNpm
    ? quietly(process.execPath, [program, ...args])
    : quietly("npm", args, { shell: process.platform === "win32" }))
}

/** Installs a tool at its version, unless it is there; `program` is what it is for. */
const ensureTool = async (name, version, folder, program) => {
  const home = join(folder, "node_modules", name)
  const isThere = () => versionOf(home) === version
  if (!isThere())
    await exclusively(async () => {
      if (!isThere()) await step(`Installing ${program}`, () => installTool(name, version, folder))
    })
  return home
}

/** The Node to use: this one if it is new enough, else one from npm. */
const ensureNode = async () => {
  const [major, minor] = process.versions.node.split(".").map(Number)
  if (major > minimumNode[0] || (major === minimumNode[0] && minor >= minimumNode[1])) {
    return process.execPath
  }
  const system = process.platform === "win32" ? "win" : process.platform
  const name = `node-${system}-${process.arch}`
  const program = `Node ${nodeVersion} (this one is ${process.versions.node})`
  const home = await ensureTool(name, nodeVersion, join(toolchain, "node"), program)
  return join(home, manifest(home).bin.node)
}

/** Command, leading arguments and options that run the required pnpm. */
const ensurePnpm = async (node) => {
  const env = environment(node)
  const shell = process.platform === "win32"
  mkdirSync(toolchain, { recursive: true })
  const onPath = spawnSync("pnpm", ["--version"], {
    cwd: toolchain,
    encoding: "utf8",
    timeout: 10_000,
    shell,
    env: { ...env, COREPACK_ENABLE_DOWNLOAD_PROMPT: "0" }
  })
  if (onPath.status === 0 && onPath.stdout.trim() === pnpmVersion) return ["pnpm", [], { env, shell }]
  const home = await ensureTool("pnpm", pnpmVersion, join(toolchain, "pnpm"), `pnpm ${pnpmVersion}`)
  // Its Node entry works without its install script.
  return [node, [join(home, "bin", "pnpm.mjs")], { env }]
}

/** Whether pnpm finds everything installed as the lockfile, the manifests and its settings say. */
const isInstalled = ([command, leading, options]) =>
  spawnSync(command, [...leading, "--config.verify-deps-before-run=error", "exec", "node", "--version"], {
    cwd: root,
    stdio: "ignore",
    ...options
  }).status === 0

const ensureWorkspace = async (node) => {
  const pnpm = await ensurePnpm(node)
  if (isInstalled(pnpm)) return
  await exclusively(async () => {
    if (isInstalled(pnpm)) return
    const [command, leading, options] = pnpm
    const args = [
      ...leading,
      "install",
      "--frozen-lockfile",
      // Tests and builds need the development dependencies, whatever NODE_ENV is.
      "--prod=false",
      // pnpm can't prompt for permission to recreate node_modules.
      "--config.confirmModulesPurge=false"
    ]
    await step("Installing dependencies", () => quietly(command, args, options))
  })
}

/** Runs `work` while no other task of this checkout installs. */
const exclusively = async (work) => {
  mkdirSync(toolchain, { recursive: true })
  const lock = join(toolchain, "lock")
  if (!take(lock)) {
    await step("Waiting for another task that installs", async () => {
      while (!take(lock)) await new Promise((resolve) => setTimeout(resolve, 200))
    })
  }
  const release = () => rmSync(lock, { force: true })
  process.once("exit", release)
  try {
    return await work()
  } finally {
    process.removeListener("exit", release)
    release()
  }
}

/** Takes the lock if it is free, or if the process that held it is gone. */
const take = (lock) => {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" })
    return true
  } catch (error) {
    if (error.code !== "EEXIST") throw error
  }
  if (isHeld(lock)) return false
  rmSync(lock, { force: true })
  return take(lock)
}

const isHeld = (lock) => {
  let holder
  try {
    holder = Number(readFileSync(lock, "utf8"))
  } catch (error) {
    if (error.code === "ENOENT") return true
    throw error
  }
  // Empty for the moment between creating and writing it.
  if (!Number.isInteger(holder) || holder <= 0) return true
  try {
    process.kill(holder, 0)
    return true
  } catch (error) {
    return error.code !== "ESRCH"
  }
}

/** The environment of a task: the chosen Node, the workspace's tools and pnpm first on PATH. */
const environment = (node) => {
  const { PATH, Path, ...rest } = process.env
  const path = [
    dirname(node),
    join(root, "node_modules", ".bin"),
    join(toolchain, "pnpm", "node_modules", ".bin"),
    PATH ?? Path
  ]
  return { ...rest, PATH: path.filter((part) => part !== undefined).join(delimiter) }
}

/**
 * Provides Node, pnpm and the installed workspace.
 *
 * @returns {Promise<{ node: string, env: NodeJS.ProcessEnv }>}
 */
export const ensureToolchain = async () => {
  const node = await ensureNode()
  await ensureWorkspace(node)
  return { node, env: environment(node) }
}

/** The script behind a tool of the root package, to be run by the chosen Node. */
export const toolScript = (name) => {
  const packages = { tsc: "typescript" }
  const folder = join(root, "node_modules", packages[name] ?? name)
  const { bin } = manifest(folder)
  return join(folder, typeof bin === "string" ? bin : bin[name])
}
