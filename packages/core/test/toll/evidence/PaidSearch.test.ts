import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { pad, type Hex } from "viem"
import type { Authorization } from "../../../src/domain/PaymentPayload.ts"
import { makeChain } from "../../../src/toll/evidence/ChainReader.ts"
import { network, open, stranger, token } from "./EvidenceWorld.ts"
import { RpcFailure } from "./FakeNode.ts"

/*
 * One search for the payments of many authorizations.
 */

const openSearch = () => {
  const { authorization, node } = open()
  const chain = makeChain([network], () => node.transport)
  const fromSeconds = node.nowSeconds
  return {
    node,
    /** Another authorization of the same payer. */
    of: (changes: Partial<Authorization>): Authorization => ({ ...authorization, ...changes }),
    nonce: (number: number): Hex => pad(`0x${number.toString(16)}`, { size: 32 }),
    paid: (each: Authorization) => [token.used(each), token.transfer(each)],
    search: (authorizations: ReadonlyArray<Authorization>, beforeSeconds = node.nowSeconds) =>
      chain.paidWithin(network, authorizations, { fromSeconds, beforeSeconds })
  }
}

describe("a search for payments", () => {
  it.effect("asks for the logs of its own payers alone, in one query", () =>
    Effect.gen(function* () {
      const { node, nonce, of, paid, search } = openSearch()
      const payments = [of({ nonce: nonce(1) }), of({ nonce: nonce(2), from: stranger })]
      const transactions = payments.map((each) => node.transact(paid(each)))
      node.transact(paid(of({ nonce: nonce(3) })))
      assert.deepStrictEqual(yield* search(payments), transactions)
      const [query, ...others] = node.requests.filter(({ method }) => method === "eth_getLogs")
      assert.deepStrictEqual(others, [])
      const [{ topics }] = query!.params as [{ readonly topics: ReadonlyArray<ReadonlyArray<string>> }]
      assert.deepStrictEqual(
        topics.map(({ length }) => length),
        // Two events; two payers; their nonces and the one recipient.
        [2, 2, 3]
      )
    })
  )

  it.effect("isn't misled by a nonce that looks like the recipient", () =>
    Effect.gen(function* () {
      const { node, of, paid, search } = openSearch()
      const payment = of({ nonce: pad(of({}).to as Hex, { size: 32 }) })
      const transaction = node.transact(paid(payment))
      node.transact([token.transfer(payment)])
      node.mine(1)
      assert.deepStrictEqual(yield* search([payment]), [transaction])
    })
  )

  it.effect(
    "finds no payment of another amount, to another recipient, or by a message of the wrong nonce",
    () =>
      Effect.gen(function* () {
        const { node, nonce, of, paid, search } = openSearch()
        const [amount, recipient, unused] = [1, 2, 3].map((number) => of({ nonce: nonce(number) }))
        node.transact([token.used(amount!), token.transfer({ ...amount!, value: "1" })])
        node.transact([token.used(recipient!), token.transfer({ ...recipient!, to: stranger })])
        node.transact(paid(of({ nonce: nonce(4) })))
        node.mine(1)
        assert.deepStrictEqual(yield* search([amount!, recipient!, unused!]), [
          undefined,
          undefined,
          undefined
        ])
      })
  )

  it.effect("fails while there is no block after its span", () =>
    Effect.gen(function* () {
      const { node, nonce, of, paid, search } = openSearch()
      const payment = of({ nonce: nonce(1) })
      const transaction = node.transact(paid(payment))
      node.mine(1)
      assert.isUndefined(yield* search([payment], node.nowSeconds + 1))
      assert.deepStrictEqual(yield* search([payment], node.nowSeconds), [transaction])
    })
  )

  it.effect("fails where its node would take too many queries", () =>
    Effect.gen(function* () {
      const { node, nonce, of, search } = openSearch()
      node.fault = ({ method, params }) => {
        const [filter] = params as [{ readonly fromBlock: string; readonly toBlock: string }]
        if (method === "eth_getLogs" && filter.fromBlock !== filter.toBlock)
          throw new RpcFailure(-32_600, "one block at a time")
      }
      node.mine(100)
      assert.isUndefined(yield* search([of({ nonce: nonce(1) })]))
      assert.strictEqual(node.count("eth_getLogs"), 50)
    })
  )
})
