/*
 * How large core is, and how long its first import takes, against the official middleware. Build it first.
 *
 *   npm run build && npm run bench -- size
 *   npm run bench -- size --all     also every other entry of core, the adapters and the providers
 */
import { globSync } from "node:fs"
import { join } from "node:path"
import { bundleSize } from "./bundleSize.ts"
import { firstImports, startMillis } from "./firstImport.ts"

console.log("milliseconds of a new process that imports the built package, above those of an empty one")
const core = ["", "/effect", "/node", "/sqlite", "/postgres", "/testing"].map(
  (entry) => `@till402/core${entry}`
)
const adapters = ["express", "hono", "koa"].map((name) => `@till402/${name}`)
const bundles = join(import.meta.dirname, "..", "..", "packages", "providers", "dist", "bundle")
const providers = globSync("**/*.js", { cwd: bundles })
  .filter((file) => !file.startsWith("shared"))
  .map((file) => `@till402/providers/${file.replace(/\.js$/, "")}`)
  .sort()
const all = process.argv.includes("--all")
const entries = all ? [...core, ...adapters, ...providers] : core.slice(0, 2)
const imports = firstImports([...entries, "@x402/hono"], import.meta.dirname)
for (const [name, { millis, modules }] of imports)
  console.log(`first import of ${name.padEnd(36)} ${millis.toFixed(0).padStart(5)} ms, ${modules} modules`)
/** Until the first call could be served, which imports more. */
const start = `
  const { memory, Till } = await import("@till402/core")
  const till = Till.make({
    baseUrl: "http://localhost",
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    networks: ["base-sepolia"],
    facilitator: { url: "http://127.0.0.1:9" },
    secret: "a secret of the benchmark, known to all",
    storage: memory(),
    tracker: { track: async () => ({}) },
    onEvent: () => undefined
  })
  await till.ready
  process.exit()`
const [ready = Number.NaN] = startMillis([start], import.meta.dirname)
console.log(`first import, and a till ready                      ${ready.toFixed(0).padStart(5)} ms`)
const bundled = await bundleSize()
const kB = (bytes: number): string => `${(bytes / 1000).toFixed(0)} kB`
console.log(
  `bundle of @till402/core, gzip  ${kB(bundled.atOnce)} at once, ${kB(bundled.all)} with what is loaded when needed`
)
