import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { basename, dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { CommandFailed, wordsOf } from "../CommandFailed.ts"
import { version } from "../version.ts"
import type { Framework } from "./frameworks.ts"
import { newSecret } from "./secret.ts"

/*
 * An app in a folder: an example of the repository, with what it needs to run, to be tested and to go live. Files of a
 * framework take the place of those that all apps have.
 */

const templates = new URL("../../templates/", import.meta.url)

/** Files of templates whose names in an app differ: npm would leave out the true ones. */
const renamed: Readonly<Record<string, string>> = {
  env: ".env",
  gitignore: ".gitignore",
  dockerignore: ".dockerignore",
  "paidCall.ts": "test/paidCall.test.ts"
}

/** The files of a template by their paths in an app. */
const readTemplate = async (name: string): Promise<ReadonlyArray<readonly [path: string, text: string]>> => {
  const folder = fileURLToPath(new URL(`${name}/`, templates))
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async ({ name: file, parentPath }) => {
        const path = join(relative(folder, parentPath), file).replaceAll("\\", "/")
        return [renamed[path] ?? path, await readFile(join(folder, path), "utf8")] as const
      })
  )
}

/** The workspace's own packages have its version. */
const released = (given: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(given).map(([name, range]) => [name, range === "workspace:^" ? `^${version}` : range])
  )

/** The package.json of an app from the `dependencies.json` of its template. */
const packageOf = (template: string, name: string): string => {
  const { dependencies, devDependencies, scripts } = JSON.parse(template)
  const content = {
    name,
    private: true,
    type: "module",
    scripts: {
      start: "node --env-file=.env src/main.ts",
      sandbox: "node src/sandbox.ts",
      test: "node --test",
      doctor: "till402 doctor --env .env --config src/till.config.ts --database till.sqlite",
      ...scripts
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
  const { "dependencies.json": template = "", ...files } = Object.fromEntries([
    ...(await readTemplate("app")),
    ...(await readTemplate(framework))
  ])
  const all = {
    "package.json": packageOf(template, nameOf(folder)),
    ...files,
    ".env": files[".env"]!.replace(/^TILL_SECRET=$/m, `TILL_SECRET=${newSecret()}`)
  }
  try {
    for (const [path, text] of Object.entries(all)) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      // It has the secret.
      await writeFile(join(folder, path), text, { flag: "wx", mode: path === ".env" ? 0o600 : 0o644 })
    }
  } catch (error) {
    throw new CommandFailed(`${given} can't be written: ${wordsOf(error)}`)
  }
  return Object.keys(all)
}
