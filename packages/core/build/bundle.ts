/*
 * Bundles the entries of core for plain Node, which pays for each file that it loads: `dist/bundle` has one file for
 * each entry, and the code that they share. Bundlers take the separate files of `dist`, from which they drop what a
 * host doesn't use.
 *
 *   node packages/core/build/bundle.ts
 */
import { readFileSync, realpathSync, rmSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { type Plugin, rolldown } from "rolldown"

const core = dirname(dirname(fileURLToPath(import.meta.url)))
const entries = ["index", "effect", "node", "sqlite", "postgres", "testing"]
const folder = join(core, "dist", "bundle")

/** Names of the packages that stay outside of the bundle: a host shares them with core. */
const packages = (): ReadonlyArray<string> => {
  const { dependencies, peerDependencies }: Readonly<Record<string, Readonly<Record<string, string>>>> =
    JSON.parse(readFileSync(join(core, "package.json"), "utf8"))
  return Object.keys({ ...dependencies, ...peerDependencies })
}

/**
 * Imports the modules of effect one by one: its barrels, such as `effect` and `effect/http`, load hundreds of modules
 * that core doesn't need.
 */
const effectModules = (): Plugin => {
  const effect = realpathSync(join(core, "node_modules", "effect"))
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

const bundle = await rolldown({
  input: Object.fromEntries(entries.map((name) => [name, join(core, "src", `${name}.ts`)])),
  platform: "neutral",
  external: [/^node:/, ...packages().map((name) => new RegExp(`^${name}(/|$)`))].filter(
    (pattern) => !pattern.test("effect")
  ),
  treeshake: { moduleSideEffects: "no-external" },
  // With `minify`, keeps the names of optional peers in variables, which hides them from bundlers.
  optimization: { inlineConst: false },
  plugins: [effectModules()],
  onLog: (_level, { message }) => {
    throw new Error(message)
  }
})
rmSync(folder, { recursive: true, force: true })
await bundle.write({
  dir: folder,
  format: "esm",
  sourcemap: true,
  // Source maps lead to `src`, which is published.
  sourcemapExcludeSources: true,
  comments: false,

  chunkFileNames: "shared/[name].js"
})
await bundle.close()
