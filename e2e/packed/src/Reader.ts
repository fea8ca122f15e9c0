import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { delimiter, dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { plainEnvironment } from "./Tool.ts"

/*
 * Follows documents in a folder, as a reader with a few terminals does.
 */

/** Commands that run until they are ended, and the ports of their documents. */
const servers: ReadonlyArray<readonly [command: RegExp, port: number]> = [
  [/^npx @till402\/sandbox$/, 4021],
  [/^npm run sandbox$/, 3000],
  [/^node server\.ts$/, 3000]
]

/** How long a command may take on a busy machine. */
const commandMillis = 15 * 60_000

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "localhost")
    const end = (is: boolean) => {
      socket.destroy()
      resolve(is)
    }
    socket.once("connect", () => end(true)).once("error", () => end(false))
  })

/** Process groups that still run, which an end of this process ends, too. */
const groups = new Set<number>()
process.once("exit", () => {
  for (const group of groups) process.kill(-group, "SIGKILL")
})

interface Running {
  readonly child: ChildProcess
  readonly output: () => string
}

export class Reader {
  /** Commands and saved files. */
  steps = 0
  /** Everything that was printed. */
  printed = ""
  private folder: string
  readonly env: NodeJS.ProcessEnv
  private readonly done = new Set<string>()
  private readonly running: Array<Running> = []

  constructor(folder: string, env: NodeJS.ProcessEnv) {
    this.folder = folder
    const path = `${dirname(process.execPath)}${delimiter}${process.env["PATH"]}`
    this.env = { ...plainEnvironment(), PATH: path, ...env }
  }

  path(file: string): string {
    return join(this.folder, file)
  }

  save(file: string, text: string): void {
    this.steps++
    writeFileSync(join(this.folder, file), text)
  }

  /** Runs the commands of a line that weren't run yet, one after the other. */
  async follow(line: string): Promise<void> {
    const text = line.replace(/(^|\s+)#.*$/, "").trim()
    for (const command of text === "" ? [] : text.split(" && ")) {
      if (this.done.has(command)) continue
      this.done.add(command)
      this.steps++
      await this.run(command)
    }
  }

  /** Ends what still runs. */
  async end(): Promise<void> {
    for (const { child } of this.running.splice(0).toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const ended = once(child, "exit")
      // npm starts its commands as processes of their own: as Ctrl-C does, the signal reaches the whole group.
      process.kill(-child.pid!, "SIGINT")
      const killing = setTimeout(() => process.kill(-child.pid!, "SIGKILL"), 45_000)
      await ended
      clearTimeout(killing)
    }
  }

  private async run(command: string): Promise<void> {
    const [, folder] = /^cd (\S+)$/.exec(command) ?? []
    if (folder !== undefined) {
      this.folder = join(this.folder, folder)
      mkdirSync(this.folder, { recursive: true })
      return
    }
    const [, port] = servers.find(([server]) => server.test(command)) ?? []
    if (port !== undefined && (await isOpen(port)))
      throw new Error(`port ${port} is taken: ${command} needs it`)
    const one = this.start(command)
    if (port === undefined) await this.ended(command, one)
    else await this.listening(command, one, port)
  }

  private start(command: string): Running {
    const child = spawn("sh", ["-c", command], {
      cwd: this.folder,
      env: this.env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"]
    })
    groups.add(child.pid!)
    child.once("exit", () => groups.delete(child.pid!))
    let output = ""
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString()
        this.printed += chunk.toString()
      })
    const one = { child, output: () => output }
    this.running.push(one)
    return one
  }

  private async ended(command: string, { child, output }: Running): Promise<void> {
    const [code] = (await once(child, "close", { signal: AbortSignal.timeout(commandMillis) })) as [unknown]
    if (code !== 0) throw new Error(`${command} ended with ${String(code)}\n${output()}`)
  }

  private async listening(command: string, { child, output }: Running, port: number): Promise<void> {
    const deadline = performance.now() + commandMillis
    while (!(await isOpen(port))) {
      if (child.exitCode !== null || performance.now() > deadline)
        throw new Error(`${command} doesn't listen on ${port}\n${output()}`)
      await sleep(200)
    }
  }
}
