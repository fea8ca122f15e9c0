import { describe } from "vitest"
import { itLists } from "./wrongCommands.ts"

describe("a wrong argument of a program lists what there is:", () => {
  itLists([
    [["bench", "zzz"], 'The bench has no mode "zzz".', "  downloads "],
    [["road", "zzz"], 'There is no road "zzz".', ", fastify"],
    [["till402", "zzz"], 'Unknown subcommand "zzz"', "  doctor "]
  ])
})

describe("a wrong command lists what there is:", () => {
  itLists([
    [["example"], "Name an example.", "  express *"],
    [["example", "../core"], 'There is no example "../core".', "  express *"],
    [["example", "express", "zzz"], 'takes only main: got "zzz"', "  express *"],
    [["day", "--zzz=1"], "There is no option --zzz=1.", "--minutes N"],
    [["attack", "--zzz"], "There is no option --zzz.", "--requests N"],
    [["simulate", "--zzz"], "There is no option --zzz.", "--seeds N"],
    [["mutate", "--zzz"], "There is no option --zzz.", "--files NAME,NAME"],
    [["release", "--zzz"], "There is no option --zzz.", "--dry-run"]
  ])
})
