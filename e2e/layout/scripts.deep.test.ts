import { describe } from "vitest"
import { itLists } from "./wrongCommands.ts"

describe("a wrong argument of a program lists what there is:", () => {
  itLists([
    [["bench", "zzz"], 'The bench has no mode "zzz".', "  downloads "],
    [["road", "zzz"], 'There is no road "zzz".', ", fastify"],
    [["till402", "zzz"], 'Unknown subcommand "zzz"', "  doctor "]
  ])
})
