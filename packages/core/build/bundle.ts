/*
 * Bundles the entries of core and of the providers for plain Node, which pays for each file that it loads:
 * `dist/bundle` has one file for each entry, and the code that they share. Bundlers take the separate files of `dist`,
 * from which they drop what a host doesn't use. Copies the documents into core: error texts name their pages.
 *
 *   node packages/core/build/bundle.ts
 */
import { cpSync, globSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { type Plugin, rolldown } from "rolldown"

const core = dirname(dirname(fileURLToPath(import.meta.url)))
const providers = join(dirname(core), "providers")
const coreEntries = ["index", "effect", "node", "sqlite", "postgres"]
const providerEntries = globSync("**/index.ts", { cwd: join(providers, "src") }).map((file) =>
  dirname(file).replaceAll("\\", "/")
)

/** Names of the packages that stay outside of the bundle: a host shares them. */
const packagesBeside = (folder: string): ReadonlyArray<string> => {
  const { dependencies, peerDependencies }: Readonly<Record<string, Readonly<Record<string, string>>>> =
    JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  return Object.keys({ ...dependencies, ...peerDependencies })
}

/**
 * Imports the modules of effect one by one: its barrels, such as `effect` and `effect/http`, load hundreds of modules
 * that are not needed.
 */
const effectModules = (folder: string): Plugin => {
  const effect = realpathSync(join(folder, "node_modules", "effect"))
  const { exports }: { readonly exports: Readonly<Record<string, string | null>> } = JSON.parse(
    readFileSync(join(effect, "package.json"), "utf8")
  )
  const barrelOf = (specifier: string): string | undefined => {
    const target = exports[specifier.replace(/^effect/, ".")]
    return target?.endsWith("/index.js") === true ? join(effect, target) : undefined
  }
  const moduleOf = (path: string): string =>
    `effect/${relative(join(effect, "dist"), path).replaceAll("\\", "/").replace(/\.js$/, "")}`
  return {
    name: "effect-modules",
    resolveId(source, importer) {
      if (/^effect(\/|$)/.test(source)) return barrelOf(source) ?? { id: source, external: true }
      return importer !== undefined && dirname(importer).startsWith(join(effect, "dist"))
        ? { id: moduleOf(join(dirname(importer), source)), external: true }
        : null
    }
  }
}

/** Bundles a package; `input` has the path of each entry below `src`, by the name of its bundle. */
const bundlePackage = async (folder: string, input: Readonly<Record<string, string>>): Promise<void> => {
  const bundle = await rolldown({
    input: Object.fromEntries(Object.entries(input).map(([name, file]) => [name, join(folder, "src", file)])),
    platform: "neutral",
    external: [/^node:/, ...packagesBeside(folder).map((name) => new RegExp(`^${name}(/|$)`))].filter(
      (pattern) => !pattern.test("effect")
    ),
    treeshake: { moduleSideEffects: "no-external" },
    // With `minify`, keeps the names of optional peers in variables, which hides them from bundlers.
    optimization: { inlineConst: false },
    plugins: [effectModules(folder)],
    onLog: (_level, { message }) => {
      throw new Error(message)
    }
  })
  const dir = join(folder, "dist", "bundle")
  rmSync(dir, { recursive: true, force: true })
  await bundle.write({
    dir,
    format: "esm",
    comments: false,
    chunkFileNames: "shared/[name].js"
  })
  await bundle.close()
}

await bundlePackage(core, {
  ...Object.fromEntries(coreEntries.map((name) => [name, `${name}.ts`])),
  // The thread of a SQLite file: beside the file that starts it.
  SqliteWorker: "stores/sqlite/SqliteWorker.ts"
})
await bundlePackage(providers, Object.fromEntries(providerEntries.map((name) => [name, `${name}/index.ts`])))

const documents = join(core, "docs")
rmSync(documents, { recursive: true, force: true })
cpSync(join(core, "..", "..", "docs"), documents, {
  recursive: true,
  // Pages for hosts. Drawings, and pages for contributors, stay in the repository.
  filter: (path) =>
    !/\/(decisions|architecture\.md|releasing\.md)$|\.(svg|txt|json)$/.test(path.replaceAll("\\", "/"))
})
