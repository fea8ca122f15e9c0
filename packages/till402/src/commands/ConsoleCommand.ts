import { Option } from "effect"
import { Command } from "effect/cli"
import { isSet, place, text } from "./bookFlags.ts"
import { type Surroundings, work } from "./Surroundings.ts"
import { withRecords } from "./withRecords.ts"

const listenFlag = text("listen", "HOST:PORT", "Where (default 127.0.0.1:4022; port 0: a free one)")

export const consoleCommand = (surroundings: Surroundings) =>
  Command.make(
    "console",
    {
      listen: listenFlag,
      host: text("host", "NAME", "Another name that requests may give, such as a proxy's"),
      admin: isSet("admin", "Also records refunds, stops and resumes them"),
      ...place
    },
    ({ admin, host, listen, ...input }) =>
      work(async (now) => {
        const { addressOf, passwordFor, serveConsole } = await import("../console/serve.ts")
        const address = addressOf(Option.getOrElse(listen, () => "127.0.0.1:4022"))
        const password = passwordFor(address, surroundings.environment["TILL_CONSOLE_PASSWORD"])
        const served = { address, password, name: Option.getOrUndefined(host), isAdmin: admin, now }
        return withRecords(surroundings, input, ({ read, write }) =>
          (admin ? write : read)((till) => serveConsole(till, served, surroundings))
        )
      })
  ).pipe(Command.withDescription("Serves the console of what a till has stored"))
