/*
 * How large core is, and how long its first import takes, against the official middleware. Build it first.
 *
 *   npm run build && npm run bench -- size
 */
import { bundleSize } from "./bundleSize.ts"
import { firstImports, startMillis } from "./firstImport.ts"

console.log("milliseconds of a new process that imports the built package, above those of an empty one")
const imports = firstImports(["@till402/core", "@till402/core/effect", "@x402/hono"], import.meta.dirname)
for (const [name, { millis, modules }] of imports)
  console.log(`first import of ${name.padEnd(20)} ${millis.toFixed(0).padStart(5)} ms, ${modules} modules`)
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
console.log(`first import, and a till ready      ${ready.toFixed(0).padStart(5)} ms`)
const { all, atOnce } = await bundleSize()
const kB = (bytes: number): string => `${(bytes / 1000).toFixed(0)} kB`
console.log(
  `bundle of @till402/core, gzip  ${kB(atOnce)} at once, ${kB(all)} with what is loaded when needed`
)
