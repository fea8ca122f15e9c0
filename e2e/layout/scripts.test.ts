import { describe, expect, it } from "vitest"
import { itLists, run } from "./wrongCommands.ts"

/*
 * The commands of the root list what there is, instead of failing silently or with a stack trace. scripts.deep.test.ts has
 * those that load a program first.
 */

describe("a wrong command lists what there is:", () => {
  itLists([
    [["nothere"], 'There is no task "nothere".', "  demo "],
    [["example"], "Name an example.", "  express *"],
    [["example", "zzz"], 'There is no example "zzz".', "  shopify\n"],
    [["example", "../core"], 'There is no example "../core".', "  express *"],
    [["example", "express", "zzz"], 'takes only main: got "zzz"', "  express *"],
    [["kill", "--zzz"], "There is no option --zzz.", "--rounds N"],
    [["day", "--zzz=1"], "There is no option --zzz=1.", "--minutes N"],
    [["attack", "--zzz"], "There is no option --zzz.", "--requests N"],
    [["simulate", "--zzz"], "There is no option --zzz.", "--seeds N"],
    [["mutate", "--zzz"], "There is no option --zzz.", "--files NAME,NAME"],
    [["release", "--zzz"], "There is no option --zzz.", "--dry-run"]
  ])
})

it("help is a result", () => {
  expect(run("--help")).toMatchObject({
    status: 0,
    stderr: "",
    stdout: expect.stringContaining("  till402 ")
  })
  expect(run("kill", "--help")).toMatchObject({ status: 0, stdout: expect.stringContaining("--rounds N") })
})
