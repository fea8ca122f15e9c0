import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads"
import { failureOf, openSession, type Request, type SqliteSession } from "./SqliteSession.ts"

/*
 * The thread that runs the statements of one database file, so that a slow disk doesn't block the event loop of the
 * host. Receives requests, and `undefined` to close; sends replies, and `"opened"` or the failure first.
 */

/** Statements in one commit. */
const maxGroup = 256

const port = parentPort!

interface Message {
  readonly message: Request | undefined
}

/**
 * Runs `first` and what has arrived by now; what arrives meanwhile is the next group. A group that took more along would
 * grow until every caller waits for it. Returns whether the end has arrived.
 */
const serve = (session: SqliteSession, first: Request | undefined): boolean => {
  const requests: Array<Request> = []
  let next: Message | undefined = { message: first }
  while (next?.message !== undefined) {
    requests.push(next.message)
    next = requests.length < maxGroup ? receiveMessageOnPort(port) : undefined
  }
  if (requests.length > 0) port.postMessage(session.run(requests))
  return next !== undefined
}

try {
  const session = openSession(workerData)
  port.on("message", (request: Request | undefined) => {
    if (!serve(session, request)) return
    session.close()
    port.close()
  })
  port.postMessage("opened")
} catch (error) {
  port.postMessage(failureOf(error))
}
