import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { read, samplesOf } from "../docs/documents.ts"
import { filesOf, packAll, type PackedPackage } from "./src/Packing.ts"
import {
  homeIn,
  hostOptions,
  installApp,
  isOfOthers,
  loadEntries,
  startCommand,
  typeCheck,
  writeImports
} from "./src/ScratchApp.ts"
import { compilerCounts, run, toolTimeoutMillis } from "./src/Tool.ts"

/*
 * The packed packages of a build with type checks, as for a release, in hosts that check every declaration.
 */

let folder: string
let app: string
let packages: ReadonlyArray<PackedPackage>

beforeAll(async () => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "till402-packed-"))
  app = join(folder, "app")
  packages = await packAll(folder, (name) => homeIn(app, name), true)
  installApp(app, packages)
  writeImports(app, packages, await loadEntries(app, packages))
}, 3 * toolTimeoutMillis)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("every declaration", { timeout: toolTimeoutMillis }, () => {
  it("compiles under module nodenext, without DOM types", async () => {
    const complaints = await typeCheck(app, { ...hostOptions.nodenext, skipLibCheck: false })
    // Declarations of effect and of viem's ox use DOM types: hosts without them skip library checks.
    expect(complaints.filter((complaint) => !isOfOthers(complaint))).toEqual([])
  })

  it("compiles under moduleResolution bundler", async () => {
    const complaints = await typeCheck(app, { ...hostOptions.bundler, skipLibCheck: false })
    // The AI SDK's declarations need those of json-schema, on which it doesn't depend.
    const ofSdk = (complaint: string) => isOfOthers(complaint) && complaint.includes("@ai-sdk/provider")
    expect(complaints.filter((complaint) => !ofSdk(complaint))).toEqual([])
  })
})

describe("the command till402", () => {
  const packageOf = (name: string) => packages.find((packed) => packed.name === name)!
  const binOf = (name: string) => join(packageOf(name).folder, packageOf(name).manifest.bin![name]!)
  const till402 = (...args: ReadonlyArray<string>) => run(process.execPath, [binOf("till402"), ...args], app)

  it("makes a secret, lists an empty vault, and says its version", async () => {
    expect(await till402("--version")).toBe(`${packageOf("till402").manifest.version}\n`)
    expect(await till402("secret")).toMatch(/^TILL_SECRET=[0-9a-f]{64}\n$/)
    expect(await till402("migrate", "up", "--database", "command.sqlite")).toBe("ran      1_initial\n")
    expect(await till402("vault", "list", "--database", "command.sqlite")).toBe("")
  })

  it.each(["check", "pay"])("says in one line what %s can't reach", async (command) => {
    const failure = await till402(command, "http://127.0.0.1:1/x402").catch(String)
    expect(failure).toContain("can't be reached")
    expect(failure).not.toMatch(/\n +at (?:file|async|node)/)
  })

  it("ends with one line instead of a stack trace", async () => {
    const [failure] = await Promise.allSettled([till402("nothere")])
    expect(failure.status).toBe("rejected")
    expect(String((failure as PromiseRejectedResult).reason)).toMatch(/Unknown subcommand "nothere"/)
    expect(String((failure as PromiseRejectedResult).reason)).not.toMatch(/\n +at (?:file|async|node)/)
  })

  it("makes the app that npm create till402 makes", async () => {
    const made = await run(process.execPath, [binOf("create-till402"), "shop", "--framework", "next"], app)
    expect(await till402("init", "same", "--framework", "next")).toBe(made)
  })

  it(
    "pays a sandbox, whose own package's only command starts it",
    { timeout: toolTimeoutMillis },
    async () => {
      const { folder, manifest } = packageOf("@till402/sandbox")
      const [command = ""] = Object.values(manifest.bin ?? {})
      const sandbox = startCommand(
        join(folder, command),
        ["--json", "--port", "0", "--network", "base-sepolia"],
        app
      )
      const { baseUrl } = JSON.parse(await sandbox.line) as Record<string, unknown>
      const paid = JSON.parse(await till402("pay", `${baseUrl}/x402/search?q=lamp`, "--json"))
      expect(paid).toMatchObject({ status: 200, paid: true, amount: "0.01", balance: "999.99" })
      expect(await sandbox.interrupt()).toBe(0)
    }
  )

  it("starts a sandbox", { timeout: toolTimeoutMillis }, async () => {
    const sandbox = startCommand(binOf("till402"), ["sandbox", "--json", "--port", "0"], app)
    const { baseUrl, solana } = JSON.parse(await sandbox.line) as Record<string, unknown>
    expect(solana).toMatchObject({ network: expect.stringMatching(/^solana:/) })
    expect((await fetch(`${baseUrl}/x402/search?q=lamp`)).status).toBe(402)
    expect(await till402("check", `${baseUrl}/x402/search`)).toContain("1 passed")
    expect(await sandbox.interrupt()).toBe(0)
  })
})

/** A file of a host without us: an app with one route that reads a chain. */
const bareHost = `import express from "express"
import { createPublicClient, http } from "viem"
import { base } from "viem/chains"
const client = createPublicClient({ chain: base, transport: http() })
const app = express()
app.get("/", async (_request, response) => {
  response.send(String(await client.getBlockNumber()))
})
app.listen(3000)
`

it(
  "one Express file is at most twice the work of bare Express with viem for the compiler",
  async () => {
    const host = join(app, "host")
    mkdirSync(join(host, "node_modules"), { recursive: true })
    const viem = join(app, "node_modules", ".pnpm", "@till402+core", "node_modules", "viem")
    symlinkSync(realpathSync(viem), join(host, "node_modules", "viem"), "junction")
    const ours = samplesOf(read("README.md")).find(({ code }) => code.startsWith("// server.ts\n"))!.code
    const countsOf = (name: string, text: string) => {
      writeFileSync(join(host, `${name}.ts`), text)
      const compilerOptions = { ...hostOptions.nodenext, target: "ES2024", types: ["node"], strict: true }
      const settings = { compilerOptions: { ...compilerOptions, skipLibCheck: true, noEmit: true } }
      writeFileSync(join(host, `${name}.json`), JSON.stringify({ ...settings, files: [`${name}.ts`] }))
      return compilerCounts(`${name}.json`, host)
    }
    const [bare, own] = [await countsOf("bare", bareHost), await countsOf("own", ours)]
    for (const count of ["Files", "Symbols", "Types", "Instantiations"]) {
      expect(own.get(count), count).toBeGreaterThan(100)
      expect(own.get(count)! / bare.get(count)!, count).toBeLessThan(2)
    }
  },
  2 * toolTimeoutMillis
)

it("a build without type checks makes the same files", { timeout: 3 * toolTimeoutMillis }, async () => {
  const other = mkdtempSync(join(realpathSync(tmpdir()), "till402-packed-"))
  try {
    const unchecked = await packAll(other, (name) => join(other, "packages", name))
    const contents = (all: ReadonlyArray<PackedPackage>) =>
      new Map(
        all.flatMap((packed) =>
          filesOf(packed.folder).map((file) => [
            `${packed.name}/${file}`,
            readFileSync(join(packed.folder, file), "base64")
          ])
        )
      )
    const [one, two] = [contents(packages), contents(unchecked)]
    expect([...two.keys()]).toEqual([...one.keys()])
    expect([...one].flatMap(([file, text]) => (two.get(file) === text ? [] : [file]))).toEqual([])
  } finally {
    rmSync(other, { recursive: true, force: true })
  }
})
