import { describe, expect, it } from "vitest"
import { itLists, run } from "./wrongCommands.ts"

/*
 * The commands of the root list what there is, instead of failing silently or with a stack trace. scripts.deep.test.ts has
 * more of them.
 */

describe("a wrong command lists what there is:", () => {
  itLists([
    [["nothere"], 'There is no task "nothere".', "  demo "],
    [["example", "zzz"], 'There is no example "zzz".', "  shopify\n"],
    [["kill", "--zzz"], "There is no option --zzz.", "--rounds N"]
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
