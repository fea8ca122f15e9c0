import type { FetchOptions, LocalFacilitatorSettings } from "@till402/providers/facilitator"
import type { Chain } from "@till402/sandbox"
import { parseGwei } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { expect } from "vitest"
import { placeWallet, walletPayment } from "./contractWallets.ts"
import { paymentOf, signedPayment, startRelay, submit } from "./relayers.ts"

/*
 * Runs of a local facilitator that settles in batches, on a chain with Multicall3.
 */

export const batch = { maxItems: 16, maxWaitMillis: 400 }

export type BatchChange = Partial<LocalFacilitatorSettings & FetchOptions>

export const startBatches = (chain: Chain, change: BatchChange = {}) =>
  startRelay(chain, { batch, ...change })

export type Relay = Awaited<ReturnType<typeof startRelay>>

export interface SettledPayment {
  readonly payload: unknown
  readonly requirements: unknown
}

export const somePayments = (chain: Chain, count: number) =>
  Promise.all(Array.from({ length: count }, () => signedPayment(chain)))

export const settleAll = ({ facilitator }: Relay, payments: ReadonlyArray<SettledPayment>) =>
  Promise.all(payments.map(({ payload, requirements }) => facilitator.settle(payload, requirements)))

export const failuresIn = (results: ReadonlyArray<{ readonly success: boolean }>) =>
  results.filter(({ success }) => !success)

/** Settles a batch whose first payer gets code that uses up all gas, after the record. */
const burn = async (chain: Chain, relay: Relay, honest: ReadonlyArray<SettledPayment>) => {
  const eater = await signedPayment(chain)
  const before = relay.journal.records().length
  await chain.client.setAutomine(false)
  const first = settleAll(relay, [eater])
  await new Promise((resolve) => setTimeout(resolve, 150))
  const others = settleAll(relay, honest)
  // A slow machine may replace the transaction meanwhile, with more records.
  await expect.poll(() => relay.journal.records().length).toBeGreaterThanOrEqual(before + 1 + honest.length)
  await chain.client.setCode({ address: eater.payer.address, bytecode: "0xfe" })
  await chain.client.setAutomine(true)
  await chain.client.mine({ blocks: 2 })
  return [...(await first), ...(await others)]
}

/** Tries to burn batch after batch, beside a payer who has paid before and others. */
export const burnBatches = async (
  chain: Chain,
  { honest: count, rounds }: { readonly rounds: number; readonly honest: number }
): Promise<void> => {
  // A batch takes more than a third of what all strangers may burn at once, and the gas of two settlements is one payer's limit.
  const relay = await startBatches(chain, {
    maxRevertedGasOfStrangers: 4_000_000n,
    maxRevertedGasPerPayer: 220_000n,
    replaceAfterMillis: 5_000
  })
  const { payer: loyal } = await signedPayment(chain, { value: 1n })
  const all: Array<Awaited<ReturnType<typeof signedPayment>>> = []
  for (let round = 0; round < rounds; round++) {
    const honest = await Promise.all([signedPayment(chain, {}, loyal), ...(await somePayments(chain, count))])
    all.push(...honest)
    const failed = failuresIn(await burn(chain, relay, honest)).length
    if (round === 0) expect(failed).toBeGreaterThan(1)
    // Alone from now on: nobody's code uses up the gas of another.
    else expect(failed).toBe(1)
    expect(failuresIn(await settleAll(relay, honest))).toEqual([])
  }
  for (const { terms } of all) expect(await chain.balanceOf(terms.to)).toBe(terms.value)
  const batches = relay.journal.records().filter(({ item }) => item > 0)
  expect(new Set(batches.map(({ nonce }) => nonce)).size).toBe(1)
}

const kinds = ["good", "poor", "forged", "used", "wallet", "again"] as const

/** A generator of numbers that repeats with its seed. */
const numbersOf = (seed: number) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
  return seed
}

const madeOf = async (chain: Chain, kind: (typeof kinds)[number]) => {
  if (kind === "wallet") return walletPayment(chain, await placeWallet(chain))
  const payment = await signedPayment(chain, kind === "poor" ? { value: 2_000_000n } : {})
  if (kind === "used") await submit(chain, payment.terms, payment.signature, parseGwei("1"))
  if (kind !== "forged") return payment
  const other = privateKeyToAccount(generatePrivateKey())
  return { ...payment, ...paymentOf(chain, payment.terms, await other.signMessage({ message: "forged" })) }
}

/** Settles good and bad payments, as a seed chooses them: exactly the good ones move, each once. */
export const settleComposition = async (chain: Chain, seed: number): Promise<void> => {
  const next = numbersOf(seed)
  const relay = await startBatches(chain, { batch: { maxItems: 2 + (next() % 7), maxWaitMillis: 150 } })
  const chosen = Array.from({ length: 14 }, () => kinds[(next() >> 8) % kinds.length] ?? "good")
  const payments = []
  for (const kind of chosen) payments.push({ kind, ...(await madeOf(chain, kind)) })
  // Some are presented twice at once.
  const repeated = payments.filter(({ kind }) => kind === "again")
  const results = await settleAll(relay, [...payments, ...repeated])
  const isGood = (kind: string) => kind === "good" || kind === "wallet" || kind === "again"
  expect(results.map(({ success }) => success)).toEqual(
    [...payments, ...repeated].map(({ kind }) => isGood(kind))
  )
  for (const { kind, terms } of payments) {
    expect(await chain.balanceOf(terms.to)).toBe(isGood(kind) || kind === "used" ? terms.value : 0n)
  }
  const records = relay.journal.records()
  expect(new Set(records.map(({ key }) => key)).size).toBe(records.length)
  expect(records).toHaveLength(payments.filter(({ kind }) => isGood(kind)).length)
}
