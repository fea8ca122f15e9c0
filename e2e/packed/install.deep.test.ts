import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { read, samplesOf } from "../docs/documents.ts"
import { packAll, type PackedPackage } from "./src/Packing.ts"
import { plainEnvironment, pnpm, run, toolTimeoutMillis } from "./src/Tool.ts"

/*
 * What npm and pnpm really install for a host of core and Express, and that the README's server runs on it.
 */

let folder: string
let packages: ReadonlyArray<PackedPackage>

beforeAll(async () => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "till402-packed-"))
  packages = await packAll(folder, (name) => join(folder, "packages", name))
}, 2 * toolTimeoutMillis)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Every file below a folder. Links, of which pnpm makes many, aren't followed. */
const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true }).flatMap((each) => {
    const path = join(folder, each.name)
    if (each.isDirectory()) return filesBelow(path)
    return each.isFile() ? [path] : []
  })

const block = 4_096

/** The packages in an app's `node_modules`, and the space that their files take on a disk, in MiB. */
const installedIn = (app: string): { readonly count: number; readonly size: number } => {
  const files = filesBelow(join(app, "node_modules"))
  const isHome = (file: string) =>
    /node_modules\/(@[^/]+\/)?[^/@.][^/]*\/package\.json$/.test(file.replaceAll("\\", "/"))
  const blocks = files.reduce((sum, file) => sum + Math.ceil(statSync(file).size / block), 0)
  return { count: files.filter(isHome).length, size: (blocks * block) / 2 ** 20 }
}

const tarballOf = (name: string): string => `file:${packages.find((one) => one.name === name)!.tarball}`

const installers = {
  npm: (app: string) => run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline"], app),
  pnpm: (app: string) => pnpm(["install", "--prefer-offline"], app)
}

const serverCode = (): string =>
  samplesOf(read("README.md"))
    .find(({ code }) => code.startsWith("// server.ts\n"))!
    .code.replace(
      "app.listen(3000)",
      "const server = app.listen(0, () => console.log(server.address().port))"
    )
    .replace("https://x402.org/facilitator", "http://127.0.0.1:9")

/** The status of an unpaid search at the README's server. */
const unpaidStatus = (app: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", "server.ts"], {
      cwd: app,
      env: { ...plainEnvironment(), TILL_SECRET: "a text that nobody can guess, of 32 characters" },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: toolTimeoutMillis
    })
    let complaint = ""
    child.stderr.on("data", (chunk: Buffer) => (complaint += chunk.toString()))
    child.once("error", reject)
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}\n${complaint}`)))
    child.stdout.once("data", (chunk: Buffer) => {
      fetch(`http://127.0.0.1:${Number(chunk.toString())}/x402/search?q=desk`)
        .then(({ status }) => resolve(status), reject)
        .finally(() => child.kill())
    })
  })

describe.each(["npm", "pnpm"] as const)("an installation by %s", (installer) => {
  let app: string
  beforeAll(async () => {
    app = join(folder, installer)
    mkdirSync(app)
    const ours = {
      "@till402/core": tarballOf("@till402/core"),
      "@till402/express": tarballOf("@till402/express")
    }
    const manifest = {
      name: "shop",
      private: true,
      type: "module",
      dependencies: { ...ours, express: "^5.3.0" }
    }
    writeFileSync(join(app, "package.json"), JSON.stringify(manifest))
    // The packages are not on a registry yet.
    writeFileSync(join(app, "pnpm-workspace.yaml"), `overrides: ${JSON.stringify(ours)}\n`)
    await installers[installer](app)
  }, 2 * toolTimeoutMillis)

  it("has at most 84 packages, and takes less than 156 MiB", () => {
    const { count, size } = installedIn(app)
    expect(count).toBeLessThanOrEqual(84)
    expect(size).toBeLessThan(156)
    // An empty folder would mean that nothing was counted.
    expect(count).toBeGreaterThan(40)
  })

  it("runs the README's server, which requests a payment", async () => {
    writeFileSync(join(app, "server.ts"), serverCode())
    expect(await unpaidStatus(app)).toBe(402)
  })
})
