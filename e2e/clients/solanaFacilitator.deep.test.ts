import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { address, generateKeyPairSigner } from "@solana/kit"
import { sqliteJournals } from "@till402/providers/journals"
import { startSolanaChain, type SolanaChain } from "@till402/sandbox/solana"
import { afterAll, beforeAll, expect, it } from "vitest"
import { settleOnSolanaInProcess } from "./facilitatorRun.ts"
import { facilitatorOn, feePayerSigner, payerOn, payV2 } from "./solanaPayments.ts"

let chain: SolanaChain
let folder: string
beforeAll(async () => {
  chain = await startSolanaChain({ slotMillis: 0 })
  folder = mkdtempSync(join(tmpdir(), "till402-facilitator-"))
})
afterAll(async () => {
  await chain?.stop()
  rmSync(folder, { recursive: true, force: true })
})

it.each([
  ["recorded", 0n],
  ["sent", 10_000n]
] as const)(
  "a process that dies after it %s a settlement leaves a payment that the next one settles",
  async (dies, moved) => {
    const { address: feePayer } = await feePayerSigner()
    chain.airdrop(address(feePayer))
    const payee = await generateKeyPairSigner()
    await chain.mint(payee.address, 0n)
    const filename = join(folder, `${dies}.sqlite`)
    const payment = await payV2(chain, await payerOn(chain), { payTo: payee.address, feePayer })
    const task = { ...payment, filename, dies, rpcUrl: chain.rpcUrl }
    expect(await settleOnSolanaInProcess(task)).toMatchObject({ signal: "SIGKILL" })
    expect(await chain.balanceOf(payee.address)).toBe(moved)
    const journals = sqliteJournals(filename)
    const facilitator = await facilitatorOn(chain.rpcUrl, {
      journal: journals.transfers,
      confirmTimeoutMillis: 60_000
    })
    expect(await facilitator.settle(payment.payload, payment.requirements)).toMatchObject({ success: true })
    await journals.close()
    expect(await chain.balanceOf(payee.address)).toBe(10_000n)
  }
)

it("serves 64 payments of a new payer at once, to the last unit", async () => {
  const facilitator = await facilitatorOn(chain.rpcUrl, {
    confirmTimeoutMillis: 90_000,
    timeoutMillis: 60_000,
    deadlineMillis: 60_000
  })
  const { address: feePayer } = await feePayerSigner()
  chain.airdrop(address(feePayer))
  const payee = await generateKeyPairSigner()
  await chain.mint(payee.address, 0n)
  const payer = await payerOn(chain, 640_000n)
  const payments = await Promise.all(
    Array.from({ length: 64 }, () => payV2(chain, payer, { payTo: payee.address, feePayer }))
  )
  const results = await Promise.all(
    payments.map(({ payload, requirements }) => facilitator.settle(payload, requirements))
  )
  const failures = results.filter(({ success }) => !success)
  expect(failures.map(({ errorReason }) => errorReason)).toEqual([])
  expect(await chain.balanceOf(payer.address)).toBe(0n)
})
