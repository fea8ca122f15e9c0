import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { payingFetch, startSandbox } from "@till402/sandbox"
import { expect, it, onTestFinished } from "vitest"
import { read, samplesOf } from "./documents.ts"

const page = read("docs/start.md")

it("docs/start.md needs at most 1,500 words to a paid call", () => {
  const [before = ""] = page.text.split("\n## Next\n")
  expect(before).toContain("That is a paid call")
  expect(before.split(/\s+/).length).toBeLessThanOrEqual(1_500)
})

/** What the sandbox's command announces beside its service. */
const announce = async (announced: object): Promise<string> => {
  const server = createServer((_request, response) => response.end(JSON.stringify(announced)))
  onTestFinished(() => void server.close())
  await once(server.listen(0, "127.0.0.1"), "listening")
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it("the server of docs/start.md runs as printed and is paid", async () => {
  const sandbox = await startSandbox()
  onTestFinished(sandbox.stop)
  const { facilitatorUrl, payTo, rpcUrl, wallets } = sandbox
  const origin = await announce({ facilitatorUrl, payTo, rpcUrl })
  const code = samplesOf(page).find((sample) => sample.code.startsWith("// server.ts\n"))!.code
  const here = code
    .replace("http://127.0.0.1:4021", origin)
    .replace(
      "app.listen(3000)",
      "const server = app.listen(0, () => console.log(JSON.stringify(server.address())))"
    )
  expect(here).toContain(`${origin}/sandbox.json`)
  const tmp = join(import.meta.dirname, ".tmp")
  mkdirSync(tmp, { recursive: true })
  const folder = mkdtempSync(join(tmp, "start-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, "server.ts")
  writeFileSync(file, here)
  const child = spawn(process.execPath, ["--conditions=@till402/source", file], {
    stdio: ["ignore", "pipe", "ignore"]
  })
  onTestFinished(() => void child.kill())
  const [line] = (await once(createInterface(child.stdout), "line")) as [string]
  const { port } = JSON.parse(line) as { port: number }
  const pay = payingFetch(wallets[0]!.privateKey, 1)
  const response = await pay(`http://127.0.0.1:${port}/weather/oslo`)
  expect([response.status, await response.json()]).toEqual([200, { city: "oslo", celsius: 21 }])
  expect(response.headers.has("payment-response")).toBe(true)
})
