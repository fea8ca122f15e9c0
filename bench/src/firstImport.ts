import { execFileSync } from "node:child_process"
import { median } from "./load.ts"

/** What the first import of a module takes in a new process. */
export interface FirstImport {
  /** Median milliseconds from start to end of the process, above those of a process that imports nothing. */
  readonly millis: number
  /** Modules that it loads. */
  readonly modules: number
}

const node = (text: string, folder: string): string =>
  execFileSync(process.execPath, ["--input-type=module", "--eval", text], { cwd: folder, encoding: "utf8" })

const modulesOf = (specifier: string, folder: string): number =>
  Number(
    node(
      `import { registerHooks } from "node:module"
      let modules = 0
      registerHooks({ load: (url, context, next) => (modules++, next(url, context)) })
      await import(${JSON.stringify(specifier)})
      console.log(modules)`,
      folder
    )
  )

/**
 * Imports each module in new processes of plain Node that run in `folder`, in turns, so that all meet the same load of
 * the machine.
 */
export const firstImports = (
  specifiers: ReadonlyArray<string>,
  folder: string,
  rounds = 9
): ReadonlyMap<string, FirstImport> => {
  const texts = ["", ...specifiers.map((specifier) => `await import(${JSON.stringify(specifier)})`)]
  const times = texts.map((): Array<number> => [])
  for (let round = 0; round < rounds; round++)
    for (const [index, text] of texts.entries()) {
      const startedAt = performance.now()
      node(text, folder)
      times[index]!.push(performance.now() - startedAt)
    }
  const [empty = 0, ...medians] = times.map(median)
  return new Map(
    specifiers.map((specifier, index) => [
      specifier,
      { millis: medians[index]! - empty, modules: modulesOf(specifier, folder) }
    ])
  )
}
