import { it } from "vitest"
import { payByTwo, payDespite, startRefundChain } from "./refundWalletRuns.ts"

/*
 * The attacks of refundWallets.test.ts on refunds of other payers.
 */

startRefundChain()

it("a refund of a payer who was served before is paid once by two wallets of one store", () => payByTwo(true))

it("a refund of a new payer is paid once though a stranger uses its nonce for nothing", () =>
  payDespite({ isKnown: false, value: 0n }))
