import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { findNetwork } from "../../src/domain/Network.ts"
import type { RefundTransfer, RefundTransferState, SolanaRefunds } from "../../src/ports/SolanaRefunds.ts"
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
