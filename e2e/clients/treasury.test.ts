import { evmTreasury, memoryPaymentJournal, type PaymentJournal } from "@till402/providers/treasury"
import { type Chain, startChain } from "@till402/sandbox"
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import { parseEther, parseGwei, parseTransaction } from "viem"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { crossmintPayee } from "../../packages/providers/test/treasury/fakeNode.ts"
import { payment, rejectionOf } from "../../packages/providers/test/treasury/treasuries.ts"

/*
 * Payments that stay underpriced on a real chain whose base fee rises.
 */

const amount = 97_350_000n
let chain: Chain
beforeAll(async () => {
  chain = await startChain({ blockSeconds: 0 })
})
afterAll(() => chain.stop())

/** Mines blocks with this base fee, in gwei. */
const mine = async (baseFee: string, blocks = 1): Promise<void> => {
  for (let block = 0; block < blocks; block++) {
    await chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei(baseFee) })
    await chain.client.mine({ blocks: 1 })
  }
}

const fund = async (): Promise<PrivateKeyAccount> => {
  const account = privateKeyToAccount(generatePrivateKey())
  await chain.client.setAutomine(true)
  await chain.mint(account.address, 10n * amount)
  await chain.client.setBalance({ address: account.address, value: parseEther("100") })
  await chain.client.setAutomine(false)
  return account
}

/** A process with a treasury. It dies when `isAlive` is false: no request leaves it any more. */
const begin = (account: PrivateKeyAccount, journal: PaymentJournal, maxFeePerGas = parseGwei("500")) => {
  const life = { isAlive: true, signed: 0 }
  const paying = evmTreasury({
    account: {
      address: account.address,
      signTransaction: (transaction) => {
        life.signed++
        return account.signTransaction(transaction)
      }
    },
    rpcUrl: chain.rpcUrl,
    network: "base-sepolia",
    journal: {
      ...journal,
      replace: async (...replacement) => {
        const record = await journal.replace(...replacement)
        if (dying.has(life)) life.isAlive = false
        return record
      }
    },
    maxFeePerGas,
    retries: 0,
    pollMillis: 20,
    confirmTimeoutMillis: 200,
    fetch: (...request) =>
      life.isAlive ? fetch(...request) : Promise.reject(new Error("the process is dead"))
  })
  return { life, paying }
}
/** Processes that die once a replacement is on disk, before it is sent. */
const dying = new WeakSet<object>()

/** A payment that was sent at a base fee of 1 gwei, and has been underpriced since. */
const stuck = async (blocks = 11, maxFeePerGas?: bigint) => {
  const account = await fund()
  const journal = memoryPaymentJournal()
  await mine("1")
  const paidBefore = await chain.balanceOf(crossmintPayee)
  const { life, paying } = begin(account, journal, maxFeePerGas)
  assert.strictEqual((await rejectionOf(paying.pay(payment())))._tag, "PaymentPending")
  await mine("10", blocks)
  const { transaction } = journal.records()[0]!
  return {
    account,
    journal,
    life,
    paying,
    original: transaction,
    paid: async () => (await chain.balanceOf(crossmintPayee)) - paidBefore,
    used: () => chain.client.getTransactionCount({ address: account.address })
  }
}

const stateOf = ({ find }: ReturnType<typeof evmTreasury>) => find("order-1")

/** Lets the base fee fall, sends the payment as it is recorded, and mines it. */
const resend = async (treasury: ReturnType<typeof evmTreasury>): Promise<void> => {
  await mine("1")
  assert.strictEqual((await rejectionOf(treasury.pay(payment())))._tag, "PaymentPending")
  await mine("1")
}

describe("a payment that stays underpriced", () => {
  it("is signed again under its number with higher fees, and moves its money once", async () => {
    const { journal, original, paid, paying, used } = await stuck()
    assert.strictEqual((await rejectionOf(paying.pay(payment())))._tag, "PaymentPending")
    const { replacements, signedTransaction } = journal.records()[0]!
    assert.strictEqual(replacements.length, 1)
    const [before, after] = [signedTransaction, replacements[0]!.signedTransaction].map((raw) =>
      parseTransaction(raw)
    )
    for (const field of ["nonce", "to", "data", "gas", "chainId", "value"] as const) {
      assert.strictEqual(after![field], before![field])
    }
    assert.isAtLeast(Number(after!.maxFeePerGas), 1.1 * Number(before!.maxFeePerGas))
    assert.isAtLeast(Number(after!.maxPriorityFeePerGas), 1.1 * Number(before!.maxPriorityFeePerGas))
    await mine("10")
    const { transaction } = replacements[0]!
    assert.deepStrictEqual(await stateOf(paying), { status: "paid", reference: "cm-1", transaction })
    assert.deepStrictEqual(await paying.pay(payment()), { reference: "cm-1", transaction })
    assert.notStrictEqual(transaction, original)
    assert.deepStrictEqual([await paid(), await used()], [amount, 1])
  })

  it("is replaced by another process, after a crash between record and send, by the recorded one", async () => {
    const { account, journal, life, paid, paying, used } = await stuck()
    dying.add(life)
    assert.strictEqual((await rejectionOf(paying.pay(payment())))._tag, "TemporarilyUnavailable")
    assert.isFalse(life.isAlive)
    const { replacements } = journal.records()[0]!
    assert.strictEqual(replacements.length, 1)
    await mine("10")
    assert.deepStrictEqual([await paid(), await used()], [0n, 0])
    const next = begin(account, journal)
    assert.strictEqual((await rejectionOf(next.paying.pay(payment())))._tag, "PaymentPending")
    await mine("10")
    const { transaction } = replacements[0]!
    assert.deepStrictEqual(await stateOf(next.paying), { status: "paid", reference: "cm-1", transaction })
    assert.deepStrictEqual([await paid(), await used(), next.life.signed], [amount, 1, 0])
    assert.deepStrictEqual(journal.records()[0]!.replacements, replacements)
  })

  it("is found paid if its first transaction was mined after all", async () => {
    const { account, journal, life, original, paid, paying, used } = await stuck()
    dying.add(life)
    await rejectionOf(paying.pay(payment()))
    const { replacements, signedTransaction } = journal.records()[0]!
    assert.strictEqual(replacements.length, 1)
    await mine("1")
    // Anvil forgets what it can't mine; another node has kept it.
    await chain.client.sendRawTransaction({ serializedTransaction: signedTransaction })
    await mine("1")
    const next = begin(account, journal)
    const mined = { reference: "cm-1", transaction: original }
    assert.deepStrictEqual(await stateOf(next.paying), { status: "paid", ...mined })
    assert.deepStrictEqual(await next.paying.pay(payment()), mined)
    await mine("1", 70)
    assert.deepStrictEqual(await stateOf(next.paying), { status: "paid", ...mined })
    assert.deepStrictEqual([await paid(), await used(), next.life.signed], [amount, 1, 0])
  })

  it("gets one replacement of two processes that make one at the same time", async () => {
    const { account, journal, paid, paying, used } = await stuck()
    const other = begin(account, journal)
    await Promise.all([paying, other.paying].map((treasury) => rejectionOf(treasury.pay(payment()))))
    assert.strictEqual(journal.records()[0]!.replacements.length, 1)
    await mine("10")
    assert.deepStrictEqual([await paid(), await used()], [amount, 1])
  })

  it("is replaced for a later payment, which waits for its number", async () => {
    const { journal, paid, paying, used } = await stuck()
    const later = payment({ key: "order-2", reference: "cm-2" })
    assert.strictEqual((await rejectionOf(paying.pay(later)))._tag, "PaymentPending")
    await mine("10")
    assert.strictEqual(journal.records()[0]!.replacements.length, 1)
    assert.deepStrictEqual([await paid(), await used()], [2n * amount, 2])
    assert.strictEqual((await stateOf(paying)).status, "paid")
  })
})

describe("a payment is not signed again", () => {
  it("after a short rise of the base fee", async () => {
    const { journal, life, paid, paying } = await stuck(9)
    await rejectionOf(paying.pay(payment()))
    await resend(paying)
    assert.strictEqual((await paying.pay(payment())).reference, "cm-1")
    assert.deepStrictEqual([journal.records()[0]!.replacements, life.signed, await paid()], [[], 1, amount])
  })

  it("with fees above the host's limit", async () => {
    const { journal, life, paid, paying } = await stuck(11, parseGwei("8"))
    await rejectionOf(paying.pay(payment()))
    assert.deepStrictEqual([journal.records()[0]!.replacements, life.signed], [[], 1])
    await resend(paying)
    assert.deepStrictEqual([(await stateOf(paying)).status, await paid()], ["paid", amount])
  })

  it("once its quote is about to expire", async () => {
    const { account, journal } = await stuck()
    const record = journal.records()[0]!
    const expiring = memoryPaymentJournal()
    await expiring.insert({ ...record, expiresAtMillis: Date.now() + 5_000 })
    const { life, paying } = begin(account, expiring)
    assert.strictEqual((await rejectionOf(paying.pay(payment())))._tag, "PaymentPending")
    assert.deepStrictEqual([expiring.records()[0]!.replacements, life.signed], [[], 0])
  })

  it("more than eight times", async () => {
    const { journal, life, paid, paying } = await stuck(11, parseGwei("100000"))
    let baseFee = 10
    for (let replacement = 1; replacement <= 9; replacement++) {
      await rejectionOf(paying.pay(payment()))
      assert.strictEqual(journal.records()[0]!.replacements.length, Math.min(replacement, 8))
      baseFee = Math.ceil(baseFee * 2.5)
      await mine(String(baseFee), 11)
    }
    assert.strictEqual(life.signed, 9)
    await resend(paying)
    assert.deepStrictEqual([(await stateOf(paying)).status, await paid()], ["paid", amount])
  })

  it("where the journal can't record it, and its outcome stays open", async () => {
    const { account, journal } = await stuck()
    const broken: PaymentJournal = {
      ...journal,
      replace: async () => {
        throw new RangeError("the disk is full")
      }
    }
    const { paying } = begin(account, broken)
    assert.strictEqual((await rejectionOf(paying.pay(payment())))._tag, "PaymentPending")
    assert.deepStrictEqual(journal.records()[0]!.replacements, [])
  })
})
