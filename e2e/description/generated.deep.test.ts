import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest"
import { complaintsOf, pnpm, run } from "../packed/src/Tool.ts"
import { heyApi, openapiFetch } from "./programs.ts"
import { baseUrl, openShop } from "./Shop.ts"

/*
 * What tools make of the OpenAPI document: linters find no fault in it, and clients that two generators make of it compile
 * and pay all seven routes. The tools have a lockfile of their own: their peers would be those of the whole workspace.
 */

const tools = fileURLToPath(new URL("tools", import.meta.url))
const toolPath = (...parts: ReadonlyArray<string>): string => join(tools, "node_modules", ...parts)
let folder: string
let document: string
beforeAll(async () => {
  await pnpm(["install", "--frozen-lockfile", "--ignore-workspace", "--prefer-offline"], tools)
  mkdirSync(join(tools, ".tmp"), { recursive: true })
  folder = mkdtempSync(join(tools, ".tmp", "generated-"))
  const { till } = await openShop()
  document = await (await till.fetch(new Request(`${baseUrl}/openapi.json`))).text()
  await till.dispose()
  writeFileSync(join(folder, "openapi.json"), document)
}, 300_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it("Redocly finds nothing to say about it", async () => {
  // Which license the service has is its host's affair.
  const rules = { extends: ["recommended"], rules: { "info-license": "off" }, telemetry: "off" }
  writeFileSync(join(folder, "redocly.yaml"), JSON.stringify(rules))
  const cli = [process.execPath, toolPath("@redocly", "cli", "bin", "cli.js")]
  const quiet = ["REDOCLY_SUPPRESS_UPDATE_NOTICE=true", "REDOCLY_TELEMETRY=off"]
  const output = await run("env", [...quiet, ...cli, "lint", "openapi.json", "--format=json"], folder)
  const { problems, totals } = JSON.parse(output.slice(output.indexOf("{"))) as Record<string, unknown>
  expect(problems).toEqual([])
  expect(totals).toMatchObject({ errors: 0, warnings: 0 })
})

it("Scalar's parser takes it", async () => {
  const { dereference, validate } = await import(toolPath("@scalar", "openapi-parser", "dist", "index.js"))
  expect(await validate(document)).toMatchObject({ valid: true, errors: [] })
  expect(await dereference(document)).toMatchObject({ errors: [] })
})

const clients = [
  {
    name: "openapi-typescript with openapi-fetch",
    program: openapiFetch,
    generate: (at: string) =>
      run(
        process.execPath,
        [toolPath("openapi-typescript", "bin", "cli.js"), "../openapi.json", "-o", "schema.ts"],
        at
      )
  },
  {
    name: "@hey-api/openapi-ts",
    program: heyApi,
    generate: (at: string) =>
      run(
        process.execPath,
        [
          toolPath("@hey-api", "openapi-ts", "bin", "run.js"),
          "-i",
          "../openapi.json",
          "-o",
          ".",
          "--no-log-file"
        ],
        at
      )
  }
]

const compilerOptions = {
  strict: true,
  noEmit: true,
  module: "preserve",
  moduleResolution: "bundler",
  target: "es2023",
  lib: ["es2023", "dom", "dom.iterable"],
  types: [],
  skipLibCheck: true,
  allowImportingTsExtensions: true
}

it.each(clients)("a client of $name compiles, and pays all seven routes", async ({ generate, program }) => {
  const at = mkdtempSync(join(folder, "client-"))
  await generate(at)
  writeFileSync(join(at, "program.ts"), program)
  writeFileSync(join(at, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }))
  expect(await complaintsOf("tsconfig.json", at)).toEqual([])

  const { pay, settlements, till } = await openShop()
  onTestFinished(() => till.dispose())
  const { useAll } = await import(join(at, "program.ts"))
  expect(await useAll(baseUrl, pay)).toMatchObject({
    products: expect.any(Number),
    reply: expect.any(String),
    status: "processing",
    slug: "an-item",
    bytes: expect.any(Number),
    fault: "VALIDATION_ERROR"
  })
  expect(settlements()).toBe(7)
})
