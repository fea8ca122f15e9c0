import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads"
import { failureOf, openSession, type Request, type SqliteSession } from "./SqliteSession.ts"

/*
 * The thread that runs the statements of one database file, so that a slow disk doesn't block the event loop of the
 * host. Receives requests, and `undefined` to close; sends replies, and `"opened"` or the failure first.
 */

/** Statements in one commit. */
const maxGroup = 256

const port = parentPort!

/** Runs `first` and what has arrived meanwhile. Returns whether the end has arrived. */
const serve = (session: SqliteSession, first: Request | undefined): boolean => {
  let isEnd = first === undefined
  let left = maxGroup - 1
  const next = (): Request | undefined => {
    if (isEnd || left === 0) return undefined
    left -= 1
    const received: { readonly message: Request | undefined } | undefined = receiveMessageOnPort(port)
    isEnd = received !== undefined && received.message === undefined
    return received?.message
  }
  if (first !== undefined) port.postMessage(session.run(first, next))
  return isEnd
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
