import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startSolanaSandbox } from "@till402/sandbox"
import { getBase58Encoder } from "@solana/kit"
import { expect, it, onTestFinished } from "vitest"
import { till402 } from "./world.ts"

it("a wallet of Solana pays, by its key in base58 or as a list", async () => {
  const sandbox = await startSolanaSandbox({ storage: "memory", onEvent: () => undefined })
  onTestFinished(sandbox.stop)
  const folder = mkdtempSync(join(tmpdir(), "till402-solana-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [wallet] = sandbox.solana.wallets
  const { secretKey } = wallet!
  const files = { base58: secretKey, list: JSON.stringify([...getBase58Encoder().encode(secretKey)]) }
  const balances: Array<string> = []
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, name)
    writeFileSync(file, text)
    const { code, noted, printed } = await till402([
      "pay",
      `${sandbox.baseUrl}/x402/search?q=lamp`,
      "--json",
      "--key-file",
      file,
      "--rpc",
      sandbox.solana.rpcUrl
    ])
    expect([code, noted]).toEqual([0, expect.stringContaining("price      0.01 USDC on solana-devnet")])
    expect(noted).not.toContain(secretKey)
    const { balance, transaction, wallet: payer } = JSON.parse(printed)
    expect([payer, transaction]).toEqual([wallet!.address, expect.stringMatching(/^\w{86,88}$/)])
    balances.push(balance)
  }
  expect(balances).toEqual(["999.99", "999.98"])
  writeFileSync(
    join(folder, "broken"),
    secretKey.replace(/^./, (first) => (first === "2" ? "3" : "2"))
  )
  const broken = await till402([
    "pay",
    `${sandbox.baseUrl}/x402/search?q=lamp`,
    "--key-file",
    join(folder, "broken")
  ])
  expect([broken.code, broken.noted]).toEqual([
    1,
    expect.stringContaining("the key must be a key pair of 64 bytes")
  ])
  expect(broken.noted).not.toContain(secretKey.slice(1))
})
