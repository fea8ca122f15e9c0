import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { filesOf, packAll, type PackedPackage } from "./src/Packing.ts"
import {
  homeIn,
  hostOptions,
  installApp,
  isOfOthers,
  loadEntries,
  typeCheck,
  writeImports
} from "./src/ScratchApp.ts"
import { toolTimeoutMillis } from "./src/Tool.ts"

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
