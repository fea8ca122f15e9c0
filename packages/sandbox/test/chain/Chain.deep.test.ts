import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, vi } from "vitest"
import { startChain } from "../../src/chain/index.ts"

it("a chain of many blocks leaves no states of old blocks on the disk", async () => {
  const folder = mkdtempSync(join(tmpdir(), "till402-chain-"))
  vi.stubEnv("TMPDIR", folder)
  const chain = await startChain()
  vi.unstubAllEnvs()
  for (let mined = 0; mined < 1_200; mined += 100) await chain.client.mine({ blocks: 100 })
  await vi.waitFor(() => expect(readdirSync(folder, { recursive: true }).length).toBeGreaterThan(10))
  await chain.stop()
  expect(readdirSync(folder)).toEqual([])
  rmSync(folder, { recursive: true })
})
