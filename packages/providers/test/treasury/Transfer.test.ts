import { type RefusalReason, verdictOf } from "@till402/providers/treasury"
import fc from "fast-check"
import {
  encodeFunctionData,
  erc20Abi,
  type Hex,
  parseAbi,
  parseTransaction,
  serializeTransaction,
  type TransactionSerializableEIP1559
} from "viem"
import { assert, describe, it } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { crossmintPayee, FakeNode, prepare, thief, usdc } from "./fakeNode.ts"
import { account, payment, rejectionOf, startTreasury } from "./treasuries.ts"

/*
 * Each way in which a prepared transaction could steal, in a pair: a payer who signs what he is given loses
 * by it, ours signs nothing.
 */

const server = interceptRequests()

const otherToken = "0x00000000000000000000000000000000000000e5"
const approve = (spender: Hex): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, 2n ** 256n - 1n] })

interface Theft {
  readonly prepared: Hex
  readonly reason: string
  /** Whether the thief, or at least the account's loss, shows on the chain. */
  readonly landed: (node: FakeNode) => boolean
  /** Where the naive payer's transaction is good. */
  readonly chainId?: number
}

const thefts: Readonly<Record<string, Theft>> = {
  "another token": {
    prepared: prepare({ to: otherToken, payee: thief }),
    reason: "other_token",
    landed: (node) => node.balance(otherToken, thief) === 97_350_000n
  },
  "another token to the right payee": {
    prepared: prepare({ to: otherToken }),
    reason: "other_token",
    landed: (node) => node.balance(otherToken, account.address) === 1_000_000_000n - 97_350_000n
  },
  "another payee": {
    prepared: prepare({ payee: thief }),
    reason: "other_payee",
    landed: (node) => node.balance(usdc, thief) === 97_350_000n
  },
  "a larger amount": {
    prepared: prepare({ amount: 973_500_000n }),
    reason: "other_amount",
    landed: (node) => node.balance(usdc, crossmintPayee) === 973_500_000n
  },
  "a smaller amount, which buys nothing": {
    prepared: prepare({ amount: 1n }),
    reason: "other_amount",
    landed: (node) => node.balance(usdc, crossmintPayee) === 1n
  },
  "approve instead of transfer": {
    prepared: prepare({ data: approve(thief) }),
    reason: "other_function",
    landed: (node) => node.allowances.get(`${usdc}:${thief}`.toLowerCase()) === 2n ** 256n - 1n
  },
  "approve for the right payee": {
    prepared: prepare({ data: approve(crossmintPayee) }),
    reason: "other_function",
    landed: (node) => node.allowances.get(`${usdc}:${crossmintPayee}`.toLowerCase()) === 2n ** 256n - 1n
  },
  "native coin sent along": {
    prepared: prepare({ value: 10n ** 18n }),
    reason: "native_value",
    landed: (node) => node.received.get(usdc.toLowerCase()) === 10n ** 18n
  },
  "native coin to the thief, and no call": {
    prepared: prepare({ to: thief, value: 10n ** 18n, data: "0x" }),
    reason: "other_token",
    landed: (node) => node.received.get(thief.toLowerCase()) === 10n ** 18n
  },
  "the same payment on another chain": {
    prepared: prepare({ chainId: 8_453 }),
    reason: "other_chain",
    chainId: 8_453,
    landed: (node) => node.balance(usdc, crossmintPayee) === 97_350_000n
  }
}

/** Signs whatever it is given, as wallets do that fill in number and fees alone. */
const payNaively = async (node: FakeNode, prepared: Hex): Promise<void> => {
  const requested = parseTransaction(prepared) as TransactionSerializableEIP1559
  await node.submit(await account.signTransaction({ ...requested, nonce: node.nonceOf(account.address) }))
}

describe("a transaction that was prepared to steal", () => {
  it.each(Object.entries(thefts))("lands with a naive payer: %s", async (_name, theft) => {
    const node = new FakeNode(theft.chainId ?? 84_532)
    for (const token of [usdc, otherToken]) node.fund(token, account.address, 1_000_000_000n)
    assert.isFalse(theft.landed(node))
    await payNaively(node, theft.prepared)
    assert.isTrue(theft.landed(node))
  })

  it.each(Object.entries(thefts))("is refused by the treasury: %s", async (_name, { prepared, reason }) => {
    const { journal, node, paying } = startTreasury()
    server.use(node.handler())
    const requested = payment({ prepared })
    for (const call of [paying.check(requested), paying.pay(requested)]) {
      const { _tag, reason: why } = await rejectionOf(call)
      assert.deepStrictEqual([_tag, why], ["PaymentRefused", reason])
    }
    assert.deepStrictEqual([node.sent.length, journal.records().length], [0, 0])
    assert.strictEqual(node.balance(usdc, account.address), 1_000_000_000n)
    assert.deepStrictEqual(await paying.find(requested.key), { status: "none" })
  })

  const terms = { ...payment(), chainId: 84_532, token: usdc } as const
  const call = encodeFunctionData({
    abi: erc20Abi,
    functionName: "transfer",
    args: [crossmintPayee, 97_350_000n]
  })
  it.each<[string, RefusalReason, string]>([
    [
      "transferFrom",
      "other_function",
      prepare({
        data: encodeFunctionData({
          abi: erc20Abi,
          functionName: "transferFrom",
          args: [account.address, crossmintPayee, 97_350_000n]
        })
      })
    ],
    [
      "increaseAllowance",
      "other_function",
      prepare({
        data: encodeFunctionData({
          abi: parseAbi(["function increaseAllowance(address spender, uint256 increment)"]),
          functionName: "increaseAllowance",
          args: [thief, 1n]
        })
      })
    ],
    ["a new contract", "other_token", prepare({ to: null })],
    ["arguments cut short", "malformed_arguments", prepare({ data: call.slice(0, -2) as Hex })],
    [
      "bytes before the payee",
      "malformed_arguments",
      prepare({ data: `${call.slice(0, 10)}01${call.slice(12)}` as Hex })
    ],
    ["a tail without end", "malformed_arguments", prepare({ memo: "00".repeat(513) })],
    [
      "a payment that is signed already",
      "unreadable",
      serializeTransaction(parseTransaction(prepare({})) as TransactionSerializableEIP1559, {
        r: "0x1111111111111111111111111111111111111111111111111111111111111111",
        s: "0x2222222222222222222222222222222222222222222222222222222222222222",
        yParity: 0
      })
    ],
    [
      "an authorization that gives the account away",
      "unreadable",
      serializeTransaction({
        type: "eip7702",
        chainId: 84_532,
        to: usdc,
        data: call,
        authorizationList: [
          {
            address: thief,
            chainId: 84_532,
            nonce: 0,
            yParity: 0,
            r: "0x1111111111111111111111111111111111111111111111111111111111111111",
            s: "0x2222222222222222222222222222222222222222222222222222222222222222"
          }
        ]
      })
    ],
    ["nothing", "unreadable", "0x"],
    ["words", "unreadable", "pay me"],
    ["the documents' placeholder", "unreadable", "0x02f8..."]
  ])("is refused: %s", (_name, reason, prepared) => {
    assert.deepStrictEqual(verdictOf(prepared, terms), { _tag: "Refused", reason })
  })

  it("is recognized as the agreed transfer, whatever the case of addresses, with a memo and in older forms", () => {
    const memo = "0b0f6f3e6a3b4a5f9a550d7f2f9a1c11"
    const parsed = parseTransaction(prepare({ memo })) as TransactionSerializableEIP1559
    const older = { chainId: 84_532, nonce: 1, gas: 1n, gasPrice: 1n, to: usdc, data: parsed.data! } as const
    for (const prepared of [
      prepare({ memo }),
      serializeTransaction({ ...older, type: "legacy" }),
      serializeTransaction({ ...older, type: "eip2930", accessList: [] })
    ]) {
      const verdict = verdictOf(prepared, { ...terms, token: usdc.toLowerCase() as Hex })
      assert(verdict._tag === "Accepted", prepared)
      assert.strictEqual(verdict.transfer.data, `${call}${memo}`)
    }
  })

  it("never gets a payment out of changed bytes that is not the agreed one", () => {
    const good = prepare({ memo: "c0ffee" })
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(good.length - 3), fc.constantFrom(..."0123456789abcdef")), { maxLength: 4 }),
        (changes) => {
          const digits = good.slice(2).split("")
          for (const [at, digit] of changes) digits[at] = digit
          const verdict = verdictOf(`0x${digits.join("")}`, terms)
          if (verdict._tag === "Refused") return
          const { transfer } = verdict
          assert.strictEqual(transfer.data.slice(0, call.length), call)
          assert.deepInclude(transfer, { chainId: 84_532, token: usdc, amountAtomic: 97_350_000n })
        }
      ),
      { numRuns: 500 }
    )
  })
})
