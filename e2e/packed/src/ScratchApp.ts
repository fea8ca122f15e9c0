import { type ChildProcess, spawn } from "node:child_process"
import { chmodSync, cpSync, existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { entriesOf, link, type PackedPackage } from "./Packing.ts"
import { declaredNames } from "./Names.ts"
import { complaintsOf, plainEnvironment, run } from "./Tool.ts"

/*
 * An app outside the workspace with the packed packages installed as by pnpm: each package sees only what it declares.
 * Third-party packages come from the workspace's installation.
 */

const here = dirname(dirname(fileURLToPath(import.meta.url)))

/** The app's own dependencies besides our packages. It has no `effect` and no `viem`, like a plain host. */
const ownDependencies = [
  "@hono/node-server",
  "@types/express",
  "@types/koa",
  "@types/node",
  "express",
  "express4",
  "fastify",
  "hono",
  "koa",
  "koa2"
]

const storeOf = (app: string, name: string): string =>
  join(app, "node_modules", ".pnpm", name.replace("/", "+"), "node_modules")

/** The folder of our package `name` in an app. */
export const homeIn = (app: string, name: string): string => join(storeOf(app, name), name)

const installed = (name: string, owner: string): string => {
  const path = join(owner, "node_modules", name)
  if (!existsSync(path)) throw new Error(`${name} is declared, but not installed for ${owner}`)
  return realpathSync(path)
}

/** Optional peers of this host: those that entries of `@till402/providers` and `@till402/vault` require. */
const chosenPeers = ["viem", "ai", "@solana/kit", "@x402/svm", "aws4fetch", "@opentelemetry/api"]

/** Installs what a packed package's manifest declares: dependencies and peers, but not every optional one. */
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

/** Installs packages whose tarballs are extracted at `homeIn(app, name)`, and copies the app's own files. */
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
 * Writes a module for each entry for type checks: it imports every name that the entry declares, and uses as a value
 * every name in `loaded`, which are the entry's exports at run time.
 *
 * @throws Error if an entry has a name that it does not declare
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
  // As most hosts have it. Otherwise all declarations are checked too: ours, and the third-party ones that they import.
  skipLibCheck: true,
  // A host may publish types: its inferred types must be nameable with its own dependencies.
  declaration: true,
  noEmit: true
}

/** The compiler options of hosts that run TypeScript in Node, and that bundle it. */
export const hostOptions = {
  nodenext: { module: "nodenext", lib: ["ES2024"], exactOptionalPropertyTypes: true },
  bundler: { module: "esnext", moduleResolution: "bundler", lib: ["ES2024", "DOM", "DOM.Iterable"] }
}

/** Type-checks the app's TypeScript without the condition that leads to sources; returns tsc's errors. */
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

/** Whether an error is in a declaration of a third party. */
export const isOfOthers = (complaint: string): boolean =>
  /^\S*\/node_modules\/\.pnpm\/(?!@till402\+)/.test(complaint)

export interface RunningApp {
  /** Ports by framework. */
  readonly ports: Readonly<Record<string, number>>
  /** What it has reported: the messages of the tills' events. */
  readonly reported: () => string
  /** Requests it to end; returns its exit code. */
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

/** Starts the shop with plain Node without flags. It is ended after five minutes in any case. */
export const startApp = async (app: string): Promise<RunningApp> => {
  const child = spawn(process.execPath, ["main.js"], {
    cwd: app,
    env: plainEnvironment(),
    stdio: ["pipe", "pipe", "pipe"],
    timeout: 5 * 60_000,
    killSignal: "SIGKILL"
  })
  const ended = new Promise<number | null>((resolve) => {
    child.once("exit", resolve)
  })
  let reported = ""
  child.stderr.on("data", (chunk: Buffer) => (reported += chunk.toString()))
  return {
    reported: () => reported,
    ports: JSON.parse(await firstLine(child)) as Record<string, number>,
    stop: () => {
      // The app ends with its standard input, so it never outlives the test.
      child.stdin.end()
      return ended
    }
  }
}

/** A running command of a package. */
export interface RunningCommand {
  /** Its first line on standard output. */
  readonly line: Promise<string>
  /** Interrupts it as Ctrl-C does; returns its exit code. */
  readonly interrupt: () => Promise<number | null>
}

/** Runs a package's executable file as npm's links do: by its own first line. It is ended after five minutes in any case. */
export const startCommand = (file: string, args: ReadonlyArray<string>, cwd: string): RunningCommand => {
  // npm makes the files of `bin` executable when it installs them.
  chmodSync(file, 0o755)
  const child = spawn(file, [...args], {
    cwd,
    // The first line of the file looks for Node there.
    env: { ...plainEnvironment(), PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"]}` },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 5 * 60_000,
    killSignal: "SIGKILL"
  })
  const ended = new Promise<number | null>((resolve) => {
    child.once("exit", resolve)
  })
  return {
    line: firstLine(child),
    interrupt: () => {
      child.kill("SIGINT")
      return ended
    }
  }
}
