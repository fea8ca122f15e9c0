import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { startChain, startFacilitator } from "@till402/sandbox"

/*
 * Runs main.ts against a local chain, facilitator and PostgreSQL, with real USDC code and play money. The database is
 * deleted afterwards, unless DATABASE_URL names one of your own.
 */

const programOf = (file: string) => [...process.execArgv, fileURLToPath(import.meta.resolve(file))]

/**
 * In its own process group, so that Ctrl-C in a terminal doesn't end it before the app has finished its running calls.
 */
const startDatabase = async () => {
  const server = spawn(process.execPath, programOf("./sandboxDatabase.ts"), {
    detached: true,
    stdio: ["pipe", "pipe", "inherit"]
  })
  const ended = once(server, "exit")
  for await (const url of createInterface(server.stdout)) {
    const stop = async () => {
      server.stdin.end()
      await ended
    }
    return { url, stop }
  }
  throw new Error("PostgreSQL did not start")
}

const given = process.env["DATABASE_URL"] ?? ""
const [database, chain] = await Promise.all([given === "" ? startDatabase() : undefined, startChain()])
const facilitator = await startFacilitator({ chain })
const buyer = chain.accounts(2)
await chain.mint(buyer.address, 1_000_000_000n)
const buyerKey = Buffer.from(buyer.getHdKey().privateKey!).toString("hex")
console.log(`A wallet with 1,000 test USDC: ${buyer.address}, private key 0x${buyerKey}`)

const port = process.env["PORT"] ?? "3000"
const app = spawn(process.execPath, programOf("./main.ts"), {
  stdio: "inherit",
  env: {
    BASE_URL: `http://localhost:${port}`,
    PAY_TO: chain.accounts(3).address,
    TILL_SECRET: randomBytes(32).toString("hex"),
    ...process.env,
    NETWORK: "base-sepolia",
    RPC_URL: chain.rpcUrl,
    FACILITATOR_URL: facilitator.url,
    DATABASE_URL: database?.url ?? given
  }
})
// Ctrl-C reaches the app itself; the rest stays up until the app has finished its running calls.
process.on("SIGINT", () => undefined)
process.on("SIGTERM", () => app.kill("SIGTERM"))
app.on("exit", async (code) => {
  await Promise.all([facilitator.stop(), chain.stop(), database?.stop()])
  process.exitCode = code ?? 1
})
