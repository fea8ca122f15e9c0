import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { expect, it } from "vitest"

const moduleAt = (path: string): string =>
  JSON.stringify(new URL(`../../../src/${path}`, import.meta.url).href)

/** Sets a dispatcher for the process, as a host with a proxy does, and then calls a facilitator for the first time. */
const program = `
import { Effect, Layer } from "effect"
import { Facilitator } from ${moduleAt("toll/facilitator/Facilitator.ts")}
import { platformHttp } from ${moduleAt("till/platformHttp.ts")}

const place = Symbol.for("undici.globalDispatcher.1")
const host = { dispatch: () => { throw new Error("no call of fetch was expected") } }
globalThis[place] = host
const layer = Layer.provide(Facilitator.layerHttp({ url: "http://127.0.0.1:9" }), platformHttp)
await Effect.runPromise(Effect.provide(Effect.flatMap(Facilitator, ({ supported }) => supported), layer))
process.stdout.write(globalThis[place] === host ? "the host's" : "another one")
process.exit(0)
`

it("leaves the dispatcher that a host has set for its own calls", async () => {
  const node = [
    "--disable-warning=ExperimentalWarning",
    "--conditions=@till402/source",
    "--input-type=module"
  ]
  const { stdout } = await promisify(execFile)(process.execPath, [...node, "--eval", program], {
    cwd: import.meta.dirname
  })
  expect(stdout).toMatch(/the host's$/)
})
