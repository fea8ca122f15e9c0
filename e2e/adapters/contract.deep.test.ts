import { spawn } from "node:child_process"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { pricedHosts } from "./pricedHosts.ts"

/*
 * The HTTP contract, whose tests call the till without a server, through a server of each framework.
 */

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const vitest = join(root, "node_modules", "vitest", "vitest.mjs")

/** Runs the tests of `e2e/contract` through a framework; returns its exit code, and the end of what it printed. */
const runContract = async (framework: string) => {
  const { TILL402_SUITE: _suite, ...env } = process.env
  const child = spawn(process.execPath, [vitest, "run", "e2e/contract"], {
    cwd: root,
    env: { ...env, NO_COLOR: "1", TILL402_CONTRACT_FRAMEWORK: framework },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 9 * 60_000
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)))
  const code = await new Promise((resolve) => {
    child.once("close", resolve)
  })
  return { code, output: output.slice(-8_000) }
}

it.each(Object.keys(pricedHosts))("the contract holds through %s", async (framework) => {
  const { code, output } = await runContract(framework)
  expect(code, output).toBe(0)
  expect(Number(/Tests +(\d+) passed/.exec(output)?.[1])).toBeGreaterThan(1_000)
})
