/*
 * Calls the real upstreams with keys from the environment; reports and skips those that aren't configured. Ends with
 * code 1 if an upstream doesn't behave as our provider expects.
 *
 *   node --conditions=@till402/source e2e/staging/main.ts [name…] [--place] [--record FOLDER]
 *
 * --place also places orders, only at staging services. --record stores the responses, sanitized, as fixtures.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { runScripts } from "./src/Report.ts"
import { scripts } from "./src/scripts/index.ts"

const usage = `Usage: staging [name…] [--place] [--record FOLDER]

Names: ${scripts.map(({ name }) => name).join(", ")}; none: all of them.
`

const readArguments = () => {
  const { positionals, values } = parseArgs({
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

const main = async (): Promise<number> => {
  let given: ReturnType<typeof readArguments>
  try {
    given = readArguments()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
    return 1
  }
  if (given.help) {
    process.stdout.write(usage)
    return 0
  }
  const { names, place, record: folder } = given
  if (folder !== undefined) mkdirSync(folder, { recursive: true })
  return await runScripts(
    scripts.filter(({ name }) => names.length === 0 || names.includes(name)),
    {
      environment: process.env,
      mayPlace: place,
      ...(folder === undefined
        ? {}
        : {
            record: ({ document, name }) =>
              writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(document, undefined, 2)}\n`)
          }),
      print: (line) => void process.stdout.write(`${line}\n`)
    }
  )
}

process.exitCode = await main()
// Ends connections that an upstream keeps open.
setTimeout(() => process.exit(), 5_000).unref()
