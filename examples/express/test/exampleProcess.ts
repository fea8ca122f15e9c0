import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { type IncomingMessage, request } from "node:http"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"

/** How long an example may take to listen, and to end. */
const startMillis = 60_000
export const stopMillis = 60_000

export type Environment = Readonly<Record<string, string>>

interface Running {
  readonly url: string
  /**
   * Sends SIGTERM to the process, or SIGINT to its whole group as Ctrl-C in a terminal does, and resolves with the
   * exit code; rejects where the process takes longer than it may.
   */
  readonly stop: (signal?: "SIGTERM" | "SIGINT") => Promise<number | null>
}

/** The environment of every example, which has modules that other processes of the tests have compiled. */
export const exampleEnvironment: Environment = {
  PATH: process.env["PATH"] ?? "",
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? ""
}

const spawnExample = (program: URL, env: Environment): ChildProcess => {
  const flags = ["--disable-warning=ExperimentalWarning", "--conditions=@till402/source"]
  const child = spawn(process.execPath, [...flags, fileURLToPath(program)], {
    // Leads a process group, as under a terminal.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...exampleEnvironment, ...env }
  })
  onTestFinished(() => killGroup(child))
  return child
}

const killGroup = (child: ChildProcess): void => {
  try {
    process.kill(-child.pid!, "SIGKILL")
  } catch (error) {
    // The whole group has ended, which is what was wanted.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}

/** Runs a program of an example to its end: returns the exit code and its standard error. */
export const runExample = async (
  program: URL,
  env: Environment
): Promise<{ readonly code: number | null; readonly output: string }> => {
  const child = spawnExample(program, env)
  let output = ""
  child.stdout!.resume()
  child.stderr!.on("data", (chunk: Buffer) => (output += chunk.toString()))
  const [code] = await once(child, "close", { signal: AbortSignal.timeout(startMillis) })
  return { code: code as number | null, output }
}

/** Starts a program of an example and waits until it listens. */
export const start = async (program: URL, env: Environment): Promise<Running> => {
  const child = spawnExample(program, env)
  const output: Array<string> = []
  child.stderr!.on("data", (chunk: Buffer) => output.push(chunk.toString()))
  const lines = createInterface({ input: child.stdout!, signal: AbortSignal.timeout(startMillis) })
  for await (const line of lines) {
    const url = /http:\S+/.exec(line)?.[0]
    if (url === undefined) continue
    child.stdout!.resume()
    return {
      url,
      stop: async (signal = "SIGTERM") => {
        const exited = once(child, "exit", { signal: AbortSignal.timeout(stopMillis) })
        process.kill(signal === "SIGINT" ? -child.pid! : child.pid!, signal)
        const [code] = await exited
        return code as number | null
      }
    }
  }
  throw new Error(`The example did not come to listen:\n${output.join("")}`)
}

export const isUp = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false
  )

/** A call that the server has begun to read, and a function that sends the rest and returns the status. */
export const beginCall = async (url: string, body: string): Promise<() => Promise<number | undefined>> => {
  const headers = {
    "content-type": "application/json",
    "content-length": body.length,
    expect: "100-continue"
  }
  // No agent: a connection kept for more calls would keep the server waiting for them.
  const call = request(url, { method: "POST", headers, agent: false })
  await once(call, "continue", { signal: AbortSignal.timeout(startMillis) })
  return async () => {
    const received = once(call, "response", { signal: AbortSignal.timeout(stopMillis) })
    call.end(body)
    const [response] = (await received) as [IncomingMessage]
    response.resume()
    return response.statusCode
  }
}
