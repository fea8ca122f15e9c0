import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseEnv } from "node:util"
import { describe, expect, it, onTestFinished } from "vitest"
import { memory } from "@till402/core"
import { ChainRpc, Facilitator, Till, Track, Tracker } from "@till402/core/effect"
import { fakeFacilitator, fakeTracker } from "@till402/testing"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { templates, writtenTemplates } from "../build/templates.ts"
import { frameworks } from "../src/init/frameworks.ts"
import { payTo, secret, till402 } from "./world.ts"

const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), "till402-init-"))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

it("its templates are the examples: npm run docs writes them", () => {
  expect(writtenTemplates()).toEqual(templates())
})

describe("till402 init", () => {
  it.each(frameworks)(
    "makes an app for %s that installs nothing of the workspace's own",
    async (framework) => {
      const place = join(folder(), "My Shop")
      const { code, noted, printed } = await till402(["init", place, "--framework", framework])
      expect([code, noted]).toEqual([0, expect.stringContaining("npm run sandbox")])
      const files = printed.split("\n")
      expect(files).toEqual(
        expect.arrayContaining([
          "package.json",
          ".env",
          "README.md",
          "Dockerfile",
          ".gitignore",
          ".dockerignore",
          "src/sandbox.ts",
          "test/paidCall.test.ts",
          ...(framework === "next" ? ["src/till.ts", "next.config.mjs", "tsconfig.json"] : ["src/main.ts"])
        ])
      )
      const text = readFileSync(join(place, "package.json"), "utf8")
      const { dependencies, devDependencies, name } = JSON.parse(text)
      expect(name).toBe("my-shop")
      expect(text).not.toContain("workspace:")
      // What its sources import is installed.
      const imported = files
        .filter((file) => file.endsWith(".ts"))
        .flatMap((file) => [
          ...readFileSync(join(place, file), "utf8").matchAll(/from "((?:@[^/"]+\/)?[^/".]+)/g)
        ])
        .map(([, module = ""]) => module)
        .filter((module) => !module.startsWith("node:"))
      for (const module of imported) expect({ ...dependencies, ...devDependencies }).toHaveProperty([module])
    }
  )

  it("writes settings whose secret is its own, for the owner alone, and out of git and the image", async () => {
    const [one, other] = [join(folder(), "one"), join(folder(), "other")]
    for (const place of [one, other]) await till402(["init", place])
    const settings = (place: string) => parseEnv(readFileSync(join(place, ".env"), "utf8"))
    expect(settings(one)["TILL_SECRET"]).toMatch(/^[0-9a-f]{64}$/)
    expect(settings(one)["TILL_SECRET"]).not.toBe(settings(other)["TILL_SECRET"])
    expect(statSync(join(one, ".env")).mode & 0o777).toBe(0o600)
    for (const list of [".gitignore", ".dockerignore"])
      expect(readFileSync(join(one, list), "utf8").split("\n")).toContain(".env")
  })

  it("names every variable that its app reads", async () => {
    for (const framework of frameworks) {
      const place = join(folder(), framework)
      await till402(["init", place, "--framework", framework])
      const sandbox = readFileSync(join(place, "src", "sandbox.ts"), "utf8")
      const [, block = ""] = /env: \{([^]*?)\n  \}/.exec(sandbox) ?? []
      const set = [...block.matchAll(/^ +([A-Z_]+):/gm)].map(([, name]) => name)
      expect(block).toContain("TILL_SECRET")
      expect(set.length).toBeGreaterThan(5)
      const named = readFileSync(join(place, ".env"), "utf8").matchAll(/^(?:# )?([A-Z_]+)=/gm)
      expect(Array.from(named, ([, name]) => name)).toEqual(expect.arrayContaining(set))
    }
  })

  it("leaves the database to the image: docker run --env-file would set another than that of the volume", async () => {
    for (const framework of frameworks) {
      const place = join(folder(), framework)
      await till402(["init", place, "--framework", framework])
      const file = readFileSync(join(place, "Dockerfile"), "utf8")
      expect(file).toMatch(/^ENV .*\bTILL_DATABASE=\/data\//m)
      expect(parseEnv(readFileSync(join(place, ".env"), "utf8"))).not.toHaveProperty("TILL_DATABASE")
    }
  })

  it("routes every path of a till in Next, and no other", async () => {
    const place = join(folder(), "next")
    const { printed } = await till402(["init", place, "--framework", "next"])
    const routed = printed
      .split("\n")
      .filter((file) => file.endsWith("/route.ts"))
      .map((file) => file.replace(/^src\/app(.*)\/route\.ts$/, "$1").replace("/[...path]", "/*"))
    const settings = { baseUrl: "https://shop.example", payTo, networks: ["base-sepolia"], secret }
    const layer = Till.layer(settings, [Track.layer]).pipe(
      Layer.provide([
        Tracker.layerPromise(fakeTracker()),
        Facilitator.layerClient(fakeFacilitator()),
        ChainRpc.layer(settings).pipe(Layer.provide(FetchHttpClient.layer)),
        memory()
      ])
    )
    const paths = await Effect.runPromise(
      Till.use((till) => Effect.succeed(till.paths)).pipe(Effect.provide(layer))
    )
    expect(paths.length).toBeGreaterThan(5)
    expect(routed.toSorted()).toEqual(["", "/health", ...paths].toSorted())
  })

  it("writes nothing beside what is there", async () => {
    const place = folder()
    writeFileSync(join(place, "kept.txt"), "kept")
    mkdirSync(join(place, "empty"))
    const full = await till402(["init", place])
    expect([full.code, full.noted]).toEqual([1, `${place} isn't empty: name another folder`])
    expect((await till402(["init", join(place, "empty")])).code).toBe(0)
    expect((await till402(["init", join(place, "kept.txt")])).noted).toContain("can't be used")
    expect((await till402(["init", join(place, "new"), "--framework", "rails"])).code).toBe(2)
  })
})
