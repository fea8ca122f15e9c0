import {
  appendFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { modulesOf } from "../../bench/src/firstImport.ts"
import { entryFaults, entryLimits, sizeFaults, tarballLimits } from "../../release/Sizes.ts"
import { exportFaults, fileFaults, linkFaults, mapFaults, rangeFaults } from "./src/Contents.ts"
import {
  builtinImports,
  computedImports,
  importsOf,
  loadedWith,
  peersNeededBy,
  undeclaredImports
} from "./src/Imports.ts"
import { entriesOf, type Entry, packAll, type PackedPackage } from "./src/Packing.ts"
import { send, sendPaid } from "./src/Payer.ts"
import { run, toolTimeoutMillis } from "./src/Tool.ts"
import { homeIn, installApp, loadEntries, type RunningApp, startApp } from "./src/ScratchApp.ts"

/*
 * What a host gets when it installs the published packages: built from their sources, packed as for a release, and
 * installed in an app outside the workspace.
 */

let folder: string
let app: string
let packages: ReadonlyArray<PackedPackage>

beforeAll(async () => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "till402-packed-"))
  app = join(folder, "app")
  packages = await packAll(folder, (name) => homeIn(app, name))
  installApp(app, packages)
}, 2 * toolTimeoutMillis)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const names = [
  "@till402/console",
  "@till402/core",
  "@till402/express",
  "@till402/fastify",
  "@till402/hono",
  "@till402/koa",
  "@till402/providers",
  "@till402/sandbox",
  "@till402/telemetry",
  "@till402/testing",
  "@till402/vault",
  "create-till402",
  "till402"
]
/** Folders that a package ships besides its sources and the files that the compiler makes of them. */
const assets: Readonly<Record<string, ReadonlyArray<string>>> = {
  "@till402/core": ["dist/bundle", "docs"],
  "@till402/providers": ["dist/bundle"],
  "@till402/sandbox": ["bin", "contracts", "vault"],
  "@till402/telemetry": ["grafana", "prometheus"],
  till402: ["templates"]
}

const packageOf = (name: string): PackedPackage => {
  const found = packages.find((one) => one.name === name)
  if (found === undefined) throw new Error(`${name} was not packed`)
  return found
}

/** Bytes of the package's own JavaScript that plain Node loads with an entry. */
const bytesOf = (packed: PackedPackage, { conditions }: Entry): number =>
  loadedWith(packed, conditions["default"]!)
    .map((file) => statSync(join(packed.folder, file)).size)
    .reduce((sum, bytes) => sum + bytes, 0)

it("no limit is of a package or entry that is gone", () => {
  expect(Object.keys(tarballLimits).sort()).toEqual(names)
  const specifiers = packages.flatMap(entriesOf).map(({ specifier }) => specifier)
  expect(Object.keys(entryLimits).sort()).toEqual(specifiers.sort())
})

it("every package that is not private is packed", () => {
  expect(packages.map(({ name }) => name).sort()).toEqual(names)
})

describe.each(names)("the tarball of %s", (name) => {
  it("contains the build of its sources, and nothing else", () => {
    expect(fileFaults(packageOf(name), assets[name])).toEqual([])
  })

  it("names no source map, since it has none", () => {
    expect(mapFaults(packageOf(name))).toEqual([])
  })

  it("has entries that exist, with types", () => {
    expect(exportFaults(packageOf(name))).toEqual([])
  })

  it("has pages whose links hold, and every page that its texts name", () => {
    expect(linkFaults(packageOf(name))).toEqual([])
  })

  it("is no larger than its limit, nor is what an entry of it loads", () => {
    const packed = packageOf(name)
    expect([
      ...sizeFaults(name, statSync(packed.tarball).size),
      ...entriesOf(packed).flatMap((entry) => entryFaults(entry.specifier, bytesOf(packed, entry)))
    ]).toEqual([])
  })

  it("requires versions that a registry can find", () => {
    expect(rangeFaults(packageOf(name), packages)).toEqual([])
  })

  it("imports only what its package.json declares", () => {
    expect(undeclaredImports(packageOf(name))).toEqual([])
  })
})

describe("loaded modules", () => {
  it("are optional peers wherever a file computes its imports", () => {
    const computed = packages.flatMap((packed) =>
      computedImports(packed).map((file) => {
        const text = readFileSync(join(packed.folder, file), "utf8")
        const peers = Object.keys(packed.manifest.peerDependenciesMeta ?? {})
        return { file: `${packed.name}/${file}`, peers: peers.filter((peer) => text.includes(`"${peer}"`)) }
      })
    )
    const isBundled = ({ file }: { readonly file: string }) => file.includes("/dist/bundle/")
    expect(new Set(computed.filter(isBundled).flatMap(({ peers }) => peers))).toEqual(
      new Set(["secp256k1", "@effect/sql-pg", "undici"])
    )
    const separate = computed.filter((one) => !isBundled(one))
    expect(Object.fromEntries(separate.map(({ file, peers }) => [file, peers]))).toEqual({
      "@till402/core/dist/fast/recoverSigner.js": ["secp256k1"],
      "@till402/core/dist/postgres.js": ["@effect/sql-pg"],
      "@till402/core/dist/toll/facilitator/sendByUndici.js": ["undici"],
      // The host's own module, which it names.
      "till402/dist/doctor/Settings.js": []
    })
  })

  it("include an optional peer only in the entry that documents it", () => {
    const needed = packages.flatMap((packed) =>
      entriesOf(packed).flatMap((entry) => {
        const peers = peersNeededBy(packed, entry)
        return peers.length === 0 ? [] : [[entry.specifier, peers]]
      })
    )
    expect(needed).toEqual([
      ["@till402/providers/ai-sdk", ["ai"]],
      ["@till402/providers/facilitator", ["viem"]],
      ["@till402/providers/solana-facilitator", ["@solana/kit", "@x402/svm"]],
      ["@till402/providers/solana-refunds", ["@solana/kit"]],
      ["@till402/telemetry/traces", ["@opentelemetry/api"]],
      ["@till402/testing/solana-payer", ["@solana/kit", "@x402/svm"]],
      ["@till402/vault/s3", ["aws4fetch"]]
    ])
  })

  it("include no built-in module of Node in core, except for node, sqlite and postgres", () => {
    const files = [...builtinImports(packageOf("@till402/core")).keys()]
    expect(
      files.filter(
        (file) =>
          !/^dist\/(node\.js$|stores\/(sqlite\/|sql\/postgresSocket)|bundle\/(node|sqlite|SqliteWorker|postgres|shared\/Sqlite\w+)\.js$)/.test(
            file
          )
      )
    ).toEqual([])
    // An empty result would mean that nothing was checked.
    expect(files).toContain("dist/node.js")
  })

  it.each([
    ["@till402/core", "dist/index.js"],
    ["@till402/core", "dist/effect.js"],
    ["@till402/testing", "dist/index.js"],
    ["@till402/core", "dist/bundle/index.js"],
    ["@till402/core", "dist/bundle/effect.js"],
    ["@till402/hono", "dist/index.js"]
  ])("include no built-in module of Node with %s %s, which run anywhere", (name, entry) => {
    const builtins = builtinImports(packageOf(name))
    expect(loadedWith(packageOf(name), entry).filter((file) => builtins.has(file))).toEqual([])
  })
})

/** Modules that the Node bundle of a package imports. */
const importsOfBundle = (name: string): ReadonlyArray<string | undefined> => {
  const { folder } = packageOf(name)
  return globSync("dist/bundle/**/*.js", { cwd: folder }).flatMap((file) => importsOf(join(folder, file)))
}

it.each(["@till402/core", "@till402/providers"])(
  "the Node bundle of %s imports no barrel of effect",
  (name) => {
    const imported = importsOfBundle(name)
    expect(imported.filter((specifier) => /^effect(\/[a-z-]+)?$/.test(specifier ?? ""))).toEqual([])
    expect(imported).toContain("effect/Effect")
  }
)

it("a provider loads few modules beside those of core", () => {
  expect(modulesOf("@till402/providers/17track", app)).toBeLessThan(300)
})

describe("the first import of core", () => {
  // Each module that Node loads takes about half a millisecond; `npm run bench` measures the whole.
  it("loads few modules", () => {
    expect(modulesOf("@till402/core", app)).toBeLessThan(211)
  })
})

it("every entry loads in plain Node, and exports something", { timeout: toolTimeoutMillis }, async () => {
  const loaded = await loadEntries(app, packages)
  expect([...loaded.values()].every((exported) => exported.length > 0)).toBe(true)
})

describe("a host in plain JavaScript, run by plain Node", () => {
  let running: RunningApp
  beforeAll(async () => {
    running = await startApp(app)
  })

  describe.each(["express", "express4", "fastify", "hono", "koa", "koa2"])("on %s", (framework) => {
    const port = () => running.ports[framework]!

    it("requires payment with a 402, and serves a paid call once per payment", async () => {
      const call = { path: "/x402/search?q=mug" }
      const { paid, payment, unpaid } = await sendPaid(port(), call)
      expect(await unpaid.json()).toMatchObject({ x402Version: 1, accepts: [{ network: "base-sepolia" }] })
      expect([unpaid.status, paid.status]).toEqual([402, 200])
      expect(paid.headers.get("payment-response")).not.toBeNull()
      const body = await paid.text()
      expect(JSON.parse(body)).toMatchObject({ page: 1, products: [{ title: expect.any(String) }] })
      expect(await (await send(port(), call, payment)).text()).toBe(body)
      expect((await send(port(), { path: "/x402/search?q=lamp" }, payment)).status).toBe(402)
    })

    it("sells an archive from the package's own files", async () => {
      const body = {
        slug: "csv-cleanup",
        walletAddress: "So11111111111111111111111111111111111111112",
        email: "ada@shop.example"
      }
      const bought = await sendPaid(port(), { path: "/x402/vault/buy", body })
      expect(bought.paid.status).toBe(200)
      const { downloadToken, purchaseId } = (await bought.paid.json()) as Record<string, string>
      const path = `/x402/vault/download/${purchaseId}?downloadToken=${downloadToken}`
      const { paid } = await sendPaid(port(), { path })
      expect([paid.status, paid.headers.get("content-type")]).toEqual([200, "application/zip"])
      expect(Buffer.from(await paid.arrayBuffer()).toString("latin1")).toContain("SKILL.md")
    })

    it("leaves other paths to the host, and keeps its records in SQLite", async () => {
      expect(await (await send(port(), { path: "/own" })).text()).toBe("my own route")
      expect(existsSync(join(app, `${framework}.sqlite`))).toBe(true)
      expect(running.reported()).toContain(`${framework}.sqlite was empty`)
      expect(running.reported()).not.toContain("no thread of its own")
    })
  })

  it("shuts down gracefully", async () => {
    expect(await running.stop()).toBe(0)
  })
})

it.each(["till402", "@till402/sandbox"])("%s has one command, which npx runs whatever its name", (name) => {
  const commands = Object.values(packageOf(name).manifest.bin ?? {})
  expect(commands).toHaveLength(1)
  expect(existsSync(join(packageOf(name).folder, commands[0]!))).toBe(true)
})

it("npm create till402 makes an app", async () => {
  const { folder, manifest } = packageOf("create-till402")
  expect(Object.keys(manifest.bin ?? {})).toEqual(["create-till402"])
  const command = join(folder, manifest.bin!["create-till402"]!)
  const made = await run(process.execPath, [command, "shop", "--framework", "next"], app)
  expect(made.split("\n")).toContain("src/app/x402/[...path]/route.ts")
})

describe("these checks detect", () => {
  let copies = 0
  /** A copy of a package with a fault. */
  const broken = (name: string, breakIt: (at: (file: string) => string) => void): PackedPackage => {
    const packed = packageOf(name)
    const copy = join(folder, `broken-${++copies}`)
    cpSync(packed.folder, copy, { recursive: true })
    breakIt((file) => join(copy, file))
    return { ...packed, folder: copy, manifest: JSON.parse(readFileSync(join(copy, "package.json"), "utf8")) }
  }
  const koa = "@till402/koa"

  it.each([
    ["dist/.tsbuildinfo", "dist/.tsbuildinfo should not be there"],
    ["dist/Gone.js", "dist/Gone.js should not be there"],
    ["src/index.ts", "src/index.ts should not be there"],
    ["dist/index.test.js", "dist/index.test.js is for tests"]
  ])("%s, which does not belong there", (file, fault) => {
    const write = (path: string): void => {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, "{}")
    }
    expect(fileFaults(broken(koa, (at) => write(at(file))))).toContain(fault)
  })

  it("a declaration that is missing", () => {
    const packed = broken(koa, (at) => rmSync(at("dist/index.d.ts")))
    expect(fileFaults(packed)).toEqual(["dist/index.d.ts is missing"])
    expect(exportFaults(packed)).toEqual([`${koa}: types is ./dist/index.d.ts, which does not exist`])
  })

  it("a source map that is missing", () => {
    const packed = broken(koa, (at) =>
      appendFileSync(at("dist/index.js"), "\n//# sourceMappingURL=index.js.map\n")
    )
    expect(mapFaults(packed)).toEqual(["dist/index.js names a source map"])
  })

  it("a link that leaves the package, and a page that is not in it", () => {
    const packed = broken("@till402/core", (at) => {
      appendFileSync(at("README.md"), "\n[life](../../docs/explain/charges.md), [this](#till402core)\n")
      appendFileSync(at("dist/index.js"), '\nexport const advice = "See docs/nowhere.md";\n')
    })
    expect(linkFaults(packed)).toEqual([
      "README.md links ../../docs/explain/charges.md",
      "dist/index.js names docs/nowhere.md"
    ])
  })

  it("a file that makes an entry or a tarball larger than its limit", () => {
    const packed = broken(koa, (at) => appendFileSync(at("dist/index.js"), `\n// ${"x".repeat(10_000)}`))
    expect(entryFaults(koa, bytesOf(packed, entriesOf(packed)[0]!))).toEqual([
      expect.stringMatching(/^@till402\/koa: what it loads has [12]\d{4} bytes, and may have \d+$/)
    ])
    expect(sizeFaults(koa, 12_001)).toEqual(["@till402/koa: its tarball has 12001 bytes, and may have 12000"])
    expect(sizeFaults("@till402/new", 1)[0]).toContain("no limit")
  })

  it.each([
    ["workspace:^", "has a range that no registry resolves"],
    ["^9.0.0", "requires @till402/core ^9.0.0"]
  ])("the range %s", (range, fault) => {
    const packed = broken(koa, (at) => {
      const manifest = JSON.parse(readFileSync(at("package.json"), "utf8")) as object
      writeFileSync(
        at("package.json"),
        JSON.stringify({ ...manifest, dependencies: { "@till402/core": range } })
      )
    })
    expect(rangeFaults(packed, packages)).toContain(`${koa} ${fault}`)
  })

  it.each([
    ["dist/index.js", 'import "left-pad/lib"', "left-pad/lib"],
    ["dist/index.js", 'export const load = () => import("left-pad")', "left-pad"],
    ["dist/index.js", 'createRequire(import.meta.url).resolve("left-pad")', "left-pad"],
    ["dist/index.js", 'import Router from "@koa/router"', "@koa/router"],
    ["dist/index.d.ts", 'import type { Pad } from "left-pad"', "left-pad"],
    ["dist/index.d.ts", 'export declare const pad: import("left-pad").Pad', "left-pad"],
    ["dist/index.d.ts", '/**\n * import a from "not-left-pad"\n */\nexport * from "left-pad"', "left-pad"]
  ])("in %s: %s", (file, line, specifier) => {
    const packed = broken(koa, (at) => appendFileSync(at(file), `\n${line};\n`))
    expect(undeclaredImports(packed)).toEqual([`${koa}: ${file} imports ${specifier}`])
  })

  it("a built-in module of Node in core, and an optional peer that an entry requires", () => {
    const packed = broken("@till402/core", (at) =>
      appendFileSync(at("dist/runtime/Secrets.js"), '\nimport "node:crypto";\nimport "secp256k1";\n')
    )
    expect(builtinImports(packed).get("dist/runtime/Secrets.js")).toEqual(["node:crypto"])
    expect(loadedWith(packed, "dist/effect.js")).toContain("dist/runtime/Secrets.js")
    expect(peersNeededBy(packed, entriesOf(packed)[0]!)).toEqual(["secp256k1"])
  })
})
