import { memorySettlementJournal } from "@till402/providers/facilitator"
import { Journals } from "@till402/providers/journals"
import { memoryPlacementJournal } from "@till402/providers/rye"
import { memoryTransferJournal } from "@till402/providers/solana-refunds"
import {
  EvmTreasury,
  evmTreasury,
  memoryPaymentJournal,
  type SigningAccount,
  Treasury
} from "@till402/providers/treasury"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { type Hex, keccak256, parseTransaction } from "viem"
import { assert, describe, it } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { prepare, usdc } from "./fakeNode.ts"
import {
  amount,
  paidTo,
  startingOn,
  account,
  failingJournal,
  payment,
  rejectionOf,
  startTreasury
} from "./treasuries.ts"

const server = interceptRequests()

const start = startingOn(server)

describe("a payment", () => {
  it("is the agreed transfer with its memo, at the treasury's own number and fees", async () => {
    const { journal, node, paying } = start()
    const { reference, transaction } = await paying.pay(payment({ prepared: prepare({ memo: "c0ffee" }) }))
    assert.strictEqual(reference, "cm-1")
    assert.strictEqual(paidTo(node), amount)
    const [raw] = node.sent
    assert.strictEqual(keccak256(raw!), transaction)
    const { data, gas, maxFeePerGas, nonce = 0, to, type } = parseTransaction(raw!)
    assert.deepStrictEqual([type, to, nonce], ["eip1559", usdc.toLowerCase(), 0])
    assert.isTrue(data!.endsWith("c0ffee"))
    // Not the fees and the gas of the prepared transaction: a payee could burn our coin with them.
    assert.deepStrictEqual([gas, maxFeePerGas], [75_000n, 2_001_000n])
    assert.deepInclude(journal.records()[0], { key: "order-1", reference: "cm-1", nonce: 0, transaction })
    assert.deepStrictEqual(await paying.find("order-1"), { status: "paid", reference: "cm-1", transaction })
  })

  it("is made once for repeated calls", async () => {
    const { node, paying } = start()
    const first = await paying.pay(payment())
    assert.deepStrictEqual(await paying.pay(payment()), first)
    // Even for another quote, and after the first has lapsed: the key names what was paid.
    const again = await paying.pay(payment({ reference: "cm-2", prepared: "0x", expiresAtMillis: 0 }))
    assert.deepStrictEqual(again, first)
    assert.deepStrictEqual([node.sent.length, paidTo(node)], [1, amount])
  })

  it("is made once of forty at the same time, in two processes with one journal", async () => {
    const one = start()
    const two = startTreasury({ node: one.node, journal: one.journal })
    const all = await Promise.all(
      Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? one : two).paying.pay(payment()))
    )
    assert.strictEqual(new Set(all.map(({ transaction }) => transaction)).size, 1)
    assert.deepStrictEqual([paidTo(one.node), one.node.nonceOf(account.address)], [amount, 1])
  })

  it("gets a number of its own among those of two processes", async () => {
    const one = start({ funds: 20n * amount })
    const two = startTreasury({ node: one.node, journal: one.journal })
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        (index % 2 === 0 ? one : two).paying.pay(payment({ key: `order-${index}`, reference: `cm-${index}` }))
      )
    )
    assert.deepStrictEqual([paidTo(one.node), one.node.nonceOf(account.address)], [12n * amount, 12])
  })

  it("is not made for one thing under two keys", async () => {
    const { node, paying } = start()
    await paying.pay(payment())
    const { reason } = await rejectionOf(paying.pay(payment({ key: "order-2" })))
    assert.strictEqual(reason, "reference_taken")
    assert.strictEqual(paidTo(node), amount)
  })
})

describe("a payment that was interrupted", () => {
  it("sends the transaction that was recorded, and no other", async () => {
    const { journal, node, paying } = start()
    node.disturbances.push({ method: "eth_sendRawTransaction", what: "refused" })
    assert.strictEqual((await rejectionOf(paying.pay(payment())))._tag, "TemporarilyUnavailable")
    assert.deepStrictEqual([node.sent.length, journal.records().length], [0, 1])
    const { status } = await paying.find("order-1")
    assert.strictEqual(status, "pending")
    const { transaction } = await paying.pay(payment())
    assert.strictEqual(transaction, journal.records()[0]!.transaction)
    assert.deepStrictEqual([node.sent.length, paidTo(node)], [1, amount])
  })

  it("is found paid if the node's response was lost", async () => {
    const { node, paying } = start()
    node.disturbances.push({ method: "eth_sendRawTransaction", what: "lost" })
    assert.strictEqual((await rejectionOf(paying.pay(payment())))._tag, "TemporarilyUnavailable")
    assert.strictEqual((await paying.find("order-1")).status, "paid")
    await paying.pay(payment())
    assert.strictEqual(paidTo(node), amount)
  })

  it("is taken up by another process", async () => {
    const dead = start()
    dead.node.disturbances.push({ method: "eth_sendRawTransaction", what: "refused" })
    await rejectionOf(dead.paying.pay(payment()))
    const { paying } = startTreasury({ node: dead.node, journal: dead.journal })
    await paying.pay(payment())
    assert.strictEqual(paidTo(dead.node), amount)
  })

  it("is open while it waits to be mined, and is not signed again", async () => {
    const { node, paying } = start()
    node.isMining = false
    assert.strictEqual((await rejectionOf(paying.pay(payment())))._tag, "PaymentPending")
    assert.strictEqual((await rejectionOf(paying.pay(payment())))._tag, "PaymentPending")
    assert.strictEqual(new Set(node.sent).size, 1)
    node.mine()
    await paying.pay(payment())
    assert.deepStrictEqual([paidTo(node), node.nonceOf(account.address)], [amount, 1])
  })

  it("is not sent once its quote has expired", async () => {
    const { journal, node, paying } = start()
    node.disturbances.push({ method: "eth_sendRawTransaction", what: "refused" })
    await rejectionOf(paying.pay(payment()))
    const record = journal.records()[0]!
    const lapsed = { ...journal, find: async () => ({ ...record, expiresAtMillis: Date.now() - 1 }) }
    const { paying: later } = startTreasury({ node, journal: lapsed })
    assert.strictEqual((await rejectionOf(later.pay(payment())))._tag, "PaymentPending")
    assert.notInclude(node.sent, record.signedTransaction)
    assert.strictEqual(paidTo(node), 0n)
  })

  it("failed permanently if the chain reverted it", async () => {
    const { node, paying } = start()
    node.isMining = false
    await rejectionOf(paying.pay(payment()))
    node.fund(usdc, account.address, -1_000_000_000n)
    node.mine()
    assert.strictEqual((await paying.find("order-1")).status, "failed")
    node.fund(usdc, account.address, 1_000_000_000n)
    assert.strictEqual((await rejectionOf(paying.pay(payment())))._tag, "PaymentFailed")
    assert.strictEqual(paidTo(node), 0n)
  })

  it("counts once enough blocks confirm it", async () => {
    const { node, paying } = start({ confirmations: 3 })
    assert.strictEqual((await rejectionOf(paying.pay(payment())))._tag, "PaymentPending")
    node.block += 1n
    assert.strictEqual((await paying.find("order-1")).status, "pending")
    node.block += 1n
    assert.strictEqual((await paying.find("order-1")).status, "paid")
  })
})

describe("nothing is sent", () => {
  it.each([
    ["TreasuryUnderfunded", { funds: amount - 1n }, {}],
    ["FeesTooHigh", { maxFeePerGas: 1_000_000n }, {}],
    ["PaymentExpired", {}, { expiresAtMillis: Date.now() + 1_000 }],
    [
      "ConfigurationError",
      { network: "base" },
      { prepared: prepare({ to: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", chainId: 8_453 }) }
    ]
  ])("with %s", async (tag, options, change) => {
    const { journal, node, paying } = start(options)
    assert.strictEqual((await rejectionOf(paying.pay(payment(change))))._tag, tag)
    assert.deepStrictEqual([node.sent.length, journal.records().length], [0, 0])
  })

  it.each(["find", "insert"])("if the journal's %s fails", async (verb) => {
    const broken = async () => {
      throw new RangeError("the disk is full of /home/ada")
    }
    const { node, paying } = start({ journal: failingJournal({ [verb]: broken }) })
    const { _tag, code, message } = await rejectionOf(paying.pay(payment()))
    assert.deepStrictEqual([_tag, code], ["JournalFailed", "RangeError"])
    assert.notInclude(String(message), "ada")
    assert.strictEqual(node.sent.length, 0)
  })

  it("if the account does not sign, without the message of its error", async () => {
    const mute: SigningAccount = {
      address: account.address,
      signTransaction: async () => {
        throw new TypeError("key 0x1234 is locked")
      }
    }
    const { journal, node, paying } = start({ account: mute })
    const rejection = await rejectionOf(paying.pay(payment()))
    assert.deepStrictEqual([rejection._tag, rejection["code"]], ["SigningFailed", "TypeError"])
    assert.notInclude(JSON.stringify(rejection) + String(rejection["message"]), "0x1234")
    assert.deepStrictEqual([node.sent.length, journal.records().length], [0, 0])
  })

  it("if the account returns an invalid transaction", async () => {
    const odd: SigningAccount = { address: account.address, signTransaction: async () => "signed" as Hex }
    const { node, paying } = start({ account: odd })
    assert.strictEqual((await rejectionOf(paying.pay(payment())))._tag, "SigningFailed")
    assert.strictEqual(node.sent.length, 0)
  })
})

describe("options that can't be used", () => {
  const good = { account, rpcUrl: "https://node.example/secret-key", journal: memoryPaymentJournal() }
  it.each([
    ["an unknown network", { network: "atlantis" }],
    ["no address", { account: { ...account, address: "0x12" as Hex } }],
    ["an endpoint in the clear", { rpcUrl: "http://node.example/secret-key" }],
    ["no confirmations", { confirmations: 0 }],
    ["fees of nothing", { maxFeePerGas: 0n }],
    ["a wait without end", { confirmTimeoutMillis: Number.POSITIVE_INFINITY }]
  ])("fail at once: %s", async (_what, change) => {
    const { _tag, message } = await rejectionOf((async () => evmTreasury({ ...good, ...change }))())
    assert.strictEqual(_tag, "ConfigurationError")
    assert.notInclude(String(message), "secret-key")
  })
})

describe("the treasury of an Effect host", () => {
  it("is a service over the HttpClient at hand", async () => {
    const { journal, node } = start()
    const options = { account, rpcUrl: node.url, network: "base-sepolia", pollMillis: 5 }
    const paid = await Effect.flatMap(Treasury, (service) => service.pay(payment())).pipe(
      Effect.provide(EvmTreasury.layer(options)),
      Effect.provide([
        FetchHttpClient.layer,
        Layer.succeed(Journals, {
          payments: journal,
          placements: memoryPlacementJournal(),
          settlements: memorySettlementJournal(),
          transfers: memoryTransferJournal()
        })
      ]),
      Effect.runPromise
    )
    assert.strictEqual(paid.reference, "cm-1")
    assert.strictEqual(paidTo(node), amount)
  })
})
