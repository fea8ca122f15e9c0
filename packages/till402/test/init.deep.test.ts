import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer, type AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { startChain, startFacilitator } from "@till402/sandbox"
import { expect, it, onTestFinished } from "vitest"
import type { Line } from "../src/doctor/Line.ts"
import { type Framework, frameworks } from "../src/init/frameworks.ts"
import { till402 } from "./world.ts"

const flags = ["--conditions=@till402/source", "--disable-warning=ExperimentalWarning"]

/** Makes an app whose packages are installed; returns its folder. */
const makeApp = async (framework: Framework): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), "till402-init-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const app = join(folder, "app")
  expect((await till402(["init", app, "--framework", framework])).code).toBe(0)
  // As its package.json installs them: a test compares its imports with it.
  const example = join(import.meta.dirname, "..", "..", "..", "examples", framework, "node_modules")
  symlinkSync(example, join(app, "node_modules"), "junction")
  return app
}

/** Starts Node in an app, without variables of the tests. */
const startNode = (app: string, args: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, args, {
    cwd: app,
    env: { PATH: process.env["PATH"], NODE_OPTIONS: flags.join(" ") }
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  let output = ""
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
  return { child: child as ChildProcess, output: () => output }
}

/** That for Next is installed by npm, in e2e/packed/road.deep.test.ts. */
it.each(frameworks.filter((framework) => framework !== "next"))(
  "the app for %s passes its own test: it runs in the sandbox, and is paid",
  async (framework) => {
    const { child, output } = startNode(await makeApp(framework), ["--test"])
    const [code] = await once(child, "close")
    expect([code, output()]).toEqual([0, expect.stringMatching(/pass 1\n/)])
  }
)

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0)
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}

const isUp = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false
  )

/** Values of variables of an app, whose names differ where its settings are Effect's. */
const setVariables = (app: string, values: Readonly<Record<string, string>>): void => {
  const file = join(app, ".env")
  const text = Object.entries(values).reduce(
    (text, [name, value]) => text.replace(new RegExp(`^((?:TILL_)?${name}\\w*)=.*$`, "m"), `$1=${value}`),
    readFileSync(file, "utf8")
  )
  writeFileSync(file, text)
}

/** Runs the app's own command for it: its checks, and the exit code. */
const runDoctor = async (app: string) => {
  const { doctor } = JSON.parse(readFileSync(join(app, "package.json"), "utf8")).scripts
  const [command, ...args] = String(doctor).split(" ")
  expect(command).toBe("till402")
  const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))
  const { child, output } = startNode(app, [main, ...args, "--json"])
  const [code] = await once(child, "close")
  const { checks } = JSON.parse(output()) as { readonly checks: ReadonlyArray<Line> }
  return { code: code as number, faults: checks.filter(({ status }) => status !== "pass"), checks }
}

it.each(["express", "effect"] as const)(
  "the doctor reads the settings of the app for %s: all pass, and broken ones are named with their cure",
  async (framework) => {
    const chain = await startChain()
    onTestFinished(() => chain.stop())
    const facilitator = await startFacilitator({ chain })
    onTestFinished(() => facilitator.stop())
    const app = await makeApp(framework)
    const port = await freePort()
    const settings = {
      BASE_URL: `http://localhost:${port}`,
      PORT: String(port),
      PAY_TO: chain.accounts(3).address,
      RPC_URL: chain.rpcUrl,
      FACILITATOR_URL: facilitator.url
    }
    setVariables(app, settings)
    const server = startNode(app, ["--env-file=.env", "src/main.ts"])
    while (!(await isUp(`${settings.BASE_URL}/health`))) {
      expect(server.child.exitCode, server.output()).toBe(null)
      await sleep(100)
    }

    const healthy = await runDoctor(app)
    expect([healthy.code, healthy.faults], server.output()).toEqual([0, []])
    expect(healthy.checks.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["start", "facilitator", "payTo balance", "migrations", "402", "payee"])
    )

    setVariables(app, { PAY_TO: chain.accounts(4).address })
    const changed = await runDoctor(app)
    expect(changed.code).toBe(1)
    expect(changed.faults).toContainEqual(
      expect.objectContaining({
        name: "payee",
        status: "fail",
        cure: expect.stringContaining("restart what runs with older settings")
      })
    )

    setVariables(app, { PAY_TO: "" })
    const missing = await runDoctor(app)
    expect([missing.code, missing.faults[0]]).toEqual([
      1,
      expect.objectContaining({
        name: "options",
        status: "fail",
        problem: expect.stringContaining("PAY_TO"),
        cure: expect.stringMatching(/variable/)
      })
    ])
  }
)
