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

it("a process that dies after it recorded a settlement leaves a payment that the next one settles", async () => {
  const { address: feePayer } = await feePayerSigner()
  chain.airdrop(address(feePayer))
  const payee = await generateKeyPairSigner()
  await chain.mint(payee.address, 0n)
  const filename = join(folder, "settlements.sqlite")
  const terms = { payTo: payee.address, feePayer }
  const payment = await payV2(chain, await payerOn(chain), terms)
  const task = { ...payment, filename, dies: "recorded", rpcUrl: chain.rpcUrl } as const
  expect(await settleOnSolanaInProcess(task)).toMatchObject({ signal: "SIGKILL" })
  expect(await chain.balanceOf(payee.address)).toBe(0n)
  const journals = sqliteJournals(filename)
  const facilitator = await facilitatorOn(chain.rpcUrl, {
    journal: journals.transfers,
    confirmTimeoutMillis: 60_000
  })
  expect(await facilitator.settle(payment.payload, payment.requirements)).toMatchObject({ success: true })
  await journals.close()
  expect(await chain.balanceOf(payee.address)).toBe(10_000n)
})
