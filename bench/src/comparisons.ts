import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Postgres, startPostgres } from "@till402/test-postgres"
import type { Bench, Comparison } from "./Bench.ts"
import type { RowOptions } from "./comparisonRow.ts"
import type { Framework } from "./contenders.ts"
import type { FacilitatorOptions } from "./facilitatorServer.ts"
import { startWorker } from "./processes.ts"

/** A row that is measured beside the official middleware. */
export interface Row {
  readonly name: string
  readonly isPaid: boolean
  readonly framework: Framework
  /** Whether callers are processes of their own; else the server's process calls itself. */
  readonly isOverSockets: boolean
  readonly storage: "SQLite" | "PostgreSQL" | "memory"
  /** Whether the till has the C library. */
  readonly hasLibrary: boolean
  /** Of a process of its own, over HTTP; or in the server's process, where it responds at once. */
  readonly facilitator: FacilitatorOptions | "in process"
  /** Calls at a time. */
  readonly callers: number
  readonly figures: ReadonlyArray<"rate" | "p50" | "p99">
  /** Calls before the first round, until a server of either side is as fast as it will be; then of each round. */
  readonly warmUp: number
  readonly calls: number
  readonly rounds: number
}

export interface Group {
  readonly title: string
  readonly rows: ReadonlyArray<Row>
}

const brief = { warmUp: 80, calls: 40, rounds: 1 }

/** Each row in a process of its own, so that none is measured among the leavings of another. */
const measure = async (options: RowOptions): Promise<ReadonlyArray<Comparison>> => {
  const withoutLibrary = ["--import", new URL("withoutLibrary.ts", import.meta.url).href]
  const { ready, stop } = await startWorker<RowOptions, never, ReadonlyArray<Comparison>>(
    "comparisonRow.ts",
    options,
    options.hasLibrary ? [] : withoutLibrary
  )
  await stop()
  return ready
}

export const measureGroups = async (bench: Bench, groups: ReadonlyArray<Group>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "till402-bench-"))
  let cluster: Promise<Postgres> | undefined
  let files = 0
  const databaseOf = async ({ storage }: Row): Promise<string> => {
    if (storage !== "PostgreSQL") return join(folder, `${++files}.sqlite`)
    return (await (cluster ??= startPostgres({ durable: true }))).createDatabase()
  }
  try {
    for (const { rows, title } of groups) {
      const wanted = rows.filter(({ name }) => bench.wants(name))
      if (wanted.length > 0) bench.section(title)
      for (const row of wanted) {
        const database = await databaseOf(row)
        const options = { ...row, ...(bench.settings.brief ? brief : {}), database }
        for (const comparison of await measure(options)) bench.compare(comparison)
      }
    }
  } finally {
    await (await cluster)?.stop()
    rmSync(folder, { recursive: true })
  }
}
