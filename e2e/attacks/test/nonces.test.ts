import type { FacilitatorClient } from "@till402/core"
import { afterEach, expect, onTestFinished, vi } from "vitest"
import { attack } from "../src/attack.ts"
import { openAttacker } from "../src/Attacker.ts"
import { calls } from "../src/Calls.ts"
import { type LocalChain, openLocalChain, readable } from "../src/LocalChain.ts"
import { useNonce } from "../src/Multicall.ts"
import { openOurs } from "../src/Ours.ts"
import { stranger } from "../src/Payments.ts"
import { openReceiptReader, receiptReader } from "../src/ReceiptReader.ts"
import { introduce, type Standing, standings } from "../src/Standing.ts"
import { type Server, visit } from "../src/Visitor.ts"

/*
 * A payer uses up the nonce of a payment with a transfer to themselves. The payment can never be settled, and its
 * charge must end.
 */

afterEach(() => {
  vi.useRealTimers()
})

const price = 520_000n
const lifeSeconds = 300

/** A separate chain, whose time the tests change. */
const openChain = async (): Promise<LocalChain> => {
  const local = await openLocalChain()
  onTestFinished(local.stop)
  return local
}

/** An honest facilitator with a hook that runs before its next settlement. */
const preempted = ({ facilitator: { client } }: LocalChain) => {
  let happens: (() => Promise<unknown>) | undefined
  const facilitator: FacilitatorClient = {
    verify: client.verify,
    settle: async (payment, requirements) => {
      await happens?.()
      happens = undefined
      return client.settle(payment, requirements)
    }
  }
  const before = (hook: () => Promise<unknown>) => {
    happens = hook
  }
  return { facilitator, before }
}

/** A payment, and the ways in which its payer can invalidate it. */
const prepare = async (local: LocalChain, server: Server, standing: Standing = "new") => {
  const attacker = openAttacker(local)
  const visitor = visit(server)
  const account = await attacker.fund(2n * price)
  await introduce(visitor, standing, undefined, account)
  const payment = await visitor.payFor(calls.track, { account })
  const { nonce } = payment.payload.authorization
  return {
    present: () => visitor.present(calls.track, payment),
    useUp: async () => attacker.send(await useNonce(account, { to: account.address, value: 0n, nonce })),
    empty: () => attacker.moveAll(account, stranger.address)
  }
}

const openTill = (local: LocalChain, facilitator: FacilitatorClient) =>
  openOurs(facilitator, { networks: [readable(local)], trustFacilitator: false })

attack("a nonce used up by its payer while the payment is being settled", {
  on: receiptReader,
  lands: async () => {
    const local = await openChain()
    const { before, facilitator } = preempted(local)
    const { present, useUp } = await prepare(local, openReceiptReader(facilitator, local.chain))
    before(useUp)
    // The payment can never be settled, and the payer gets 503 forever.
    for (let time = 0; time < 3; time++) {
      expect((await present()).status).toBe(503)
      await local.pass(lifeSeconds)
    }
  },
  fails: async () => {
    const local = await openChain()
    const { before, facilitator } = preempted(local)
    const server = await openTill(local, facilitator)
    for (const standing of standings) {
      const { present, useUp } = await prepare(local, server, standing)
      const [entries, received] = [await server.till.ledger.list(), await local.received()]
      before(useUp)
      expect([402, 503]).toContain((await present()).status)
      // Once the transfer is final, the payment is permanently refused.
      await local.pass(2)
      for (let time = 0; time < 3; time++) expect((await present()).status).toBe(402)
      expect(await server.till.reconcile()).toEqual({ settled: 0, pending: 0 })
      expect(await server.till.charges.list({ state: "ready" })).toEqual([])
      expect([await server.till.ledger.list(), await local.received()]).toEqual([entries, received])
    }
  }
})

attack("payments never presented again after their payer used up the nonce", {
  on: receiptReader,
  lands: async () => {
    const local = await openChain()
    const { before, facilitator } = preempted(local)
    const server = openReceiptReader(facilitator, local.chain)
    const { empty, present, useUp } = await prepare(local, server)
    before(empty)
    expect((await present()).status).toBe(402)
    await useUp()
    await local.pass(lifeSeconds)
    // Read repeatedly for as long as the server lives.
    for (let time = 0; time < 3; time++) expect(await server.watch()).toBe(1)
  },
  fails: async () => {
    const local = await openChain()
    const { before, facilitator } = preempted(local)
    const server = await openTill(local, facilitator)
    // One is refused at settlement; the outcome of the other is unknown.
    const refused = await prepare(local, server)
    before(refused.empty)
    expect((await refused.present()).status).toBe(402)
    await refused.useUp()
    const open = await prepare(local, server)
    before(open.useUp)
    expect([402, 503]).toContain((await open.present()).status)
    await local.pass(lifeSeconds)
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + lifeSeconds * 1_000 })
    for (let time = 0; time < 3; time++) await server.till.reconcile()
    expect(await server.till.charges.list()).toEqual([])
    expect(await server.till.ledger.list()).toEqual([])
  }
})
