import { spawn } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { root, type Sample } from "./documents.ts"

const here = dirname(fileURLToPath(import.meta.url))
const compiler = join(root, "node_modules", "typescript", "bin", "tsc")

const settings = {
  extends: "../../../../tsconfig.base.json",
  compilerOptions: {
    noEmit: true,
    // What the compiler has checked before, by the contents of files: what neither is new nor needs anything new.
    incremental: true,
    tsBuildInfoFile: "checked.tsbuildinfo",
    composite: false,
    declaration: false,
    declarationMap: false,
    sourceMap: false,
    // A sample may declare names that it doesn't use.
    noUnusedLocals: false,
    noUnusedParameters: false,
    allowImportingTsExtensions: true,
    customConditions: ["@till402/source"]
  },
  include: ["**/*.ts"]
}

const nameOf = ({ code, line }: Sample): string => /^\/\/ ([\w-]+\.ts)\n/.exec(code)?.[1] ?? `line-${line}.ts`

/** A folder for each document, so that its samples can import each other. */
const folderOf = (path: string): string => path.replaceAll(/[^\w]+/g, "-")

const run = (folder: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [compiler, "-p", folder, "--pretty", "false", "--singleThreaded"], {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"]
    })
    let output = ""
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()))
    child.once("error", reject)
    child.once("close", (code) => resolve(code === 0 ? "" : output || `tsc ended with ${code}`))
  })

/**
 * Type-checks samples in one run of tsc; returns its errors with their place in the document: `README.md:120:7: error
 * TS2304: …`. `importsFor` returns a line with imports that a sample omits.
 */
export const compile = async (
  samples: ReadonlyArray<Sample>,
  importsFor: (sample: Sample, folder: string) => string = () => ""
): Promise<string> => {
  const tmp = join(here, ".tmp")
  mkdirSync(tmp, { recursive: true })
  const folder = mkdtempSync(join(tmp, "samples-"))
  const [checked, kept] = [join(folder, "checked.tsbuildinfo"), join(tmp, "checked.tsbuildinfo")]
  if (existsSync(kept)) copyFileSync(kept, checked)
  try {
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings))
    const places = new Map<string, string>()
    for (const sample of samples) {
      const file = join(folder, folderOf(sample.path), nameOf(sample))
      const name = relative(folder, file).replaceAll("\\", "/")
      if (places.has(name))
        throw new Error(`${sample.path}:${sample.line} there is a ${nameOf(sample)} already`)
      places.set(name, sample.path)
      mkdirSync(dirname(file), { recursive: true })
      // Preserves the line numbers of the document.
      const imports = importsFor(sample, dirname(file))
      writeFileSync(file, `${imports}${"\n".repeat(sample.line - 1)}${sample.code}\n`)
    }
    const output = await run(folder)
    // Whole, or not at all: several runs may end at once.
    renameSync(checked, kept)
    return output.replaceAll(
      /^(\S+?)\((\d+),(\d+)\)/gm,
      (_all, file: string, line: string, column: string) => `${places.get(file) ?? file}:${line}:${column}`
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
