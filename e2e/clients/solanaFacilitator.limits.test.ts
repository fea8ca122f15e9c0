import { address as toAddress, generateKeyPairSigner, type KeyPairSigner } from "@solana/kit"
import { memoryTransferJournal } from "@till402/providers/solana-facilitator"
import { startSolanaChain, type SolanaChain } from "@till402/sandbox/solana"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import {
  facilitatorOn,
  feePayerSigner,
  type MadePayment,
  payerOn,
  payPriced,
  payV2,
  settled
} from "./solanaPayments.ts"

/*
 * What payers can cost the fee payer of a local facilitator on Solana.
 */

let chain: SolanaChain
let feePayer: string
beforeAll(async () => {
  chain = await startSolanaChain({ slotMillis: 0 })
  const signer = await feePayerSigner()
  feePayer = signer.address
})
afterAll(() => chain?.stop())

let payTo: string
let received: () => Promise<bigint>
beforeEach(async () => {
  chain.dropTransactions(false)
  chain.airdrop(toAddress(feePayer))
  const payee = await generateKeyPairSigner()
  await chain.mint(payee.address, 0n)
  payTo = payee.address
  received = () => chain.balanceOf(payee.address)
})

const pay = (payer: KeyPairSigner) => payV2(chain, payer, { payTo, feePayer })

/** What the fee payer has, in lamports. */
const lamports = async (): Promise<bigint> => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getBalance", params: [feePayer] })
  const response = await fetch(chain.rpcUrl, { method: "POST", body })
  const { result } = (await response.json()) as { readonly result: { readonly value: number } }
  return BigInt(result.value)
}

/** Moves all money of a payer to a new wallet. */
const hop = async (payer: KeyPairSigner): Promise<KeyPairSigner> => {
  const next = await generateKeyPairSigner()
  await chain.mint(next.address, 0n)
  const amount = await chain.balanceOf(payer.address)
  const moving = await payV2(chain, payer, { payTo: next.address, feePayer, amount })
  // One attempt: it runs within another settlement, whose test may end before it.
  const mover = await facilitatorOn(chain.rpcUrl, { confirmTimeoutMillis: 30_000 })
  expect(await mover.settle(moving.payload, moving.requirements)).toMatchObject({ success: true })
  return next
}

type Options = Parameters<typeof facilitatorOn>[1]

/**
 * A facilitator whose payers move first: `beforeSending` runs when a settlement is about to be sent, after the node has
 * checked it, or before.
 */
const facilitatorAgainst = (
  beforeSending: () => Promise<void>,
  { isChecked = true, ...options }: Options & { readonly isChecked?: boolean } = {}
) => {
  const sendingFetch: typeof fetch = async (input, init) => {
    const body = await new Response(init?.body).text()
    if (!body.includes("sendTransaction")) return fetch(input, { ...init, body })
    await beforeSending()
    const sent = isChecked ? body.replace('"preflightCommitment":"processed"', '"skipPreflight":true') : body
    return fetch(input, { ...init, body: sent })
  }
  return facilitatorOn(chain.rpcUrl, { ...options, fetch: sendingFetch })
}

describe("the fee of a settlement", () => {
  it("is at most the signatures and 10,000 lamports, unless the host allows more", async () => {
    const journal = memoryTransferJournal()
    const facilitator = await facilitatorOn(chain.rpcUrl, { journal })
    const payer = await payerOn(chain)
    const most = await payPriced(chain, payer, { payTo, feePayer }, 500_000n)
    const before = await lamports()
    expect(await facilitator.verify(most.payload, most.requirements)).toMatchObject({ isValid: true })
    await settled(facilitator, most)
    expect(before - (await lamports())).toBe(20_000n)

    const { payload, requirements } = await payPriced(chain, payer, { payTo, feePayer }, 500_001n)
    const reason = expect.stringMatching(/compute_price_instruction_too_high$/)
    expect(await facilitator.verify(payload, requirements)).toMatchObject({ invalidReason: reason })
    expect(await facilitator.settle(payload, requirements)).toMatchObject({
      success: false,
      errorReason: reason,
      transaction: ""
    })
    expect(journal.attempts()).toHaveLength(1)
    const generous = await facilitatorOn(chain.rpcUrl, { maxPriorityFeeLamports: 10_001 })
    await settled(generous, { payload, requirements })
  })
})

describe("one sum that hops between wallets, before each settlement", () => {
  it("costs as many fees as the limit of strangers has, and known payers are served", async () => {
    let payer = await payerOn(chain)
    let isHopping = false
    const facilitator = await facilitatorAgainst(
      async () => {
        if (isHopping) payer = await hop(payer)
      },
      { maxFailedFeesOfStrangers: 90_000 }
    )
    const settle = ({ payload, requirements }: MadePayment) => facilitator.settle(payload, requirements)
    const customer = await payerOn(chain)
    await settled(facilitator, await pay(customer))

    isHopping = true
    const reasons: Array<string | undefined> = []
    for (let count = 0; count < 6; count++) {
      const payment = await pay(payer)
      const { errorReason, success } = await settle(payment)
      expect(success).toBe(false)
      reasons.push(errorReason)
    }
    const refused = reasons.filter((reason) => reason === "reverts_above_limit")
    expect(refused).toHaveLength(2)
    isHopping = false
    const next = await pay(payer)
    expect(await facilitator.verify(next.payload, next.requirements)).toMatchObject({
      invalidReason: "reverts_above_limit"
    })
    await settled(facilitator, await pay(customer))
    expect(await received()).toBe(20_000n)
  })

  it("costs as many fees as the limit of a payer has, if the payer has paid before", async () => {
    const payer = await payerOn(chain)
    let isMoving = false
    let spare: KeyPairSigner | undefined
    const facilitator = await facilitatorAgainst(
      async () => {
        if (isMoving) spare = await hop(payer)
      },
      { maxFailedFeesPerPayer: 25_000 }
    )
    const settle = ({ payload, requirements }: MadePayment) => facilitator.settle(payload, requirements)
    await settled(facilitator, await pay(payer))
    isMoving = true
    for (let count = 0; count < 2; count++) {
      expect(await settle(await pay(payer))).toMatchObject({ success: false })
      await chain.mint(payer.address, 50_000n)
    }
    expect(spare).toBeDefined()
    isMoving = false
    const payment = await pay(payer)
    expect(await settle(payment)).toMatchObject({ errorReason: "payer_reverts_above_limit", transaction: "" })
    await settled(facilitator, await pay(await payerOn(chain)))
  })

  it("costs nothing where the sum leaves before the node's last check, after which it can still pay", async () => {
    const payer = await payerOn(chain)
    let holder: KeyPairSigner | undefined
    const facilitator = await facilitatorAgainst(
      async () => {
        holder ??= await hop(payer)
      },
      { isChecked: false }
    )
    const { payload, requirements } = await pay(payer)
    const before = await lamports()
    expect(await facilitator.settle(payload, requirements)).toMatchObject({
      errorReason: "settlement_pending"
    })
    expect(holder).toBeDefined()
    // One settlement: that of the hop.
    expect(before - (await lamports())).toBe(10_001n)
    await chain.mint(payer.address, 10_000n)
    await settled(facilitator, { payload, requirements })
  })

  it("counts a failure once, however often it is presented", async () => {
    let payer = await payerOn(chain)
    const failing = payer
    const facilitator = await facilitatorAgainst(
      async () => {
        if (payer === failing) payer = await hop(payer)
      },
      { maxFailedFeesOfStrangers: 50_000 }
    )
    const { payload, requirements } = await pay(payer)
    for (let count = 0; count < 5; count++)
      expect(await facilitator.settle(payload, requirements)).toMatchObject({ success: false })
    const next = await pay(payer)
    await settled(facilitator, next)
  })
})

describe("eight payments with money for one", () => {
  it.each([
    ["a new payer", false],
    ["a payer who has paid before", true]
  ])("cost a single transaction, by %s", async (_, isKnown) => {
    const journal = memoryTransferJournal()
    const facilitator = await facilitatorOn(chain.rpcUrl, { journal, confirmTimeoutMillis: 10_000 })
    const payer = await payerOn(chain, isKnown ? 20_000n : 10_000n)
    const settle = ({ payload, requirements }: MadePayment) => facilitator.settle(payload, requirements)
    if (isKnown) await settled(facilitator, await pay(payer))
    const recorded = journal.attempts().length
    const payments = await Promise.all(Array.from({ length: 8 }, () => pay(payer)))
    const results = await Promise.all(payments.map(settle))
    expect(results.filter(({ success }) => success)).toHaveLength(1)
    expect(new Set(results.filter(({ success }) => !success).map(({ errorReason }) => errorReason))).toEqual(
      new Set(["insufficient_funds"])
    )
    expect(journal.attempts()).toHaveLength(recorded + 1)
  })

  it("are open, not refused, while one is: it may still fail", async () => {
    const journal = memoryTransferJournal()
    const facilitator = await facilitatorOn(chain.rpcUrl, { journal })
    const payer = await payerOn(chain, 10_000n)
    const [first, second] = [await pay(payer), await pay(payer)]
    chain.dropTransactions(true)
    expect(await facilitator.settle(first.payload, first.requirements)).toMatchObject({
      errorReason: "settlement_pending"
    })
    expect(await facilitator.verify(first.payload, first.requirements)).toMatchObject({ isValid: true })
    expect(await facilitator.verify(second.payload, second.requirements)).toMatchObject({
      isValid: false,
      invalidReason: "insufficient_funds"
    })
    expect(await facilitator.settle(second.payload, second.requirements)).toMatchObject({
      errorReason: "payer_settlements_open",
      transaction: ""
    })
    expect(journal.attempts()).toHaveLength(1)
    chain.dropTransactions(false)
    await settled(facilitator, first)
    await chain.mint(payer.address, 10_000n)
    await settled(facilitator, second)
  })

  it("don't wait for one that has expired", async () => {
    const facilitator = await facilitatorOn(chain.rpcUrl)
    const payer = await payerOn(chain, 10_000n)
    const first = await pay(payer)
    chain.dropTransactions(true)
    await facilitator.settle(first.payload, first.requirements)
    chain.advance(300)
    expect(await facilitator.settle(first.payload, first.requirements)).toMatchObject({
      errorReason: "transaction_expired"
    })
    chain.dropTransactions(false)
    const second = await pay(payer)
    await settled(facilitator, second)
  })
})
