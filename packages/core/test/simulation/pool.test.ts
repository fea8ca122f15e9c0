import { expect, it } from "vitest"
import { evmPayTo } from "./Server.ts"
import { signatureOf } from "./chain/Calls.ts"
import type { RelayFaults } from "./chain/RelayFaults.ts"
import { SimulatedChain } from "./chain/SimulatedChain.ts"
import type { SignedTransaction } from "./chain/SignedTransaction.ts"
import { TransactionPool } from "./chain/TransactionPool.ts"
import { SeededRandom } from "./SeededRandom.ts"
import { Timeline } from "./Timeline.ts"

const startMillis = 1_795_219_200_000
const payer = `0x${"a".repeat(40)}`
const gwei = 1_000_000_000n

const calm: RelayFaults = {
  spikes: [],
  maxTransitMillis: 0,
  forgetChance: 0,
  oldVariantChance: 0,
  fundsWei: 10n ** 18n,
  refillMillis: Infinity,
  refillWei: 0n,
  secondLagMillis: undefined,
  changesMillis: []
}

const worldOf = (faults: Partial<RelayFaults> = {}) => {
  const timeline = new Timeline(startMillis, new SeededRandom(1))
  const random = new SeededRandom(2)
  const now = () => timeline.nowMillis
  const chain = new SimulatedChain(now, random)
  chain.token.mint(payer, 10n)
  const pool = new TransactionPool({
    chain,
    faults: { ...calm, ...faults },
    random,
    now,
    after: (millis, action) => void timeline.after(millis, action),
    onPublic: () => undefined,
    count: () => undefined,
    note: () => undefined
  })
  chain.onOrphaned = (transactions) => pool.readmit(transactions)
  const advance = (millis: number) => {
    const untilMillis = now() + millis
    for (let next = timeline.next(untilMillis); next !== undefined; next = timeline.next(untilMillis))
      next.action()
    timeline.nowMillis = untilMillis
  }
  return { advance, chain, pool, send: (sent: SignedTransaction) => pool.submit(sent, chain.latest) }
}

/** A transaction that moves one unit of the payer's tokens. */
const transactionOf = (nonce: number, feeGwei = 4n, change: Partial<SignedTransaction> = {}) => {
  const authorization = {
    from: payer,
    to: evmPayTo,
    value: "1",
    validAfter: "0",
    validBefore: String(startMillis),
    nonce: `0x${String(nonce).padStart(64, "0")}`
  }
  const call = {
    _tag: "transferWithAuthorization" as const,
    authorization,
    signature: signatureOf(authorization)
  }
  return {
    hash: `0x${nonce}${feeGwei}`,
    nonce,
    gas: 75_000n,
    maxFeePerGas: feeGwei * gwei,
    maxPriorityFeePerGas: feeGwei * gwei,
    calls: [{ sender: "0x1", call }],
    ...change
  }
}

it("mines transactions in the order of their numbers, and one behind a gap waits", () => {
  const { advance, chain, pool, send } = worldOf()
  send(transactionOf(1))
  advance(60_000)
  expect(pool.nonceAt(Infinity)).toBe(0)
  send(transactionOf(0))
  advance(2_000)
  expect(chain.signedUpTo(Infinity).map(({ signed }) => signed?.nonce)).toEqual([0, 1])
  expect(() => send(transactionOf(0, 9n))).toThrow("nonce too low")
})

it("replaces a transaction for at least a tenth more of both fees", () => {
  const spike = { fromMillis: startMillis, untilMillis: startMillis + 60_000, baseFeeWei: 10n * gwei }
  const { advance, chain, send } = worldOf({ spikes: [spike], changesMillis: [spike.untilMillis] })
  send(transactionOf(0, 10n, { maxFeePerGas: 9n * gwei, maxPriorityFeePerGas: 9n * gwei }))
  expect(() => send(transactionOf(0, 10n))).toThrow("already known")
  const little = { hash: "0x2", maxFeePerGas: (99n * gwei) / 10n, maxPriorityFeePerGas: 9n * gwei }
  expect(() => send(transactionOf(0, 0n, little))).toThrow("replacement transaction underpriced")
  advance(4_000)
  expect(chain.signedUpTo(Infinity)).toEqual([])
  send(transactionOf(0, 12n))
  advance(2_000)
  expect(chain.signedUpTo(Infinity).map(({ hash }) => hash)).toEqual([transactionOf(0, 12n).hash])
})

it("mines what is stuck once the fees fall", () => {
  const spike = { fromMillis: startMillis, untilMillis: startMillis + 60_000, baseFeeWei: 10n * gwei }
  const { advance, chain, send } = worldOf({ spikes: [spike], changesMillis: [spike.untilMillis] })
  send(transactionOf(0))
  advance(50_000)
  expect(chain.signedUpTo(Infinity)).toEqual([])
  advance(20_000)
  expect(chain.signedUpTo(Infinity)).toHaveLength(1)
})

it("counts what queued transactions may cost against the balance", () => {
  const { send } = worldOf({ fundsWei: 75_000n * 6n * gwei })
  send(transactionOf(0))
  expect(() => send(transactionOf(1))).toThrow("insufficient funds")
})

it("charges for a reverted transaction, which uses its number", () => {
  const { advance, chain, pool, send } = worldOf()
  send(transactionOf(0))
  send(transactionOf(1, 4n, { calls: transactionOf(0).calls }))
  advance(10_000)
  expect(chain.signedUpTo(Infinity).map(({ revertReason }) => revertReason)).toEqual([
    undefined,
    "authorization is used or canceled"
  ])
  expect(pool.nonceAt(chain.latest)).toBe(2)
  // 60,000 and 37,500 units of gas, at most for 4 gwei each.
  expect(pool.balanceAt(chain.latest)).toBe(calm.fundsWei - 97_500n * 4n * gwei)
})

it("mines a transaction of a lost block again", () => {
  const { advance, chain, pool, send } = worldOf()
  send(transactionOf(0))
  advance(4_000)
  chain.reorganize(5, () => [])
  expect(pool.nonceAt(Infinity)).toBe(0)
  advance(4_000)
  expect(pool.nonceAt(Infinity)).toBe(1)
  expect(chain.token.balanceOf(evmPayTo)).toBe(1n)
})
