import { Argument, Command, Flag } from "effect/cli"
import { frameworks } from "../init/frameworks.ts"
import { jsonLine } from "../terminal/wrap.ts"
import { json } from "./flags.ts"
import { type Surroundings, work } from "./Surroundings.ts"

const config = {
  folder: Argument.String("DIR").pipe(Argument.withDescription("Folder, empty or new")),
  framework: Flag.Literals("framework", frameworks).pipe(
    Flag.withMetavar("NAME"),
    Flag.withDefault("express" as const)
  ),
  json
}

export const initCommand = ({ output }: Surroundings) =>
  Command.make("init", config, ({ folder, framework, json: isJson }) =>
    work(async () => {
      const { init } = await import("../init/init.ts")
      const files = await init(folder, framework)
      if (isJson) {
        output.print(jsonLine({ folder, framework, files }))
        return
      }
      for (const file of files) output.print(file)
      output.note(`Next: cd ${folder} && npm install && npm run sandbox, which runs it with play money.`)
      output.note("README.md says how it is tested, and how it goes live.")
    })
  ).pipe(Command.withDescription("Makes an app that sells calls, for Express by default"))
