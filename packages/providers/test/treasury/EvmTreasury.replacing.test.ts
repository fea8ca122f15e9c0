import { memoryPaymentJournal } from "@till402/providers/treasury"
import { assert, describe, it } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import type { FakeNode } from "./fakeNode.ts"
import { amount, paidTo, startingOn, account, payment, rejectionOf, startTreasury } from "./treasuries.ts"

const server = interceptRequests()

const start = startingOn(server)

/** Uses up a number of the account with another transaction, as a wallet does that replaces one. */
const replace = async (node: FakeNode, nonce: number) => {
  const raw = await account.signTransaction({
    type: "eip1559",
    chainId: node.chainId,
    nonce,
    to: account.address,
    gas: 21_000n,
    maxFeePerGas: 1_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n
  })
  await node.submit(raw)
}

const hasty = { confirmTimeoutMillis: 100 }

describe("a payment that was replaced", () => {
  it("failed for good once its number is used and the chain has no receipt of it", async () => {
    const { node, paying } = start(hasty)
    node.isMining = false
    await rejectionOf(paying.pay(payment()))
    await replace(node, 0)
    node.mine()
    node.block += 63n
    assert.strictEqual((await paying.find("order-1")).status, "pending")
    node.block += 1n
    assert.strictEqual((await paying.find("order-1")).status, "failed")
    assert.strictEqual((await rejectionOf(paying.pay(payment())))._tag, "PaymentFailed")
    assert.strictEqual(paidTo(node), 0n)
  })

  it("is not taken for one that was mined long ago", async () => {
    const { node, paying } = start()
    await paying.pay(payment())
    node.block += 1_000n
    assert.strictEqual((await paying.find("order-1")).status, "paid")
  })
})

describe("a payment whose fee became too low", () => {
  const stuck = async (change = {}) => {
    const { journal, node, paying } = start({ ...hasty, funds: 3n * amount, ...change })
    node.isMining = false
    await rejectionOf(paying.pay(payment()))
    // The base fee rises tenfold before the payment is mined.
    node.baseFee *= 10n
    node.isMining = true
    node.mine()
    assert.strictEqual(node.nonceOf(account.address), 0)
    const record = journal.records()[0]!
    const lapsed = memoryPaymentJournal()
    await lapsed.insert({ ...record, expiresAtMillis: Date.now() - 1 })
    return {
      ...startTreasury({ ...hasty, node, journal: lapsed }),
      node,
      raw: record.signedTransaction,
      live: paying,
      written: journal
    }
  }

  it("is replaced once its quote has expired, and later payments go through", async () => {
    const { node, paying } = await stuck()
    await paying.pay(payment({ key: "order-2", reference: "cm-2" }))
    assert.deepStrictEqual([paidTo(node), node.nonceOf(account.address)], [amount, 2])
    node.block += 64n
    assert.strictEqual((await paying.find("order-1")).status, "failed")
    assert.strictEqual((await paying.find("order-2")).status, "paid")
  })

  it("is replaced by its own order, if no other payment comes", async () => {
    const { node, paying } = await stuck()
    assert.strictEqual((await rejectionOf(paying.pay(payment())))._tag, "PaymentPending")
    assert.deepStrictEqual([paidTo(node), node.nonceOf(account.address)], [0n, 1])
    node.block += 64n
    assert.strictEqual((await rejectionOf(paying.pay(payment())))._tag, "PaymentFailed")
  })

  it("is replaced even where its fee is above the usual one again", async () => {
    const { node, paying } = await stuck()
    node.baseFee /= 100n
    await paying.pay(payment({ key: "order-2", reference: "cm-2" }))
    assert.strictEqual(node.nonceOf(account.address), 2)
  })

  it("is signed again with fees that the node accepts as a replacement, while its quote is open", async () => {
    const { live, node, raw } = await stuck()
    for (let block = 0; block < 10; block++) node.mine()
    await live.pay(payment())
    assert.deepStrictEqual([paidTo(node), node.nonceOf(account.address)], [amount, 1])
    assert.strictEqual(new Set(node.sent).size, 2)
    assert.notStrictEqual(node.sent.at(-1), raw)
  })

  it("is sent as it is where the limit on fees is below the base fee: the next one would wait, too", async () => {
    const { live, node, raw, written } = await stuck({ maxFeePerGas: 9_000_000n })
    for (let block = 0; block < 10; block++) node.mine()
    assert.strictEqual((await rejectionOf(live.pay(payment())))._tag, "PaymentPending")
    assert.deepStrictEqual(new Set(node.sent), new Set([raw]))
    assert.deepStrictEqual(written.records()[0]!.replacements, [])
  })

  it("is sent as it is if the base fee falls again while its quote is open", async () => {
    const { live, node, raw } = await stuck()
    node.baseFee /= 10n
    node.mine()
    await live.pay(payment())
    assert.deepStrictEqual([paidTo(node), new Set(node.sent)], [amount, new Set([raw])])
  })
})

describe("a number that a dead process took", () => {
  const leftBehind = async (expiresAtMillis: number) => {
    const dead = start()
    dead.node.disturbances.push({ method: "eth_sendRawTransaction", what: "refused" })
    await rejectionOf(dead.paying.pay(payment()))
    const journal = memoryPaymentJournal()
    await journal.insert({ ...dead.journal.records()[0]!, expiresAtMillis })
    return { ...startTreasury({ node: dead.node, journal }), journal }
  }
  const next = payment({ key: "order-2", reference: "cm-2" })

  it("is filled with its payment while that may be sent", async () => {
    const { node, paying } = await leftBehind(Date.now() + 60_000)
    await paying.pay(next)
    assert.strictEqual(paidTo(node), 2n * amount)
    assert.strictEqual((await paying.find("order-1")).status, "paid")
  })

  it("is filled with an empty transaction once its quote has expired", async () => {
    const { journal, node, paying } = await leftBehind(Date.now() - 1)
    await paying.pay(next)
    assert.deepStrictEqual([paidTo(node), node.nonceOf(account.address)], [amount, 2])
    assert.strictEqual((await paying.find("order-1")).status, "pending")
    assert.deepStrictEqual(
      journal.records().map(({ key }) => key),
      ["order-1", "order-2"]
    )
  })
})
