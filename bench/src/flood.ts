/*
 * A flood of payments by keys without money, beside users who pay; and what refused payments leave in the store.
 * Takes some five minutes, half of them waiting until the last row is gone. Loopback only. Ends with exit
 * code 1 if a promise of the table does not hold.
 *
 *   npm run bench -- flood          all of it
 *   npm run bench -- flood users    the users beside the flood; also: refused, failed
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"
import { startChain } from "@till402/sandbox"
import type { AttackCommand, AttackOptions, AttackResult } from "./floodAttackers.ts"
import type { FacilitatorOptions } from "./floodFacilitator.ts"
import type { ServerOptions } from "./floodServer.ts"
import { userKeys, type UsersOptions, type UsersResult } from "./floodUsers.ts"
import { median } from "./load.ts"
import { startWorker, type Worker } from "./processes.ts"

const users = 20
const rounds = 3
const measuredMillis = 8_000
const attack = { connections: 2_000, addresses: 50 }
/** The flood is under way before the first user calls. */
const headStartMillis = 6_000
const verifyMillis = 1_000
const settleMillis = 50
const maxRatio = 2
const refusedPayments = 10_000
/**
 * An authorization of 30 s; until no reorganization of Base Sepolia is expected, 60 s; the minute by which a chain may be
 * behind; two rounds of the reconciler; and some seconds for its work.
 */
const maxSecondsUntilGone = 30 + 60 + 60 + 2 * 15 + 20

const folder = mkdtempSync(join(tmpdir(), "till402-flood-"))
const broken: Array<string> = []
const promise = (holds: boolean, text: string): void => {
  if (!holds) broken.push(text)
}

const row = (name: string, ...cells: ReadonlyArray<string>): void =>
  console.log(name.padEnd(52) + cells.map((cell) => cell.padStart(14)).join(""))

const at = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((left, right) => left - right)[
    Math.min(values.length - 1, Math.floor(values.length * share))
  ]!
const millis = (value: number): string => `${value.toFixed(0)} ms`
const endingsOf = (endings: Readonly<Record<string, number>>): string =>
  Object.entries(endings)
    .map(([ending, times]) => `${ending}: ${times}`)
    .join(", ") || "none"

type Facilitator = Worker<never, string>
type Server = Worker<never, string>
type Attackers = Worker<AttackCommand, AttackResult>

/** A facilitator and a server that uses it. */
const startService = async (facilitatorOptions: FacilitatorOptions, options: Partial<ServerOptions>) => {
  const facilitator: Facilitator = await startWorker("floodFacilitator.ts", facilitatorOptions)
  const filename = join(mkdtempSync(join(folder, "server-")), "till.sqlite")
  const server: Server = await startWorker("floodServer.ts", {
    filename,
    facilitatorUrl: facilitator.ready,
    ...options
  } satisfies ServerOptions)
  return {
    filename,
    origin: server.ready,
    stop: async () => {
      await server.stop()
      await facilitator.stop()
    }
  }
}

const startAttackers = (origin: string, options: Omit<AttackOptions, "origin">): Promise<Attackers> =>
  startWorker("floodAttackers.ts", { origin, ...options })

/** The users' calls on a fresh server that knows none of them, beside a flood or without one. */
const measureUsers = async (isFlooded: boolean) => {
  const service = await startService(
    { verifyMillis, settleMillis, funded: userKeys(users).map(({ address }) => address), settles: true },
    {}
  )
  const paying: Worker<number, UsersResult> = await startWorker("floodUsers.ts", {
    origin: service.origin,
    count: users
  } satisfies UsersOptions)
  const attackers = isFlooded
    ? await startAttackers(service.origin, { ...attack, signed: 20_000 })
    : undefined
  await attackers?.request("start")
  if (isFlooded) await sleep(headStartMillis)
  const result = await paying.request(measuredMillis)
  const flood = await attackers?.request("stop")
  await attackers?.stop()
  await paying.stop()
  await service.stop()
  return { ...result, flood }
}

const sum = (values: ReadonlyArray<number>): number => values.reduce((left, right) => left + right, 0)
const added = (counts: ReadonlyArray<Readonly<Record<string, number>>>): Readonly<Record<string, number>> => {
  const total: Record<string, number> = {}
  for (const [name, times] of counts.flatMap((count) => Object.entries(count)))
    total[name] = (total[name] ?? 0) + times
  return total
}

type Measured = Awaited<ReturnType<typeof measureUsers>>

const printFlood = (floods: ReadonlyArray<AttackResult>): void => {
  const rate = sum(floods.map(({ requests }) => requests)) / sum(floods.map(({ seconds }) => seconds))
  const name = `flood: ${attack.connections} connections, ${attack.addresses} addresses`
  row(name, "", `${rate.toFixed(0)} /s`)
  console.log(`  ended with ${endingsOf(added(floods.map(({ endings }) => endings)))}\n`)
}

const printUsers = async (): Promise<void> => {
  const quiet: Array<Measured> = []
  const flooded: Array<Measured> = []
  for (let round = 0; round < rounds; round++) {
    quiet.push(await measureUsers(false))
    flooded.push(await measureUsers(true))
  }
  const both = [quiet, flooded]
  row(
    `${users} users without history, ${rounds} x ${measuredMillis / 1_000} s`,
    "without",
    "with flood",
    "ratio"
  )
  const calls = both.map((runs) => sum(runs.map(({ first, others }) => first.length + others.length)))
  row("paid calls", ...calls.map(String))
  const refused = both.map((runs) => added(runs.map((run) => run.refused)))
  row("refused paying calls", ...refused.map(endingsOf))
  promise(
    refused.every((counts) => Object.keys(counts).length === 0),
    "no paying call is refused"
  )
  // The median of the rounds: one of them may have shared the machine.
  const compare = (name: string, of: "first" | "others", share: number): void => {
    const [before = 0, beside = 0] = both.map((runs) => median(runs.map((run) => at(run[of], share))))
    row(name, millis(before), millis(beside), (beside / before).toFixed(2))
    promise(beside / before <= maxRatio, `${name}: at most ${maxRatio} times that without a flood`)
  }
  compare("first call of each user, slowest", "first", 1)
  compare("every other call, p50", "others", 0.5)
  compare("every other call, p99", "others", 0.99)
  printFlood(flooded.flatMap(({ flood }) => (flood === undefined ? [] : [flood])))
}

/** Rows of charges in a database, and the bytes of its pages in use. */
const sizeOf = (filename: string): { readonly rows: number; readonly bytes: number } => {
  const database = new DatabaseSync(filename)
  try {
    const number = (text: string): number => Number(Object.values(database.prepare(text).get()!)[0])
    return {
      rows: number("SELECT COUNT(*) FROM till_charges"),
      bytes: (number("PRAGMA page_count") - number("PRAGMA freelist_count")) * number("PRAGMA page_size")
    }
  } finally {
    database.close()
  }
}

const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(0)} KB`
const ofMany = { connections: 200, addresses: 50, signed: refusedPayments }

const printRefused = async (): Promise<void> => {
  const service = await startService({ verifyMillis: 0, settleMillis: 0, funded: [], settles: true }, {})
  const before = sizeOf(service.filename)
  const attackers = await startAttackers(service.origin, ofMany)
  const { endings, requests, seconds } = await attackers.request({ payments: refusedPayments })
  await attackers.stop()
  const after = sizeOf(service.filename)
  await service.stop()
  row(`${requests} payments, refused by verification`, `${(requests / seconds).toFixed(0)} /s`)
  console.log(`  ended with ${endingsOf(endings)}`)
  row("  rows of charges, database grown by", String(after.rows), kilobytes(after.bytes - before.bytes))
  console.log("")
  promise(after.rows === 0, "a payment that is refused by verification leaves no row")
}

/** Payments that verify and then fail to settle: what they leave, and until when. */
const measureFailed = async (rpcUrl: string | undefined) => {
  const service = await startService(
    { verifyMillis: 0, settleMillis: 0, funded: "all", settles: false },
    {
      rpcUrl,
      maxTimeoutSeconds: 30,
      limits: { lossPerHour: "1000.00", unsettled: 10_000, unverified: 1_000 }
    }
  )
  const before = sizeOf(service.filename)
  const attackers = await startAttackers(service.origin, { ...ofMany, signed: 1_000 })
  const { endings } = await attackers.request({ payments: refusedPayments })
  await attackers.stop()
  const after = sizeOf(service.filename)
  const endedAt = performance.now()
  const seconds = (): number => (performance.now() - endedAt) / 1_000
  while (sizeOf(service.filename).rows > 0 && seconds() < maxSecondsUntilGone) await sleep(500)
  const last = sizeOf(service.filename)
  const gone = { seconds: seconds(), rows: last.rows, bytes: last.bytes - before.bytes }
  await service.stop()
  return { endings, rows: after.rows, bytes: after.bytes - before.bytes, gone }
}

const printFailed = async (): Promise<void> => {
  const chain = await startChain()
  await chain.client.setIntervalMining({ interval: 2 })
  const names = ["without rpcUrl", "with rpcUrl"]
  const runs = await Promise.all([undefined, chain.rpcUrl].map(measureFailed))
  await chain.stop()
  for (const [index, { bytes, endings, gone, rows }] of runs.entries()) {
    const name = names[index]!
    row(`${refusedPayments} payments, refused by settlement, ${name}`)
    console.log(`  ended with ${endingsOf(endings)}`)
    row("  rows of charges, bytes of each", String(rows), rows === 0 ? "" : (bytes / rows).toFixed(0))
    row("  gone after", `${gone.seconds.toFixed(0)} s`, `${gone.rows} rows`, kilobytes(gone.bytes))
    promise(gone.rows === 0, `payments that settlement refused leave no row (${name})`)
  }
}

const parts: Readonly<Record<string, () => Promise<void>>> = {
  users: printUsers,
  refused: printRefused,
  failed: printFailed
}

try {
  console.log(
    `A flood of payments by keys without money; verification takes ${verifyMillis} ms, Node ${process.version}\n`
  )
  for (const part of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts))
    await parts[part]?.()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
for (const text of broken) console.log(`Broken: ${text}`)
process.exitCode = broken.length === 0 ? 0 : 1
