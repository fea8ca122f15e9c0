import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"

/** The example as its reader would run it: its own process, which ends with the test at the latest. */
export interface RunningExample {
  readonly url: string
  /** Stops it; resolves to the exit code, and rejects when it exceeds the deadline. */
  readonly stop: (signal?: "SIGTERM" | "SIGINT") => Promise<number | null>
}

const startMillis = 30_000
const stopMillis = 10_000

export type Environment = Readonly<Record<string, string>>

const spawnExample = (file: "main.ts" | "sandbox.ts", env: Environment): ChildProcess => {
  const program = fileURLToPath(new URL(`../src/${file}`, import.meta.url))
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", "--conditions=@till402/source", program],
    { stdio: ["ignore", "pipe", "pipe"], env: { PATH: process.env["PATH"] ?? "", ...env } }
  )
  onTestFinished(() => void child.kill("SIGKILL"))
  return child
}

/** Runs it to its end; returns the exit code and its standard error. */
export const runExample = async (
  env: Environment
): Promise<{ readonly code: unknown; readonly said: string }> => {
  const child = spawnExample("main.ts", env)
  let said = ""
  child.stderr!.on("data", (chunk: Buffer) => (said += chunk.toString()))
  const [code] = await once(child, "close", { signal: AbortSignal.timeout(startMillis) })
  return { code, said }
}

/** Starts it and waits until it listens. */
export const startExample = async (
  env: Environment,
  file: "main.ts" | "sandbox.ts" = "main.ts"
): Promise<RunningExample> => {
  const child = spawnExample(file, env)
  const said: Array<string> = []
  child.stderr!.on("data", (chunk: Buffer) => said.push(chunk.toString()))
  const lines = createInterface({ input: child.stdout!, signal: AbortSignal.timeout(startMillis) })
  for await (const line of lines) {
    const url = /http:\S+/.exec(line)?.[0]
    if (url === undefined) continue
    child.stdout!.resume()
    return {
      url,
      stop: async (signal = "SIGTERM") => {
        const exited = once(child, "exit", { signal: AbortSignal.timeout(stopMillis) })
        child.kill(signal)
        const [code] = await exited
        return code as number | null
      }
    }
  }
  throw new Error(`The example did not listen:\n${said.join("")}`)
}
