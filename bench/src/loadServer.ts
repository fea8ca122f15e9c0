/*
 * A server under load, in a process of its own: Express, ours on SQLite or the official middleware.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { TillOptions } from "@till402/core"
import { sqlite } from "@till402/core/sqlite"
import { HTTPFacilitatorClient } from "@x402/core/server"
import { listenerOf, officialApp, ourApp, page } from "./contenders.ts"
import { report, workerOptions } from "./processes.ts"

export interface ServerOptions {
  readonly side: "ours" | "official"
  readonly facilitatorUrl: string
  /** Milliseconds that the upstream takes for each call. */
  readonly workMillis: number
  readonly limits?: NonNullable<TillOptions["limits"]>
}

const { facilitatorUrl, limits, side, workMillis } = workerOptions<ServerOptions>()

const work = async () => {
  await sleep(workMillis)
  return page
}

const open = async () => {
  if (side === "official")
    return officialApp("express", new HTTPFacilitatorClient({ url: facilitatorUrl }), work)
  const folder = mkdtempSync(join(tmpdir(), "till402-bench-"))
  process.once("exit", () => rmSync(folder, { recursive: true }))
  const { app } = await ourApp("express", {
    storage: sqlite({ filename: join(folder, "till.sqlite") }),
    facilitator: { url: facilitatorUrl },
    work,
    ...(limits === undefined ? {} : { limits })
  })
  return app
}

const server = createServer(listenerOf(await open()))
server.listen({ port: 0, host: "127.0.0.1", backlog: 8_192 }, () =>
  report(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
)
