import { type ChildProcess, spawn } from "node:child_process"
import { cpSync, existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { entriesOf, link, type PackedPackage } from "./Packing.ts"
import { declaredNames } from "./Names.ts"
import { complaintsOf, plainEnvironment, run } from "./Tool.ts"

/*
 * An app outside the workspace that has the packed packages installed, as pnpm lays them out: each package
 * sees what it declares and nothing else. What others have made comes from the workspace's own installation.
 */

const here = dirname(dirname(fileURLToPath(import.meta.url)))

/** What the app itself depends on, beside our packages. No `effect`, no `viem`: a plain host has neither. */
const ownDependencies = [
  "@hono/node-server",
  "@types/express",
  "@types/koa",
  "@types/node",
  "express",
  "hono",
  "koa"
]

const storeOf = (app: string, name: string): string =>
  join(app, "node_modules", ".pnpm", name.replace("/", "+"), "node_modules")

/** Where the package `name` of ours is installed in an app. */
export const homeIn = (app: string, name: string): string => join(storeOf(app, name), name)

const installed = (name: string, owner: string): string => {
  const path = join(owner, "node_modules", name)
  if (!existsSync(path)) throw new Error(`${name} is declared, but not installed for ${owner}`)
  return realpathSync(path)
}

/** Optional peers that this host has: the treasury of `@till402/providers` needs viem. It has no other. */
const chosenPeers = ["viem"]

/** Gives a packed package what its manifest declares: dependencies and peers, but not every optional one. */
const linkDependencies = (
  app: string,
  { manifest, name, origin }: PackedPackage,
  ours: ReadonlySet<string>
): void => {
  const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifest
  const targets: Readonly<Record<string, string>> = {
    ...Object.fromEntries(
      Object.keys(dependencies).map((dependency) => [
        dependency,
        ours.has(dependency) ? homeIn(app, dependency) : installed(dependency, origin)
      ])
    ),
    ...Object.fromEntries(
      Object.keys(peerDependencies)
        .filter((peer) => peerDependenciesMeta[peer]?.optional !== true || chosenPeers.includes(peer))
        .map((peer) => [peer, installed(peer, here)])
    )
  }
  for (const [dependency, target] of Object.entries(targets))
    link(target, join(storeOf(app, name), dependency))
}

/** Installs packages whose tarballs lie at `homeIn(app, name)` already, and copies the app's own files. */
export const installApp = (app: string, packages: ReadonlyArray<PackedPackage>): void => {
  const ours = new Set(packages.map(({ name }) => name))
  for (const packed of packages) {
    linkDependencies(app, packed, ours)
    link(packed.folder, join(app, "node_modules", packed.name))
  }
  for (const name of ownDependencies) link(installed(name, here), join(app, "node_modules", name))
  cpSync(join(here, "app"), app, { recursive: true })
  link(installed("effect", here), join(app, "effect", "node_modules", "effect"))
  writeFileSync(
    join(app, "package.json"),
    JSON.stringify({ name: "scratch-app", private: true, type: "module" })
  )
}

/** Names that each entry exports when plain Node loads it, by specifier. */
export const loadEntries = async (
  app: string,
  packages: ReadonlyArray<PackedPackage>
): Promise<ReadonlyMap<string, ReadonlyArray<string>>> => {
  const specifiers = packages.flatMap(entriesOf).map(({ specifier }) => specifier)
  const output = await run(process.execPath, ["loadEntries.js", ...specifiers], app)
  return new Map(Object.entries(JSON.parse(output) as Record<string, ReadonlyArray<string>>))
}

/**
 * Writes a module for each entry, to be type-checked: it imports every name that the entry declares, and uses as a
 * value every name in `loaded`, which the entry has when it runs.
 *
 * @throws Error where an entry has a name that it does not declare
 */
export const writeImports = (
  app: string,
  packages: ReadonlyArray<PackedPackage>,
  loaded: ReadonlyMap<string, ReadonlyArray<string>>
): void => {
  mkdirSync(join(app, "entries"))
  for (const packed of packages) {
    for (const { conditions, specifier } of entriesOf(packed)) {
      const values = loaded.get(specifier) ?? []
      const declared = declaredNames(join(packed.folder, conditions["types"]!))
      const undeclared = values.filter((name) => !declared.includes(name))
      if (undeclared.length > 0) throw new Error(`${specifier} does not declare ${undeclared.join(", ")}`)
      const lines = [
        `import { ${values.join(", ")} } from "${specifier}"`,
        `export type { ${declared.join(", ")} } from "${specifier}"`,
        `export const values: ReadonlyArray<unknown> = [${values.join(", ")}]`
      ]
      const file = `${specifier.replaceAll(/\W+/g, "-").slice(1)}.ts`
      writeFileSync(join(app, "entries", file), `${lines.join("\n")}\n`)
    }
  }
}

const strict = {
  target: "ES2024",
  types: ["node"],
  strict: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  // Declarations are checked too: ours, and those of others that they lead to.
  skipLibCheck: false,
  // A host may publish types of its own: what it infers must be nameable with what it has installed.
  declaration: true,
  noEmit: true
}

/** Type-checks the app's TypeScript, without the condition that leads to sources; tsc's complaints. */
export const typeCheck = async (
  app: string,
  compilerOptions: Readonly<Record<string, unknown>>
): Promise<ReadonlyArray<string>> => {
  const file = `tsconfig.${String(compilerOptions["module"])}.json`
  const settings = {
    compilerOptions: { ...strict, ...compilerOptions },
    include: ["*.ts", "effect/*.ts", "entries/*.ts"]
  }
  writeFileSync(join(app, file), JSON.stringify(settings))
  return complaintsOf(file, app)
}

/** Whether a complaint is of a declaration that neither the app nor a package of ours has. */
export const isOfOthers = (complaint: string): boolean =>
  /^\S*\/node_modules\/\.pnpm\/(?!@till402\+)/.test(complaint)

export interface RunningApp {
  /** Ports by framework. */
  readonly ports: Readonly<Record<string, number>>
  /** Asks it to end; its exit code. */
  readonly stop: () => Promise<number | null>
}

const firstLine = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let output = ""
    let complaint = ""
    child.stderr!.on("data", (chunk: Buffer) => (complaint += chunk.toString()))
    child.stdout!.on("data", (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes("\n")) resolve(output)
    })
    child.once("error", reject)
    child.once("exit", (code) => reject(new Error(`the app ended with ${code}\n${output}${complaint}`)))
  })

/** Starts the shop by plain Node, without any flag. It is ended after a minute, whatever becomes of the test. */
export const startApp = async (app: string): Promise<RunningApp> => {
  const child = spawn(process.execPath, ["main.js"], {
    cwd: app,
    env: plainEnvironment(),
    stdio: ["pipe", "pipe", "pipe"],
    timeout: 60_000,
    killSignal: "SIGKILL"
  })
  const ended = new Promise<number | null>((resolve) => {
    child.once("exit", resolve)
  })
  return {
    ports: JSON.parse(await firstLine(child)) as Record<string, number>,
    stop: () => {
      // The app ends with its standard input, so that it never outlives us.
      child.stdin.end()
      return ended
    }
  }
}
