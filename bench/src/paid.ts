/*
 * What a user gets: paid calls beside the official middleware, which keeps nothing. Charges are on the disk before the
 * money moves, and every payment is verified: a row fails if the facilitator wasn't asked to verify each of them.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Bench, Mode } from "./Bench.ts"
import { bundleSize } from "./bundleSize.ts"
import { type Group, measureGroups, type Row } from "./comparisons.ts"
import { firstImports, startMillis } from "./firstImport.ts"

const atOnce = { signatures: "unchecked" } as const
const paid = {
  isPaid: true,
  framework: "hono",
  isOverSockets: false,
  hasLibrary: true,
  callers: 32,
  figures: ["rate"],
  warmUp: 3_000,
  calls: 400,
  rounds: 5
} as const
const databases = ["SQLite", "PostgreSQL"] as const
const storages = [...databases, "memory"] as const

const overSockets: Group = {
  title: "Paid calls over sockets, from two other processes; a facilitator over HTTP, which responds at once",
  rows: (["hono", "express"] as const).flatMap((framework) =>
    storages.map((storage): Row => ({
      ...paid,
      name: `${framework}, ${storage}`,
      framework,
      isOverSockets: true,
      storage,
      facilitator: atOnce,
      warmUp: 15_000,
      calls: 2_000
    }))
  )
}

const facilitators = [
  ["in JavaScript", { signatures: "JavaScript" }],
  ["in C", { signatures: "C library" }],
  ["at once", atOnce]
] as const

const inProcess: Group = {
  title:
    "Paid calls in the server's process; a facilitator over HTTP, which checks signatures in JavaScript, in C, or not at all",
  rows: [true, false].flatMap((hasLibrary) =>
    databases.flatMap((storage) =>
      facilitators.map(([how, facilitator]): Row => ({
        ...paid,
        name: `${storage}${hasLibrary ? "" : " without C library"}; facilitator ${how}`,
        storage,
        hasLibrary,
        facilitator
      }))
    )
  )
}

const waiting: Group = {
  title: "Callers at once; a facilitator over HTTP, which verifies in 60 ms and settles in 600 ms",
  rows: databases.flatMap((storage) =>
    [32, 256, 1_000].map((callers): Row => ({
      ...paid,
      name: `${storage}, ${callers} callers`,
      storage,
      facilitator: { signatures: "C library", verifyMillis: 60, settleMillis: 600 },
      callers,
      figures: ["rate", "p99"],
      warmUp: callers * 4,
      calls: callers * 4,
      rounds: 3
    }))
  )
}

const overhead: Group = {
  title: "Own overhead: one paid call after the other in the server's process, with the facilitator in it",
  rows: [true, false].flatMap((hasLibrary) =>
    (hasLibrary ? storages : databases).map((storage): Row => ({
      ...paid,
      name: `${storage}${hasLibrary ? "" : " without C library"}, overhead`,
      storage,
      hasLibrary,
      facilitator: "in process",
      callers: 1,
      figures: ["p50", "p99"],
      calls: 1_000,
      rounds: 3
    }))
  )
}

/** Imports and starts until the first call could be served, which imports more. */
const starting = `
  const { memory, Till } = await import("@till402/core")
  const till = Till.make({
    baseUrl: "http://localhost",
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    networks: ["base-sepolia"],
    facilitator: { url: "http://127.0.0.1:9" },
    secret: "a secret of the benchmark, known to all",
    storage: memory(),
    tracker: { track: async () => ({}) },
    onEvent: () => undefined
  })
  await till.ready
  process.exit()`

const measureFirstImport = async (bench: Bench): Promise<void> => {
  if (!bench.wants("first import")) return
  const folder = import.meta.dirname
  const built = join(folder, "../../packages/core/dist/bundle/index.js")
  bench.promise(existsSync(built), "the first import is measured; run npm run build first")
  if (!existsSync(built)) return
  const rounds = bench.settings.brief ? 1 : 9
  bench.section("A new process of plain Node, above an empty one")
  const imports = firstImports(["@till402/core", "@till402/core/effect", "@x402/hono"], folder, rounds)
  const official = imports.get("@x402/hono")!
  for (const name of ["@till402/core", "@till402/core/effect"]) {
    const { millis, modules } = imports.get(name)!
    const text = `first import of ${name} (${modules} modules; official ${official.modules})`
    bench.compare({ name: text, unit: "ms", till402: millis, official: official.millis })
  }
  const [ready = Number.NaN] = startMillis([starting], folder, rounds)
  const { all, atOnce: first } = await bundleSize()
  const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(0)} kB`
  bench.table("Size of @till402/core", ["till ready", "bundle", "all of it"])
  bench.row("first import and a till; bundle after gzip", [
    `${ready.toFixed(0)} ms`,
    kilobytes(first),
    kilobytes(all)
  ])
}

export const mode: Mode = {
  facts: {
    storage:
      "as named; SQLite and PostgreSQL write each commit to the disk. The official middleware keeps nothing",
    library: "the till checks signatures by the C library secp256k1, except in rows without it",
    verified: "each payment: its signature by the till; the facilitator is asked, and checks what a row says"
  },
  run: async (bench) => {
    await measureGroups(bench, [overSockets, inProcess, waiting, overhead])
    await measureFirstImport(bench)
  }
}
