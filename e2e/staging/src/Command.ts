import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { runScripts } from "./Report.ts"
import { scripts } from "./scripts/index.ts"

const usage = `Usage: staging [name…] [--place] [--record FOLDER]

Names: ${scripts.map(({ name }) => name).join(", ")}; none: all of them.
`

const readArguments = (args: ReadonlyArray<string>) => {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      place: { type: "boolean", default: false },
      record: { type: "string" },
      help: { type: "boolean", default: false }
    }
  })
  const unknown = positionals.find((wanted) => !scripts.some(({ name }) => name === wanted))
  if (unknown !== undefined) throw new Error(`there is no script ${unknown}`)
  return { names: positionals, ...values }
}

/** What the command line reaches outside of itself. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly print: (text: string) => void
  readonly complain: (text: string) => void
}

/** Runs the scripts that the arguments name; resolves to the exit code. */
export const runCommand = async (
  args: ReadonlyArray<string>,
  { complain, environment, print }: Surroundings
): Promise<number> => {
  let given: ReturnType<typeof readArguments>
  try {
    given = readArguments(args)
  } catch (error) {
    complain(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
    return 1
  }
  if (given.help) {
    print(usage)
    return 0
  }
  const { names, place, record: folder } = given
  if (folder !== undefined) mkdirSync(folder, { recursive: true })
  return await runScripts(
    scripts.filter(({ name }) => names.length === 0 || names.includes(name)),
    {
      environment,
      mayPlace: place,
      ...(folder === undefined
        ? {}
        : {
            record: ({ document, name }) =>
              writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(document, undefined, 2)}\n`)
          }),
      print: (line) => print(`${line}\n`)
    }
  )
}
