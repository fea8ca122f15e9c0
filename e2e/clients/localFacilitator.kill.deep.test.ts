import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Chain, startChain } from "@till402/sandbox"
import { parseEther } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { settleInProcess as run } from "./facilitatorRun.ts"
import { signedPayment } from "./relayers.ts"

/*
 * Processes with local facilitators that share a key and a journal, killed around their sends: every payment moves
 * exactly once, with one transaction each.
 */

let chain: Chain
let folder: string
beforeAll(async () => {
  chain = await startChain()
  folder = mkdtempSync(join(tmpdir(), "till402-killed-"))
})
afterAll(async () => {
  await chain.stop()
  rmSync(folder, { recursive: true, force: true })
})

describe("processes that are killed while they settle", () => {
  it("leave payments that their successors settle, each once", async () => {
    const privateKey = generatePrivateKey()
    const { address } = privateKeyToAccount(privateKey)
    await chain.client.setBalance({ address, value: parseEther("10") })
    const payments = await Promise.all(Array.from({ length: 12 }, () => signedPayment(chain)))
    const task = {
      rpcUrl: chain.rpcUrl,
      privateKey,
      filename: join(folder, "settlements.sqlite"),
      payments: payments.map(({ payload, requirements }) => ({ payload, requirements }))
    }
    for (const [first, second] of [
      [1, 3],
      [2, 6]
    ] as const) {
      const ended = await Promise.all([
        run({ ...task, diesAt: first, isSentFirst: false }),
        run({ ...task, diesAt: second, isSentFirst: true })
      ])
      expect(ended).toContain(undefined)
    }
    const output = await run({ ...task, diesAt: 0, isSentFirst: false })
    const settled: ReadonlyArray<{ success: boolean; transaction: string }> = JSON.parse(output ?? "[]")
    expect(settled.filter(({ success }) => !success)).toEqual([])
    expect(new Set(settled.map(({ transaction }) => transaction)).size).toBe(12)
    for (const { terms } of payments) expect(await chain.balanceOf(terms.to)).toBe(terms.value)
    expect(await chain.client.getTransactionCount({ address })).toBe(12)
  })
})
