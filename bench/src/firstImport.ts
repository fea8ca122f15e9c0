import { execFileSync } from "node:child_process"
import { median } from "./quantile.ts"

/** What the first import of a module takes in a new process. */
export interface FirstImport {
  /** Median milliseconds from start to end of the process, above those of a process that imports nothing. */
  readonly millis: number
  /** Modules that it loads. */
  readonly modules: number
}

const node = (text: string, folder: string): string =>
  execFileSync(process.execPath, ["--input-type=module", "--eval", text], { cwd: folder, encoding: "utf8" })

/** How many modules the first import of a module loads, by a process that runs in `folder`. */
export const modulesOf = (specifier: string, folder: string): number =>
  Number(
    node(
      `import { registerHooks } from "node:module"
      let modules = 0
      registerHooks({ load: (url, context, next) => (modules++, next(url, context)) })
      ${importing(specifier)}
      console.log(modules)`,
      folder
    )
  )

/**
 * Median milliseconds of new processes of plain Node that run each text in `folder`, above those of one that runs none.
 * They run in turns, so that all meet the same load of the machine.
 */
export const startMillis = (
  texts: ReadonlyArray<string>,
  folder: string,
  rounds = 9
): ReadonlyArray<number> => {
  const all = ["", ...texts]
  const times = all.map((): Array<number> => [])
  for (let round = 0; round < rounds; round++)
    for (const [index, text] of all.entries()) {
      const startedAt = performance.now()
      node(text, folder)
      times[index]!.push(performance.now() - startedAt)
    }
  const [empty = 0, ...medians] = times.map(median)
  return medians.map((millis) => millis - empty)
}

export const importing = (specifier: string): string => `await import(${JSON.stringify(specifier)})`

/** The first import of each module, by processes that run in `folder`. */
export const firstImports = (
  specifiers: ReadonlyArray<string>,
  folder: string,
  rounds = 9
): ReadonlyMap<string, FirstImport> => {
  const millis = startMillis(specifiers.map(importing), folder, rounds)
  return new Map(
    specifiers.map((specifier, index) => [
      specifier,
      { millis: millis[index]!, modules: modulesOf(specifier, folder) }
    ])
  )
}
