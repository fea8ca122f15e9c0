import { Argument, Command } from "effect/cli"
import { readUrl } from "../pay/url.ts"
import { json } from "./flags.ts"
import { type Surroundings, work } from "./Surroundings.ts"

const config = {
  url: Argument.String("URL").pipe(
    Argument.withDescription("The service, with its prefix, or one paid route")
  ),
  json
}

export const checkCommand = ({ output }: Surroundings) =>
  Command.make("check", config, (input) =>
    work(async (now) => {
      const { href } = readUrl(input.url)
      const { checkRoutes } = await import("../check/check.ts")
      const { printLines } = await import("../doctor/Line.ts")
      return printLines(await checkRoutes(href, now), input.json, output)
    })
  ).pipe(Command.withDescription("Shows every paid route as indexers see it"))
