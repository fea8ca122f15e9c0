import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { generateKeyPairSigner, signBytes, type Address } from "@solana/kit"
import { sqliteJournals } from "@till402/providers/journals"
import { memoryTransferJournal } from "@till402/providers/solana-refunds"
import { startSolanaChain, type SolanaChain } from "@till402/sandbox/solana"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { attemptsIn } from "./refundingRun.ts"
import { fund, refundsOn, untilExpired, untilFinal } from "./solanaRefundShop.ts"

/*
 * Refunds from a wallet on Solana, on a local chain: each moves once, whatever dies in between.
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

let wallet: Address
let payee: Address
beforeEach(async () => {
  chain.dropTransactions(false)
  wallet = await fund(chain)
  payee = (await generateKeyPairSigner()).address
  await chain.mint(payee, 0n)
})

const transfer = (key = "charge-1", amountAtomic = 10_000n) => ({
  key,
  payee,
  asset: chain.usdc.mint,
  amountAtomic
})

const codeOf = async (call: Promise<unknown>): Promise<unknown> => {
  try {
    return await call
  } catch (error) {
    return error instanceof Error && "_tag" in error ? error._tag : error
  }
}

describe("a refund on Solana", () => {
  it("moves to the payer's token account, and counts as sent once its block is final", async () => {
    const journal = memoryTransferJournal()
    const refunds = await refundsOn(chain.rpcUrl, { journal })
    const before = await chain.balanceOf(wallet)
    expect(await refunds.find("charge-1")).toEqual({ status: "none" })
    const open = await refunds.refund(transfer())
    const [attempt] = journal.attempts()
    expect(open).toEqual({ status: "pending", transaction: attempt?.signature })
    expect(await chain.balanceOf(payee)).toBe(10_000n)
    chain.advance(untilFinal)
    const sent = { status: "sent", transaction: attempt?.signature }
    expect(await refunds.find("charge-1")).toEqual(sent)
    expect(await refunds.refund(transfer())).toEqual(sent)
    expect(await chain.balanceOf(payee)).toBe(10_000n)
    expect(await chain.balanceOf(wallet)).toBe(before - 10_000n)
  })

  it("differs from an equal one of another charge", async () => {
    const refunds = await refundsOn(chain.rpcUrl)
    const both = await Promise.all([refunds.refund(transfer("a")), refunds.refund(transfer("b"))])
    expect(new Set(both.map((state) => JSON.stringify(state))).size).toBe(2)
    expect(await chain.balanceOf(payee)).toBe(20_000n)
  })

  it("moves a token of the Token-2022 program", async () => {
    await chain.mint(wallet, 10_000n, chain.dollar2022)
    await chain.mint(payee, 0n, chain.dollar2022)
    const refunds = await refundsOn(chain.rpcUrl)
    await refunds.refund({ ...transfer(), asset: chain.dollar2022.mint })
    expect(await chain.balanceOf(payee, chain.dollar2022)).toBe(10_000n)
  })

  it("signs nothing where the transfer would fail", async () => {
    const journal = memoryTransferJournal()
    const refunds = await refundsOn(chain.rpcUrl, { journal })
    const stranger = (await generateKeyPairSigner()).address
    expect(await codeOf(refunds.refund({ ...transfer(), payee: stranger }))).toBe("PayeeAccountMissing")
    expect(await codeOf(refunds.refund(transfer("b", 1n << 60n)))).toBe("WalletUnderfunded")
    expect(await codeOf(refunds.refund({ ...transfer(), asset: wallet }))).toBe("MintUnknown")
    expect(await codeOf(refunds.refund({ ...transfer(), payee: "nobody" }))).toBe("ConfigurationError")
    const mainnet = await refundsOn(chain.rpcUrl, { journal, network: "solana" })
    expect(await codeOf(mainnet.refund(transfer()))).toBe("ConfigurationError")
    expect(journal.attempts()).toEqual([])
  })

  it("signs nothing where the fee would leave the wallet less SOL than an account must have", async () => {
    const journal = memoryTransferJournal()
    const { address, keyPair } = await generateKeyPairSigner()
    const sign = (message: Uint8Array) => signBytes(keyPair.privateKey, message)
    await chain.mint(address, 10_000n)
    // An account needs 890,880 lamports, and the fee is above 5,000.
    chain.airdrop(address, 895_000n)
    const refunds = await refundsOn(chain.rpcUrl, { journal, signer: { address, sign } })
    expect(await codeOf(refunds.refund(transfer()))).toBe("WalletUnderfunded")
    expect(journal.attempts()).toEqual([])
    chain.airdrop(address, 10_000n)
    await refunds.refund(transfer())
    expect(await chain.balanceOf(payee)).toBe(10_000n)
  })

  it("opens the payee's token account if the host allows it", async () => {
    const stranger = (await generateKeyPairSigner()).address
    const refunds = await refundsOn(chain.rpcUrl, { createsAccounts: true })
    await refunds.refund({ ...transfer(), payee: stranger })
    expect(await chain.balanceOf(stranger)).toBe(10_000n)
  })

  it("sends nothing under a key that was recorded with other terms", async () => {
    const refunds = await refundsOn(chain.rpcUrl)
    await refunds.refund(transfer())
    expect(await codeOf(refunds.refund(transfer("charge-1", 20_000n)))).toBe("TransferDiffers")
    expect(await chain.balanceOf(payee)).toBe(10_000n)
  })

  it("is not sent where it can't be recorded", async () => {
    const failing = { ...memoryTransferJournal(), insert: () => Promise.reject(new Error("disk full")) }
    const refunds = await refundsOn(chain.rpcUrl, { journal: failing })
    expect(await codeOf(refunds.refund(transfer()))).toBe("TransferJournalFailed")
    expect(await chain.balanceOf(payee)).toBe(0n)
  })

  it("is not sent with another wallet's signature", async () => {
    const stranger = await generateKeyPairSigner()
    const journal = memoryTransferJournal()
    const signer = { address: stranger.address, sign: async () => new Uint8Array(64) }
    await chain.mint(stranger.address, 10_000n)
    chain.airdrop(stranger.address)
    const refunds = await refundsOn(chain.rpcUrl, { journal, signer })
    expect(await codeOf(refunds.refund(transfer()))).toBe("TransferNotSigned")
    expect(journal.attempts()).toEqual([])
  })
})

describe("a refund that the network loses", () => {
  it("is sent again while its blockhash lives, and signed again only after that", async () => {
    const journal = memoryTransferJournal()
    const refunds = await refundsOn(chain.rpcUrl, { journal })
    chain.dropTransactions(true)
    await refunds.refund(transfer())
    // Not final yet that no block took it.
    chain.advance(160)
    await refunds.refund(transfer())
    expect(journal.attempts()).toHaveLength(1)
    chain.advance(untilExpired)
    await refunds.refund(transfer())
    expect(journal.attempts()).toHaveLength(2)

    chain.dropTransactions(false)
    const { transaction } = { transaction: undefined, ...(await refunds.refund(transfer())) }
    expect(transaction).toBe(journal.attempts()[1]?.signature)
    chain.advance(untilFinal)
    expect(await refunds.find("charge-1")).toEqual({ status: "sent", transaction })
    expect(await chain.balanceOf(payee)).toBe(10_000n)
  })

  it("is looked up again when its block loses a fork", async () => {
    const journal = memoryTransferJournal()
    const refunds = await refundsOn(chain.rpcUrl, { journal })
    const undo = chain.checkpoint()
    await refunds.refund(transfer())
    undo()
    expect(await chain.balanceOf(payee)).toBe(0n)
    await refunds.refund(transfer())
    expect(await chain.balanceOf(payee)).toBe(10_000n)
    expect(journal.attempts()).toHaveLength(1)
  })

  it("waits for an operator where the node has deleted the blocks that would show it", async () => {
    const journal = memoryTransferJournal()
    const pruned: typeof fetch = async (input, init) => {
      const body = init?.body instanceof Uint8Array ? new TextDecoder().decode(init.body) : ""
      if (body.includes("getSignatureStatuses"))
        return Response.json({ jsonrpc: "2.0", id: 1, result: { context: { slot: 1e9 }, value: [null] } })
      if (body.includes("getFirstAvailableBlock"))
        return Response.json({ jsonrpc: "2.0", id: 1, result: 1e9 })
      return fetch(input, init)
    }
    await (await refundsOn(chain.rpcUrl, { journal })).refund(transfer())
    chain.advance(untilExpired)
    const refunds = await refundsOn(chain.rpcUrl, { journal, fetch: pruned })
    expect(await codeOf(refunds.refund(transfer()))).toBe("TransferUncertain")
    expect(await codeOf(refunds.find("charge-1"))).toBe("TransferUncertain")
    expect(journal.attempts()).toHaveLength(1)
    expect(await chain.balanceOf(payee)).toBe(10_000n)
  })
})

describe("a refund whose process dies", () => {
  const newFile = () => join(folder, `${++files}.sqlite`)

  /** The next process: it has the same journal. */
  const withSuccessor = async <A>(
    filename: string,
    use: (refunds: Awaited<ReturnType<typeof refundsOn>>) => Promise<A>
  ): Promise<A> => {
    const journals = sqliteJournals(filename)
    const refunds = await refundsOn(chain.rpcUrl, { journal: journals.transfers })
    return use(refunds).finally(() => journals.close())
  }

  it("after recording it is sent once by the next one", async () => {
    const filename = newFile()
    await withSuccessor(filename, async (refunds) => {
      chain.dropTransactions(true)
      await refunds.refund(transfer())
      chain.dropTransactions(false)
    })
    expect(await chain.balanceOf(payee)).toBe(0n)
    const [recorded] = await attemptsIn(filename)
    expect(await withSuccessor(filename, (refunds) => refunds.refund(transfer()))).toEqual({
      status: "pending",
      transaction: recorded?.signature
    })
    expect(await chain.balanceOf(payee)).toBe(10_000n)
    expect(await attemptsIn(filename)).toEqual([recorded])
  })

  it("after recording it is signed again by one that comes too late to send that", async () => {
    const filename = newFile()
    await withSuccessor(filename, async (refunds) => {
      chain.dropTransactions(true)
      await refunds.refund(transfer())
      chain.dropTransactions(false)
    })
    chain.advance(untilExpired)
    await withSuccessor(filename, (refunds) => refunds.refund(transfer()))
    const attempts = await attemptsIn(filename)
    expect(attempts.map(({ position }) => position)).toEqual([0, 1])
    expect(await chain.balanceOf(payee)).toBe(10_000n)
  })
})

describe("several that send one refund at the same time", () => {
  it("send it once over one file", async () => {
    const filename = join(folder, `${++files}.sqlite`)
    const journals = Array.from({ length: 3 }, () => sqliteJournals(filename))
    const shops = await Promise.all(
      journals.map(({ transfers }) => refundsOn(chain.rpcUrl, { journal: transfers }))
    )
    await Promise.all(shops.map((refunds) => refunds.refund(transfer())))
    await Promise.all(journals.map((journal) => journal.close()))
    expect(await attemptsIn(filename)).toHaveLength(1)
    expect(await chain.balanceOf(payee)).toBe(10_000n)
  })

  it("sign one new attempt if they find the last one expired at the same time", async () => {
    const journal = memoryTransferJournal()
    chain.dropTransactions(true)
    await (await refundsOn(chain.rpcUrl, { journal })).refund(transfer())
    chain.advance(untilExpired)
    chain.dropTransactions(false)
    const shops = await Promise.all(Array.from({ length: 8 }, () => refundsOn(chain.rpcUrl, { journal })))
    await Promise.all(shops.map((refunds) => refunds.refund(transfer())))
    expect(journal.attempts()).toHaveLength(2)
    expect(await chain.balanceOf(payee)).toBe(10_000n)
  })
})
