/*
 * 402 responses to unpaid calls, beside the official middleware.
 */
import type { Mode } from "./Bench.ts"
import { measureGroups, type Row } from "./comparisons.ts"

const unpaid = {
  isPaid: false,
  storage: "memory",
  hasLibrary: true,
  facilitator: { signatures: "unchecked" },
  callers: 32,
  figures: ["rate"],
  warmUp: 15_000,
  calls: 6_000,
  rounds: 5
} as const

const rows: ReadonlyArray<Row> = [
  { name: "hono, in the server's process", framework: "hono", isOverSockets: false, ...unpaid },
  { name: "hono, over sockets", framework: "hono", isOverSockets: true, ...unpaid },
  { name: "express, over sockets", framework: "express", isOverSockets: true, ...unpaid }
]

export const mode: Mode = {
  facts: { storage: "none: an unpaid call is not recorded", library: "not used", verified: "nothing" },
  run: (bench) =>
    measureGroups(bench, [{ title: "Unpaid calls; over sockets: from two other processes", rows }])
}
