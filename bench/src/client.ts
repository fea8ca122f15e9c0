/*
 * A client in a process of its own: what it costs, in time and in garbage, is not the server's.
 */
import { type Job, sendAll } from "./sending.ts"

const [origin] = process.argv.slice(2)

const call = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(origin + path, { headers })
  await response.arrayBuffer()
  return response
}

process.on("message", (job: Job) => {
  sendAll(call, job).then(
    (millis) => process.send!({ millis }),
    (error: unknown) => process.send!({ error: String(error) })
  )
})
