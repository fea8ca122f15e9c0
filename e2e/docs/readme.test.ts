import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { commandsOf, read, samplesOf } from "./documents.ts"

const readme = read("README.md")

/** The README's two commands that make a secret and start the server. */
const [makeSecret = "", startServer = ""] =
  commandsOf(readme).find((lines) => lines.some((line) => line.endsWith("server.ts"))) ?? []

it("the README's server runs as printed and requests a payment", async () => {
  const code = samplesOf(readme).find((sample) => sample.code.startsWith("// server.ts\n"))!.code
  // A free port and no network: the server prints its port, and its facilitator can't be reached.
  const here = code
    .replace(
      "app.listen(3000)",
      "const server = app.listen(0, () => console.log(JSON.stringify(server.address())))"
    )
    .replace("https://x402.org/facilitator", "http://127.0.0.1:9")
    .replace("till.sqlite", ":memory:")
  const tmp = join(import.meta.dirname, ".tmp")
  mkdirSync(tmp, { recursive: true })
  const folder = mkdtempSync(join(tmp, "server-"))
  const file = join(folder, "server.ts")
  writeFileSync(file, here)
  const { TILL_SECRET: _secret, ...env } = process.env
  // The command isn't on a registry yet.
  const command = fileURLToPath(new URL("../../packages/till402/src/main.ts", import.meta.url))
  const options = "--conditions=@till402/source --disable-warning=ExperimentalWarning"
  const making = makeSecret.replace("npx till402", `"${process.execPath}" ${options} "${command}"`)
  expect(making).not.toBe(makeSecret)
  execFileSync("sh", ["-c", making], { cwd: folder, stdio: "ignore" })
  const secret = readFileSync(join(folder, ".env"), "utf8")
  const [program, ...args] = startServer.split(" ")
  expect(program).toBe("node")
  const child = spawn(process.execPath, ["--conditions=@till402/source", ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...env, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] }
  })
  try {
    expect(secret).toMatch(/^TILL_SECRET=[0-9a-f]{64}\n$/)
    // A later start must keep the secret of its database.
    execFileSync("sh", ["-c", making], { cwd: folder, stdio: "ignore" })
    expect(readFileSync(join(folder, ".env"), "utf8")).toBe(secret)
    const [line] = (await once(createInterface(child.stdout), "line")) as [string]
    const { port } = JSON.parse(line) as { port: number }
    const unpaid = await fetch(`http://127.0.0.1:${port}/x402/search?q=desk`)
    expect(unpaid.status).toBe(402)
    const own = await fetch(`http://127.0.0.1:${port}/`)
    expect(await own.text()).toBe("my own route")
  } finally {
    child.kill()
    rmSync(folder, { recursive: true, force: true })
  }
})
