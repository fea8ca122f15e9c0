import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { generateKeyPairSigner, type Address } from "@solana/kit"
import { startSolanaChain, type SolanaChain } from "@till402/sandbox/solana"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { attemptsIn, refundInProcess, type RefundingRun } from "./refundingRun.ts"
import { fund, untilExpired } from "./solanaRefundShop.ts"

/*
 * Processes that send one refund at the same time or one after another, whatever dies in between.
 */

let chain: SolanaChain
let folder: string
let files = 0
beforeAll(async () => {
  chain = await startSolanaChain({ slotMillis: 0 })
  folder = mkdtempSync(join(tmpdir(), "till402-refunds-"))
})
afterAll(async () => {
  await chain?.stop()
  rmSync(folder, { recursive: true, force: true })
})

let payee: Address
beforeEach(async () => {
  await fund(chain)
  payee = (await generateKeyPairSigner()).address
  await chain.mint(payee, 0n)
})

const newFile = () => join(folder, `${++files}.sqlite`)
const run = (filename: string, dies: RefundingRun["dies"]) =>
  refundInProcess({ chain, filename, payee, dies })

describe("processes that send one refund", () => {
  it("send it once if one dies after recording it", async () => {
    const filename = newFile()
    expect(await run(filename, "recorded")).toMatchObject({ signal: "SIGKILL" })
    expect(await chain.balanceOf(payee)).toBe(0n)
    const [recorded] = await attemptsIn(filename)
    expect(JSON.parse((await run(filename, "never")).output)).toEqual({
      status: "pending",
      transaction: recorded?.signature
    })
    expect(await chain.balanceOf(payee)).toBe(10_000n)
    expect(await attemptsIn(filename)).toEqual([recorded])
  })

  it("sign it again if one dies after recording it, and the next one comes too late to send that", async () => {
    const filename = newFile()
    await run(filename, "recorded")
    chain.advance(untilExpired)
    await run(filename, "never")
    const attempts = await attemptsIn(filename)
    expect(attempts.map(({ position }) => position)).toEqual([0, 1])
    expect(await chain.balanceOf(payee)).toBe(10_000n)
  })

  it("find it if one dies after sending it, however late", async () => {
    const filename = newFile()
    expect(await run(filename, "sent")).toMatchObject({ signal: "SIGKILL" })
    expect(await chain.balanceOf(payee)).toBe(10_000n)
    chain.advance(untilExpired)
    const [recorded] = await attemptsIn(filename)
    expect(JSON.parse((await run(filename, "never")).output)).toEqual({
      status: "sent",
      transaction: recorded?.signature
    })
    expect(await chain.balanceOf(payee)).toBe(10_000n)
    expect(await attemptsIn(filename)).toEqual([recorded])
  })

  it("send it once if they do so at the same time", async () => {
    const filename = newFile()
    await Promise.all([run(filename, "never"), run(filename, "never"), run(filename, "never")])
    expect(await attemptsIn(filename)).toHaveLength(1)
    expect(await chain.balanceOf(payee)).toBe(10_000n)
  })
})
