/*
 * What a download of the vault costs beside the bare framework that streams the same file: bytes per second, the growth of
 * the server's memory, and a hundred slow readers at once. Each server is a process of its own. Exits with 1 if a goal is
 * missed.
 *
 *   npm run bench -- downloads [--mebibytes 1024] [--rounds 3] [--frameworks Hono,Express,Koa,Effect]
 */
import { type ChildProcess, fork } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { once } from "node:events"
import { createReadStream, mkdtempSync, rmSync } from "node:fs"
import { open } from "node:fs/promises"
import { type IncomingMessage, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type ArchiveStorage, folderStorage } from "@till402/vault"
import type { Growth, Request, Started } from "./downloadServer.ts"
import { median } from "./load.ts"
import { signedPayments } from "./payments.ts"

const { values: options } = parseArgs({
  options: {
    mebibytes: { type: "string", default: "1024" },
    rounds: { type: "string", default: "3" },
    frameworks: { type: "string", default: "Hono,Express,Koa,Effect" }
  }
})
const mebibyte = 1024 ** 2
const size = Number(options.mebibytes) * mebibyte
const rounds = Number(options.rounds)
const slowReaders = 100
const slowMillis = 4_000
const slowPauseMillis = 500
/** Goals: a share of the bare framework's speed, and the growth of memory in MiB. */
const leastShare = 0.8
const mostGrowth = 64

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

const get = (port: number, path: string, headers: Record<string, string> = {}): Promise<IncomingMessage> =>
  new Promise((resolve, reject) =>
    request({ host: "127.0.0.1", port, path, headers, agent: false }, resolve).once("error", reject).end()
  )

const mebibytesPerSecond = async (response: IncomingMessage): Promise<number> => {
  if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`)
  const startMillis = performance.now()
  let length = 0
  for await (const chunk of response) length += (chunk as Buffer).length
  if (length !== size) throw new Error(`${length} bytes instead of ${size}`)
  return size / mebibyte / ((performance.now() - startMillis) / 1000)
}

/** Reads a chunk now and then, until it is destroyed. */
const readSlowly = (response: IncomingMessage): void => {
  if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`)
  response.on("error", () => undefined)
  response.on("data", () => {
    response.pause()
    setTimeout(() => response.resume(), slowPauseMillis)
  })
}

const misses: Array<string> = []
const check = (isMet: boolean, text: string): void => {
  console.log(`  ${text}${isMet ? "" : "  MISSED"}`)
  if (!isMet) misses.push(text)
}

/** Pays for the file with a payment of its own, made in this process. */
const getPaid = async (port: number, target: string): Promise<IncomingMessage> => {
  const unpaid = await get(port, target)
  unpaid.resume()
  const header = Buffer.from(String(unpaid.headers["payment-required"]), "base64").toString()
  const { accepts, resource } = JSON.parse(header)
  const [payment] = await signedPayments(accepts[0], resource, 1)
  return get(port, target, { "payment-signature": payment! })
}

const ask = async (server: ChildProcess, request: Request): Promise<Growth> => {
  server.send(request)
  const [answer] = await once(server, "message")
  return answer
}

/** By how many MiB the server's memory grows meanwhile. */
const growthOf = async (server: ChildProcess, work: () => Promise<void>): Promise<Growth> => {
  await ask(server, "watch")
  await work()
  const { held, resident } = await ask(server, "report")
  return { held: held / mebibyte, resident: resident / mebibyte }
}

const checkGrowth = (what: string, { held, resident }: Growth): void =>
  check(
    Math.max(held, resident) < mostGrowth,
    `${what} grew the memory by ${resident.toFixed(0)} MiB, and held ${held.toFixed(0)} MiB`
  )

const measure = async (name: string, server: ChildProcess, { port, target }: Started): Promise<void> => {
  const paid = () => getPaid(port, target)
  const speeds = { bare: Array<number>(), till: Array<number>() }
  // The first round makes the code hot; it isn't counted.
  await mebibytesPerSecond(await get(port, "/bare"))
  await mebibytesPerSecond(await paid())
  let growth: Growth = { held: 0, resident: 0 }
  for (let round = 0; round < rounds; round++) {
    speeds.bare.push(await mebibytesPerSecond(await get(port, "/bare")))
    const grown = await growthOf(server, async () => {
      speeds.till.push(await mebibytesPerSecond(await paid()))
    })
    growth = {
      held: Math.max(growth.held, grown.held),
      resident: Math.max(growth.resident, grown.resident)
    }
  }
  const [till, bare] = [median(speeds.till), median(speeds.bare)]
  const share = till / bare
  check(
    share >= leastShare,
    `${name}: ${till.toFixed(0)} MiB/s, ${share.toFixed(2)} of the bare framework (${bare.toFixed(0)} MiB/s)`
  )
  checkGrowth(`${name}: a download`, growth)
  const readers: Array<IncomingMessage> = []
  const crowded = await growthOf(server, async () => {
    for (let reader = 0; reader < slowReaders; reader++) {
      const response = await paid()
      readers.push(response)
      readSlowly(response)
    }
    await new Promise((resolve) => setTimeout(resolve, slowMillis))
  })
  const reading = readers.filter(({ destroyed, readableEnded }) => !destroyed && !readableEnded).length
  for (const reader of readers) reader.destroy()
  checkGrowth(`${name}: ${reading} slow readers at once`, crowded)
}

const { archive } = await storeFile(folderStorage(join(folder, "vault")))
for (const name of options.frameworks.split(",")) {
  console.log(`${name}, a file of ${options.mebibytes} MiB`)
  const server = fork(join(import.meta.dirname, "downloadServer.ts"), [
    name,
    folder,
    archive.digest,
    String(archive.size)
  ])
  const ended = once(server, "exit")
  const [started] = await Promise.race([
    once(server, "message"),
    ended.then(([code]) => Promise.reject(new Error(`the server ended with ${code}`)))
  ])
  await measure(name, server, started)
  server.disconnect()
  await ended
}
rmSync(folder, { recursive: true })
for (const miss of misses) console.error(`missed: ${miss}`)
process.exitCode = misses.length === 0 ? 0 : 1
