import { type Chain, type LocalFacilitator, startChain, startFacilitator } from "@till402/sandbox"
import { afterAll, beforeAll, it } from "vitest"
import { placeMulticall } from "./drain.ts"
import { expectPaidDespite } from "./refundWalletShop.ts"

let chain: Chain
let official: LocalFacilitator
beforeAll(async () => {
  chain = await startChain({ blockSeconds: 1 })
  official = await startFacilitator({ chain })
  await placeMulticall(chain)
})
afterAll(async () => {
  await official.stop()
  await chain.stop()
})

it("a refund is paid although a stranger uses a thousand nonces of refunds", async () => {
  await expectPaidDespite({ chain, official }, 1_000)
}, 240_000)
