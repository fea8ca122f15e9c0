import { writeFileSync } from "node:fs"
import { availableParallelism, cpus, loadavg } from "node:os"

/** What a mode measures; printed above its figures. */
export interface Facts {
  /** Where charges are kept. */
  readonly storage: string
  /** How signatures are checked here: by the C library `secp256k1`, or without it. */
  readonly library: string
  /** What is verified of a payment, and by whom. */
  readonly verified: string
}

export interface Settings {
  /** Measures only rows whose name contains this. */
  readonly only: string
  /** One short round of each row, to see that it works: its figures mean nothing. */
  readonly brief: boolean
}

/** A figure of ours beside the official one. */
export interface Comparison {
  readonly name: string
  readonly unit: "calls/s" | "ms" | "gas"
  readonly till402: number
  readonly official: number
}

export interface Section {
  readonly title: string
  readonly rows: ReadonlyArray<Comparison>
}

/** What `--json` writes, and `npm run docs` draws. */
export interface Recorded extends Facts, Settings {
  readonly mode: string
  readonly machine: string
  readonly sections: ReadonlyArray<Section>
  /** Rows with figures of ours alone. */
  readonly tables: ReadonlyArray<Table>
}

interface Table {
  readonly title: string
  readonly columns: ReadonlyArray<string>
  readonly rows: Array<ReadonlyArray<string>>
}

/** How many times better ours is; below 1, the official one is. */
export const advantageOf = ({ official, till402, unit }: Comparison): number =>
  unit === "calls/s" ? till402 / official : official / till402

/** The load shows whether other work ran beside the bench. */
const machine = (): string =>
  [
    `${availableParallelism()} cores`,
    cpus()[0]?.model.trim() ?? "unknown CPU",
    `Node ${process.version}`,
    `load ${loadavg()[0]!.toFixed(1)} at the start`
  ].join(", ")

const digits = (value: number): string =>
  value.toFixed(Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0)

const nameWidth = 66

/** A run of one mode: prints its figures, records them, and ends with exit code 1 if a promise is broken. */
export class Bench {
  readonly settings: Settings
  private readonly mode: string
  private readonly facts: Facts
  private readonly machine = machine()
  private readonly sections: Array<{ readonly title: string; readonly rows: Array<Comparison> }> = []
  private readonly tables: Array<Table> = []
  private readonly broken: Array<string> = []

  constructor(mode: string, facts: Facts, settings: Settings) {
    this.mode = mode
    this.facts = facts
    this.settings = settings
    const { library, storage, verified } = facts
    console.log(`npm run bench -- ${mode}${settings.brief ? " --brief: these figures mean nothing" : ""}`)
    for (const [name, text] of Object.entries({ machine: this.machine, storage, library, verified }))
      console.log(`  ${`${name}:`.padEnd(10)}${text}`)
  }

  /** Whether a row is wanted. */
  wants(name: string): boolean {
    return name.includes(this.settings.only)
  }

  /** Begins a group of comparisons. */
  section(title: string): void {
    this.sections.push({ title, rows: [] })
    console.log(`\n${title}`)
    this.print("", ["Till402", "official", "ratio"])
  }

  compare(row: Comparison): void {
    this.sections.at(-1)!.rows.push(row)
    const { name, official, till402, unit } = row
    const cells = [digits(till402), digits(official), (till402 / official).toFixed(2)]
    this.print(`${name}, ${unit}`, cells, advantageOf(row) < 1 ? "  lost" : "")
  }

  /** Begins a group of rows with figures of ours alone. */
  table(title: string, columns: ReadonlyArray<string>): void {
    this.tables.push({ title, columns, rows: [] })
    console.log(`\n${title}`)
    this.print("", columns)
  }

  row(name: string, cells: ReadonlyArray<string>): void {
    this.tables.at(-1)!.rows.push([name, ...cells])
    this.print(name, cells)
  }

  /** States what must hold of figures that mean something; prints it at the end if it doesn't. */
  promise(holds: boolean, text: string): void {
    if (!holds && !this.settings.brief) this.broken.push(text)
  }

  end(json: string | undefined): void {
    for (const text of this.broken) console.log(`Broken: ${text}`)
    if (this.broken.length > 0) process.exitCode = 1
    if (json === undefined) return
    const { facts, machine, mode, sections, settings, tables } = this
    const recorded: Recorded = { mode, machine, ...facts, ...settings, sections, tables }
    writeFileSync(json, `${JSON.stringify(recorded, undefined, 2)}\n`)
  }

  private print(name: string, cells: ReadonlyArray<string>, mark = ""): void {
    console.log(`  ${name.padEnd(nameWidth)}${cells.map((cell) => cell.padStart(13)).join("")}${mark}`)
  }
}

/** A mode of the bench. */
export interface Mode {
  readonly facts: Facts
  readonly run: (bench: Bench) => Promise<void>
}
