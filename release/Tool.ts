import { spawnSync } from "node:child_process"

/** An error of which only the message is shown. */
export class ReleaseRefused extends Error {}

/** An hour: a registry or a compiler that hangs should end in a message. */
const timeoutMillis = 3_600_000

/**
 * Runs a program to its end; returns its standard output.
 *
 * @throws ReleaseRefused with its output, if it can't be started or its exit code isn't 0
 */
export const run = (command: string, args: ReadonlyArray<string>, cwd: string): string => {
  const { code, complaint, output } = outcome(command, args, cwd)
  if (code === 0) return output
  throw new ReleaseRefused(`${command} ${args.join(" ")} ended with ${code}\n${output}${complaint}`)
}

/** Runs a program to its end, whatever its exit code is. */
export const outcome = (command: string, args: ReadonlyArray<string>, cwd: string) => {
  const { error, status, stderr, stdout } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    timeout: timeoutMillis,
    maxBuffer: 64 * 1024 * 1024,
    // npm and pnpm are scripts there.
    shell: process.platform === "win32" && command !== process.execPath
  })
  if (error !== undefined) throw new ReleaseRefused(`${command} can't be run: ${error.message}`)
  return { code: status, output: stdout, complaint: stderr }
}
