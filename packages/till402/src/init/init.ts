import { randomBytes } from "node:crypto"
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { CommandFailed, wordsOf } from "../CommandFailed.ts"
import { version } from "../version.ts"
import type { Framework } from "./frameworks.ts"

/*
 * An app in a folder: an example of the repository, with what it needs to run, to be tested and to go live.
 */

const templates = new URL("../../templates/", import.meta.url)

const readTemplate = (path: string): Promise<string> => readFile(new URL(path, templates), "utf8")

/** Files of every app, by their names in the templates: npm would leave out the true ones. */
const commonFiles: Readonly<Record<string, string>> = {
  "README.md": "README.md",
  Dockerfile: "Dockerfile",
  ".gitignore": "gitignore",
  ".dockerignore": "dockerignore",
  "test/paidCall.test.ts": "paidCall.ts"
}

const environmentOf = (): string => `# Public address of the server, as callers reach it, with its port.
BASE_URL=http://localhost:3000
# Address that receives the payments.
PAY_TO=
# base-sepolia for test money, base for real money.
NETWORK=base-sepolia
# JSON-RPC endpoint of that network.
RPC_URL=
# x402 facilitator that verifies and settles.
FACILITATOR_URL=
# Keep it: purchases, responses and quotes can't be read without it.
TILL_SECRET=${randomBytes(32).toString("hex")}
PORT=3000
DATABASE=till.sqlite
`

/** The workspace's own packages have its version. */
const released = (given: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(given).map(([name, range]) => [name, range === "workspace:^" ? `^${version}` : range])
  )

const packageOf = async (framework: Framework, name: string): Promise<string> => {
  const { dependencies, devDependencies } = JSON.parse(await readTemplate(`${framework}/dependencies.json`))
  const content = {
    name,
    private: true,
    type: "module",
    scripts: {
      start: "node --env-file=.env src/main.ts",
      sandbox: "node src/sandbox.ts",
      test: "node --test"
    },
    engines: { node: ">=22.19" },
    dependencies: released(dependencies),
    devDependencies: { ...released(devDependencies), till402: `^${version}` }
  }
  return `${JSON.stringify(content, undefined, 2)}\n`
}

/** A name that npm accepts. */
const nameOf = (folder: string): string =>
  basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "") || "shop"

/**
 * Writes an app for a framework to a folder that is empty or doesn't exist. Returns the paths of its files.
 *
 * @throws CommandFailed if the folder has something in it, or can't be written
 */
export const init = async (given: string, framework: Framework): Promise<ReadonlyArray<string>> => {
  const folder = resolve(given)
  const present = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return []
    throw new CommandFailed(`${given} can't be used: ${wordsOf(error)}`)
  })
  if (present.length > 0) throw new CommandFailed(`${given} isn't empty: name another folder`)
  const sources = await readdir(new URL(`${framework}/src/`, templates))
  const files = new Map<string, string>([
    ["package.json", await packageOf(framework, nameOf(folder))],
    [".env", environmentOf()]
  ])
  for (const [path, template] of Object.entries(commonFiles))
    files.set(path, await readTemplate(`app/${template}`))
  for (const name of sources) files.set(`src/${name}`, await readTemplate(`${framework}/src/${name}`))
  try {
    for (const [path, text] of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      // It has the secret.
      await writeFile(join(folder, path), text, { flag: "wx", mode: path === ".env" ? 0o600 : 0o644 })
    }
  } catch (error) {
    throw new CommandFailed(`${given} can't be written: ${wordsOf(error)}`)
  }
  return [...files.keys()]
}
