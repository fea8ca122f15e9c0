/*
 * A server of the scaling table, in a process of its own: Hono on a PostgreSQL that it shares. It counts how often the
 * work of each request ran.
 */
import { createAdaptorServer } from "@hono/node-server"
import { Till } from "@till402/core"
import { postgres } from "@till402/core/postgres"
import { till402 } from "@till402/hono"
import { Hono } from "hono"
import type { AddressInfo } from "node:net"
import { payTo } from "./payments.ts"
import { report, respond, workerOptions } from "./processes.ts"
import { page } from "./servers.ts"

export interface ScalingServerOptions {
  readonly databaseUrl: string
  readonly facilitatorUrl: string
}

/** What a server did since its last report. */
export interface ServerReport {
  readonly origin: string
  /** Times that the work ran, by the request's query. */
  readonly work: Readonly<Record<string, number>>
  readonly cpuMillis: number
}

const { databaseUrl, facilitatorUrl } = workerOptions<ScalingServerOptions>()

let work: Record<string, number> = {}
let cpu = process.cpuUsage()

const till = Till.make({
  baseUrl: "http://localhost",
  payTo,
  networks: ["base-sepolia"],
  facilitator: { url: facilitatorUrl },
  trustFacilitator: true,
  secret: "a secret of the benchmark, known to all",
  storage: postgres({ url: databaseUrl }),
  marketplaces: {
    marketplace_a: {
      search: async ({ q }) => {
        work[q] = (work[q] ?? 0) + 1
        return page
      }
    }
  },
  limits: { unverified: 8_000, unsettled: 8_000 },
  onEvent: () => undefined
})
await till.ready
const server = createAdaptorServer({ fetch: new Hono().use(till402(till)).fetch })

const reportOf = (): ServerReport => {
  const { system, user } = process.cpuUsage(cpu)
  const { port } = server.address() as AddressInfo
  const done = { origin: `http://127.0.0.1:${port}`, work, cpuMillis: (user + system) / 1_000 }
  work = {}
  cpu = process.cpuUsage()
  return done
}

respond(async () => reportOf())
server.listen(0, "127.0.0.1", () => report(reportOf()))
