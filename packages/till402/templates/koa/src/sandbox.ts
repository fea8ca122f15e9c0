import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { fileURLToPath } from "node:url"
import { startChain, startFacilitator } from "@till402/sandbox"

/*
 * Runs main.ts against a local chain and facilitator, with real USDC code and play money.
 */

const chain = await startChain()
const facilitator = await startFacilitator({ chain })
const buyer = chain.accounts(2)
await chain.mint(buyer.address, 1_000_000_000n)
const buyerKey = Buffer.from(buyer.getHdKey().privateKey!).toString("hex")
console.log(`A wallet with 1,000 test USDC: ${buyer.address}, private key 0x${buyerKey}`)

const port = process.env["PORT"] ?? "3000"
const app = spawn(process.execPath, [...process.execArgv, fileURLToPath(import.meta.resolve("./main.ts"))], {
  stdio: "inherit",
  env: {
    BASE_URL: `http://localhost:${port}`,
    PAY_TO: chain.accounts(3).address,
    TILL_SECRET: randomBytes(32).toString("hex"),
    TILL_DATABASE: ":memory:",
    ...process.env,
    NETWORK: "base-sepolia",
    RPC_URL: chain.rpcUrl,
    FACILITATOR_URL: facilitator.url
  }
})
// Ctrl-C reaches the app itself; the chain stays up until the app has finished its running calls.
process.on("SIGINT", () => undefined)
process.on("SIGTERM", () => app.kill("SIGTERM"))
app.on("exit", async (code) => {
  await facilitator.stop()
  await chain.stop()
  process.exitCode = code ?? 1
})
