import { spawnSync } from "node:child_process"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

/*
 * The commands of the root list what there is, instead of failing silently or with a stack trace.
 */

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const run = (...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    [join(root, "scripts", "run.mjs"), ...args],
    { encoding: "utf8", cwd: root }
  )
  return { status, stderr, stdout }
}

describe("a wrong command lists what there is:", () => {
  it.each([
    [["nothere"], 'There is no task "nothere".', "  demo "],
    [["example"], "Name an example.", "  express *"],
    [["example", "zzz"], 'There is no example "zzz".', "  shopify\n"],
    [["example", "../core"], 'There is no example "../core".', "  express *"],
    [["example", "express", "zzz"], 'takes only main: got "zzz"', "  express *"],
    [["bench", "zzz"], 'The bench has no mode "zzz".', "  downloads "],
    [["kill", "--zzz"], "There is no option --zzz.", "--rounds N"],
    [["day", "--zzz=1"], "There is no option --zzz=1.", "--minutes N"],
    [["attack", "--zzz"], "There is no option --zzz.", "--requests N"],
    [["road", "zzz"], 'There is no road "zzz".', ", fastify"],
    [["simulate", "--zzz"], "There is no option --zzz.", "--seeds N"],
    [["mutate", "--zzz"], "There is no option --zzz.", "--files NAME,NAME"],
    [["release", "--zzz"], "There is no option --zzz.", "--dry-run"],
    [["till402", "zzz"], 'Unknown subcommand "zzz"', "  doctor "]
  ])("%j", (args, fault, listed) => {
    const { status, stderr, stdout } = run(...args)
    expect(stdout).toBe("")
    expect(stderr).toContain(fault)
    expect(stderr).toContain(listed)
    expect(stderr).not.toMatch(/^ +at /m)
    expect(status).not.toBe(0)
  })
})

it("help is a result", () => {
  expect(run("--help")).toMatchObject({
    status: 0,
    stderr: "",
    stdout: expect.stringContaining("  till402 ")
  })
  expect(run("kill", "--help")).toMatchObject({ status: 0, stdout: expect.stringContaining("--rounds N") })
})
