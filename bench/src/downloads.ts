/*
 * What a download of the vault costs beside the bare framework that streams the same file: bytes per second, the growth of
 * the server's memory, and a hundred slow readers at once. Each server is a process of its own. Ends with exit code 1 if a
 * goal is missed.
 */
import { createHash, randomBytes } from "node:crypto"
import { createReadStream, mkdtempSync, rmSync } from "node:fs"
import { open } from "node:fs/promises"
import { type IncomingMessage, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { type ArchiveStorage, folderStorage } from "@till402/vault"
import type { Bench, Mode } from "./Bench.ts"
import type { DownloadOptions, Growth, Request, Started } from "./downloadServer.ts"
import { frameworks } from "./downloadServers.ts"
import { readChallenge, signPayments } from "./payments.ts"
import { startWorker, type Worker } from "./processes.ts"
import { median } from "./quantile.ts"

const mebibyte = 1024 ** 2
const slowReaders = 100
const slowMillis = 4_000
const slowPauseMillis = 500
/** Goals: a share of the bare framework's speed, and the growth of memory in MiB. */
const leastShare = 0.8
const mostGrowth = 64

/** A file of bytes that don't compress, in the storage; returns its facts. */
const storeFile = async (storage: ArchiveStorage, path: string, size: number) => {
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
  return archive
}

const get = (port: number, path: string, headers: Record<string, string> = {}): Promise<IncomingMessage> =>
  new Promise((resolve, reject) =>
    request({ host: "127.0.0.1", port, path, headers, agent: false }, resolve).once("error", reject).end()
  )

const mebibytesPerSecond = async (response: IncomingMessage, size: number): Promise<number> => {
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

/** Pays for the file with a payment of its own, made in this process. */
const getPaid = async ({ port, target }: Started): Promise<IncomingMessage> => {
  const unpaid = await get(port, target)
  unpaid.resume()
  const [payment] = signPayments(readChallenge(String(unpaid.headers["payment-required"])), 1)
  return get(port, target, { "payment-signature": payment! })
}

type Server = Worker<Request, Started | Growth>

/** By how many MiB the server's memory grows meanwhile. */
const growthOf = async (server: Server, work: () => Promise<void>): Promise<Growth> => {
  await server.request("watch")
  await work()
  const { held, resident } = (await server.request("report")) as Growth
  return { held: held / mebibyte, resident: resident / mebibyte }
}

const showGrowth = (bench: Bench, name: string, { held, resident }: Growth): void => {
  bench.row(name, [`+${resident.toFixed(0)} MiB`, `${held.toFixed(0)} held`])
  bench.promise(
    Math.max(held, resident) < mostGrowth,
    `${name}: the memory grows by less than ${mostGrowth} MiB`
  )
}

const measureSpeed = async (bench: Bench, name: string, server: Server, size: number): Promise<void> => {
  const started = server.ready as Started
  const speeds = { bare: Array<number>(), till: Array<number>() }
  let growth: Growth = { held: 0, resident: 0 }
  const rounds = bench.settings.brief ? 1 : 3
  for (let round = 0; round <= rounds; round++) {
    const bare = await mebibytesPerSecond(await get(started.port, "/bare"), size)
    let till = 0
    const grown = await growthOf(server, async () => {
      till = await mebibytesPerSecond(await getPaid(started), size)
    })
    // The first round makes the code hot; it isn't counted.
    if (round === 0) continue
    speeds.bare.push(bare)
    speeds.till.push(till)
    growth = {
      held: Math.max(growth.held, grown.held),
      resident: Math.max(growth.resident, grown.resident)
    }
  }
  const [till, bare] = [median(speeds.till), median(speeds.bare)]
  const share = till / bare
  bench.row(`${name}, MiB a second; bare framework; share`, [
    till.toFixed(0),
    bare.toFixed(0),
    share.toFixed(2)
  ])
  bench.promise(share >= leastShare, `${name}: at least ${leastShare} of the bare framework's speed`)
  showGrowth(bench, `${name}, a download`, growth)
}

const measureReaders = async (bench: Bench, name: string, server: Server): Promise<void> => {
  const readers: Array<IncomingMessage> = []
  const growth = await growthOf(server, async () => {
    for (let reader = 0; reader < slowReaders; reader++) {
      const response = await getPaid(server.ready as Started)
      readers.push(response)
      readSlowly(response)
    }
    await sleep(slowMillis)
  })
  const reading = readers.filter(({ destroyed, readableEnded }) => !destroyed && !readableEnded).length
  for (const reader of readers) reader.destroy()
  showGrowth(bench, `${name}, ${reading} slow readers at once`, growth)
}

const run = async (bench: Bench): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "till-downloads-"))
  const size = (bench.settings.brief ? 16 : 1_024) * mebibyte
  try {
    const archive = await storeFile(folderStorage(join(folder, "vault")), join(folder, "source"), size)
    bench.table(`A file of ${size / mebibyte} MiB`, [])
    for (const framework of frameworks.filter((name) => bench.wants(name))) {
      const server = await startWorker<DownloadOptions, Request, Started | Growth>("downloadServer.ts", {
        framework,
        folder,
        archive
      })
      await measureSpeed(bench, framework, server, size)
      await measureReaders(bench, framework, server)
      await server.stop()
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export const mode: Mode = {
  facts: {
    storage: "archives in a folder on the disk; charges and purchases in memory",
    library: "the till checks signatures by the C library secp256k1",
    verified: "the signature of every payment, by the till"
  },
  run
}
