import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { format } from "node:util"
import { Till } from "@till402/core"
import { sqlite } from "@till402/core/sqlite"
import { fakeFacilitator, fakeTracker } from "@till402/testing"
import { payingFetch, sampleShop } from "@till402/sandbox"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { commandsOf, documents, examplesOf, read, samplesOf, sources } from "./documents.ts"

/*
 * Guides that a reader follows step by step: their samples and commands do what the text says.
 */

const temporaryFolder = (): string => {
  const tmp = join(import.meta.dirname, ".tmp")
  mkdirSync(tmp, { recursive: true })
  const folder = mkdtempSync(join(tmp, "guide-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Runs a sample as printed, in this process, which has most of its imports; returns the lines that it prints. */
const outputOf = async (path: string, name: string): Promise<ReadonlyArray<string>> => {
  const sample = samplesOf(read(path)).find(({ code }) => code.startsWith(`// ${name}\n`))
  if (sample === undefined) throw new Error(`${path} has no sample ${name}`)
  const file = join(temporaryFolder(), name)
  writeFileSync(file, sample.code)
  const lines: Array<string> = []
  const log = vi.spyOn(console, "log").mockImplementation((...values: ReadonlyArray<unknown>) => {
    lines.push(format(...values))
  })
  onTestFinished(() => log.mockRestore())
  await import(/* @vite-ignore */ file)
  return lines
}

/** Opens a SQLite file, runs one statement, and returns its rows. */
const contents = (file: string, statement: string): ReadonlyArray<object> => {
  const database = new DatabaseSync(file)
  try {
    return database.prepare(statement).all()
  } finally {
    database.close()
  }
}

const settings = {
  baseUrl: "https://shop.example",
  payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  networks: ["base-sepolia"],
  trustFacilitator: true,
  secret: "no secret at all, since this is a test",
  onEvent: () => undefined
}

describe("docs/sandbox.md", () => {
  it("tries the reader's own till with play money", async () => {
    const [paid, entry, ...others] = await outputOf("docs/sandbox.md", "try.ts")
    expect(paid).toBe("200 { city: 'oslo', celsius: 21 }")
    expect(entry).toMatch(/^settled 20000n 0x[0-9a-f]{64}$/)
    expect(others).toEqual([])
  })

  it("has a body for `buy` that gets a price", async () => {
    const command = commandsOf(read("docs/sandbox.md"))
      .map((lines) => lines.join("\n"))
      .find((text) => text.includes("/x402/buy"))
    const body = /-d '(.*)'/s.exec(command ?? "")?.[1] ?? ""
    const till = Till.make({
      ...settings,
      facilitator: fakeFacilitator(),
      storage: sqlite({ filename: ":memory:" }),
      ...sampleShop().ports
    })
    onTestFinished(till.dispose)
    const response = await till.fetch(
      new Request("https://shop.example/x402/buy", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body
      })
    )
    expect(response.status).toBe(402)
    expect(await response.json()).toMatchObject({
      accepts: [
        { extra: { item: expect.any(String), shipping: expect.any(String), quoteId: expect.any(String) } }
      ]
    })
  })
})

describe("docs/effect.md", () => {
  it("tests a till in an Effect router", async () => {
    expect(await outputOf("docs/effect.md", "effectTest.ts")).toEqual(["402"])
  })
})

describe("docs/upgrade.md", () => {
  it("backs up the database of a running till, which a copy of its file doesn't", async () => {
    const folder = temporaryFolder()
    const at = (name: string): string => join(folder, name)
    const till = Till.make({
      ...settings,
      facilitator: fakeFacilitator(),
      storage: sqlite({ filename: at("till.sqlite") }),
      tracker: fakeTracker()
    })
    onTestFinished(till.dispose)
    await till.ready
    const pay = payingFetch(`0x${"07".repeat(32)}`, 1, (input, init) => till.fetch(new Request(input, init)))
    expect((await pay("https://shop.example/x402/track?number=AB123")).status).toBe(200)

    cpSync(at("till.sqlite"), at("copy.sqlite"))
    const tables = contents(at("copy.sqlite"), "SELECT name FROM sqlite_schema")
    expect(tables).toEqual([])

    const commands = commandsOf(read("docs/upgrade.md"))
      .flat()
      .flatMap((line) => Array.from(line.matchAll(/^sqlite3 (\S+) "([^"]+)"/g)))
    expect(commands.map(([, file]) => file)).toEqual(["till.sqlite", "backup.sqlite"])
    const rows = commands.map(([, file = "", statement = ""]) =>
      contents(at(file), statement.replace("'backup.sqlite'", `'${at("backup.sqlite")}'`))
    )
    expect(rows[1]?.map((row) => Object.values(row))).toEqual([[1]])
  })
})

describe("samples", () => {
  const samples = [...documents.flatMap(samplesOf), ...sources.flatMap((path) => examplesOf(read(path)))]
  const placesOf = (found: typeof samples) => found.map(({ line, path }) => `${path}:${line}`)

  /** The options of `Till.make({ … })` where a sample spells all of them out. */
  const optionsIn = (code: string): string | undefined => /Till\.make\(\{\n(.*?)^\}\)/ms.exec(code)?.[1]

  it("that make a till give it something to sell", () => {
    const making = samples.filter(({ code }) => optionsIn(code) !== undefined)
    expect(making.length).toBeGreaterThan(10)
    const sells = /\.\.\.|^ +(?:marketplaces|assistant|fulfilment|tracker|vault|operations)\b/m
    expect(placesOf(making.filter(({ code }) => !sells.test(optionsIn(code)!)))).toEqual([])
  })

  it("for real money are not paid to the address of the examples", () => {
    const real = samples.filter(({ code }) =>
      /"(?:base|polygon|avalanche|eip155:(?:8453|42161|1))"/.test(code)
    )
    expect(real.length).toBeGreaterThan(2)
    expect(placesOf(real.filter(({ code }) => code.includes(settings.payTo)))).toEqual([])
  })
})
