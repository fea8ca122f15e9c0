import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { memory, Till } from "@till402/core"
import { fakeFacilitator } from "@till402/testing"
import { folderStorage, vaultOver } from "@till402/vault"
import { downloadServers, type FrameworkName } from "./downloadServers.ts"
import { payTo, readChallenge, signPayments } from "./payments.ts"
import { report, respond, workerOptions } from "./processes.ts"

/*
 * The server of the downloads, in a process of its own, so that its memory can be told from the client's.
 */

export interface DownloadOptions {
  readonly framework: FrameworkName
  /** Contains the archives in `vault`, and the file as `source`. */
  readonly folder: string
  readonly archive: { readonly digest: string; readonly size: number }
}

/** What the server sends first. */
export interface Started {
  readonly port: number
  /** Path and query of the file. */
  readonly target: string
}

/** By how many bytes the memory of a warm server grew: at its peak, and in use at the end, without garbage. */
export interface Growth {
  readonly resident: number
  readonly held: number
}

/** `watch`: begins to watch the memory. `report`: its growth since. */
export type Request = "watch" | "report"

const { archive, folder, framework } = workerOptions<DownloadOptions>()
const storage = folderStorage(join(folder, "vault"))
const till = Till.make({
  baseUrl: "http://127.0.0.1",
  payTo,
  networks: ["base-sepolia"],
  facilitator: fakeFacilitator(),
  trustFacilitator: true,
  secret: "a secret of the bench, known to everybody",
  storage: memory(),
  limits: { maxExposurePerPayer: "1000", lossPerHour: "1000" },
  vault: vaultOver(storage),
  onEvent: () => undefined
})
await till.ready
const slug = "large"
await till.vault.publish(
  {
    slug,
    title: "Large",
    productType: "knowledge",
    cardDescription: "Bytes.",
    price: 1,
    category: "ios",
    creator: { name: "Bench", type: "company" },
    coverImageUrl: "https://images.example/large.png"
  },
  archive
)

/** Pays a request of the till, without a socket. */
const payFor = async (target: string, body?: object): Promise<string> => {
  const init =
    body === undefined
      ? {}
      : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
  const unpaid = await till.fetch(new Request(`http://127.0.0.1${target}`, init))
  const [payment] = signPayments(readChallenge(unpaid.headers.get("payment-required")), 1)
  return payment!
}

const buy = { slug, walletAddress: "So11111111111111111111111111111111111111112", email: "ada@example.com" }
const bought = await till.fetch(
  new Request("http://127.0.0.1/x402/vault/buy", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "payment-signature": await payFor("/x402/vault/buy", buy)
    },
    body: JSON.stringify(buy)
  })
)
if (bought.status !== 200) throw new Error(`the purchase returned ${bought.status}: ${await bought.text()}`)
const { downloadToken, purchaseId } = await bought.json()
const target = `/x402/vault/download/${purchaseId}?downloadToken=${downloadToken}`

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
  )

let before: Growth = { resident: 0, held: 0 }
let peak = 0
const rss = () => process.memoryUsage().rss
/** Bytes that are still needed. */
const held = (): number => {
  globalThis.gc?.()
  const { external, heapUsed } = process.memoryUsage()
  return heapUsed + external
}
const answer = (request: Request): Growth => {
  if (request === "report") return { resident: peak - before.resident, held: held() - before.held }
  peak = rss()
  before = { resident: peak, held: held() }
  return before
}

const server = downloadServers[framework]({
  till,
  path: join(folder, "source"),
  open: () => storage.open(archive, 0, archive.size)
})
setInterval(() => (peak = Math.max(peak, rss())), 20).unref()
respond(async (request: Request) => answer(request))
report({ port: await listen(server), target } satisfies Started)
