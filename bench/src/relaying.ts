/*
 * The local facilitator on anvil, beside the official one of `@x402/evm`: settlements per second, the gas of each, and
 * verifications per second. Gas is read from the receipts. anvil mines each transaction as it arrives.
 */
import { localFacilitator, memorySettlementJournal } from "@till402/providers/facilitator"
import { type Chain, startChain, startFacilitator } from "@till402/sandbox"
import { type Hex, parseEther } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import type { Bench, Mode } from "./Bench.ts"
import { domain, types } from "./payments.ts"
import { median } from "./quantile.ts"

const concurrency = 64

interface Payment {
  readonly payload: Record<string, unknown>
  readonly requirements: Record<string, unknown>
}

/** Payments of as many payers to one shop, which has money already: the usual case. */
const makePayments = async (chain: Chain, payTo: Hex, count: number): Promise<ReadonlyArray<Payment>> => {
  const now = BigInt(Math.floor(Date.now() / 1000))
  const payments: Array<Payment> = []
  for (let index = 0; index < count; index++) {
    const payer = privateKeyToAccount(generatePrivateKey())
    await chain.mint(payer.address, 1_000_000n)
    const message = {
      from: payer.address,
      to: payTo,
      value: 10_000n,
      validAfter: now - 600n,
      validBefore: now + 3_000n,
      nonce: generatePrivateKey()
    }
    const signature = await payer.signTypedData({
      domain,
      types,
      primaryType: "TransferWithAuthorization",
      message
    })
    const requirements = {
      scheme: "exact",
      network: "eip155:84532",
      amount: "10000",
      asset: chain.usdc,
      payTo,
      maxTimeoutSeconds: 300,
      extra: { name: "USDC", version: "2" }
    }
    const authorization = {
      ...message,
      value: "10000",
      validAfter: message.validAfter.toString(),
      validBefore: message.validBefore.toString()
    }
    payments.push({
      payload: { x402Version: 2, accepted: requirements, payload: { signature, authorization } },
      requirements
    })
  }
  return payments
}

/** Runs a call for every item, so many at a time; returns the results and calls/s. */
const runAll = async <A, B>(items: ReadonlyArray<A>, call: (item: A) => Promise<B>) => {
  const results: Array<B> = []
  const queue = items.values()
  const started = performance.now()
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (const item of queue) results.push(await call(item))
    })
  )
  return { results, rate: (items.length / (performance.now() - started)) * 1_000 }
}

const relayOn = async (chain: Chain) => {
  const account = privateKeyToAccount(generatePrivateKey())
  await chain.client.setBalance({ address: account.address, value: parseEther("100") })
  return localFacilitator({
    account,
    networks: [{ network: "base-sepolia", rpcUrl: chain.rpcUrl }],
    journal: memorySettlementJournal(),
    pollMillis: 100
  })
}

interface Settler {
  readonly settle: (
    payload: Payment["payload"],
    requirements: Payment["requirements"]
  ) => Promise<{
    readonly success: boolean
    readonly transaction: string
    readonly errorReason?: string | undefined
  }>
}

interface Shop {
  readonly chain: Chain
  readonly payTo: Hex
  /** Payments of a round. */
  readonly count: number
  readonly rounds: number
}

const measureSettling = async (
  { chain, count, payTo, rounds }: Shop,
  open: () => Promise<Settler>
): Promise<{ readonly rate: number; readonly gas: number }> => {
  const rates: Array<number> = []
  let gas = 0
  for (let round = 0; round < rounds; round++) {
    const payments = await makePayments(chain, payTo, count)
    const settler = await open()
    const { rate, results } = await runAll(payments, ({ payload, requirements }) =>
      settler.settle(payload, requirements)
    )
    const refused = results.find(({ success }) => !success)
    if (refused !== undefined) throw new Error(`a payment wasn't settled: ${refused.errorReason}`)
    for (const hash of new Set(results.map(({ transaction }) => transaction))) {
      const receipt = await chain.client.getTransactionReceipt({ hash: `0x${hash.slice(2)}` })
      gas += Number(receipt.gasUsed)
    }
    rates.push(rate)
  }
  return { rate: median(rates), gas: gas / (rounds * count) }
}

type Official = Awaited<ReturnType<typeof startFacilitator>>["client"]

const compareSettling = async (bench: Bench, shop: Shop, official: Official): Promise<void> => {
  bench.section(`${shop.count} payments of as many payers, ${concurrency} at a time, beside @x402/evm`)
  const ours = await measureSettling(shop, async () => {
    const relay = await relayOn(shop.chain)
    return { settle: (payload, requirements) => relay.settle(payload, requirements, "bench") }
  })
  const theirs = await measureSettling(shop, async () => official)
  const unit = "calls/s"
  bench.compare({ name: "settled", unit, till402: ours.rate, official: theirs.rate })
  bench.compare({ name: "settled", unit: "gas", till402: ours.gas, official: theirs.gas })
}

const compareVerifying = async (
  bench: Bench,
  { chain, count, payTo, rounds }: Shop,
  official: Official
): Promise<void> => {
  const relay = await relayOn(chain)
  const payments = await makePayments(chain, payTo, count)
  const verify = [
    (payment: Payment) => relay.verify(payment.payload, payment.requirements),
    (payment: Payment) => official.verify(payment.payload, payment.requirements)
  ] as const
  const rates: [Array<number>, Array<number>] = [[], []]
  for (let round = 0; round <= rounds; round++)
    for (const side of [0, 1] as const) {
      const { rate, results } = await runAll(payments, verify[side])
      if (!results.every(({ isValid }) => isValid)) throw new Error("a payment was refused")
      // The first round warms up.
      if (round > 0) rates[side].push(rate)
    }
  bench.compare({
    name: "verified",
    unit: "calls/s",
    till402: median(rates[0]),
    official: median(rates[1])
  })
}

const run = async (bench: Bench): Promise<void> => {
  const chain = await startChain()
  try {
    const payTo = privateKeyToAccount(generatePrivateKey()).address
    await chain.mint(payTo, 1n)
    const official = await startFacilitator({ chain })
    const size = bench.settings.brief ? { count: 8, rounds: 1 } : { count: 192, rounds: 3 }
    const shop: Shop = { chain, payTo, ...size }
    await compareSettling(bench, shop, official.client)
    await compareVerifying(bench, shop, official.client)
    await official.stop()
  } finally {
    await chain.stop()
  }
}

export const mode: Mode = {
  facts: {
    storage: "the journal is in memory; a journal on the disk is slower",
    library: "signatures are checked on the chain",
    verified: "every payment is simulated before it is sent"
  },
  run
}
