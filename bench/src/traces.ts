/*
 * What spans cost a paid call: processor time of tills with and without them, in one process and in turns, so that they
 * share whatever else the machine does.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Bench, Mode } from "./Bench.ts"
import { startFacilitator } from "./facilitators.ts"
import { startWorker } from "./processes.ts"
import { median, quantile } from "./quantile.ts"
import type { Portion, Traced, TracedCalls, TracedOptions } from "./tracedServer.ts"

const sides: ReadonlyArray<readonly [traced: Traced, name: string]> = [
  ["exported", "spans to an exporter that does nothing"],
  ["unsampled", "spans that the sampler leaves out"]
]
const withoutLibrary = ["--import", new URL("withoutLibrary.ts", import.meta.url).href]
/** A payment is valid for two minutes, so calls are warmed up and measured in portions. */
const portion = 100

const measure = async (bench: Bench, hasLibrary: boolean, folder: string): Promise<void> => {
  const { brief } = bench.settings
  const facilitator = await startFacilitator({ signatures: "C library" })
  const server = await startWorker<TracedOptions, Portion, TracedCalls | "ready">(
    "tracedServer.ts",
    { facilitatorUrl: facilitator.url, folder },
    hasLibrary ? [] : withoutLibrary
  )
  const cpuOf = async (traced: Traced): Promise<number> =>
    ((await server.request({ traced, count: portion })) as TracedCalls).cpuMicros
  const all: ReadonlyArray<Traced> = ["off", ...sides.map(([traced]) => traced)]
  for (let left = brief ? 1 : 40; left > 0; left--) for (const traced of all) await cpuOf(traced)
  const rounds: Array<ReadonlyArray<number>> = []
  for (let round = 0; round < (brief ? 1 : 60); round++) {
    const micros = all.map(() => 0)
    // Each begins as often as the others: what comes first in a round costs more.
    for (let turn = 0; turn < all.length; turn++) {
      const index = (round + turn) % all.length
      micros[index] = await cpuOf(all[index]!)
    }
    rounds.push(micros)
  }
  bench.table(
    `Paid calls ${hasLibrary ? "with" : "without"} the C library: processor time above a call without \`traces\`, which takes ${(median(rounds.map(([off]) => off!)) / 1_000).toFixed(2)} ms`,
    ["median", "a quarter", "three"]
  )
  for (const [index, [, name]] of sides.entries()) {
    const more = rounds.map((micros) => micros[index + 1]! / micros[0]! - 1)
    bench.row(
      name,
      [median(more), quantile(more, 0.25), quantile(more, 0.75)].map(
        (share) => `${(share * 100).toFixed(1)} %`
      )
    )
  }
  await server.stop()
  await facilitator.stop()
}

export const mode: Mode = {
  facts: {
    storage: "SQLite, each commit on the disk",
    library: "the till checks signatures by the C library secp256k1, or without it",
    verified: "every payment: its signature by the till, and again by a facilitator over HTTP"
  },
  run: async (bench) => {
    for (const hasLibrary of [true, false]) {
      const folder = mkdtempSync(join(tmpdir(), "till402-traces-"))
      try {
        await measure(bench, hasLibrary, folder)
      } finally {
        rmSync(folder, { recursive: true })
      }
    }
  }
}
