import { Effect } from "effect"
import { type Address, encodeFunctionData, type Hex, numberToHex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { describe, expect, it } from "vitest"
import { type EvidenceHints } from "../../../packages/core/src/toll/evidence/Chain.ts"
import { multicall } from "../src/Multicall.ts"
import {
  startTokenChain,
  network,
  tokenAbi,
  types,
  price,
  local,
  payTo,
  domain,
  chainSeconds,
  openPayer,
  authorizationBy,
  argumentsOf,
  signed,
  transferCall,
  confirmed,
  send,
  sendBatch,
  becomeFinal,
  reader,
  evidence
} from "./tokenChain.ts"

/*
 * Reads a real chain with transactions composed by an attacker. The token's own code emits the logs.
 */

startTokenChain()

const usedOtherwise = { _tag: "NotPaid", reason: "used_otherwise" }

describe("evidence on a real chain", () => {
  it("finds the transfer of an honest payment with or without its hash, and final in time", async () => {
    const { account, authorization } = await openPayer()
    expect(await evidence(authorization)).toEqual({
      _tag: "NotMoved",
      chainTimeSeconds: await chainSeconds()
    })
    const transaction = await send(await transferCall(account, authorization))
    const atSeconds = await chainSeconds()
    const moved = { _tag: "Moved", transaction, logIndex: 1, atSeconds, isFinal: false }
    expect(await evidence(authorization, { transaction })).toEqual(moved)
    expect(await evidence(authorization)).toEqual(moved)
    await becomeFinal()
    expect(await evidence(authorization)).toEqual({ ...moved, isFinal: true })
  })

  it("assigns the one real transfer of a batch to one of its nonces", async () => {
    const { account } = await openPayer()
    const payments = await Promise.all(Array.from({ length: 8 }, () => authorizationBy(account)))
    const calls = await Promise.all(
      payments.map((payment, index) =>
        transferCall(account, index === 3 ? payment : { ...payment, to: account.address, value: "0" })
      )
    )
    const before = await local.balanceOf(payTo)
    const transaction = await sendBatch(calls)
    expect((await local.balanceOf(payTo)) - before).toBe(BigInt(price))
    const readAll = (hints: EvidenceHints) => Promise.all(payments.map((payment) => evidence(payment, hints)))
    for (const hints of [{ transaction }, {}])
      expect((await readAll(hints)).map(({ _tag }) => _tag)).toEqual(
        payments.map((_, index) => (index === 3 ? "Moved" : "Unavailable"))
      )
    await becomeFinal()
    for (const hints of [{ transaction }, {}])
      expect(await readAll(hints)).toEqual(
        payments.map((_, index) =>
          index === 3
            ? expect.objectContaining({ _tag: "Moved", transaction, logIndex: 7, isFinal: true })
            : usedOtherwise
        )
      )
  })

  it("assigns each honest payment of a batch its own transfer", async () => {
    const { account } = await openPayer()
    const payments = [await authorizationBy(account), await authorizationBy(account)]
    const transaction = await sendBatch(
      await Promise.all(payments.map((payment) => transferCall(account, payment)))
    )
    const found = await Promise.all(payments.map((payment) => evidence(payment, { transaction })))
    expect(found).toEqual(
      [1, 3].map((logIndex) => expect.objectContaining({ _tag: "Moved", transaction, logIndex }))
    )
  })

  it("shows by one search which of many payments have paid, in a batch and by themselves", async () => {
    const { account, authorization: alone } = await openPayer()
    const batch = await Promise.all(Array.from({ length: 4 }, () => authorizationBy(account)))
    const unpaid = await authorizationBy(account)
    const calls = batch.map((payment, index) =>
      transferCall(account, index === 2 ? { ...payment, to: account.address } : payment)
    )
    const together = await sendBatch(await Promise.all(calls))
    const single = await send(await transferCall(account, alone))
    const seconds = await chainSeconds()
    await becomeFinal()
    const span = { fromSeconds: seconds - 120, beforeSeconds: await chainSeconds() }
    const found = await Effect.runPromise(
      (await reader()).paidWithin!(network, [alone, ...batch, unpaid], span)
    )
    expect(found).toEqual([single, together, together, undefined, together, undefined])
  })

  it("rejects a plain transfer of the right value beside a use of the nonce", async () => {
    const { account, authorization } = await openPayer()
    // Multicall3 pays from its own balance, and the payer uses up the nonce with a transfer to themselves.
    await local.mint(multicall, BigInt(price))
    const plain = encodeFunctionData({
      abi: tokenAbi,
      functionName: "transfer",
      args: [payTo, BigInt(price)]
    })
    const elsewhere = await transferCall(account, { ...authorization, to: account.address })
    const transaction = await sendBatch([elsewhere, plain])
    await becomeFinal()
    expect(await evidence(authorization, { transaction })).toEqual(usedOtherwise)
    // Nor does a plain transfer by the payer count.
    const other = await openPayer()
    await local.client.setBalance({ address: other.account.address, value: 10n ** 18n })
    const own = await confirmed(
      await local.client.writeContract({
        account: other.account,
        address: local.usdc,
        abi: tokenAbi,
        functionName: "transfer",
        args: [payTo, BigInt(price)]
      })
    )
    expect(await evidence(other.authorization, { transaction: own })).toMatchObject({ _tag: "NotMoved" })
  })

  it("rejects a transfer under the nonce to another account or of another value", async () => {
    const { account } = await openPayer()
    const stranger = privateKeyToAccount(generatePrivateKey()).address
    for (const changes of [{ to: stranger }, { value: "519999" }, { to: account.address, value: "0" }]) {
      const payment = await authorizationBy(account)
      const transaction = await send(await transferCall(account, { ...payment, ...changes }))
      expect(await evidence(payment, { transaction })).toEqual({ _tag: "Unavailable" })
      await becomeFinal()
      expect(await evidence(payment, { transaction })).toEqual(usedOtherwise)
      expect(await evidence(payment)).toEqual(usedOtherwise)
    }
  })

  it("reports a canceled authorization as unpaid, also if canceled long before it was valid", async () => {
    const { account, authorization } = await openPayer()
    const signature = await account.signTypedData({
      domain: domain(),
      types,
      primaryType: "CancelAuthorization",
      message: { authorizer: account.address, nonce: authorization.nonce as Hex }
    })
    await send(
      encodeFunctionData({
        abi: tokenAbi,
        functionName: "cancelAuthorization",
        args: [account.address, authorization.nonce as Hex, signature]
      })
    )
    expect(await evidence(authorization)).toEqual({ _tag: "Unavailable" })
    await becomeFinal()
    const canceled = { _tag: "NotPaid", reason: "canceled" }
    expect(await evidence(authorization)).toEqual(canceled)
    await local.client.increaseTime({ seconds: 86_400 })
    await local.client.mine({ blocks: 1 })
    const now = await chainSeconds()
    expect(await evidence({ ...authorization, validBefore: String(now + 120) })).toEqual(canceled)
  })

  it("finds the transfer if its recipient submitted it", async () => {
    const { account } = await openPayer()
    const collector = privateKeyToAccount(generatePrivateKey())
    await local.client.setBalance({ address: collector.address, value: 10n ** 18n })
    const authorization = await authorizationBy(account, { to: collector.address })
    const transaction = await confirmed(
      await local.client.writeContract({
        account: collector,
        address: local.usdc,
        abi: tokenAbi,
        functionName: "receiveWithAuthorization",
        args: argumentsOf(authorization, await signed(account, "ReceiveWithAuthorization", authorization))
      })
    )
    expect(await evidence(authorization)).toMatchObject({ _tag: "Moved", transaction })
    expect(await evidence({ ...authorization, to: payTo })).toEqual({ _tag: "Unavailable" })
    await becomeFinal()
    expect(await evidence({ ...authorization, to: payTo })).toEqual(usedOtherwise)
  })

  it("finds the transfer whichever transaction is named", async () => {
    const { account, authorization } = await openPayer()
    const other = await openPayer()
    const transaction = await send(await transferCall(account, authorization))
    const foreign = await send(await transferCall(other.account, other.authorization))
    const minted = await local.mint(payTo, BigInt(price))
    for (const hint of [foreign, minted, numberToHex(7, { size: 32 }), "0x", "junk"])
      expect(await evidence(authorization, { transaction: hint })).toMatchObject({
        _tag: "Moved",
        transaction
      })
  })

  it("disappears with its block, and is found again once mined again", async () => {
    const { account, authorization } = await openPayer()
    const call = await transferCall(account, authorization)
    const transaction = await send(call)
    expect(await evidence(authorization, { transaction })).toMatchObject({ _tag: "Moved", transaction })
    // The chain mines a dropped transaction again as soon as it may.
    await local.client.setAutomine(false)
    // The block that comes every few seconds may have it before it is dropped.
    for (let isMined = true; isMined;) {
      await local.client.request<{ Method: "anvil_reorg"; Parameters: [number, []]; ReturnType: null }>({
        method: "anvil_reorg",
        params: [1, []]
      })
      await local.client.dropTransaction({ hash: transaction })
      isMined = await local.client.getTransactionReceipt({ hash: transaction }).then(
        () => true,
        () => false
      )
    }
    await local.client.setAutomine(true)
    const notMoved = { _tag: "NotMoved", chainTimeSeconds: await chainSeconds() }
    expect(await evidence(authorization, { transaction })).toEqual(notMoved)
    expect(await evidence(authorization)).toEqual(notMoved)
    const again = await send(call)
    expect(await evidence(authorization, { transaction: again })).toMatchObject({ _tag: "Moved" })
  })

  it("is confirming until its block is deep enough", async () => {
    const { account, authorization } = await openPayer()
    const transaction = await send(await transferCall(account, authorization))
    // Far more than there will be by then: the chain may mine what a reorganization has dropped, in a block of its own.
    const chain = reader(20)
    for (const _ of [1, 2]) {
      expect(await evidence(authorization, { transaction }, chain)).toEqual({
        _tag: "Confirming",
        transaction
      })
      expect(await evidence(authorization, {}, chain)).toEqual({ _tag: "Confirming", transaction })
      await local.client.mine({ blocks: 1 })
    }
    await local.client.mine({ blocks: 20 })
    expect(await evidence(authorization, { transaction }, chain)).toMatchObject({ _tag: "Moved" })
  })
})

describe("other reads of a real chain", () => {
  it("returns used nonces, balances and transfers", async () => {
    const { account, authorization } = await openPayer()
    const unused = await authorizationBy(account)
    const collector = privateKeyToAccount(generatePrivateKey()).address
    const fromSeconds = await chainSeconds()
    const payment = { ...authorization, to: collector }
    const transaction = await send(await transferCall(account, payment))
    const minted = await local.mint(collector, 1n)
    const chain = await reader()
    expect(await Effect.runPromise(chain.usedNonces(network, [unused, payment]))).toEqual({
      chainTimeSeconds: await chainSeconds(),
      used: [false, true]
    })
    expect(await Effect.runPromise(chain.balanceOf(network, collector))).toBe(BigInt(price) + 1n)
    // A test before this one may still have a transaction on its way, which makes another block.
    const newest = await local.client.getBlock()
    const span = { fromSeconds, beforeSeconds: Number(newest.timestamp) + 1 }
    const found = await Effect.runPromise(chain.transfersTo(network, collector, span))
    expect(found?.toBlock).toBe(newest.number)
    expect(found?.transfers).toEqual([
      expect.objectContaining({
        transaction,
        logIndex: 1,
        from: account.address.toLowerCase(),
        valueAtomic: price
      }),
      expect.objectContaining({ transaction: minted, valueAtomic: "1", from: numberToHex(0, { size: 20 }) })
    ])
  })

  it("accepts a contract's signature by its own code, and no junk", async () => {
    const chain = await reader()
    const hash = numberToHex(402, { size: 32 })
    const signature: Hex = `0x${"12".repeat(97)}`
    const accepts = (address: Address, by: Hex) =>
      Effect.runPromise(chain.acceptsSignature(network, address, hash, by))
    const agreeable = privateKeyToAccount(generatePrivateKey()).address
    const contrary = privateKeyToAccount(generatePrivateKey()).address
    const broken = privateKeyToAccount(generatePrivateKey()).address
    // Returns the magic value of EIP-1271 to every call; returns zero; reverts.
    await local.client.setCode({
      address: agreeable,
      bytecode: "0x7f1626ba7e0000000000000000000000000000000000000000000000000000000060005260206000f3"
    })
    await local.client.setCode({ address: contrary, bytecode: "0x60206000f3" })
    await local.client.setCode({ address: broken, bytecode: "0x60006000fd" })
    expect(await accepts(agreeable, signature)).toBe(true)
    expect(await accepts(contrary, signature)).toBe(false)
    expect(await accepts(broken, signature)).toBe(false)
    const { account } = await openPayer()
    expect(await accepts(account.address, signature)).toBe(false)
    expect(await accepts(account.address, await account.sign({ hash }))).toBe(true)
    const wrapped: Hex = `${signature}6492649264926492649264926492649264926492649264926492649264926492`
    expect(await accepts(account.address, wrapped)).toBe(false)
  })
})
