import { spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"

/** For which keys each verb took effect in one process. */
export type Won = Readonly<Record<string, ReadonlyArray<number>>>

const lifetimeMillis = 60_000

/** Runs a task in separate processes that start at the same moment; returns their results by name. */
export const contend = async (options: {
  readonly kind: "sqlite" | "postgres"
  /** The file, or the address. */
  readonly place: string
  readonly names: ReadonlyArray<string>
  readonly task: "claim" | "finish" | "settle"
  readonly keys: number
}): Promise<ReadonlyArray<Won>> => {
  const contenders = options.names.map((name) => start(options, name))
  await Promise.all(contenders.map(({ ready }) => ready))
  return Promise.all(contenders.map(({ go }) => go()))
}

const start = ({ keys, kind, place, task }: Parameters<typeof contend>[0], name: string) => {
  const child = spawn(
    process.execPath,
    [
      "--conditions=@till402/source",
      "--disable-warning=ExperimentalWarning",
      join(import.meta.dirname, "contender.ts"),
      kind,
      place,
      name,
      task,
      String(keys)
    ],
    { timeout: lifetimeMillis, killSignal: "SIGKILL", stdio: ["pipe", "pipe", "pipe"] }
  )
  let complaints = ""
  child.stderr.on("data", (text) => (complaints += text))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async (): Promise<string> => {
    const { done, value } = await lines.next()
    if (done === true) throw new Error(`${name} ended early: ${complaints}`)
    return value
  }
  return {
    ready: next(),
    go: async (): Promise<Won> => {
      child.stdin.write("go\n")
      return JSON.parse(await next())
    }
  }
}
