import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { assert, onTestFinished } from "vitest"
import { payingFetch } from "@till402/sandbox"
import { exampleEnvironment } from "../../express/test/exampleProcess.ts"
import type { FakeUpstreams } from "./fakeUpstreams.ts"

/*
 * Runs the app as its reader would.
 */

/** Limits for an app that hangs. */
const startMillis = 60_000
const stopMillis = 60_000
export const appMillis = 180_000

/** Any key will do: it signs, and the fake facilitator moves no money. */
export const pay = payingFetch(`0x${"07".repeat(32)}`)

export const settings = ({ url }: Pick<FakeUpstreams, "url">): Record<string, string> => ({
  PORT: "0",
  BASE_URL: "https://shop.example",
  PAY_TO: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  RPC_URL: `${url}/rpc`,
  FACILITATOR_URL: `${url}/facilitator`,
  TILL_SECRET: "a secret of the example's own, for this test",
  TILL_DATABASE: ":memory:",
  CANOPY_BASE_URL: `${url}/canopy`,
  SHOPIFY_BASE_URL: `${url}/shopify`,
  SHOPIFY_TOKEN_URL: `${url}/shopify/token`,
  SEVENTEENTRACK_BASE_URL: `${url}/17track`
})

export const keys = {
  CANOPY_API_KEY: "canopy-key",
  SHOPIFY_CLIENT_ID: "shopify-id",
  SHOPIFY_CLIENT_SECRET: "shopify-secret",
  SEVENTEENTRACK_API_KEY: "17track-key"
}

const spawnApp = (environment: Record<string, string>) => {
  const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))
  const flags = ["--disable-warning=ExperimentalWarning", "--conditions=@till402/source"]
  const child = spawn(process.execPath, [...flags, main], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...exampleEnvironment, ...environment }
  })
  onTestFinished(() => {
    child.kill("SIGKILL")
  })
  const complaints: Array<string> = []
  child.stderr.on("data", (chunk: Buffer) => complaints.push(chunk.toString()))
  return { child, complaints: () => complaints.join("") }
}

/** Runs the app until it listens; `output` is what it printed before. */
export const start = async (environment: Record<string, string>) => {
  const { child, complaints } = spawnApp(environment)
  const giveUp = setTimeout(() => child.kill("SIGKILL"), startMillis)
  const output: Array<string> = []
  for await (const line of createInterface(child.stdout)) {
    const url = /^Listening on (http:\S+)$/.exec(line)?.[1]
    if (url !== undefined) {
      clearTimeout(giveUp)
      const stop = async () => {
        const exited = once(child, "exit", { signal: AbortSignal.timeout(stopMillis) })
        child.kill("SIGTERM")
        const [code] = await exited
        assert.strictEqual(code, 0)
      }
      return { url, output: output.join("\n"), stop }
    }
    output.push(line)
  }
  clearTimeout(giveUp)
  return assert.fail(`The app ended before it listened:\n${output.join("\n")}\n${complaints()}`)
}

/** Runs the app until it ends by itself. */
export const startInVain = async (environment: Record<string, string>) => {
  const { child, complaints } = spawnApp(environment)
  const output: Array<string> = []
  child.stdout.on("data", (chunk: Buffer) => output.push(chunk.toString()))
  const [code] = await once(child, "close", { signal: AbortSignal.timeout(startMillis) })
  assert.strictEqual(code, 1)
  return { output: output.join(""), complaints: complaints() }
}
