import { readFileSync } from "node:fs"
import { readTransfer } from "@till402/providers/treasury"
import {
  getBase58Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type ReadonlyUint8Array
} from "@solana/kit"
import { HttpResponse } from "msw"
import { assert, describe, it } from "vitest"
import { type PaymentTerms, verdictOf } from "../../src/treasury/Transfer.ts"
import { contractOf } from "../contracts/contract.ts"
import { interceptRequests } from "../interceptRequests.ts"
import { crossmintPayee, prepare, usdc } from "../treasury/fakeNode.ts"
import { rejectionOf } from "../treasury/treasuries.ts"
import { context, startShop } from "./shop.ts"

/*
 * An order that Crossmint's staging prepared on Solana on 2026-10-05: a response that somebody recorded. From
 * https://github.com/stawuah/chainpay-mcp-sdk, sdk/test/fixtures/crossmint-staging-order-2026-10-05.json at a9a023a1
 * (MIT License, Copyright (c) 2026 ChainPay contributors).
 */

interface Recorded {
  readonly order: {
    readonly orderId: string
    readonly payment: {
      readonly status: string
      readonly preparation: {
        readonly serializedTransaction: string
        readonly transactionParameters: { readonly amount: string; readonly memo: string }
      }
    }
  }
}

const file = new URL("./fixtures/crossmint-staging-order.recorded.json", import.meta.url)
const recorded = JSON.parse(readFileSync(file, "utf8")) as Recorded
const { orderId, payment } = recorded.order
const { serializedTransaction, transactionParameters } = payment.preparation
const { amount, memo } = transactionParameters

const server = interceptRequests()

const terms: PaymentTerms = {
  chainId: 84_532,
  token: usdc,
  payees: [crossmintPayee],
  amountAtomic: 1_206_000n
}

describe("an order that Crossmint's staging prepared", () => {
  it("has the fields of its client's types, and three more", () => {
    assert.deepStrictEqual(contractOf("crossmint").responseFaults("GET /orders/{id}", recorded.order), [
      "response.lineItems[0].executionMode: no such field",
      "response.payment.preparation.transactionParameters: no such field",
      "response.legal: no such field"
    ])
  })

  it("is a plain transfer of USDC and a memo, unsigned", () => {
    const { messageBytes, signatures } = getTransactionDecoder().decode(
      getBase58Encoder().encode(serializedTransaction)
    )
    assert.isTrue(Object.values(signatures).every((signature) => signature === null))
    const message = getCompiledTransactionMessageDecoder().decode(messageBytes)
    assert(message.version === "legacy")
    const instructions = message.instructions.map(({ accountIndices = [], data, programAddressIndex }) => ({
      program: message.staticAccounts[programAddressIndex],
      accounts: accountIndices.map((index) => message.staticAccounts[index]),
      data: data ?? new Uint8Array()
    }))
    const [transfer, note] = instructions
    assert.strictEqual(instructions.length, 2)
    assert(transfer !== undefined && note !== undefined)
    assert.strictEqual(transfer.program, "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA")
    assert.strictEqual(transfer.accounts[1], "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU")
    // TransferChecked: 12, the amount, and the token's decimals.
    assert.deepStrictEqual([transfer.data[0], amountIn(transfer.data), transfer.data[9]], [12, amount, 6])
    assert.strictEqual(note.program, "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr")
    assert.strictEqual(new TextDecoder().decode(Uint8Array.from(note.data)), memo)
  })

  it("is refused by a treasury on an EVM network, as a transaction of another chain", () => {
    assert.deepStrictEqual(verdictOf(serializedTransaction, terms), { _tag: "Refused", reason: "unreadable" })
    assert.isUndefined(readTransfer(serializedTransaction))
  })

  it("has a memo that names the order, and that a treasury would sign after a transfer", () => {
    const [, payload = ""] =
      /^------BEGIN MEMO------[\w-]+\.([\w-]+)\.[\w-]+------END MEMO------$/.exec(memo) ?? []
    assert.deepInclude(JSON.parse(Buffer.from(payload, "base64url").toString()), { orderIdentifier: orderId })
    const digits = Buffer.from(memo).toString("hex")
    const verdict = verdictOf(prepare({ amount: 1_206_000n, memo: digits }), terms)
    assert(verdict._tag === "Accepted")
    assert.isTrue(verdict.transfer.data.endsWith(digits))
  })

  it("isn't sold while the treasury lacks the money, or where it would be paid on another network", async () => {
    const { quote, upstream } = startShop(server)
    upstream.replies.push(() => HttpResponse.json(recorded))
    assert.deepInclude(await rejectionOf(quote()), {
      _tag: "TemporarilyUnavailable",
      code: "TreasuryUnderfunded"
    })
    const funded = { order: { ...recorded.order, payment: { ...payment, status: "awaiting-payment" } } }
    upstream.replies.push(() => HttpResponse.json(funded))
    assert.deepInclude(await rejectionOf(quote()), {
      _tag: "ResponseMalformed",
      detail: "payment.preparation.payerAddress"
    })
  })

  it.each([
    ["alone", recorded.order],
    ["in an envelope", recorded]
  ])("is read %s", async (_form, body) => {
    const { shop, upstream } = startShop(server)
    upstream.replies.push(() => HttpResponse.json(body))
    assert.deepStrictEqual(await shop.status(orderId, context), { status: "placed", shipments: [] })
  })
})

/** The amount of a TransferChecked, in decimal digits. */
const amountIn = (data: ReadonlyUint8Array): string =>
  new DataView(Uint8Array.from(data).buffer).getBigUint64(1, true).toString()
