import { resolve as resolvePath } from "node:path"
import { Worker } from "node:worker_threads"
import { failureOf, openSession, type Replies, type Request, type SqliteFailure } from "./SqliteSession.ts"

/** Where the statements of a database run. */
export interface SqliteThread {
  readonly post: (request: Request) => void
  /** Runs what was posted, then closes the database. */
  readonly close: () => Promise<void>
  /** Why it ended. On the event loop never: a database in memory can't be opened again. */
  readonly ended: Promise<string>
}

/** Receives the replies, and the reason if no more will come. */
export interface Receiver {
  readonly onReplies: (replies: Replies) => void
  readonly onEnd: (reason: string) => void
}

/** SQLite can't open the database. */
export class OpenFailure extends Error {
  override readonly name = "OpenFailure"
  readonly failure: SqliteFailure

  constructor(failure: SqliteFailure) {
    super(failure.message)
    this.failure = failure
  }
}

/**
 * Runs statements on the event loop, at the end of a turn: for a database in memory, which belongs to one thread. Throws
 * what node:sqlite throws.
 */
export const onEventLoop = (filename: string, { onEnd, onReplies }: Receiver): SqliteThread => {
  const session = openSession(filename)
  let waiting: Array<Request> = []
  const run = () => {
    const requests = waiting
    waiting = []
    if (requests.length === 0) return
    let replies: Replies
    try {
      replies = session.run(requests)
    } catch (error) {
      // It could not roll back: where it stands is unknown.
      return onEnd(`it can't be used any more: ${failureOf(error).message}`)
    }
    onReplies(replies)
  }
  return {
    ended: new Promise(() => undefined),
    post: (request) => {
      if (waiting.push(request) === 1) setImmediate(run)
    },
    close: async () => {
      run()
      session.close()
      onEnd("the database is closed")
    }
  }
}

/** Beside this file; throws where a bundler left no `import.meta.url`. */
const workerFile = (): URL => {
  const here = new URL(import.meta.url)
  return new URL(`./SqliteWorker.${here.pathname.endsWith(".ts") ? "ts" : "js"}`, here)
}

/**
 * Runs the statements of a file in a thread of its own, which keeps the process alive only while a statement runs.
 * Rejects with `OpenFailure`, or with Node's error if no thread can start: then a bundler has left out its file, or
 * Node's permissions forbid threads.
 */
export const onThread = (filename: string, { onEnd, onReplies }: Receiver): Promise<SqliteThread> =>
  new Promise((resolve, reject) => {
    // With the host's compile cache, a thread starts twice as fast.
    const { NODE_COMPILE_CACHE } = process.env
    // The modules that the host preloads (--import, NODE_OPTIONS) would run in the thread too, and may open a till.
    const worker = new Worker(workerFile(), {
      // Resolved here, since the host may change its folder before the thread runs. A URI is no path.
      workerData: filename.startsWith("file:") ? filename : resolvePath(filename),
      execArgv: ["--disable-warning=ExperimentalWarning"],
      env: NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }
    })
    let isOpen = false
    let isClosing = false
    let running = 0
    const ended = new Promise<string>((done) => {
      const end = (reason: Error) => {
        done(reason.message)
        reject(reason)
        if (isOpen) onEnd(`its thread ended: ${reason.message}`)
      }
      worker.once("error", end)
      worker.once("exit", (code) => end(new Error(`exit code ${code}`)))
    })
    const thread: SqliteThread = {
      ended,
      post: (request) => {
        worker.postMessage(request)
        if (++running === 1) worker.ref()
      },
      close: async () => {
        isClosing = true
        worker.ref()
        worker.postMessage(undefined)
        await ended
      }
    }
    worker.once("message", (opened: "opened" | SqliteFailure) => {
      if (opened !== "opened") return reject(new OpenFailure(opened))
      worker.on("message", (replied: Replies) => {
        running -= replied.replies.length
        // Once it is closing, it keeps the process alive until it has ended.
        if (running === 0 && !isClosing) worker.unref()
        onReplies(replied)
      })
      worker.unref()
      isOpen = true
      resolve(thread)
    })
  })
