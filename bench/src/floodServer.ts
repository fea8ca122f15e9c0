/*
 * The server under the flood, in a process of its own: Hono on SQLite.
 */
import { createAdaptorServer } from "@hono/node-server"
import { Till, type TillOptions } from "@till402/core"
import { sqlite } from "@till402/core/sqlite"
import { till402 } from "@till402/hono"
import { Hono } from "hono"
import type { AddressInfo } from "node:net"
import { payTo } from "./payments.ts"
import { report, workerOptions } from "./processes.ts"
import { page } from "./servers.ts"

export interface ServerOptions {
  readonly filename: string
  readonly facilitatorUrl: string
  readonly rpcUrl?: string | undefined
  readonly maxTimeoutSeconds?: number | undefined
  readonly limits?: TillOptions["limits"]
}

const { facilitatorUrl, filename, limits, maxTimeoutSeconds = 120, rpcUrl } = workerOptions<ServerOptions>()

const till = Till.make({
  baseUrl: "http://localhost",
  payTo,
  networks: [rpcUrl === undefined ? "base-sepolia" : { network: "base-sepolia", rpcUrl }],
  facilitator: { url: facilitatorUrl },
  maxTimeoutSeconds,
  secret: "a secret of the benchmark, known to all",
  storage: sqlite({ filename }),
  marketplaces: { marketplace_a: { search: async () => page } },
  // A flood must not be slowed down by a terminal.
  onEvent: () => undefined,
  ...(limits === undefined ? {} : { limits })
})
await till.ready
const server = createAdaptorServer({ fetch: new Hono().use(till402(till)).fetch })
server.listen(0, "127.0.0.1", () => report(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
