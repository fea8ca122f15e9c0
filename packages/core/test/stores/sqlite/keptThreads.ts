import { EventEmitter } from "node:events"
import { syncBuiltinESMExports } from "node:module"
import threads, { MessageChannel, Worker, type WorkerOptions } from "node:worker_threads"
import { afterAll, beforeAll } from "vitest"

/*
 * Threads that run `SqliteWorker.ts` for one database after another. To start a thread takes Node more than most tests
 * of a file of SQLite take. Tests of the thread itself, and all processes of their own, have one for each database.
 */

/** Runs the module anew for each port that it gets, as if that were the port of a thread of its own. */
const keeper = `
const threads = require("node:worker_threads")
const { syncBuiltinESMExports } = require("node:module")
let opened = 0
threads.parentPort.on("message", async ({ file, port, workerData }) => {
  Object.assign(threads, { parentPort: port, workerData })
  syncBuiltinESMExports()
  await import(file + "?" + ++opened)
  // It could not open the database: a thread of its own would end.
  if (port.listenerCount("message") === 0) port.close()
})`

const started = Worker
const idle: Array<Worker> = []

const startThread = ({ env, execArgv }: WorkerOptions): Worker => {
  const thread = new started(keeper, { eval: true, ...(env && { env }), ...(execArgv && { execArgv }) })
  thread.unref()
  return thread
}

class KeptWorker extends EventEmitter {
  private readonly port

  constructor(file: URL, options: WorkerOptions) {
    super()
    const { port1, port2 } = new MessageChannel()
    const thread = idle.pop() ?? startThread(options)
    const onError = (error: Error) => this.emit("error", error)
    thread.once("error", onError)
    this.port = port1
    port1.on("message", (message) => this.emit("message", message))
    port1.once("close", () => {
      thread.off("error", onError)
      if (thread.threadId > 0) idle.push(thread)
      this.emit("exit", 0)
    })
    thread.postMessage({ file: file.href, port: port2, workerData: options.workerData as unknown }, [port2])
  }

  postMessage(message: unknown): void {
    this.port.postMessage(message)
  }

  ref(): void {
    this.port.ref()
  }

  unref(): void {
    this.port.unref()
  }
}

const use = (worker: unknown): void => {
  Reflect.set(threads, "Worker", worker)
  syncBuiltinESMExports()
}

/** A file of tests that opens many databases calls this once. */
export const keepThreads = (): void => {
  beforeAll(() => use(KeptWorker))
  afterAll(() => use(started))
}
