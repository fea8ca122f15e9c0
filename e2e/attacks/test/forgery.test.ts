import { decodeFunctionData, type Hex, parseAbi, parseEventLogs, serializeSignature } from "viem"
import type { FacilitatorClient } from "@till402/core"
import { usdcAbi } from "@till402/sandbox/chain"
import { describe, expect, it, vi } from "vitest"
import { responseCache, openResponseCache } from "../src/ResponseCache.ts"
import { attack } from "../src/attack.ts"
import { type ReceivedResponse, type Call, calls, jsonOf, searchFor, usdc, vaultBuyOf } from "../src/Calls.ts"
import { claimsFirst, openClaimsFirst } from "../src/ClaimsFirst.ts"
import { expectFailed, expectRefused } from "../src/expectations.ts"
import { Gathering } from "../src/Gathering.ts"
import { workDone } from "../src/Goods.ts"
import { localChainOfFile } from "../src/LocalChain.ts"
import { official, openOfficial } from "../src/Official.ts"
import { openOptimistic, optimistic } from "../src/Optimistic.ts"
import { openOurs } from "../src/Ours.ts"
import { type Authorization, type Payment, sign, stranger } from "../src/Payments.ts"
import { introduce } from "../src/Standing.ts"
import { visit, type Visitor } from "../src/Visitor.ts"

const local = localChainOfFile()

/** A till that trusts only the chain. */
const openOnChain = (facilitator: FacilitatorClient = local().facilitator.client) =>
  openOurs(facilitator, {
    networks: [{ network: "base-sepolia", rpcUrl: local().chain.rpcUrl }],
    trustFacilitator: false
  })

const expectPaid = (response: ReceivedResponse): ReceivedResponse => {
  expect(response.status, response.text).toBe(200)
  return response
}

/**
 * Headers with the payer and nonce of a payment and what an onlooker can add: junk, their own signature, or the same
 * fields with another amount.
 */
const forgeriesOf = async (
  visitor: Visitor,
  settled: Payment,
  call: Call
): Promise<ReadonlyArray<Payment>> => {
  const { authorization } = settled.payload
  const own = await visitor.payFor(call, { account: stranger, authorization })
  const junk = { ...settled.payload, signature: `0x${"11".repeat(64)}1b` }
  const contractWallet = { ...settled.payload, signature: `0x${"22".repeat(96)}` }
  const changed = { ...settled.payload, authorization: { ...authorization, validBefore: "99999999999" } }
  return [own, ...[junk, contractWallet, changed].map((payload) => ({ ...settled, payload }))]
}

attack("forged headers with the payer and nonce of a settled payment", {
  on: responseCache,
  lands: async () => {
    const visitor = visit(openResponseCache(local().facilitator.client))
    const payment = await visitor.payFor(calls.vaultBuy)
    const bought = expectPaid(await visitor.present(calls.vaultBuy, payment))
    for (const forged of await forgeriesOf(visitor, payment, calls.vaultBuy)) {
      const response = await visitor.present(calls.vaultBuy, forged)
      expect(jsonOf(response)["downloadToken"]).toBe(jsonOf(bought)["downloadToken"])
    }
  },
  fails: async () => {
    const server = await openOnChain()
    const visitor = visit(server)
    // Its payer is new for the first call, and known for the second.
    for (const call of [calls.track, calls.vaultBuy]) {
      const payment = await visitor.payFor(call)
      const bought = expectPaid(await visitor.present(call, payment))
      const done = workDone(server.goods)
      for (const forged of await forgeriesOf(visitor, payment, call))
        expectRefused(await visitor.present(call, forged), "payment_already_used")
      // The payer can still replay the response.
      expect((await visitor.present(call, payment)).text).toBe(bought.text)
      expect(workDone(server.goods)).toBe(done)
    }
  }
})

const calldata = parseAbi([
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)"
])

/** Reconstructs the payment of a settlement from the chain and the price list. */
const copyFromChain = async (visitor: Visitor, payer: string, call: Call): Promise<Payment> => {
  const { client } = local().chain
  const logs = await client.getLogs({ address: usdc, fromBlock: 0n })
  const used = parseEventLogs({ abi: usdcAbi, eventName: "AuthorizationUsed", logs })
  const hash = used.findLast(
    ({ args }) => args.authorizer.toLowerCase() === payer.toLowerCase()
  )!.transactionHash
  const { input } = await client.getTransaction({ hash })
  const { args } = decodeFunctionData({ abi: calldata, data: input })
  const [from, to, value, validAfter, validBefore, nonce] = args
  const authorization: Authorization = {
    from,
    to,
    value: String(value),
    validAfter: String(validAfter),
    validBefore: String(validBefore),
    nonce
  }
  const signature: Hex =
    args.length === 7 ? args[6] : serializeSignature({ v: BigInt(args[6]), r: args[7], s: args[8] })
  const unpaid = await visitor.challenge(call)
  const { payload: _, ...around } = await sign(unpaid, { withoutResource: true })
  return { ...around, payload: { signature, authorization } }
}

attack("the signature of a settlement copied from the chain", {
  on: responseCache,
  lands: async () => {
    const visitor = visit(openResponseCache(local().facilitator.client))
    const payment = await visitor.payFor(calls.vaultBuy)
    const bought = expectPaid(await visitor.present(calls.vaultBuy, payment))
    const copied = await copyFromChain(visitor, payment.payload.authorization.from, calls.vaultBuy)
    // The onlooker doesn't even need to know what was bought.
    const stolen = await visitor.present(vaultBuyOf("press-kit"), copied)
    expect(jsonOf(stolen)["downloadToken"]).toBe(jsonOf(bought)["downloadToken"])
  },
  fails: async () => {
    const server = await openOnChain()
    const visitor = visit(server)
    const payment = await visitor.payFor(calls.vaultBuy)
    const bought = expectPaid(await visitor.present(calls.vaultBuy, payment))
    const copied = await copyFromChain(visitor, payment.payload.authorization.from, calls.vaultBuy)
    expect(copied.payload.signature).toBe(payment.payload.signature)
    const secretive = { ...(calls.vaultBuy.body as object), email: "mallory@mail.example" }
    const attempts: ReadonlyArray<Call> = [
      { path: calls.vaultBuy.path, body: secretive },
      vaultBuyOf("press-kit"),
      ...Object.values(calls).filter((call) => call !== calls.vaultBuy)
    ]
    for (const call of attempts) expectRefused(await visitor.present(call, copied), "payment_already_used")
    expect((await visitor.present(calls.vaultBuy, payment)).text).toBe(bought.text)
    // A caller who knows the whole request, email included, gets the response for ten minutes only.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 600_001 })
    try {
      expectRefused(await visitor.present(calls.vaultBuy, copied), "payment_already_used")
    } finally {
      vi.useRealTimers()
    }
    expect(await server.till.ledger.list()).toHaveLength(1)
  }
})

attack("a payment that somebody else sends to the chain first", {
  on: official,
  lands: async () => {
    const server = openOfficial(local().facilitator.client)
    const visitor = visit(server)
    const payment = await visitor.payFor(calls.track)
    const before = await local().received()
    // During the work, somebody who saw the payment sends it; the server's own settlement then fails.
    server.goods.tracker.track.returnsOnce(async (query) => {
      await local().facilitator.client.settle(payment, payment.accepted)
      return server.goods.tracker.track(query, { signal: new AbortController().signal })
    })
    const response = await visitor.present(calls.track, payment)
    // The caller has paid and is requested to pay again.
    expect([response.status, (await local().received()) - before]).toEqual([402, 520_000n])
    expect((await visitor.present(calls.track, payment)).status).toBe(402)
  },
  fails: async () => {
    const server = await openOnChain()
    const visitor = visit(server)
    // Its payer is new the first time, and known the second.
    for (const count of [1, 2]) {
      const payment = await visitor.payFor(calls.track)
      const before = await local().received()
      server.goods.tracker.track.returnsOnce(async (query) => {
        await local().facilitator.client.settle(payment, payment.accepted)
        return server.goods.tracker.track(query, { signal: new AbortController().signal })
      })
      let response = await visitor.present(calls.track, payment)
      if (response.status !== 200) {
        expectFailed(response, 503, "SETTLEMENT_PENDING")
        response = await visitor.present(calls.track, payment)
      }
      expectPaid(response)
      expect((await local().received()) - before).toBe(520_000n)
      const kinds = (await server.till.ledger.list()).map(({ kind }) => kind)
      expect(kinds).toEqual(Array.from({ length: count }, () => "settled"))
      // The payment buys nothing else.
      expectRefused(await visitor.present(searchFor("tote"), payment), "payment_already_used")
    }
  }
})

attack("a settled payment presented to another till of the same recipient", {
  on: optimistic,
  lands: async () => {
    const { facilitator } = local()
    const [first, second] = [
      visit(openOptimistic(facilitator.client)),
      visit(openOptimistic(facilitator.client))
    ]
    const payment = await first.payFor(calls.track)
    const before = await local().received()
    expectPaid(await first.present(calls.track, payment))
    await vi.waitFor(async () => expect((await local().received()) - before).toBe(520_000n))
    expectPaid(await second.present(calls.track, payment))
  },
  fails: async () => {
    for (const [call, standing] of [
      [calls.track, "new"],
      [calls.vaultBuy, "known"]
    ] as const) {
      const [first, second] = [await openOnChain(), await openOnChain()]
      await introduce(visit(second), standing)
      const payment = await visit(first).payFor(call, { withoutResource: true })
      expectPaid(await visit(first).present(call, payment))
      const copied = await copyFromChain(visit(second), payment.payload.authorization.from, call)
      for (const presented of [payment, copied, payment])
        for (const other of [call, searchFor("tote"), call])
          expect((await visit(second).present(other, presented)).status).toBe(402)
      expect([workDone(second.goods), second.goods.mailer.sent.length]).toEqual([0, 0])
    }
  }
})

// A voided charge stays bound to its first signature until its authorization expires, so the error says "used" although
// nothing was charged.
attack("a payment blocked by a forgery presented before it", {
  on: claimsFirst,
  lands: async () => {
    const visitor = visit(openClaimsFirst(local().facilitator.client))
    const payment = await visitor.payFor(calls.track)
    for (const forged of await forgeriesOf(visitor, payment, calls.track))
      expect((await visitor.present(calls.track, forged)).status).toBe(402)
    expect((await visitor.present(calls.track, payment)).status).toBe(402)
  },
  fails: async () => {
    const server = await openOnChain()
    const visitor = visit(server)
    for (const _ of ["a new payer", "one who is known"]) {
      const payment = await visitor.payFor(calls.track)
      const done = workDone(server.goods)
      for (const forged of await forgeriesOf(visitor, payment, calls.track))
        expect((await visitor.present(calls.track, forged)).status).toBe(402)
      expectPaid(await visitor.present(calls.track, payment))
      expect(workDone(server.goods)).toBe(done + 1)
    }
  }
})

describe("what no server can promise", () => {
  it("an onlooker who knows the whole request gets its response while it is stored", async () => {
    const visitor = visit(await openOnChain())
    const payment = await visitor.payFor(calls.search)
    const bought = expectPaid(await visitor.present(calls.search, payment))
    const copied = await copyFromChain(visitor, payment.payload.authorization.from, calls.search)
    expect((await visitor.present(calls.search, copied)).text).toBe(bought.text)
  })

  it("two tills with one address and separate stores both serve a payment presented to both at once", async () => {
    const gathering = new Gathering(2, 5_000)
    const { settle, verify } = local().facilitator.client
    const gathered: FacilitatorClient = {
      verify,
      settle: async (payment, requirements) => {
        await gathering.arrive()
        return settle(payment, requirements)
      }
    }
    const [first, second] = [visit(await openOnChain(gathered)), visit(await openOnChain(gathered))]
    const payment = await first.payFor(calls.track)
    const before = await local().received()
    const responses = await Promise.all(
      [first, second].map((visitor) => visitor.present(calls.track, payment))
    )
    for (const response of responses) expectPaid(response)
    expect((await local().received()) - before).toBe(520_000n)
  })
})

it("a till neither delivers nor refunds a payment that another till with the same address received", async () => {
  const [first, second] = [await openOnChain(), await openOnChain()]
  const payment = await visit(first).payFor(calls.track)
  expectPaid(await visit(first).present(calls.track, payment))
  expectRefused(await visit(second).present(calls.track, payment), "invalid_exact_evm_nonce_already_used")
  expect(await second.till.ledger.list()).toEqual([])
  expect(await second.till.charges.list()).toEqual([])
})
