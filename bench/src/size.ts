/*
 * How large core is, and how long its first import takes, against the official middleware. Build it first.
 *
 *   npm run build && npm run bench -- size
 */
import { execFileSync } from "node:child_process"
import { bundleSize } from "./bundleSize.ts"
import { median } from "./load.ts"

const processes = 9

const script = (name: string) => `
  import { registerHooks } from "node:module"
  let modules = 0
  registerHooks({ load: (url, context, next) => (modules++, next(url, context)) })
  const startedAt = performance.now()
  await import(${JSON.stringify(name)})
  console.log(JSON.stringify([performance.now() - startedAt, modules]))`

/** The median of new processes, each of which imports the package once. */
const firstImport = (name: string) => {
  const runs = Array.from({ length: processes }, () => {
    const text = execFileSync(process.execPath, ["--input-type=module", "--eval", script(name)], {
      cwd: import.meta.dirname,
      encoding: "utf8"
    })
    const [millis, modules]: readonly [number, number] = JSON.parse(text)
    return { millis, modules }
  })
  return { millis: median(runs.map(({ millis }) => millis)), modules: runs[0]?.modules ?? 0 }
}

for (const name of ["@till402/core", "@till402/core/effect", "@x402/hono"]) {
  const { millis, modules } = firstImport(name)
  console.log(`first import of ${name.padEnd(20)} ${millis.toFixed(0).padStart(5)} ms, ${modules} modules`)
}
const { all, atOnce } = await bundleSize()
const kB = (bytes: number): string => `${(bytes / 1000).toFixed(0)} kB`
console.log(
  `bundle of @till402/core, gzip  ${kB(atOnce)} at once, ${kB(all)} with what is loaded when needed`
)
