import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { findNetwork } from "../../src/domain/Network.ts"
import type { RefundAttempt } from "../../src/ports/RefundAttempt.ts"
import type {
  RefundTransaction,
  RefundTransfer,
  RefundTransferState,
  SolanaRefunds
} from "../../src/ports/SolanaRefunds.ts"
import { nowMillis, owed, play, proven, type Script } from "../shop/orders/refundScene.ts"

const devnet = findNetwork("solana-devnet")!
const payer = "2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4"
const key = `${devnet.caip2}:${devnet.asset}:${payer}:block.digest`
const charge = owed("0x01", { key, network: devnet.caip2, asset: devnet.asset, payer })

const none: RefundTransferState = { status: "none" }
const pending: RefundTransferState = { status: "pending", transaction: "back" }
const sent: RefundTransferState = { status: "sent", transaction: "back" }

/** A wallet that notes its calls. */
const walletOf = (change: Partial<SolanaRefunds> = {}) => {
  const found: Array<string> = []
  const transfers: Array<RefundTransfer> = []
  const wallet: SolanaRefunds = {
    network: devnet.caip2,
    address: "wallet",
    find: async (...given) => {
      found.push(given[0])
      return change.find === undefined ? none : change.find(...given)
    },
    refund: async (...given) => {
      transfers.push(given[0])
      return change.refund === undefined ? sent : change.refund(...given)
    },
    ...(change.network === undefined ? {} : { network: change.network })
  }
  return { wallet, found, transfers }
}

const send = (solana: SolanaRefunds | undefined, script: Script = {}, due = charge) =>
  play({ ...(solana === undefined ? {} : { solana }), ...script }, ({ events, of, refunds }) =>
    Effect.map(refunds.send(due), (transaction) => ({ transaction, events, of }))
  )

describe("a refund on Solana", () => {
  it("is transferred to the payer, in the asset of the payment, and recorded", async () => {
    const { found, transfers, wallet } = walletOf()
    const { events, of, transaction } = await send(wallet)
    expect(transaction).toBe("back")
    expect(found).toEqual([key])
    expect(transfers).toEqual([{ key, payee: payer, asset: devnet.asset, amountAtomic: 10_000n }])
    expect(of("recordRefund")).toEqual([[key, "back", nowMillis]])
    expect(of("sign")).toEqual([])
    expect(of("settle")).toEqual([])
    expect(events).toEqual([])
  })

  it("in another mint than USDC is left to the host, and nothing is moved", async () => {
    const { found, transfers, wallet } = walletOf()
    const asset = devnet.asset.toLowerCase()
    const { events, transaction } = await send(wallet, {}, { ...charge, asset })
    expect([transaction, found, transfers]).toEqual([undefined, [], []])
    expect(events).toMatchObject([{ code: "refund_token_unknown", chargeKey: key, network: devnet.caip2 }])
  })

  it("that has moved already is recorded, also while refunds are stopped", async () => {
    const { transfers, wallet } = walletOf({ find: async () => sent })
    const stop = { reason: "by hand", atMillis: 1 }
    const { of, transaction } = await send(wallet, { charges: { refundStop: () => Effect.succeed(stop) } })
    expect(transaction).toBe("back")
    expect(of("recordRefund")).toHaveLength(1)
    expect(transfers).toEqual([])
  })

  it("is not transferred while refunds are stopped", async () => {
    const { transfers, wallet } = walletOf()
    const stop = { reason: "by hand", atMillis: 1 }
    const { transaction } = await send(wallet, { charges: { refundStop: () => Effect.succeed(stop) } })
    expect(transaction).toBeUndefined()
    expect(transfers).toEqual([])
  })

  it("is not transferred unless the chain shows its payment", async () => {
    const { transfers, wallet } = walletOf()
    expect((await send(wallet, { evidence: [{ _tag: "Unavailable" }] })).transaction).toBeUndefined()
    expect(transfers).toEqual([])
    expect((await send(wallet, { evidence: [proven] })).transaction).toBe("back")
  })

  it("is not transferred over the payer's limit", async () => {
    const { transfers, wallet } = walletOf()
    const overLimit = { startRefund: () => Effect.succeed({ _tag: "OverLimit" as const }) }
    const { events } = await send(wallet, { charges: overLimit })
    expect(events).toMatchObject([{ code: "refund_over_limit" }])
    expect(transfers).toEqual([])
  })

  it("stays due until its block is final", async () => {
    const { wallet } = walletOf({ refund: async () => pending })
    const { events, of, transaction } = await send(wallet)
    expect(transaction).toBeUndefined()
    expect(of("recordRefund")).toEqual([])
    expect(events).toMatchObject([{ level: "warning", code: "refund_not_confirmed", reason: "pending" }])
  })

  it("stays due where the wallet fails, and the message of its error stays out of the events", async () => {
    const failing = () => Promise.reject(new RangeError("a secret"))
    for (const change of [{ find: failing }, { refund: failing }]) {
      const { events, of, transaction } = await send(walletOf(change).wallet)
      expect(transaction).toBeUndefined()
      expect(of("recordRefund")).toEqual([])
      expect(events).toMatchObject([{ level: "error", code: "refund_not_sent", error: "RangeError" }])
      expect(JSON.stringify(events)).not.toContain("secret")
    }
  })

  it("does not wait for a wallet that hangs", async () => {
    let aborted = false
    const { wallet } = walletOf({
      refund: (_, context) =>
        new Promise(() => {
          context?.signal?.addEventListener("abort", () => {
            aborted = true
          })
        })
    })
    const transaction = await play({ solana: wallet }, ({ refunds }) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(refunds.send(charge))
        // Lets the promise of `find` resolve before the clock moves.
        for (let turn = 0; turn < 20; turn++) yield* Effect.promise(() => Promise.resolve())
        yield* TestClock.adjust("60 seconds")
        return yield* Fiber.join(fiber)
      })
    )
    expect(transaction).toBeUndefined()
    expect(aborted).toBe(true)
  })

  it("stays due without a wallet for its network", async () => {
    const without = await send(undefined)
    expect(without.transaction).toBeUndefined()
    expect(without.of("sign")).toEqual([])
    const { found, wallet } = walletOf({ network: findNetwork("solana")!.caip2 })
    const { events, transaction } = await send(wallet)
    expect(transaction).toBeUndefined()
    expect(events).toMatchObject([{ code: "refund_not_sent", network: devnet.caip2 }])
    expect(found).toEqual([])
  })

  it("is swept with a wallet on Solana alone", async () => {
    const { transfers, wallet } = walletOf()
    await play(
      { solana: wallet, hasWallet: false, charges: { list: () => Effect.succeed([charge]) } },
      ({ refunds }) =>
        Effect.gen(function* () {
          expect(refunds.isAutomatic).toBe(true)
          yield* refunds.sweep
        })
    )
    expect(transfers).toHaveLength(1)
  })
})

describe("the till's record of a refund's transactions on Solana", () => {
  const attempt = (change: Partial<RefundAttempt> = {}): RefundAttempt => ({
    chargeKey: key,
    refundNumber: 1,
    sequence: 1,
    wallet: "wallet",
    amountAtomic: "10000",
    nonce: "first",
    notBefore: 7,
    validBefore: 101,
    atMillis: 1,
    ...change
  })
  const signed = (transaction: string): RefundTransaction => ({
    wallet: "wallet",
    transaction,
    signedAtSlot: 8,
    lastValidBlockHeight: 200
  })
  const next = { nonce: "second", notBefore: 8, validBefore: 201, atMillis: nowMillis }

  /** A wallet that records these transactions; what the till said of each. */
  const recording = async (transactions: ReadonlyArray<string>, charges: Script["charges"]) => {
    const answers: Array<boolean> = []
    const { wallet } = walletOf({
      refund: async (_, context) => {
        for (const transaction of transactions) answers.push(await context!.record!(signed(transaction)))
        return sent
      }
    })
    const { of } = await send(wallet, { charges: charges! })
    return { answers, recorded: of("recordRefundAttempt").map(([each]) => each) }
  }

  it("is shown to the wallet, all wallets' in their order", async () => {
    const shown: Array<unknown> = []
    const { wallet } = walletOf({
      find: async (_, context) => (shown.push(context?.recorded), none),
      refund: async (_, context) => (shown.push(context?.recorded), sent)
    })
    const attempts = [attempt({ wallet: "old" }), attempt({ sequence: 2, ...next })]
    await send(wallet, { charges: { refundAttempts: () => Effect.succeed(attempts) } })
    const recorded = [
      { wallet: "old", transaction: "first", signedAtSlot: 7, lastValidBlockHeight: 100 },
      { wallet: "wallet", transaction: "second", signedAtSlot: 8, lastValidBlockHeight: 200 }
    ]
    expect(shown).toEqual([recorded, recorded])
  })

  it("gets each one once, after those before", async () => {
    const recordRefundAttempt = () => Effect.succeed(true)
    const first = await recording(["second"], {
      refundAttempts: () => Effect.succeed([]),
      recordRefundAttempt
    })
    expect(first).toEqual({ answers: [true], recorded: [attempt(next)] })
    const later = await recording(["first", "second", "second", "third"], {
      refundAttempts: () => Effect.succeed([attempt()]),
      recordRefundAttempt
    })
    expect(later).toEqual({
      answers: [true, true, true, true],
      recorded: [attempt({ sequence: 2, ...next }), attempt({ sequence: 3, ...next, nonce: "third" })]
    })
  })

  it("refuses one where another was first, unless that is the same", async () => {
    const charges = (meanwhile: ReadonlyArray<RefundAttempt>) => {
      const reads = [[], meanwhile]
      return {
        refundAttempts: () => Effect.succeed(reads.shift()!),
        recordRefundAttempt: () => Effect.succeed(false)
      }
    }
    const others = [attempt({ wallet: "old" }), attempt({ sequence: 2, ...next })]
    expect((await recording(["second"], charges([attempt({ wallet: "old" })]))).answers).toEqual([false])
    expect((await recording(["second"], charges([]))).answers).toEqual([false])
    expect((await recording(["second"], charges(others))).answers).toEqual([true])
  })

  it.each<readonly [string, SolanaRefunds["refund"], string, ReadonlyArray<string>]>([
    ["another wallet's", async () => pending, "old", ["refund_of_other_wallet"]],
    ["its own", async () => pending, "wallet", ["refund_not_confirmed"]],
    ["another wallet's, and it fails", () => Promise.reject(new Error()), "old", ["refund_not_sent"]]
  ])("says what a wallet waits for: the last is %s", async (_, refund, lastWallet, codes) => {
    const attempts = [attempt({ wallet: "older" }), attempt({ sequence: 2, wallet: lastWallet, ...next })]
    const { events, transaction } = await send(walletOf({ refund }).wallet, {
      charges: { refundAttempts: () => Effect.succeed(attempts) }
    })
    expect(transaction).toBeUndefined()
    expect(events.map(({ code }) => code)).toEqual(codes)
    expect(events).toMatchObject([{ chargeKey: key }])
    expect(
      events.filter(({ code, level }) => code === "refund_of_other_wallet" && level !== "warning")
    ).toEqual([])
  })
})
