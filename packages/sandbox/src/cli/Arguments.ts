import { parseArgs } from "node:util"
import { type NetworkChoice, readNetworkChoice, wrongNetwork } from "../NetworkChoice.ts"
import { type AdapterName, adapterNames } from "../Server.ts"

/** Parsed command line options. */
export interface Arguments {
  readonly port: number
  /** Another name of this machine. */
  readonly host?: string
  readonly adapter: AdapterName
  readonly network: NetworkChoice
  readonly json: boolean
  /** The server of the assistant's model, with the model's name. */
  readonly model?: { readonly baseUrl: string; readonly name: string }
}

export const usage = `Usage: npx @till402/sandbox [options]
       npm run sandbox -- [options]     in a clone

  --port N           port of the service (default 4021; 0 takes a free one)
  --host NAME        another name that requests may give, such as a tunnel's; it
                     always answers to localhost and to IP addresses
  --adapter NAME     framework that mounts it: hono (default), express or koa
  --network NAME     networks to be paid on: both (default), base-sepolia or
                     solana
  --model URL        model server for the assistant, e.g.
                     http://localhost:11434/v1; a shop call is paid over it at
                     once. The key is read from MODEL_API_KEY
  --model-name NAME  the model, as its server names it (default default)
  --json             one line of JSON on standard output once ready, logs on
                     standard error
  --help             this text

Starts local chains with USDC, a facilitator, wallets and the service with its
sample shop; Ctrl-C stops all of it.
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
        host: { type: "string" },
        adapter: { type: "string", default: "hono" },
        network: { type: "string", default: "both" },
        model: { type: "string" },
        "model-name": { type: "string", default: "default" },
        json: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false }
      }
    })
    if (values.help) return { _tag: "Help" }
    const port = /^\d{1,5}$/.test(values.port) ? Number(values.port) : Number.NaN
    if (!(port <= 65_535)) return wrong(`--port must be 0 to 65535: got ${values.port}`)
    const adapter = adapterNames.find((name) => name === values.adapter)
    if (adapter === undefined) return wrong(`--adapter must be hono, express or koa: got ${values.adapter}`)
    const network = readNetworkChoice(values.network)
    if (network === undefined) return wrong(wrongNetwork(values.network))
    const { host, json, model: baseUrl, "model-name": name } = values
    if (host !== undefined && URL.parse(`http://${host}`)?.host !== host.toLowerCase()) {
      return wrong(`--host must be a name without a port, such as sandbox.example: got ${host}`)
    }
    const options = { port, adapter, network, json, ...(host === undefined ? {} : { host }) }
    if (baseUrl === undefined) return { _tag: "Run", options }
    if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? "")) {
      return wrong(`--model must be the address of a model server: got ${baseUrl}`)
    }
    return { _tag: "Run", options: { ...options, model: { baseUrl, name } } }
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error))
  }
}
