import { Option } from "effect"
import { Command, Flag } from "effect/cli"
import { WrongUsage } from "../CommandFailed.ts"
import { database, json } from "./flags.ts"
import { type Surroundings, work } from "./Surroundings.ts"

const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)

const config = {
  module: text("config", "MODULE", "Exports the till or its options (else TILL_…)"),
  // Node takes an --env-file for its own, also behind a script, and exits before the script starts if there is none.
  envFile: text("env", "FILE", "More variables, such as .env").pipe(Flag.withAlias("env-file")),
  url: text("url", "ADDRESS", "Public URL (else that of the settings)"),
  route: text("route", "ROUTE", 'Paid route to call, as "GET /weather/oslo"'),
  isLocal: Flag.Boolean("local").pipe(
    Flag.withoutNegation,
    Flag.withDescription("Leaves the public URL out"),
    Flag.withDefault(false)
  ),
  database,
  json
}

export const doctorCommand = (surroundings: Surroundings) =>
  Command.make("doctor", config, (input) =>
    work(async (now) => {
      const url = Option.getOrUndefined(input.url)
      const route = Option.getOrUndefined(input.route)
      if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
        throw new WrongUsage(`--url must be an address such as https://shop.example: got ${url}`)
      if (route !== undefined && !/^[A-Z]+ \/\S*$/.test(route))
        throw new WrongUsage(`--route must be a method and a path, as "GET /weather/oslo": got ${route}`)
      const { examine } = await import("../doctor/doctor.ts")
      const { printLines } = await import("../doctor/Line.ts")
      const lines = await examine({
        environment: surroundings.environment,
        envFile: Option.getOrUndefined(input.envFile),
        module: Option.getOrUndefined(input.module),
        database: Option.getOrUndefined(input.database),
        url,
        route,
        isLocal: input.isLocal,
        now
      })
      return printLines(lines, input.json, surroundings.output)
    })
  ).pipe(
    Command.withDescription("Says whether a service is ready, with a cure for what isn't"),
    Command.withExamples([
      { command: "till402 doctor --env .env", description: "With the settings of a file" },
      { command: "till402 doctor --config ./till.config.ts --json" }
    ])
  )
