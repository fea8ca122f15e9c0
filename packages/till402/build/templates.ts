import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { frameworks, type Framework } from "../src/init/frameworks.ts"

/*
 * The templates of `till402 init` are the examples, so that there is one source: npm run docs writes them, and a test compares.
 * Only that for Next is written by hand: Next takes 500 MB, which a clone need not install.
 */

const copied = frameworks.filter((framework) => framework !== "next")

const here = dirname(fileURLToPath(import.meta.url))
const examples = join(here, "..", "..", "..", "examples")
const folder = join(here, "..", "templates")

const read = (...path: ReadonlyArray<string>): string => readFileSync(join(examples, ...path), "utf8")

/** The text with `other` in place of `part`, which it must have. */
const replaced = (text: string, part: string, other: string): string => {
  if (!text.includes(part)) throw new Error(`the example has no ${part}`)
  return text.replace(part, other)
}

/** A store of the reader's own, which an app doesn't begin with. */
const shownAlone = new Set(["quotes.ts"])

const sourcesOf = (framework: Framework): Readonly<Record<string, string>> =>
  // The example for Koa shows PostgreSQL; an app begins with a file, as the others do.
  framework === "koa"
    ? {
        "main.ts": read("koa", "src", "main.ts"),
        "till.config.ts": read("express", "src", "till.config.ts"),
        "sandbox.ts": read("express", "src", "sandbox.ts")
      }
    : Object.fromEntries(
        readdirSync(join(examples, framework, "src"))
          .filter((name) => !shownAlone.has(name))
          .map((name) => [name, read(framework, "src", name)])
      )

/** The settings of an app by the names that Effect's `Config` reads. */
const effectSettings = (): string =>
  Object.entries({
    BASE_URL: "TILL_BASE_URL",
    PAY_TO: "TILL_PAY_TO",
    NETWORK: "TILL_NETWORKS",
    RPC_URL: "TILL_RPC_URL_BASE_SEPOLIA",
    FACILITATOR_URL: "TILL_FACILITATOR_URL",
    "# JSON-RPC endpoint of that network.":
      "# JSON-RPC endpoint of that network, whose name is in the variable's: TILL_RPC_URL_BASE."
  }).reduce(
    (text, [part, other]) => replaced(text, `\n${part}`, `\n${other}`),
    readFileSync(join(folder, "app", "env"), "utf8")
  )

/** Of the workspace alone, or of the database that the example for Koa has. */
const leftOut = new Set(["@till402/test-postgres", "@till402/testing", "@effect/sql-pg"])

const dependenciesOf = (framework: Framework): string => {
  const { dependencies, devDependencies } = JSON.parse(read(framework, "package.json"))
  const kept = (given: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(Object.entries(given).filter(([name]) => !leftOut.has(name)))
  const all = {
    // Its settings are variables alone.
    ...(framework === "effect"
      ? { scripts: { doctor: "till402 doctor --env .env --database till.sqlite" } }
      : {}),
    dependencies: kept(dependencies),
    devDependencies: kept(devDependencies)
  }
  return `${JSON.stringify(all, undefined, 2)}\n`
}

/** The files of all templates by their paths in the package. */
export const templates = (): ReadonlyMap<string, string> =>
  new Map(
    copied.flatMap((framework) => [
      [`${framework}/dependencies.json`, dependenciesOf(framework)] as const,
      ...(framework === "effect" ? [["effect/env", effectSettings()] as const] : []),
      ...Object.entries(sourcesOf(framework)).map(
        ([name, text]) => [`${framework}/src/${name}`, text] as const
      )
    ])
  )

/** The files that are there. */
export const writtenTemplates = (): ReadonlyMap<string, string> =>
  new Map(
    copied.flatMap((framework) =>
      existsSync(join(folder, framework))
        ? readdirSync(join(folder, framework), { recursive: true, withFileTypes: true })
            .filter((entry) => entry.isFile())
            .map((entry) => {
              const path = join(entry.parentPath, entry.name)
              return [
                path.slice(folder.length + 1).replaceAll("\\", "/"),
                readFileSync(path, "utf8")
              ] as const
            })
        : []
    )
  )

export const writeTemplates = (): void => {
  for (const framework of copied) rmSync(join(folder, framework), { recursive: true, force: true })
  for (const [path, text] of templates()) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}
