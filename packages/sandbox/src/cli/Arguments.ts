import { parseArgs } from "node:util"
import { type AdapterName, adapterNames } from "../Server.ts"

/** Parsed command line options. */
export interface Arguments {
  readonly port: number
  readonly adapter: AdapterName
  readonly json: boolean
}

export const usage = `Usage: npm run sandbox -- [options]

  --port N                      port of the service (default 4021; 0 takes a free one)
  --adapter hono|express|koa    framework that mounts it (default hono)
  --json                        one line of JSON on standard output once ready, logs on standard error
  --help                        this text

Starts a local chain with USDC, a facilitator, wallets and the service with its sample shop; Ctrl-C
stops all of it.
`

export type ParsedArguments =
  | { readonly _tag: "Run"; readonly options: Arguments }
  | { readonly _tag: "Help" }
  | { readonly _tag: "Wrong"; readonly message: string }

const wrong = (message: string): ParsedArguments => ({ _tag: "Wrong", message })

/** Parses the command line; describes what is wrong with it. */
export const parseArguments = (args: ReadonlyArray<string>): ParsedArguments => {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        port: { type: "string", default: "4021" },
        adapter: { type: "string", default: "hono" },
        json: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false }
      }
    })
    if (values.help) return { _tag: "Help" }
    const port = /^\d{1,5}$/.test(values.port) ? Number(values.port) : Number.NaN
    if (!(port <= 65_535)) return wrong(`--port must be 0 to 65535: got ${values.port}`)
    const adapter = adapterNames.find((name) => name === values.adapter)
    if (adapter === undefined) return wrong(`--adapter must be hono, express or koa: got ${values.adapter}`)
    return { _tag: "Run", options: { port, adapter, json: values.json } }
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error))
  }
}
