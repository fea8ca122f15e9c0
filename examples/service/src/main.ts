import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { serve } from "@hono/node-server"
import { ConfigurationError } from "@till402/core"
import { openService } from "./service.ts"

const open = (): ReturnType<typeof openService> => {
  try {
    return openService(process.env)
  } catch (error) {
    // The message never contains a key.
    console.error(error instanceof ConfigurationError ? error.message : String(error))
    process.exit(1)
  }
}
const { app, close, report, till } = open()
for (const line of report) console.log(line)
await till.ready

const server = serve({ fetch: app.fetch, port: Number(process.env["PORT"] ?? 3000) })

const stop = async (): Promise<void> => {
  server.close()
  await once(server, "close")
  await close()
}
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stop)

await once(server, "listening")
console.log(`Listening on http://localhost:${(server.address() as AddressInfo).port}`)
