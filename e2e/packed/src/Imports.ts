import { readFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { dirname, join, normalize } from "node:path"
import { init, parse } from "es-module-lexer"
import { type Entry, filesOf, type PackedPackage } from "./Packing.ts"

/*
 * Finds the imports of built files in their text.
 */

await init

/** Documentation contains imports, too; tsc puts those on separate lines. */
const withoutComments = (text: string): string => text.replaceAll(/^\s*\/\*[\s\S]*?\*\//gm, "")

const ofDeclarations = (text: string): ReadonlyArray<string> =>
  [
    ...withoutComments(text).matchAll(
      /^\s*(?:import|export)\b[^"']*?\bfrom\s*["']([^"']+)["']|^\s*import\s*["']([^"']+)["']|\bimport\(["']([^"']+)["']\)|^\s*declare module ["']([^"']+)["']/gm
    )
  ].map((found) => found.slice(1).find((specifier) => specifier !== undefined)!)

/** What a JavaScript file requires to load. */
const staticImportsOf = (path: string): ReadonlyArray<string> =>
  parse(readFileSync(path, "utf8"), path)[0].flatMap(({ d, n }) => (d === -1 && n !== undefined ? [n] : []))

/** What a JavaScript file or a declaration imports; `undefined` stands for computed imports. */
export const importsOf = (path: string): ReadonlyArray<string | undefined> => {
  const text = readFileSync(path, "utf8")
  if (path.endsWith(".d.ts")) return ofDeclarations(text)
  const [imports] = parse(text, path)
  // This includes `import.meta`, as -2.
  const imported = imports.filter(({ d }) => d !== -2).map(({ n }) => n)
  const resolved = [...text.matchAll(/createRequire\([^)]*\)\.resolve\(\s*[`"']([^`"'$]+)/g)].map(
    ([, specifier]) => specifier
  )
  return [...imported, ...resolved]
}

const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")

const builtFiles = ({ folder }: PackedPackage): ReadonlyArray<string> =>
  filesOf(folder).filter((file) => /^dist\/.*(\.js|\.d\.ts)$/.test(file))

/** Imports of packages that the importing package's manifest doesn't declare. */
export const undeclaredImports = (packed: PackedPackage): ReadonlyArray<string> => {
  const { dependencies, name, peerDependencies } = packed.manifest
  const declared = new Set([name, ...Object.keys({ ...dependencies, ...peerDependencies })])
  return builtFiles(packed).flatMap((file) =>
    importsOf(join(packed.folder, file))
      .filter((specifier) => specifier !== undefined)
      .filter((specifier) => !specifier.startsWith(".") && !isBuiltin(specifier))
      .filter((specifier) => !declared.has(packageOf(specifier)))
      .map((specifier) => `${name}: ${file} imports ${specifier}`)
  )
}

/** Files with computed imports. */
export const computedImports = (packed: PackedPackage): ReadonlyArray<string> =>
  builtFiles(packed).filter((file) => importsOf(join(packed.folder, file)).includes(undefined))

/** Imports of built-in Node modules, by importing file. */
export const builtinImports = (packed: PackedPackage): ReadonlyMap<string, ReadonlyArray<string>> =>
  new Map(
    builtFiles(packed)
      .filter((file) => file.endsWith(".js"))
      .map((file): [string, ReadonlyArray<string>] => [
        file,
        importsOf(join(packed.folder, file)).filter(
          (specifier) => specifier !== undefined && isBuiltin(specifier)
        ) as ReadonlyArray<string>
      ])
      .filter(([, builtins]) => builtins.length > 0)
  )

/** Every file of the package that loads with the file `entry`, including itself. */
export const loadedWith = ({ folder }: PackedPackage, entry: string): ReadonlyArray<string> => {
  const loaded = new Set<string>()
  const load = (file: string): void => {
    if (loaded.has(file)) return
    loaded.add(file)
    for (const specifier of staticImportsOf(join(folder, file))) {
      if (specifier.startsWith(".")) load(normalize(join(dirname(file), specifier)).replaceAll("\\", "/"))
    }
  }
  load(normalize(entry))
  return [...loaded]
}

/** Optional peers of a package that an entry requires to load, in Node or in a bundle. */
export const peersNeededBy = (packed: PackedPackage, { conditions }: Entry): ReadonlyArray<string> => {
  const { peerDependenciesMeta = {} } = packed.manifest
  const needed = [conditions["default"], conditions["module"]]
    .flatMap((entry) => (entry === undefined ? [] : loadedWith(packed, entry)))
    .flatMap((file) => staticImportsOf(join(packed.folder, file)))
    .map(packageOf)
    .filter((name) => peerDependenciesMeta[name]?.optional === true)
  return [...new Set(needed)]
}
