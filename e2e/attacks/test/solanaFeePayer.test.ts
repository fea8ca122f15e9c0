import {
  AccountRole,
  address,
  type Address,
  type Instruction,
  type KeyPairSigner,
  signBytes
} from "@solana/kit"
import { memoryTransferJournal, solanaFacilitator } from "@till402/providers/solana-facilitator"
import {
  type LocalSolanaFacilitator,
  type SolanaChain,
  startSolanaChain,
  startSolanaFacilitator
} from "@till402/sandbox/solana"
import { afterAll, beforeAll, expect, vi } from "vitest"
import { attack } from "../src/attack.ts"
import { type ComposedTransfer, composePayment } from "../src/SolanaPayments.ts"
import { openSolanaSigner, rules, solanaSigner } from "../src/SolanaSigner.ts"

/*
 * Attacks on the account that pays the fees of payments on Solana, of a facilitator alone: no till is in front of it.
 */

let chain: SolanaChain
let official: LocalSolanaFacilitator
beforeAll(async () => {
  chain = await startSolanaChain({ slotMillis: 0 })
  official = await startSolanaFacilitator({ chain })
})
afterAll(async () => {
  await official.stop()
  await chain.stop()
})

const officialFacilitator = "the official facilitator"
const windowedSigner = "a signer with a limit of failures within an hour"
const amount = 10_000n
const signatures = 10_000n
let wallets = 700
/** No two payments are the same message. */
let units = 20_000

const newWallet = async (balance: bigint): Promise<KeyPairSigner> => {
  const wallet = await chain.wallets(++wallets)
  await chain.mint(wallet.address, balance)
  return wallet
}

/** A payee, a fee payer with SOL, and payments between them. */
const openScene = async () => {
  const [payee, feePayer] = [await newWallet(0n), await newWallet(0n)]
  chain.airdrop(feePayer.address)
  const requirements = (payer: string) => ({
    scheme: "exact",
    network: chain.caip2,
    amount: String(amount),
    asset: chain.usdc.mint,
    payTo: payee.address,
    maxTimeoutSeconds: 60,
    extra: { feePayer: payer }
  })
  const pay = async (payer: KeyPairSigner, by: Address, change: Partial<ComposedTransfer> = {}) => {
    const transaction = await composePayment(chain, {
      payer,
      feePayer: by,
      amount,
      source: await chain.tokenAccountOf(payer.address),
      destination: await chain.tokenAccountOf(payee.address),
      mint: chain.usdc.mint,
      units: ++units,
      ...change
    })
    const accepted = requirements(by)
    return {
      transaction,
      requirements: accepted,
      payload: { x402Version: 2, accepted, payload: { transaction } }
    }
  }
  return { feePayer, pay, received: () => chain.balanceOf(payee.address) }
}

type Scene = Awaited<ReturnType<typeof openScene>>

const lamportsOf = async (owner: string): Promise<bigint> => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getBalance", params: [owner] })
  const response = await fetch(chain.rpcUrl, { method: "POST", body })
  const { result } = (await response.json()) as { readonly result: { readonly value: number } }
  return BigInt(result.value)
}

/** Signs what the rules allow and submits it, without looking at what becomes of it. */
const openNaive = ({ feePayer }: Scene) =>
  openSolanaSigner({ chain, feePayer, accepts: (payment) => rules.amount(payment, amount) })

type Options = Partial<Parameters<typeof solanaFacilitator>[0]>

/** Our facilitator. `beforeSending` runs when a settlement is about to be sent: its node has just checked it. */
const openOurs = (
  { feePayer }: Scene,
  options: Options = {},
  beforeSending: () => Promise<void> = async () => undefined
) => {
  const journal = memoryTransferJournal()
  const facilitator = solanaFacilitator({
    feePayer: {
      address: feePayer.address,
      sign: (message) => signBytes(feePayer.keyPair.privateKey, message)
    },
    rpcUrl: chain.rpcUrl,
    network: "solana-devnet",
    journal,
    pollMillis: 5,
    confirmTimeoutMillis: 200,
    ...options,
    fetch: async (input, init) => {
      const body = await new Response(init?.body).text()
      if (!body.includes("sendTransaction")) return fetch(input, { ...init, body })
      await beforeSending()
      const checked = body.replace('"preflightCommitment":"processed"', '"skipPreflight":true')
      return fetch(input, { ...init, body: checked })
    }
  })
  return { journal, facilitator }
}

/** Moves all money of a wallet to a new one, which pays no fee of the attacked account. */
const hop = async (from: KeyPairSigner): Promise<KeyPairSigner> => {
  const [to, mover] = [await newWallet(0n), await newWallet(0n)]
  chain.airdrop(mover.address)
  const balance = await chain.balanceOf(from.address)
  const moving = await composePayment(chain, {
    payer: from,
    feePayer: mover.address,
    amount: balance,
    source: await chain.tokenAccountOf(from.address),
    destination: await chain.tokenAccountOf(to.address),
    mint: chain.usdc.mint
  })
  await openSolanaSigner({ chain, feePayer: mover, accepts: () => true }).present(moving)
  expect(await chain.balanceOf(to.address)).toBe(balance)
  return to
}

const memo = (feePayer: Address): Instruction => ({
  programAddress: address("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"),
  accounts: [{ address: feePayer, role: AccountRole.WRITABLE_SIGNER }],
  data: Buffer.from("the facilitator has signed this")
})

/** Each attack by a payer who has never paid here, and by one who has. */
const payers = [false, true]

const openPayer = async (
  { pay, feePayer }: Scene,
  { facilitator }: ReturnType<typeof openOurs>,
  hasPaid: boolean,
  balance: bigint
) => {
  const payer = await newWallet(hasPaid ? balance + amount : balance)
  if (hasPaid) {
    const { payload, requirements } = await pay(payer, feePayer.address)
    expect(await facilitator.settle(payload, requirements)).toMatchObject({ success: true })
  }
  return payer
}

attack("a payment on Solana that passes the fee payer's signature to a memo", {
  on: officialFacilitator,
  lands: async () => {
    const { pay, received } = await openScene()
    const feePayer = address(official.feePayer)
    const { payload, requirements } = await pay(await newWallet(amount), feePayer, { more: [memo(feePayer)] })
    expect(await official.client.settle(payload, requirements)).toMatchObject({ success: true })
    expect(await received()).toBe(amount)
  },
  fails: async () => {
    for (const hasPaid of payers) {
      const scene = await openScene()
      const { feePayer, pay, received } = scene
      const ours = openOurs(scene)
      const payer = await openPayer(scene, ours, hasPaid, amount)
      const before = await received()
      const more = [memo(feePayer.address)]
      const { payload, requirements } = await pay(payer, feePayer.address, { more })
      const reason = "invalid_exact_svm_payload_transaction_fee_payer_transferring_funds"
      expect(await ours.facilitator.verify(payload, requirements)).toMatchObject({ invalidReason: reason })
      expect(await ours.facilitator.settle(payload, requirements)).toMatchObject({
        success: false,
        errorReason: reason,
        transaction: ""
      })
      expect(ours.journal.attempts()).toHaveLength(hasPaid ? 1 : 0)
      expect(await received()).toBe(before)
    }
  }
})

const costly = { units: 200_000, unitPrice: 1_000_000n }

attack("a payment on Solana whose fee is above its price", {
  on: officialFacilitator,
  lands: async () => {
    const { pay } = await openScene()
    const before = await lamportsOf(official.feePayer)
    const { payload, requirements } = await pay(await newWallet(amount), address(official.feePayer), costly)
    expect(await official.client.settle(payload, requirements)).toMatchObject({ success: true })
    expect(before - (await lamportsOf(official.feePayer))).toBe(210_000n)
  },
  fails: async () => {
    for (const hasPaid of payers) {
      const scene = await openScene()
      const { feePayer, pay } = scene
      const ours = openOurs(scene)
      const payer = await openPayer(scene, ours, hasPaid, 2n * amount)
      const before = await lamportsOf(feePayer.address)
      const { payload, requirements } = await pay(payer, feePayer.address, costly)
      expect(await ours.facilitator.verify(payload, requirements)).toMatchObject({ isValid: false })
      expect(await ours.facilitator.settle(payload, requirements)).toMatchObject({ transaction: "" })
      expect(await lamportsOf(feePayer.address)).toBe(before)
      // The same fee in other factors, up to the limit.
      const dear = await pay(payer, feePayer.address, { units: 1_000_000, unitPrice: 10_000n })
      expect(await ours.facilitator.settle(dear.payload, dear.requirements)).toMatchObject({ success: true })
      expect(before - (await lamportsOf(feePayer.address))).toBe(signatures + 10_000n)
    }
  }
})

const hops = 12
/** Two failures, of one lamport of priority fee each: a third would exceed what strangers get at once, and payers. */
const failedFees = 25_000

attack("one sum on Solana that leaves before each settlement, from wallet to wallet", {
  on: solanaSigner,
  lands: async () => {
    const scene = await openScene()
    const naive = openNaive(scene)
    let payer = await newWallet(amount)
    const before = await lamportsOf(scene.feePayer.address)
    for (let count = 0; count < hops; count++) {
      const { transaction } = await scene.pay(payer, scene.feePayer.address)
      payer = await hop(payer)
      await naive.present(transaction)
    }
    expect(before - (await lamportsOf(scene.feePayer.address))).toBe(BigInt(hops) * (signatures + 1n))
    expect(await scene.received()).toBe(0n)
  },
  fails: async () => {
    for (const hasPaid of payers) {
      const scene = await openScene()
      let payer: KeyPairSigner | undefined
      const limits = { maxFailedFeesOfStrangers: 2 * failedFees, maxFailedFeesPerPayer: failedFees }
      const ours = openOurs(scene, limits, async () => {
        if (payer !== undefined) payer = await hop(payer)
      })
      const customer = await openPayer(scene, ours, true, amount)
      const knownAttacker = await openPayer(scene, ours, true, amount)
      const received = await scene.received()
      const before = await lamportsOf(scene.feePayer.address)
      payer = hasPaid ? knownAttacker : await newWallet(amount)
      for (let count = 0; count < hops; count++) {
        const { payload, requirements } = await scene.pay(payer, scene.feePayer.address)
        expect(await ours.facilitator.settle(payload, requirements)).toMatchObject({ success: false })
        // One who has paid comes back to the known wallet.
        if (hasPaid) await chain.mint(knownAttacker.address, amount)
        if (hasPaid) payer = knownAttacker
      }
      expect(before - (await lamportsOf(scene.feePayer.address))).toBe(2n * (signatures + 1n))
      expect(await scene.received()).toBe(received)
      payer = undefined
      const { payload, requirements } = await scene.pay(customer, scene.feePayer.address)
      expect(await ours.facilitator.settle(payload, requirements)).toMatchObject({ success: true })
    }
  }
})

/** Settles a payment as if some minutes had passed, and returns why it wasn't settled. */
const refusalAfter = async (
  minutes: number,
  { facilitator }: { readonly facilitator: ReturnType<typeof solanaFacilitator> },
  { payload, requirements }: Awaited<ReturnType<Scene["pay"]>>
) => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + minutes * 60_000 })
  try {
    return (await facilitator.settle(payload, requirements)).errorReason
  } finally {
    vi.useRealTimers()
  }
}

attack("failed payments of strangers on Solana, until no new payer is settled", {
  on: windowedSigner,
  lands: async () => {
    const scene = await openScene()
    // Refuses strangers while the failures of the last hour make up the limit.
    const failedAt: Array<number> = []
    const isOpen = () => failedAt.filter((at) => Date.now() - at < 3_600_000).length < 2
    const naive = openNaive(scene)
    let payer = await newWallet(amount)
    while (isOpen()) {
      const { transaction } = await scene.pay(payer, scene.feePayer.address)
      payer = await hop(payer)
      await naive.present(transaction)
      failedAt.push(Date.now())
    }
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 59 * 60_000 })
    expect(isOpen()).toBe(false)
    vi.useRealTimers()
  },
  fails: async () => {
    const scene = await openScene()
    let payer: KeyPairSigner | undefined
    const ours = openOurs(scene, { maxFailedFeesOfStrangers: 2 * failedFees }, async () => {
      if (payer !== undefined) payer = await hop(payer)
    })
    payer = await newWallet(amount)
    const before = await lamportsOf(scene.feePayer.address)
    for (let count = 0; count < hops; count++) {
      const { payload, requirements } = await scene.pay(payer, scene.feePayer.address)
      await ours.facilitator.settle(payload, requirements)
    }
    expect(before - (await lamportsOf(scene.feePayer.address))).toBe(2n * (signatures + 1n))
    payer = undefined
    const pay = async () => scene.pay(await newWallet(amount), scene.feePayer.address)
    expect(await refusalAfter(0, ours, await pay())).toBe("reverts_above_limit")
    // A fee refills in 24 minutes, with these limits: that of the defaults in less than three.
    expect(await refusalAfter(20, ours, await pay())).toBeUndefined()
  }
})

attack("many payments on Solana at once from an account with the money for one", {
  on: solanaSigner,
  lands: async () => {
    const scene = await openScene()
    const naive = openNaive(scene)
    const payer = await newWallet(amount)
    const before = await lamportsOf(scene.feePayer.address)
    for (let count = 0; count < 20; count++) {
      const { transaction } = await scene.pay(payer, scene.feePayer.address)
      await naive.present(transaction)
    }
    // Nineteen of them for nothing.
    expect(before - (await lamportsOf(scene.feePayer.address))).toBe(20n * (signatures + 1n))
    expect(await scene.received()).toBe(amount)
  },
  fails: async () => {
    for (const hasPaid of payers) {
      const scene = await openScene()
      const ours = openOurs(scene, { confirmTimeoutMillis: 10_000 })
      const payer = await openPayer(scene, ours, hasPaid, amount)
      const before = await lamportsOf(scene.feePayer.address)
      const payments = await Promise.all(
        Array.from({ length: 20 }, () => scene.pay(payer, scene.feePayer.address))
      )
      const results = await Promise.all(
        payments.map(({ payload, requirements }) => ours.facilitator.settle(payload, requirements))
      )
      expect(results.filter(({ success }) => success)).toHaveLength(1)
      expect(before - (await lamportsOf(scene.feePayer.address))).toBe(signatures + 1n)
    }
  }
})
