import { numberToHex } from "viem"
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import { describe, expect, it } from "vitest"
import { attack } from "../src/attack.ts"
import { calls } from "../src/Calls.ts"
import { expectRefused } from "../src/expectations.ts"
import { workDone } from "../src/Goods.ts"
import { type Mode, modes } from "../src/HostileFacilitator.ts"
import { official, openOfficial } from "../src/Official.ts"
import { type Requirements, sign, stranger } from "../src/Payments.ts"
import { visit } from "../src/Visitor.ts"
import {
  effectful,
  facilitatorIn,
  local,
  movedSince,
  openOursOnChain,
  startLocalChain
} from "./tillsOnChain.ts"

startLocalChain()

let accounts = 0
/** An account of its own with so much money. */
const fundedAccount = async (atomic: bigint): Promise<PrivateKeyAccount> => {
  const account = privateKeyToAccount(numberToHex(0x7e57_0000 + ++accounts, { size: 32 }))
  await local().chain.mint(account.address, atomic)
  return account
}

/** Moves all that an account has to somebody else, between verification and settlement. */
const draining =
  (account: PrivateKeyAccount): Mode =>
  async (payment, requirements, honest) => {
    const all = await local().chain.balanceOf(account.address)
    if (all > 0n) {
      const accepted: Requirements = { ...requirements, payTo: stranger.address, amount: all.toString() }
      const drain = await sign({ resource: { url: "" }, accepts: [accepted] }, { account })
      expect(await honest(drain, accepted)).toMatchObject({ success: true })
    }
    return modes.clean(payment, requirements, honest)
  }

attack("a payer who empties the account between verification and settlement", {
  on: official,
  lands: async () => {
    const account = await fundedAccount(1_000_000_000n)
    const server = openOfficial((await facilitatorIn(draining(account))).client)
    const visitor = visit(server)
    const before = await local().received()
    const response = await visitor.present(calls.buy, await visitor.payFor(calls.buy, { account }))
    // The response is withheld; what the handler did stays done.
    expect([response.status, server.goods.fulfilment.orders.size]).toEqual([402, 1])
    expect(await movedSince(before)).toBe(0n)
  },
  fails: async () => {
    for (const call of effectful) {
      const account = await fundedAccount(1_000_000_000n)
      const { hostile, server, visitor } = await openOursOnChain(draining(account))
      const before = await local().received()
      const payment = await visitor.payFor(call, { account })
      const short = ["insufficient_funds", "invalid_exact_evm_insufficient_balance"]
      expectRefused(await visitor.present(call, payment), ...short)
      const counts = [workDone(server.goods), hostile.verifications(), hostile.settlements()]
      // Neither the same payment nor a new one of the same payer has anything done for it.
      const another = await visitor.payFor(call, { account })
      expectRefused(await visitor.present(call, payment), "payment_refused")
      expectRefused(await visitor.present(call, another), ...short)
      expect([workDone(server.goods), hostile.verifications(), hostile.settlements()]).toEqual(counts)
      expect(await movedSince(before)).toBe(0n)
      expect(server.goods.fulfilment.place.calls).toHaveLength(0)
      expect((await server.till.orders.list()).map(({ status }) => status)).toEqual(
        call === calls.buy ? ["abandoned"] : []
      )
      expect(await server.till.ledger.list()).toEqual([])
      // What was prepared is free again for somebody who pays.
      hostile.become(modes.clean)
      expect((await visitor.present(call, await visitor.payFor(call))).status).toBe(200)
    }
  }
})

describe("what no server can promise", () => {
  it("a payer who empties the account before settlement costs you the work of one call", async () => {
    const account = await fundedAccount(1_000_000_000n)
    const { server, visitor } = await openOursOnChain(draining(account))
    const payments = [
      await visitor.payFor(calls.track, { account }),
      await visitor.payFor(calls.track, { account })
    ]
    for (const payment of payments) expect((await visitor.present(calls.track, payment)).status).toBe(402)
    expect(server.goods.tracker.track.calls).toHaveLength(1)
  })
})
