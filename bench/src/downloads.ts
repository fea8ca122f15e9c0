/*
 * What a download of the vault costs beside the bare framework that streams the same file: bytes per second, the growth of
 * memory, and a hundred readers that don't read.
 *
 *   npm run bench -- downloads [--mebibytes 1024] [--rounds 3]
 */
import { createHash, randomBytes } from "node:crypto"
import { createReadStream, mkdtempSync, rmSync } from "node:fs"
import { open } from "node:fs/promises"
import { type IncomingMessage, request, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { createAdaptorServer } from "@hono/node-server"
import { memory, Till } from "@till402/core"
import { fakeFacilitator } from "@till402/core/testing"
import * as forExpress from "@till402/express"
import * as forHono from "@till402/hono"
import { type ArchiveStorage, folderStorage, vaultOver } from "@till402/vault"
import express from "express"
import { Hono } from "hono"
import { median } from "./load.ts"
import { payTo, signedPayments } from "./payments.ts"

const { values: options } = parseArgs({
  options: { mebibytes: { type: "string", default: "1024" }, rounds: { type: "string", default: "3" } }
})
const mebibyte = 1024 ** 2
const size = Number(options.mebibytes) * mebibyte
const rounds = Number(options.rounds)
const idleReaders = 100

const folder = mkdtempSync(join(tmpdir(), "till-downloads-"))

/** A file of bytes that don't compress, in the storage; returns its facts. */
const storeFile = async (storage: ArchiveStorage) => {
  const path = join(folder, "source")
  const handle = await open(path, "w")
  const hash = createHash("sha256")
  for (let written = 0; written < size; written += mebibyte) {
    const block = randomBytes(mebibyte)
    hash.update(block)
    await handle.writeFile(block)
  }
  await handle.close()
  const archive = { digest: hash.digest("hex"), size }
  await storage.put(archive, () => createReadStream(path))
  return { archive, path }
}

const listening = (server: Server): Promise<{ readonly port: number; readonly stop: () => void }> =>
  new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () =>
      resolve({
        port: (server.address() as AddressInfo).port,
        stop: () => {
          server.close()
          server.closeAllConnections()
        }
      })
    )
  )

const get = (port: number, path: string, headers: Record<string, string> = {}): Promise<IncomingMessage> =>
  new Promise((resolve, reject) =>
    request({ host: "127.0.0.1", port, path, headers, agent: false }, resolve).once("error", reject).end()
  )

interface Take {
  readonly mebibytesPerSecond: number
  readonly growthMebibytes: number
}

/** Reads a response and forgets it; samples the memory meanwhile. */
const take = async (response: IncomingMessage): Promise<Take> => {
  if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`)
  const before = process.memoryUsage().rss
  let peak = before
  let length = 0
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20)
  const startMillis = performance.now()
  for await (const chunk of response) length += (chunk as Buffer).length
  clearInterval(timer)
  if (length !== size) throw new Error(`${length} bytes instead of ${size}`)
  return {
    mebibytesPerSecond: size / mebibyte / ((performance.now() - startMillis) / 1000),
    growthMebibytes: (peak - before) / mebibyte
  }
}

const print = (name: string, takes: ReadonlyArray<Take>): number => {
  const speed = median(takes.map(({ mebibytesPerSecond }) => mebibytesPerSecond))
  const growth = Math.max(...takes.map(({ growthMebibytes }) => growthMebibytes))
  console.log(
    `  ${name.padEnd(8)} ${speed.toFixed(0).padStart(6)} MiB/s, memory grew by ${growth.toFixed(0)} MiB`
  )
  return speed
}

const storage = folderStorage(join(folder, "vault"))
const { archive, path } = await storeFile(storage)
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
  const header = Buffer.from(unpaid.headers.get("payment-required") ?? "", "base64").toString()
  const { accepts, resource } = JSON.parse(header)
  const [payment] = await signedPayments(accepts[0], resource, 1)
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
const paidHeaders = async () => ({ "payment-signature": await payFor(target) })

const hono = new Hono()
hono.use(forHono.till402(till))
hono.get("/bare", () => new Response(storage.open(archive, 0, size)))
const plain = express()
plain.use(forExpress.till402(till))
plain.get("/bare", (_request, response) => void createReadStream(path).pipe(response))

const servers: ReadonlyArray<readonly [string, Server]> = [
  ["Hono", createAdaptorServer({ fetch: hono.fetch }) as Server],
  ["Express", (await import("node:http")).createServer(plain)]
]

for (const [name, server] of servers) {
  const { port, stop } = await listening(server)
  console.log(`${name}, a file of ${options.mebibytes} MiB`)
  const bare: Array<Take> = []
  const paid: Array<Take> = []
  for (let round = 0; round < rounds; round++) {
    bare.push(await take(await get(port, "/bare")))
    paid.push(await take(await get(port, target, await paidHeaders())))
  }
  const share = print("Till402", paid) / print("bare", bare)
  console.log(`  Till402 reaches ${share.toFixed(2)} of the bare framework`)
  globalThis.gc?.()
  const before = process.memoryUsage().rss
  for (let reader = 0; reader < idleReaders; reader++) (await get(port, target, await paidHeaders())).pause()
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  const growth = (process.memoryUsage().rss - before) / mebibyte
  console.log(`  ${idleReaders} readers that don't read: memory grew by ${growth.toFixed(0)} MiB`)
  stop()
}
await till.dispose()
rmSync(folder, { recursive: true })
