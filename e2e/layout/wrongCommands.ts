import { spawnSync } from "node:child_process"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** Runs a command of the root. */
export const run = (...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    [join(root, "scripts", "run.mjs"), ...args],
    { encoding: "utf8", cwd: root }
  )
  return { status, stderr, stdout }
}

export type WrongCommand = readonly [args: ReadonlyArray<string>, fault: string, listed: string]

/** Each wrong command says what is wrong, and lists what there is. */
export const itLists = (commands: ReadonlyArray<WrongCommand>): void => {
  it.each(commands)("%j", (args, fault, listed) => {
    const { status, stderr, stdout } = run(...args)
    expect(stdout).toBe("")
    expect(stderr).toContain(fault)
    expect(stderr).toContain(listed)
    expect(stderr).not.toMatch(/^ +at /m)
    expect(status).not.toBe(0)
  })
}
