import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { exampleEnvironment } from "../../express/test/exampleProcess.ts"
import type { Start } from "./contender.ts"

/** Two processes that race on one database. */
export interface Contenders {
  /** Runs a race in both at once; returns the results of all racers. */
  readonly race: (start: Start) => Promise<ReadonlyArray<unknown>>
  readonly stop: () => Promise<void>
}

/** Maximum time for a race, a start or an end. */
const patienceMillis = 60_000
const program = fileURLToPath(new URL("contender.ts", import.meta.url))

const messageOf = async (child: ChildProcess): Promise<unknown> => {
  const over = new AbortController()
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(patienceMillis)])
  try {
    return await Promise.race([
      once(child, "message", { signal }).then(([message]) => message as unknown),
      once(child, "exit", { signal }).then(([code]) =>
        Promise.reject(new Error(`a contender ended with ${code}`))
      )
    ])
  } finally {
    over.abort()
  }
}

/** Starts both at the same time, on a database that may still be empty. `mutant` names a faulty store to race with. */
export const startContenders = async (url: string, mutant?: "locked-in-memory"): Promise<Contenders> => {
  const children = ["red", "blue"].map((name) =>
    fork(program, [url, name, ...(mutant === undefined ? [] : [mutant])], {
      env: { ...process.env, ...exampleEnvironment },
      execArgv: ["--conditions=@till402/source", "--disable-warning=ExperimentalWarning"]
    })
  )
  const stop = async (): Promise<void> => {
    await Promise.all(
      children.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return
        const exited = once(child, "exit")
        if (child.connected) child.disconnect()
        const timer = setTimeout(() => child.kill("SIGKILL"), patienceMillis)
        await exited
        clearTimeout(timer)
      })
    )
  }
  try {
    await Promise.all(children.map(messageOf))
  } catch (error) {
    for (const child of children) child.kill("SIGKILL")
    throw error
  }
  return {
    race: async (start) => {
      const results = children.map(messageOf)
      for (const child of children) child.send(start)
      return (await Promise.all(results)).flat()
    },
    stop
  }
}
