import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { findEvmNetwork } from "@till402/core/effect"
import { assert, describe, it } from "vitest"
import { OpenTransactions } from "../../src/facilitator/OpenTransactions.ts"
import { gasOf, keyOf, payableAmong, type SettlementDraft } from "../../src/facilitator/Recording.ts"

const network = findEvmNetwork("eip155:84532")!

/** A payment of `value` by a payer who has `balanceAtomic`. */
const draft = (from: string, value: string, balanceAtomic: bigint): SettlementDraft => {
  const nonce = generatePrivateKey()
  const authorization = { from, to: network.asset, value, validAfter: "0", validBefore: "1900000000", nonce }
  const key = `${network.caip2}:${network.asset}:${from}:${nonce}`.toLowerCase()
  return {
    payment: { network, authorization, signature: "0x", key, digest: "" },
    caller: "shop",
    attempt: 0,
    call: { to: network.asset, data: "0x" },
    gas: 100n,
    balanceAtomic,
    minedBefore: 0,
    isAlone: false
  }
}

const someone = () => privateKeyToAccount(generatePrivateKey()).address

describe("payableAmong()", () => {
  it("takes a payer's first payments, as far as their balance covers all of them", () => {
    const [payer, other] = [someone(), someone()]
    const drafts = [
      draft(payer, "6", 10n),
      draft(other, "6", 6n),
      draft(payer, "5", 10n),
      draft(payer, "4", 10n)
    ]
    const payable = payableAmong(drafts, new OpenTransactions([]))
    assert.deepStrictEqual(payable.map(keyOf), [drafts[0]!, drafts[1]!, drafts[3]!].map(keyOf))
    assert.strictEqual(gasOf(payable), 300n)
  })
})
