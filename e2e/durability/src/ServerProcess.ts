import { type ChildProcessByStdio, spawn } from "node:child_process"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Readable, Writable } from "node:stream"
import { fileURLToPath } from "node:url"
import { steadyAllocator } from "./day/Allocator.ts"
import type { ServerLine, ServerSettings } from "./ServerSettings.ts"

const program = fileURLToPath(new URL("./server.ts", import.meta.url))
const startMillis = 300_000
const exitMillis = 300_000
const complaintLimit = 4_000

export type ServerEvent = Extract<ServerLine, { readonly kind: "event" }>

/** A server in its own process, which tests kill. */
export interface ServerProcess {
  readonly name: string
  /** Makes the loaded process start to serve. */
  readonly begin: () => void
  /** Starts it; resolves with its origin, `http://127.0.0.1:<port>`. */
  readonly serve: () => Promise<string>
  /** Sends SIGKILL before this returns; resolves when the process is gone. */
  readonly kill: () => Promise<void>
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

/**
 * Starts a process that loads everything and then waits. Loading is the slowest part, so it happens while the
 * predecessor still serves. A process that ends without being killed is an event of level `crash`.
 */
export const spawnServer = (
  settings: ServerSettings,
  onEvent: (event: ServerEvent) => void
): ServerProcess => {
  const child: Child = spawn(
    process.execPath,
    ["--expose-gc", "--conditions=@till402/source", program, JSON.stringify(settings)],
    {
      stdio: ["pipe", "pipe", "pipe"],
      env: {
        ...process.env,
        ...(settings.day === undefined ? {} : steadyAllocator),
        NODE_COMPILE_CACHE: join(tmpdir(), "till402-compile-cache")
      }
    }
  )
  let complaint = ""
  child.stderr.on("data", (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-complaintLimit)
  })
  // A pipe to a killed process breaks; the `exit` event reports that.
  child.stdin.on("error", () => undefined)
  let isKilled = false
  const exited = new Promise<void>((resolve) =>
    child.once("exit", (code) => {
      if (!isKilled) onEvent({ kind: "event", level: "crash", message: `ended with ${code}\n${complaint}` })
      resolve()
    })
  )
  const listening = new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (text) => {
      const line = JSON.parse(text) as ServerLine
      if (line.kind === "listening") resolve(line.port)
      else onEvent(line)
    })
    exited.then(() => reject(new Error(`${settings.name} ended before it listened\n${complaint}`)))
  })
  // Callers of `serve` see the error; without one, an ended process isn't a failure.
  listening.catch(() => undefined)
  const begin = (): void => {
    child.stdin.write("serve\n")
  }

  return {
    name: settings.name,
    begin,
    serve: async () => {
      begin()
      const port = await within(startMillis, `${settings.name} did not listen`, listening)
      return `http://127.0.0.1:${port}`
    },
    kill: () => {
      isKilled = true
      child.kill("SIGKILL")
      return within(exitMillis, `${settings.name} did not end`, exited)
    }
  }
}

/** Rejects with `message` if the work takes longer. */
export const within = async <A>(millis: number, message: string, work: Promise<A>): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${message} within ${millis} ms`)), millis)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
