import {
  type LocalSolanaFacilitator,
  type SolanaChain,
  startSolanaChain,
  startSolanaFacilitator
} from "@till402/sandbox/solana"
import { afterAll, beforeAll, it } from "vitest"
import { expectPaidDespite } from "./solanaRefundWalletShop.ts"

let chain: SolanaChain
let official: LocalSolanaFacilitator
beforeAll(async () => {
  // A blockhash lives for fifteen seconds: a busy machine needs longer than three for a payment.
  chain = await startSolanaChain({ slotMillis: 100, finalitySlots: 0 })
  official = await startSolanaFacilitator({ chain })
})
afterAll(async () => {
  await official?.stop()
  await chain?.stop()
})

it("a refund on Solana is paid although a stranger uses a thousand memos of refunds", async () => {
  await expectPaidDespite({ chain, official }, 1_000)
})
