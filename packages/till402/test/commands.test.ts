import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sqlite, sqliteClient } from "@till402/core/sqlite"
import { Effect, Layer } from "effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { keepThreads } from "../../core/test/stores/sqlite/keptThreads.ts"
import { paintFor } from "../src/terminal/Paint.ts"
import { harmless, wrap } from "../src/terminal/wrap.ts"
import { till402 } from "./world.ts"

keepThreads()

const books = ["orders", "charges", "refunds", "purchases", "ledger"]
const commands = [
  "init",
  "pay",
  "doctor",
  "check",
  "secret",
  "migrate",
  "vault",
  ...books,
  "console",
  "sandbox"
]
const paths = [
  [],
  ...commands.map((name) => [name]),
  ...["publish", "import", "list", "unpublish"].map((name) => ["vault", name]),
  ...["status", "up", "sql"].map((name) => ["migrate", name]),
  ...[
    "list",
    "show",
    "process-now",
    "retry",
    "resolve",
    "mark-delivered",
    "cancel",
    "mark-refunded",
    "export"
  ].map((name) => ["orders", name]),
  ...["list", "show", "record-refund"].map((name) => ["charges", name]),
  ...["due", "status", "stop", "resume"].map((name) => ["refunds", name]),
  ...["list", "show"].map((name) => ["purchases", name]),
  ...["list", "totals", "check", "export"].map((name) => ["ledger", name])
]

describe("help", () => {
  it.each(paths.map((path) => [path]))("of %j fits 80 columns, and is a result", async (path) => {
    const { code, noted, printed } = await till402([...path, "--help"])
    expect([code, noted]).toEqual([0, ""])
    expect(printed).toContain("USAGE")
    expect(printed).not.toContain("\u001b")
    expect(printed.split("\n").filter((line) => line.length > 80)).toEqual([])
  })

  it("lists every command, also without one", async () => {
    const { code, printed } = await till402([])
    expect(code).toBe(0)
    for (const name of commands) expect(printed).toMatch(new RegExp(`^  ${name} `, "m"))
  })

  it.each([
    [["nope"], 'Unknown subcommand "nope"'],
    [["--nope"], "--nope"],
    [["migrate", "down"], 'Unknown subcommand "down"'],
    [["doctor", "--databse", "x"], "--databse"],
    [["sandbox", "--prot", "1"], "--prot"]
  ])("is a note beside %j, with exit code 2", async (args, fault) => {
    const { code, noted, printed } = await till402(args)
    expect([code, printed]).toEqual([2, ""])
    expect(noted.split("\n")[0]).toContain(fault)
    expect(noted).toContain("USAGE")
    expect(noted).not.toMatch(/^ +at /m)
  })

  it("prints the version, and completions for shells", async () => {
    expect((await till402(["--version"])).printed).toBe("1.2.3")
    for (const shell of ["bash", "zsh", "fish"]) {
      const { code, printed } = await till402(["--completions", shell])
      expect([code, printed]).toEqual([0, expect.stringContaining("dry-run")])
    }
  })
})

describe("text for terminals", () => {
  it("has colours in a terminal only, and none where NO_COLOR is set", () => {
    expect(paintFor({ isTTY: true }, {}).bold("x")).toBe("\u001b[1mx\u001b[0m")
    expect(paintFor({ isTTY: true }, { NO_COLOR: "1" }).bold("x")).toBe("x")
    expect(paintFor({ isTTY: true }, { TERM: "dumb" }).bold("x")).toBe("x")
    expect(paintFor({}, {}).bold("x")).toBe("x")
  })

  it("is wrapped at spaces, and never hides a word", () => {
    expect(wrap("one two three", 7)).toEqual(["one two", "three"])
    expect(wrap("averylongword x", 5)).toEqual(["averylongword", "x"])
    expect(wrap("", 5)).toEqual([""])
  })

  it("of others moves no cursor", () => {
    expect(harmless("a\u001b[2Jb\nc\u202ed")).toBe("a [2Jb c d")
    expect(harmless("x".repeat(400))).toHaveLength(300)
  })
})

it("secret makes 256 bits that no two calls share", async () => {
  const [one, two] = [await till402(["secret"]), await till402(["secret", "--json"])]
  expect(one.printed).toMatch(/^TILL_SECRET=[0-9a-f]{64}$/)
  expect(JSON.parse(two.printed).TILL_SECRET).toMatch(/^[0-9a-f]{64}$/)
  expect(one.printed).not.toContain(JSON.parse(two.printed).TILL_SECRET)
})

describe("migrate", () => {
  const databaseFile = (): string => {
    const folder = mkdtempSync(join(tmpdir(), "till402-migrate-"))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    return join(folder, "till.sqlite")
  }
  const run = (filename: string, ...statements: ReadonlyArray<string>) =>
    Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(sqliteClient({ filename }), (sql) =>
          Effect.forEach(statements, (statement) => sql.unsafe(statement))
        )
      )
    )

  it("creates a database, once, that a till takes as it is", async () => {
    const file = databaseFile()
    const environment = { TILL_DATABASE: file }
    expect(await till402(["migrate", "status"], environment)).toMatchObject({
      code: 1,
      noted: expect.stringContaining("doesn't exist")
    })
    expect(await till402(["migrate", "up"], environment)).toMatchObject({
      code: 0,
      printed: "ran      1_initial"
    })
    expect((await till402(["migrate", "up", "--database", file])).printed).toBe("nothing is missing")
    expect(await till402(["migrate", "status"], environment)).toMatchObject({
      code: 0,
      printed: "ran      1_initial"
    })
    await Effect.runPromise(Effect.scoped(Effect.asVoid(Layer.build(sqlite({ filename: file })))))
  })

  it("tells what is missing, and what is of a newer version, with exit code 1", async () => {
    const file = databaseFile()
    await run(file, "CREATE TABLE other (id INTEGER)")
    const status = () => till402(["migrate", "status", "--json", "--database", file])
    const empty = await status()
    expect([empty.code, JSON.parse(empty.printed)]).toEqual([
      1,
      { ran: [], missing: ["1_initial"], unknown: [] }
    ])
    await till402(["migrate", "up", "--database", file])
    await run(file, "INSERT INTO till_migrations (migration_id, name) VALUES (99, 'later')")
    const newer = await status()
    expect([newer.code, JSON.parse(newer.printed).unknown]).toEqual([1, ["99_later"]])
    expect(await till402(["migrate", "up", "--database", file])).toMatchObject({
      code: 1,
      noted: expect.stringContaining("a newer version of Till402")
    })
  })

  it("prints the schema of either database, which runs as it is", async () => {
    const { printed } = await till402(["migrate", "sql"])
    const file = databaseFile()
    await run(file, ...printed.split(/;\n\n|;$/).filter((each) => each.trim() !== ""))
    expect((await till402(["migrate", "status", "--database", file])).code).toBe(0)
    const postgres = await till402(["migrate", "sql"], { TILL_DATABASE: "postgres://till@localhost/till" })
    expect(postgres.printed).toContain('COLLATE "C"')
    expect((await till402(["migrate", "sql", "--dialect", "postgres"])).printed).toBe(postgres.printed)
  })
})
