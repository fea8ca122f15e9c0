import { Option } from "effect"
import { Command, Flag } from "effect/cli"
import { CommandFailed, wordsOf } from "../CommandFailed.ts"
import { json } from "./flags.ts"
import { work } from "./Surroundings.ts"

const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)

const config = {
  port: text("port", "N", "Port (default 4021; 0 takes a free one)"),
  host: text("host", "NAME", "Another name that requests may give, such as a tunnel's"),
  adapter: text("adapter", "NAME", "hono (default), express or koa"),
  network: text("network", "NAME", "both (default), base-sepolia or solana"),
  model: text("model", "ADDRESS", "Model server for the assistant"),
  "model-name": text("model-name", "NAME", "The model, as its server names it"),
  json
}

const argumentsOf = ({ json: isJson, ...options }: Record<keyof typeof config, unknown>): Array<string> => [
  ...Object.entries(options).flatMap(([name, option]) =>
    Option.match(option as Option.Option<string>, {
      onNone: () => [],
      onSome: (value) => [`--${name}`, value]
    })
  ),
  ...(isJson === true ? ["--json"] : [])
]

/** It has chains of 100 MB, so it is a package by itself. */
const load = async () => {
  try {
    return await import("@till402/sandbox/command")
  } catch (error) {
    const isMissing =
      error instanceof Error &&
      "code" in error &&
      error.code === "ERR_MODULE_NOT_FOUND" &&
      error.message.includes("@till402/sandbox")
    throw new CommandFailed(
      isMissing
        ? "the sandbox is a package by itself: npm install --save-dev @till402/sandbox, or run npx @till402/sandbox"
        : `the sandbox can't be loaded: ${wordsOf(error)}`
    )
  }
}

export const sandboxCommand = () =>
  Command.make("sandbox", config, (input) =>
    work(async () => {
      const { runSandbox } = await load()
      if (!runSandbox(argumentsOf(input))) return 2
      // It ends the process itself.
      return new Promise<never>(() => undefined)
    })
  ).pipe(Command.withDescription("Runs the whole service with play money"))
