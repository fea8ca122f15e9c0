/*
 * The local facilitator on anvil: settlements per second and gas of each, one by one and in batches, and verifications
 * per second beside the official facilitator of `@x402/evm`. Gas is read from the receipts. anvil mines each transaction
 * as it arrives, and the journal is in memory.
 *
 *   npm run bench -- relaying
 */
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import {
  localFacilitator,
  type LocalFacilitatorSettings,
  memorySettlementJournal
} from "@till402/providers/facilitator"
import { type Chain, startChain, startFacilitator } from "@till402/sandbox"
import { type Hex, parseEther } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { domain, types } from "./payments.ts"

const count = 192
const concurrency = 64
const rounds = 3
const multicall3 = "0xcA11bde05977b3631167028862bE2a173976CA11"

const placeMulticall = async ({ client }: Chain): Promise<void> => {
  // viem ships the contract's creation code and doesn't export it.
  const require = createRequire(import.meta.url)
  const constants = join(dirname(require.resolve("viem")), "constants/contracts.js")
  const { data } = await client.call({ data: require(constants).multicall3Bytecode })
  if (data === undefined) throw new Error("Multicall3 has no code")
  await client.setCode({ address: multicall3, bytecode: data })
}

interface Payment {
  readonly payload: Record<string, unknown>
  readonly requirements: Record<string, unknown>
}

/** Payments of as many payers to one shop, which has money already: the usual case. */
const makePayments = async (chain: Chain, payTo: Hex): Promise<ReadonlyArray<Payment>> => {
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

/** Runs a call for every item, so many at a time; returns the results and calls per second. */
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

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0

const relayOn = async (chain: Chain, batch: LocalFacilitatorSettings["batch"]) => {
  const account = privateKeyToAccount(generatePrivateKey())
  await chain.client.setBalance({ address: account.address, value: parseEther("100") })
  return localFacilitator({
    account,
    networks: [{ network: "base-sepolia", rpcUrl: chain.rpcUrl }],
    journal: memorySettlementJournal(),
    pollMillis: 100,
    batch
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

const measureSettling = async (chain: Chain, payTo: Hex, open: () => Promise<Settler>) => {
  const rates: Array<number> = []
  let gas = 0
  let transactions = 0
  for (let round = 0; round < rounds; round++) {
    const payments = await makePayments(chain, payTo)
    const settler = await open()
    const { rate, results } = await runAll(payments, ({ payload, requirements }) =>
      settler.settle(payload, requirements)
    )
    const refused = results.find(({ success }) => !success)
    if (refused !== undefined) throw new Error(`a payment wasn't settled: ${refused.errorReason}`)
    const hashes = new Set(results.map(({ transaction }) => transaction))
    for (const hash of hashes) {
      const receipt = await chain.client.getTransactionReceipt({ hash: `0x${hash.slice(2)}` })
      gas += Number(receipt.gasUsed)
    }
    transactions += hashes.size
    rates.push(rate)
  }
  return { rate: median(rates), gas: gas / (rounds * count), transactions: transactions / rounds }
}

const chain = await startChain()
try {
  await placeMulticall(chain)
  const payTo = privateKeyToAccount(generatePrivateKey()).address
  await chain.mint(payTo, 1n)
  console.log(`${count} payments of as many payers, ${concurrency} at a time, median of ${rounds} rounds`)
  console.log(`Node ${process.version}, anvil\n`)
  console.log(
    `${"settling".padEnd(36)}${"per second".padStart(12)}${"gas of each".padStart(14)}${"transactions".padStart(14)}`
  )
  const settlers: ReadonlyArray<readonly [string, LocalFacilitatorSettings["batch"]]> = [
    ["one by one", undefined],
    ["batches of up to 4", { maxItems: 4 }],
    ["batches of up to 16", { maxItems: 16 }],
    ["batches of up to 64", { maxItems: 64 }]
  ]
  const official = await startFacilitator({ chain })
  const print = async (name: string, open: () => Promise<Settler>) => {
    const { gas, rate, transactions } = await measureSettling(chain, payTo, open)
    const cells = [
      rate.toFixed(0).padStart(12),
      gas.toFixed(0).padStart(14),
      transactions.toFixed(0).padStart(14)
    ]
    console.log(`${name.padEnd(36)}${cells.join("")}`)
  }
  for (const [name, batch] of settlers) {
    const open = async (): Promise<Settler> => {
      const relay = await relayOn(chain, batch)
      return { settle: (payload, requirements) => relay.settle(payload, requirements, "bench") }
    }
    await print(name, open)
  }
  await print("@x402/evm", async () => official.client)

  const ours = await relayOn(chain, undefined)
  const payments = await makePayments(chain, payTo)
  const verify = {
    "local facilitator": (payment: Payment) => ours.verify(payment.payload, payment.requirements),
    "@x402/evm": (payment: Payment) => official.client.verify(payment.payload, payment.requirements)
  }
  console.log(`\n${"verifying".padEnd(36)}${"per second".padStart(12)}`)
  for (const [name, call] of Object.entries(verify)) {
    const rates: Array<number> = []
    for (let round = 0; round <= rounds; round++) {
      const { rate, results } = await runAll(payments, call)
      if (!results.every(({ isValid }) => isValid)) throw new Error(`${name} refused a payment`)
      // The first round warms up.
      if (round > 0) rates.push(rate)
    }
    console.log(`${name.padEnd(36)}${median(rates).toFixed(0).padStart(12)}`)
  }
  await official.stop()
} finally {
  await chain.stop()
}
