import { describe, expect, it } from "vitest"
import { failAtEach, newWallet, payByTwo, payDespite, price, startRefundChain } from "./refundWalletRuns.ts"

/*
 * The attacks of refundWallets.test.ts on refunds of other payers, and what no server can promise.
 */

startRefundChain()

it("a refund of a payer who was served before is paid once by two wallets of one store", () => payByTwo(true))

it("a refund of a new payer is paid once though a stranger uses its nonce for nothing", () =>
  payDespite({ isKnown: false, value: 0n }))

describe("what no server can promise", () => {
  it("two tills with a store and a refund wallet of their own each both refund a payment that failed at both", async () => {
    expect(await failAtEach([await newWallet(), await newWallet()])).toBe(2n * price)
  })
})
