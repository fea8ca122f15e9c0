/*
 * A client in a process of its own: what it costs, in time and in garbage, is not the server's.
 */
import { Agent, get } from "node:http"
import { type Job, sendAll } from "./sending.ts"

const [origin] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true })

/** Node's own client: it takes a third of the time of `fetch`, so that the server is what is measured. */
const call = (path: string, headers: Record<string, string> = {}) =>
  new Promise<{ readonly status: number }>((resolve, reject) => {
    get(origin + path, { agent, headers }, (response) => {
      response.on("end", () => resolve({ status: response.statusCode! }))
      response.on("error", reject)
      response.resume()
    }).on("error", reject)
  })

process.on("message", (job: Job) => {
  sendAll(call, job).then(
    (millis) => process.send!({ millis }),
    (error: unknown) => process.send!({ error: String(error) })
  )
})
