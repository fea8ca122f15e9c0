import type { FacilitatorClient } from "@till402/core"
import { expect, vi } from "vitest"
import { attack } from "../src/attack.ts"
import { type Call, calls } from "../src/Calls.ts"
import { expectFailed } from "../src/expectations.ts"
import { type HostileFacilitator, type Mode, modes } from "../src/HostileFacilitator.ts"
import { openOfficial } from "../src/Official.ts"
import { openOurs } from "../src/Ours.ts"
import { visit } from "../src/Visitor.ts"
import { effectful, facilitatorIn, local, movedSince, optionsOf, startLocalChain } from "./tillsOnChain.ts"

/*
 * Two facilitators of one server, over sockets and on a real chain. The first fails after it has sent a payment. The
 * harm: the second one settles it again, so that the server takes it for unpaid and the payer pays twice.
 */

startLocalChain()

const naive = "the official @x402/hono middleware, over a client that fails over"

/** A client as a developer writes it: whatever the first facilitator can't do, the second one does. */
const failingOver = (first: FacilitatorClient, second: FacilitatorClient): FacilitatorClient => ({
  verify: (payment, requirements) =>
    first.verify(payment, requirements).catch(() => second.verify(payment, requirements)),
  settle: (payment, requirements) =>
    first.settle(payment, requirements).catch(() => second.settle(payment, requirements))
})

interface Pair {
  readonly first: HostileFacilitator
  readonly second: HostileFacilitator
}

const openPair = async (mode: Mode): Promise<Pair> => ({
  first: await facilitatorIn(mode),
  second: await facilitatorIn(modes.clean)
})

/** The payer pays twice for one purchase, and both facilitators have sent each payment. */
const expectPaidTwice = async (mode: Mode): Promise<void> => {
  const { first, second } = await openPair(mode)
  const server = openOfficial(failingOver(first.client, second.client))
  const visitor = visit(server)
  const before = await local().received()
  let amount = 0n
  for (let time = 0; time < 2; time++) {
    const payment = await visitor.payFor(calls.buy)
    amount += BigInt(payment.accepted.amount)
    expect((await visitor.present(calls.buy, payment)).status).toBe(402)
    await first.idle()
    await second.idle()
  }
  expect([first.settlements(), second.settlements()]).toEqual([2, 2])
  expect(await movedSince(before)).toBe(amount)
  expect(server.goods.fulfilment.orders.size).toBe(2)
}

/** A till over both facilitators, first and second. */
const openTillOver = async ({ first, second }: Pair, rpcUrl: string | undefined) => {
  const server = await openOurs(
    [
      { ...optionsOf(first), name: "first" },
      { ...optionsOf(second), name: "second" }
    ],
    rpcUrl === undefined ? {} : { networks: [{ network: "base-sepolia", rpcUrl }], trustFacilitator: false }
  )
  return { server, visitor: visit(server) }
}

/** Each payment moves once, by the facilitator that verified it; the next payments go to the second one. */
const expectPaidOnce = async (mode: Mode): Promise<void> => {
  const pair = await openPair(mode)
  const { server, visitor } = await openTillOver(pair, local().chain.rpcUrl)
  for (const call of effectful) {
    const before = await local().received()
    const payment = await visitor.payFor(call)
    const given = await visitor.present(call, payment)
    await pair.first.idle()
    const response = given.status === 200 ? given : await visitor.present(call, payment)
    expect(response.status, response.text).toBe(200)
    expect(await movedSince(before)).toBe(BigInt(payment.accepted.amount))
  }
  expect(pair.second.settlements()).toBe(0)
  await vi.waitFor(() => expect(server.goods.fulfilment.orders.size).toBe(1))
  expect(await server.till.ledger.check()).toMatchObject({ isBalanced: true })
}

/** Without a chain to read: the outcome stays open, and only the first facilitator can tell it. */
const expectLeftOpen = async (call: Call): Promise<void> => {
  const pair = await openPair(modes.broken)
  const { visitor } = await openTillOver(pair, undefined)
  const before = await local().received()
  const payment = await visitor.payFor(call)
  for (let time = 0; time < 3; time++)
    expectFailed(await visitor.present(call, payment), 503, "SETTLEMENT_PENDING")
  expect([pair.first.settlements(), pair.second.settlements()]).toEqual([3, 0])
  expect(await movedSince(before)).toBe(BigInt(payment.accepted.amount))
  // The first one has failed three times: the next payment goes to the second.
  expect((await visitor.present(call, await visitor.payFor(call))).status).toBe(200)
  expect(pair.second.settlements()).toBe(1)
}

attack("a facilitator that fails after settling, with another one to fail over to", {
  on: naive,
  lands: async () => {
    await expectPaidTwice(modes.broken)
    await expectPaidTwice(modes.silent)
  },
  fails: async () => {
    await expectPaidOnce(modes.broken)
    await expectPaidOnce(modes.silent)
    await expectLeftOpen(calls.search)
  }
})
