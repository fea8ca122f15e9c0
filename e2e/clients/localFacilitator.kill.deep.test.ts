import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { localFacilitator } from "@till402/providers/facilitator"
import { sqliteJournals } from "@till402/providers/journals"
import { type Chain, startChain } from "@till402/sandbox"
import { parseEther } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { settleInProcess } from "./facilitatorRun.ts"
import { signedPayment } from "./relayers.ts"

/*
 * Processes with local facilitators that share a key and a journal, killed around their sends: every payment moves
 * exactly once, with one transaction each. localFacilitator.faults.test.ts has one that dies between record and send.
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
        settleInProcess({ ...task, diesAt: first, isSentFirst: false }),
        settleInProcess({ ...task, diesAt: second, isSentFirst: true })
      ])
      expect(ended).toContain(undefined)
    }
    const output = await settleInProcess({ ...task, diesAt: 0, isSentFirst: false })
    const settled: ReadonlyArray<{ success: boolean; transaction: string }> = JSON.parse(output ?? "[]")
    expect(settled.filter(({ success }) => !success)).toEqual([])
    expect(new Set(settled.map(({ transaction }) => transaction)).size).toBe(12)
    for (const { terms } of payments) expect(await chain.balanceOf(terms.to)).toBe(terms.value)
    expect(await chain.client.getTransactionCount({ address })).toBe(12)
  })
})

interface Killed {
  /** Number of the send at which the process dies, and whether the node has the transaction then. */
  readonly diesAt: number
  readonly isSentFirst: boolean
}

/** Settles six payments in a process that dies, and then in this one; returns the transactions of all. */
const settleTwice = async ({ diesAt, isSentFirst }: Killed): Promise<ReadonlyArray<string>> => {
  const privateKey = generatePrivateKey()
  const account = privateKeyToAccount(privateKey)
  await chain.client.setBalance({ address: account.address, value: parseEther("10") })
  const payments = await Promise.all(Array.from({ length: 6 }, () => signedPayment(chain)))
  const filename = join(folder, `${account.address}.sqlite`)
  const ended = await settleInProcess({
    rpcUrl: chain.rpcUrl,
    privateKey,
    filename,
    payments: payments.map(({ payload, requirements }) => ({ payload, requirements })),
    diesAt,
    isSentFirst
  })
  expect(ended).toBe(undefined)
  const journals = sqliteJournals(filename)
  const successor = localFacilitator({
    account,
    networks: [{ network: "base-sepolia", rpcUrl: chain.rpcUrl }],
    journal: journals.settlements,
    pollMillis: 50,
    replaceAfterMillis: 1_000
  })
  const settled = await Promise.all(
    payments.map(({ payload, requirements }) => successor.settle(payload, requirements, "shop"))
  )
  await journals.close()
  expect(settled.filter(({ success }) => !success)).toEqual([])
  for (const { terms } of payments) expect(await chain.balanceOf(terms.to)).toBe(terms.value)
  const transactions = settled.map(({ transaction }) => transaction)
  expect(await chain.client.getTransactionCount({ address: account.address })).toBe(
    new Set(transactions).size
  )
  return transactions
}

describe("a process that is killed while it settles", () => {
  it("leaves payments that its successor settles, each once", async () => {
    const transactions = await settleTwice({ diesAt: 2, isSentFirst: false })
    expect(new Set(transactions).size).toBe(6)
  })
})
