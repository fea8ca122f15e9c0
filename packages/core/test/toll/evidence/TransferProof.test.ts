import { assert, describe, it } from "@effect/vitest"
import { toEventSelector } from "viem"
import { findNetwork } from "../../../src/domain/Network.ts"
import type { Authorization } from "../../../src/domain/PaymentPayload.ts"
import {
  addressTopic,
  followsRule,
  pairedTransfer,
  type TokenLog
} from "../../../src/toll/evidence/TransferProof.ts"
import { type FakeLog, logsOf } from "./FakeNode.ts"

const network = findNetwork("base-sepolia")!
const token = logsOf(network.asset)
const elsewhere = logsOf("0x00000000000000000000000000000000000000Aa")

const authorization: Authorization = {
  from: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  to: "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
  value: "520000",
  validAfter: "1000",
  validBefore: "1120",
  nonce: `0x${"ab".repeat(32)}`
}
const stranger = "0x90F79bf6EB2c4f870365E785982E1f101E93b906"
const approval = toEventSelector("Approval(address,address,uint256)")
const otherNonce = { ...authorization, nonce: `0x${"cd".repeat(32)}` }

/** Logs of one transaction, from a position in its block on. */
const at = (first: number, ...logs: ReadonlyArray<FakeLog>): ReadonlyArray<TokenLog> =>
  logs.map((log, index) => ({ ...log, logIndex: first + index }))

const verdict = (...logs: ReadonlyArray<FakeLog>) =>
  pairedTransfer(at(7, ...logs), network.asset, authorization)

describe("pairedTransfer", () => {
  it("takes the transfer that directly follows the use of the nonce", () => {
    assert.deepStrictEqual(verdict(token.used(authorization), token.transfer(authorization)), {
      _tag: "Paid",
      logIndex: 8
    })
    assert.deepStrictEqual(
      verdict(
        elsewhere.transfer(authorization),
        token.used(otherNonce),
        token.transfer(authorization),
        token.used(authorization),
        token.transfer(authorization)
      ),
      { _tag: "Paid", logIndex: 11 }
    )
  })

  it("finds it whatever the order of the list and the spelling of addresses", () => {
    const shouted = {
      ...authorization,
      from: authorization.from.toUpperCase().replace("0X", "0x"),
      to: authorization.to.toLowerCase(),
      nonce: `0x${"AB".repeat(32)}`
    }
    const logs = at(0, token.used(authorization), token.transfer(authorization)).toReversed()
    assert.deepStrictEqual(pairedTransfer(logs, network.asset.toLowerCase(), shouted), {
      _tag: "Paid",
      logIndex: 1
    })
  })

  it("gives one transfer to one nonce: the others of a batch moved nothing here", () => {
    const nothing = { from: authorization.from, to: authorization.from, value: "0" }
    const batch = [
      token.used(otherNonce),
      token.transfer(authorization),
      token.used(authorization),
      token.transfer(nothing)
    ]
    assert.deepStrictEqual(verdict(...batch), { _tag: "UsedOtherwise" })
    assert.deepStrictEqual(pairedTransfer(at(0, ...batch), network.asset, otherNonce), {
      _tag: "Paid",
      logIndex: 1
    })
  })

  it.each([
    ["another recipient", { to: stranger }],
    ["the payer", { to: authorization.from }],
    ["a smaller value", { value: "519999" }],
    ["a larger value", { value: "520001" }],
    ["nothing", { value: "0" }]
  ])("does not take a transfer of the nonce to %s, wherever else the right one stands", (_, changes) => {
    const other = token.transfer({ ...authorization, ...changes })
    const right = token.transfer(authorization)
    for (const logs of [
      [token.used(authorization), other],
      [right, token.used(authorization), other],
      [token.used(authorization), other, right],
      [token.used(otherNonce), right, token.used(authorization), other]
    ])
      assert.deepStrictEqual(verdict(...logs), { _tag: "UsedOtherwise" })
  })

  it("is not confused by logs without topics", () => {
    const anonymous = { ...token.used(otherNonce), topics: [] }
    assert.deepStrictEqual(verdict(anonymous, token.used(authorization), token.transfer(authorization)), {
      _tag: "Paid",
      logIndex: 9
    })
  })

  it("reports a cancellation", () => {
    assert.deepStrictEqual(verdict(token.canceled(authorization)), { _tag: "Canceled" })
    assert.deepStrictEqual(verdict(token.canceled(authorization), token.transfer(authorization)), {
      _tag: "Canceled"
    })
  })

  it("proves nothing without the use of this nonce, by this payer, in this token", () => {
    const right = token.transfer(authorization)
    for (const logs of [
      [],
      [right],
      [token.used(otherNonce), right],
      [token.canceled(otherNonce)],
      [token.used({ ...authorization, from: stranger }), right],
      [elsewhere.used(authorization), right],
      [elsewhere.canceled(authorization)]
    ])
      assert.deepStrictEqual(verdict(...logs), { _tag: "Absent" })
  })

  it("proves nothing where the logs don't follow the token's rule", () => {
    const [used, right] = [token.used(authorization), token.transfer(authorization)]
    for (const logs of [
      [used],
      [right, used],
      [used, elsewhere.transfer(authorization)],
      [used, elsewhere.transfer(authorization), right],
      [used, token.transfer({ ...authorization, from: stranger })],
      [used, token.used(otherNonce), right],
      [used, { ...right, topics: [approval, ...right.topics.slice(1)] }],
      [used, { ...right, data: "0x" as const }],
      [used, { ...right, data: `${right.data}00` as const }],
      [used, { ...right, data: `0x0x${right.data.slice(2)}` as const }],
      [used, { ...right, topics: [] }],
      [used, { ...right, topics: right.topics.slice(0, 2) }],
      [used, { ...right, topics: [...right.topics, right.topics[1]!] }]
    ])
      assert.deepStrictEqual(verdict(...logs), { _tag: "Absent" })
    const [first, second] = at(0, used, right)
    assert.deepStrictEqual(
      pairedTransfer([first!, { ...second!, logIndex: 2 }], network.asset, authorization),
      { _tag: "Absent" }
    )
  })

  it("is the same for every token; one that transfers first doesn't follow it", () => {
    const asset = "0x00000000000000000000000000000000000000Aa"
    const [used, right] = [elsewhere.used(authorization), elsewhere.transfer(authorization)]
    assert.deepInclude(pairedTransfer(at(0, used, right), asset, authorization), { _tag: "Paid" })
    assert.deepStrictEqual(pairedTransfer(at(0, right, used), asset, authorization), { _tag: "Absent" })
    assert.isTrue(followsRule(at(0, used, right), asset))
    assert.isTrue(followsRule(at(0, right, used, right, token.used(authorization)), asset))
    assert.isFalse(followsRule(at(0, right, used), asset))
    assert.isFalse(followsRule(at(0, used, right, used), asset))
    assert.isFalse(followsRule(at(0, used, token.transfer(authorization)), asset))
    assert.isUndefined(followsRule(at(0, right, token.used(authorization)), asset))
  })
})

it("an address is looked for as a word of 32 bytes, in lower case", () => {
  assert.strictEqual(
    addressTopic(authorization.to),
    "0x0000000000000000000000003c44cdddb6a900fa2b585dd299e03d12fa4293bc"
  )
})
