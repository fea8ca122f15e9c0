import { Effect } from "effect"
import { expect, it } from "vitest"
import { memorySettlementJournal } from "../../../providers/src/facilitator/SettlementJournal.ts"
import { findNetwork } from "../../src/domain/Network.ts"
import type { Authorization } from "../../src/domain/PaymentPayload.ts"
import { signatureOf } from "./chain/Calls.ts"
import { chainOfNode } from "./chain/chainOfNode.ts"
import { RpcNode } from "./chain/RpcNode.ts"
import { SimulatedChain } from "./chain/SimulatedChain.ts"
import { TransactionPool } from "./chain/TransactionPool.ts"
import { evmLocalFacilitatorOver } from "./EvmLocalFacilitator.ts"
import type { Link } from "./Link.ts"
import { SeededRandom } from "./SeededRandom.ts"

/*
 * The local facilitator over the simulated chain, in real time. Only the chain's clock is moved on.
 */

const found = findNetwork("base-sepolia")!
const network = { ...found, confirmations: 1, finalitySeconds: 20 }
const payer = "0x2222222222222222222222222222222222222222"
const payTo = "0x1111111111111111111111111111111111111111"

const link = {
  run: (effect: Effect.Effect<unknown, unknown>) => Effect.runPromise(effect),
  rpc: async (_method: string, respond: () => unknown) => respond(),
  call: async (_name: string, run: () => unknown) => run(),
  callLater: (_name: string, run: (report: (value: unknown) => void) => void) => new Promise(run)
} as unknown as Link

const setUp = () => {
  const clock = { aheadMillis: 0 }
  const now = () => Date.now() + clock.aheadMillis
  const random = new SeededRandom(1)
  const chain = new SimulatedChain(now, random)
  chain.token.mint(payer, 100n)
  const due: Array<() => void> = []
  const pool = new TransactionPool({
    chain,
    faults: {
      spikes: [],
      maxTransitMillis: 0,
      forgetChance: 0,
      oldVariantChance: 0,
      fundsWei: 10n ** 18n,
      refillMillis: Infinity,
      refillWei: 0n,
      secondLagMillis: undefined,
      changesMillis: []
    },
    random,
    now,
    after: (_millis, action) => due.push(action),
    onPublic: () => undefined,
    count: () => undefined,
    note: () => undefined
  })
  const node = new RpcNode({
    chain,
    pool,
    now,
    condition: { lagMillis: 0, down: [] },
    asset: network.asset,
    chainId: network.chainId,
    acceptsSignature: () => true
  })
  const facilitator = evmLocalFacilitatorOver(link, {
    journal: memorySettlementJournal(),
    confirmations: 1,
    respond: (request) => node.respond(request),
    chain: chainOfNode(network, async (request) => node.respond(request))
  })
  const settle = (authorization: Authorization) => {
    const accepted = {
      scheme: "exact",
      network: network.caip2,
      asset: network.asset,
      amount: authorization.value,
      payTo,
      maxTimeoutSeconds: 60,
      extra: {}
    }
    const payload = { signature: signatureOf(authorization), authorization }
    return facilitator.settle({ x402Version: 2, accepted, payload }, accepted)
  }
  const isSent = () => expect.poll(() => due.length, { interval: 20 }).toBeGreaterThan(0)
  return {
    chain,
    settle,
    isSent,
    /** Waits for a transaction, which is mined this much later. */
    mine: async (aheadMillis: number) => {
      await isSent()
      clock.aheadMillis += aheadMillis
      for (const action of due.splice(0)) action()
      clock.aheadMillis += 10_000
    },
    authorization: (): Authorization => ({
      from: payer,
      to: payTo,
      value: "10",
      validAfter: "0",
      validBefore: String(Math.floor(now() / 1000) + 3_600),
      nonce: `0x${"7".repeat(64)}`
    })
  }
}

it("settles a payment that was signed again for a later time, once the transaction before has failed", async () => {
  const { authorization, chain, mine, settle } = setUp()
  const first = settle(authorization())
  await mine(4_000_000)
  expect(await first).toMatchObject({ success: false, errorReason: "transaction_failed" })
  expect(chain.token.balanceOf(payTo)).toBe(0n)

  const second = settle(authorization())
  await mine(2_000)
  expect(await second).toMatchObject({ success: true })
  expect(chain.token.balanceOf(payTo)).toBe(10n)
})

it("refuses it while the transaction before can still be mined", async () => {
  const { authorization, chain, isSent, mine, settle } = setUp()
  const early = authorization()
  const later = { ...early, validBefore: String(Number(early.validBefore) + 60) }
  const first = settle(early)
  await isSent()
  expect(await settle(later)).toMatchObject({
    success: false,
    errorReason: "invalid_exact_evm_nonce_already_used",
    transaction: ""
  })
  await mine(2_000)
  expect(await first).toMatchObject({ success: true })
  expect(chain.token.balanceOf(payTo)).toBe(10n)
})
