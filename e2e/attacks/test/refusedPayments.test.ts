import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { sqlite } from "@till402/core/sqlite"
import { fakeFacilitator } from "@till402/testing"
import { afterEach, expect, onTestFinished, vi } from "vitest"
import { attack } from "../src/attack.ts"
import { calls } from "../src/Calls.ts"
import { signByFreshKeys } from "../src/Flood.ts"
import { localChainOfFile, readable } from "../src/LocalChain.ts"
import { openOurs } from "../src/Ours.ts"
import type { Payment } from "../src/Payments.ts"
import { openRecordsFirst, recordsFirst } from "../src/RecordsFirst.ts"
import { countOf, type Server, visit } from "../src/Visitor.ts"

/*
 * Rows and bytes that refused payments leave in the store, and for how long.
 */

afterEach(() => {
  vi.useRealTimers()
})

const local = localChainOfFile({ movesClock: true })
const paddingBytes = 8_000
const maxTimeoutSeconds = 30
const lifeSeconds = 300

/** Presents payments by fresh keys, padded to the longest header that servers accept. */
const presentPadded = async (server: Server, count: number): Promise<void> => {
  const visitor = visit(server)
  const payments = await signByFreshKeys(await visitor.challenge(calls.track), count)
  const padded = payments.map((payment): Payment & { readonly extensions: unknown } => ({
    ...payment,
    extensions: { padding: "x".repeat(paddingBytes) }
  }))
  const responses = []
  // In groups small enough to stay below every limit.
  for (let from = 0; from < count; from += 25)
    responses.push(
      ...(await Promise.all(
        padded.slice(from, from + 25).map((payment) => visitor.present(calls.track, payment))
      ))
    )
  expect(countOf(responses, 402)).toBe(count)
}

/** A till over a SQLite file, and the size of all columns of its charges in bytes. */
const openOnFile = async (facilitator: ReturnType<typeof fakeFacilitator>) => {
  const folder = await mkdtemp(join(tmpdir(), "till402-attacks-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const filename = join(folder, "till.sqlite")
  const server = await openOurs(facilitator, {
    networks: [readable(local())],
    trustFacilitator: false,
    maxTimeoutSeconds,
    upstreamTimeoutMillis: 5_000,
    limits: { lossPerHour: "100.00" },
    storage: sqlite({ filename })
  })
  const bytes = (): number => {
    const database = new DatabaseSync(filename, { readOnly: true })
    try {
      const rows = database.prepare("SELECT * FROM till_charges").all()
      return rows.reduce((sum, row) => sum + JSON.stringify(row).length, 0)
    } finally {
      database.close()
    }
  }
  return { server, bytes }
}

attack("rows left behind by payments that are refused before any work", {
  on: recordsFirst,
  lands: async () => {
    const server = openRecordsFirst(fakeFacilitator().rejectsVerification("insufficient_funds"))
    await presentPadded(server, 100)
    expect(server.rows()).toHaveLength(100)
    expect(server.rows().join("").length).toBeGreaterThan(100 * paddingBytes)
  },
  fails: async () => {
    const { bytes, server } = await openOnFile(fakeFacilitator().rejectsVerification("insufficient_funds"))
    await presentPadded(server, 100)
    const charges = await server.till.charges.list({ limit: 500 })
    console.info(`100 payments refused by verification: ${charges.length} rows of ${bytes()} bytes`)
    expect(charges.length).toBe(0)
    expect(bytes()).toBe(0)
  }
})

attack("rows left behind by payments that are refused at settlement", {
  on: recordsFirst,
  lands: async () => {
    const server = openRecordsFirst(fakeFacilitator().rejectsSettlement("insufficient_funds"))
    await presentPadded(server, 50)
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + lifeSeconds * 1_000 })
    expect(server.rows()).toHaveLength(50)
    expect(server.rows().join("").length).toBeGreaterThan(50 * paddingBytes)
  },
  fails: async () => {
    const { bytes, server } = await openOnFile(fakeFacilitator().rejectsSettlement("insufficient_funds"))
    await presentPadded(server, 50)
    const charges = await server.till.charges.list({ limit: 500 })
    console.info(`50 payments refused by settlement: ${charges.length} rows of ${bytes()} bytes`)
    expect(bytes()).toBeLessThan(charges.length * 1_500 + 1)
    // They are watched until their authorization expires, and deleted together.
    await local().pass(lifeSeconds)
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + lifeSeconds * 1_000 })
    await server.till.reconcile()
    expect((await server.till.charges.list()).length).toBe(0)
    expect(bytes()).toBe(0)
  }
})
