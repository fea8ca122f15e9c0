import {
  address,
  appendTransactionMessageInstructions,
  createSolanaRpc,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type KeyPairSigner,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners
} from "@solana/kit"
import { getTransferCheckedInstruction, TOKEN_PROGRAM_ADDRESS } from "@solana-program/token"
import { afterAll, beforeAll, expect, it } from "vitest"
import { startSolanaChain, type SolanaChain } from "../../src/solana/index.ts"
import { statusAt } from "../statusAt.ts"

let chain: SolanaChain
let rpc: ReturnType<typeof createSolanaRpc>

beforeAll(async () => {
  // Slots pass only where a test says so.
  chain = await startSolanaChain({ slotMillis: 0 })
  rpc = createSolanaRpc(chain.rpcUrl)
})
afterAll(() => chain?.stop())

const fundedWallet = async (amount: bigint): Promise<KeyPairSigner> => {
  const wallet = await generateKeyPairSigner()
  chain.airdrop(wallet.address)
  await chain.mint(wallet.address, amount)
  return wallet
}

/** A signed transfer that its own payer pays the fee of. */
const transfer = async (from: KeyPairSigner, to: KeyPairSigner, amount: bigint) => {
  const { value: latest } = await rpc.getLatestBlockhash().send()
  const instruction = getTransferCheckedInstruction({
    source: await chain.tokenAccountOf(from.address),
    mint: chain.usdc.mint,
    destination: await chain.tokenAccountOf(to.address),
    authority: from,
    amount,
    decimals: 6
  })
  const signed = await signTransactionMessageWithSigners(
    pipe(
      createTransactionMessage({ version: 0 }),
      (message) => setTransactionMessageFeePayerSigner(from, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(latest, message),
      (message) => appendTransactionMessageInstructions([instruction], message)
    )
  )
  return {
    wire: getBase64EncodedWireTransaction(signed),
    signature: getSignatureFromTransaction(signed),
    latest
  }
}

/** Amounts by owner. */
const amountsOf = (
  balances:
    | ReadonlyArray<{ readonly owner?: string; readonly uiTokenAmount: { readonly amount: string } }>
    | undefined
) => Object.fromEntries((balances ?? []).map(({ owner, uiTokenAmount }) => [owner, uiTokenAmount.amount]))

const call = async (body: unknown, method = "POST") => {
  const response = await fetch(chain.rpcUrl, {
    method,
    ...(method === "GET" ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
  })
  return { status: response.status, body: await response.json() }
}

it("mints play money at the address of the public network", async () => {
  const wallet = await generateKeyPairSigner()
  expect(await chain.balanceOf(wallet.address)).toBe(0n)
  const account = await chain.mint(wallet.address, 1_500_000n)
  await chain.mint(wallet.address, 250_000n)
  expect(await chain.balanceOf(wallet.address)).toBe(1_750_000n)
  const { value } = await rpc.getTokenAccountBalance(account).send()
  expect(value).toEqual({ amount: "1750000", decimals: 6, uiAmount: 1.75, uiAmountString: "1.75" })
  const { value: info } = await rpc.getAccountInfo(account, { encoding: "jsonParsed" }).send()
  expect(info).toMatchObject({
    owner: TOKEN_PROGRAM_ADDRESS,
    data: { parsed: { type: "account", info: { mint: chain.usdc.mint, owner: wallet.address } } }
  })
})

it("shows a transfer's status, its token balances before and after, and its fee", async () => {
  const [from, to] = [await fundedWallet(5_000_000n), await fundedWallet(0n)]
  const { signature, wire } = await transfer(from, to, 2_000_000n)
  expect(await rpc.sendTransaction(wire, { encoding: "base64" }).send()).toBe(signature)
  expect(await chain.balanceOf(to.address)).toBe(2_000_000n)

  const { value: statuses } = await rpc.getSignatureStatuses([signature]).send()
  expect(statuses).toMatchObject([{ err: null, confirmations: 0n, confirmationStatus: "confirmed" }])
  const config = { encoding: "json", maxSupportedTransactionVersion: 0 } as const
  const final = { ...config, commitment: "finalized" } as const
  expect(await rpc.getTransaction(signature, final).send()).toBeNull()
  const found = await rpc.getTransaction(signature, config).send()
  expect(found?.meta).toMatchObject({ err: null, fee: 5_000n })
  expect(amountsOf(found?.meta?.preTokenBalances)).toEqual({ [from.address]: "5000000", [to.address]: "0" })
  expect(amountsOf(found?.meta?.postTokenBalances)).toEqual({
    [from.address]: "3000000",
    [to.address]: "2000000"
  })

  chain.advance(32)
  const { value: later } = await rpc.getSignatureStatuses([signature]).send()
  expect(later).toMatchObject([{ confirmations: null, confirmationStatus: "finalized" }])
  expect(await rpc.getTransaction(signature, final).send()).not.toBeNull()

  const listed = await rpc.getSignaturesForAddress(from.address).send()
  expect(listed.map((each) => each.signature)).toEqual([signature])
})

it("accepts a transaction until its blockhash has expired", async () => {
  const [from, to] = [await fundedWallet(5_000_000n), await fundedWallet(0n)]
  const early = await transfer(from, to, 1n)
  const late = await transfer(from, to, 2n)
  chain.advance(150)
  expect(await rpc.getBlockHeight({ commitment: "confirmed" }).send()).toBe(early.latest.lastValidBlockHeight)
  expect((await rpc.isBlockhashValid(early.latest.blockhash).send()).value).toBe(true)
  await rpc.sendTransaction(early.wire, { encoding: "base64" }).send()

  chain.advance(1)
  expect((await rpc.isBlockhashValid(late.latest.blockhash).send()).value).toBe(false)
  await expect(rpc.sendTransaction(late.wire, { encoding: "base64" }).send()).rejects.toThrow(/imulation/)
  // Without a preflight check, the node accepts it, and it never lands.
  const sent = await rpc.sendTransaction(late.wire, { encoding: "base64", skipPreflight: true }).send()
  expect(sent).toBe(late.signature)
  expect((await rpc.getSignatureStatuses([late.signature]).send()).value).toEqual([null])
  expect(await chain.balanceOf(to.address)).toBe(1n)
})

it("runs a transaction once", async () => {
  const [from, to] = [await fundedWallet(5_000_000n), await fundedWallet(0n)]
  const { signature, wire } = await transfer(from, to, 1n)
  await rpc.sendTransaction(wire, { encoding: "base64" }).send()
  await expect(rpc.sendTransaction(wire, { encoding: "base64" }).send()).rejects.toThrow(/imulation/)
  expect(await rpc.sendTransaction(wire, { encoding: "base64", skipPreflight: true }).send()).toBe(signature)
  expect(await chain.balanceOf(to.address)).toBe(1n)
})

it("keeps the status of a transaction that failed in its block", async () => {
  const [from, to] = [await fundedWallet(5n), await fundedWallet(0n)]
  const { signature, wire } = await transfer(from, to, 6n)
  const simulated = await rpc.simulateTransaction(wire, { encoding: "base64" }).send()
  // Error 1 of the Token program: insufficient funds.
  const error = { InstructionError: [0n, { Custom: 1n }] }
  expect(simulated.value.err).toEqual(error)
  expect(simulated.value.logs?.join("\n")).toContain("insufficient funds")
  await rpc.sendTransaction(wire, { encoding: "base64", skipPreflight: true }).send()
  const { value } = await rpc.getSignatureStatuses([signature]).send()
  expect(value).toMatchObject([{ err: error, confirmationStatus: "confirmed" }])
})

it("refuses a signature that is not the signer's", async () => {
  const [from, to] = [await fundedWallet(5n), await fundedWallet(0n)]
  const { wire } = await transfer(from, to, 1n)
  const bytes = Buffer.from(wire, "base64")
  bytes[10] = (bytes[10] ?? 0) ^ 1
  const params = [bytes.toString("base64"), { encoding: "base64" }]
  const { body } = await call({ jsonrpc: "2.0", id: 1, method: "sendTransaction", params })
  expect(body.error).toMatchObject({ code: -32003 })
  expect(await chain.balanceOf(to.address)).toBe(0n)
})

it("forgets old statuses unless it is told to search for them", async () => {
  const [from, to] = [await fundedWallet(5n), await fundedWallet(0n)]
  const { signature, wire } = await transfer(from, to, 1n)
  await rpc.sendTransaction(wire, { encoding: "base64" }).send()
  chain.advance(200)
  expect((await rpc.getSignatureStatuses([signature]).send()).value).toEqual([null])
  const searched = await rpc.getSignatureStatuses([signature], { searchTransactionHistory: true }).send()
  expect(searched.value).toMatchObject([{ confirmationStatus: "finalized" }])
})

it("loses transactions and undoes blocks when a test wants it to", async () => {
  const [from, to] = [await fundedWallet(5n), await fundedWallet(0n)]
  const lost = await transfer(from, to, 1n)
  chain.dropTransactions(true)
  expect(await rpc.sendTransaction(lost.wire, { encoding: "base64" }).send()).toBe(lost.signature)
  expect((await rpc.getSignatureStatuses([lost.signature]).send()).value).toEqual([null])
  chain.dropTransactions(false)
  // Sent again, the same transaction lands.
  const undo = chain.checkpoint()
  await rpc.sendTransaction(lost.wire, { encoding: "base64" }).send()
  expect(await chain.balanceOf(to.address)).toBe(1n)
  undo()
  expect(await chain.balanceOf(to.address)).toBe(0n)
  expect((await rpc.getSignatureStatuses([lost.signature]).send()).value).toEqual([null])
  await rpc.sendTransaction(lost.wire, { encoding: "base64" }).send()
  expect(await chain.balanceOf(to.address)).toBe(1n)
})

it("lists an owner's token accounts by mint or program", async () => {
  const wallet = await generateKeyPairSigner()
  const usdc = await chain.mint(wallet.address, 7n)
  const dollar = await chain.mint(wallet.address, 9n, chain.dollar2022)
  const accounts = async (filter: Parameters<typeof rpc.getTokenAccountsByOwner>[1]) => {
    const { value } = await rpc
      .getTokenAccountsByOwner(wallet.address, filter, { encoding: "jsonParsed" })
      .send()
    return value.map((each) => [each.pubkey, each.account.data.parsed.info.tokenAmount.amount])
  }
  expect(await accounts({ mint: chain.usdc.mint })).toEqual([[usdc, "7"]])
  expect(await accounts({ programId: chain.dollar2022.program })).toEqual([[dollar, "9"]])
})

it("answers what it can't read with the errors of JSON-RPC", async () => {
  const code = async (body: unknown) => (await call(body)).body.error?.code
  expect(await call("{")).toMatchObject({ status: 400, body: { error: { code: -32700 } } })
  expect(await code({ jsonrpc: "2.0", id: 1 })).toBe(-32600)
  expect(await code({ id: 1, method: "getNothing", params: [] })).toBe(-32601)
  expect(await code({ id: 1, method: "getBalance", params: ["not an address"] })).toBe(-32602)
  expect(await code({ id: 1, method: "getTokenAccountBalance", params: [chain.usdc.mint] })).toBe(-32602)
  expect(await code({ id: 1, method: "sendTransaction", params: ["AAAA", { encoding: "base64" }] })).toBe(
    -32602
  )
  expect(await call("x".repeat(70_000))).toMatchObject({ status: 413 })
  expect(await call("", "GET")).toMatchObject({ status: 405 })
  const health = { jsonrpc: "2.0", id: 1, method: "getHealth" }
  expect(await call([health, health])).toMatchObject({ body: [{ result: "ok" }, { result: "ok" }] })
  expect(await code(Array.from({ length: 51 }, () => health))).toBe(-32600)
})

it("gives nothing to a website whose name resolves to it", async () => {
  const health = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getHealth" })
  expect(await statusAt(chain.rpcUrl, "evil.example:4021", health)).toBe(421)
  expect(await statusAt(chain.rpcUrl, "localhost:4021", health)).toBe(200)
})

it("tells its time, as of the latest block and of the latest final one", async () => {
  const clock = address("SysvarC1ock11111111111111111111111111111111")
  const read = async (commitment: "confirmed" | "finalized") => {
    const { context, value } = await rpc.getAccountInfo(clock, { commitment, encoding: "base64" }).send()
    const bytes = Buffer.from(value?.data[0] ?? "", "base64")
    return {
      slot: context.slot,
      clockSlot: bytes.readBigUInt64LE(0),
      seconds: Number(bytes.readBigInt64LE(32))
    }
  }
  const latest = await read("confirmed")
  expect(Math.abs(latest.seconds - Date.now() / 1000)).toBeLessThan(600)
  const final = await read("finalized")
  expect(latest.clockSlot).toBe(latest.slot)
  expect(final).toMatchObject({ slot: latest.slot - 32n, clockSlot: latest.slot - 32n })
  // 32 slots of 400 ms.
  expect([12, 13]).toContain(latest.seconds - final.seconds)

  const info = await rpc.getEpochInfo({ commitment: "finalized" }).send()
  expect(info).toMatchObject({ absoluteSlot: final.slot })
  expect(await rpc.getBlockHeight({ commitment: "finalized" }).send()).toBe(info.blockHeight)
})

it("tells whether a final block still accepts a blockhash", async () => {
  const { value: latest } = await rpc.getLatestBlockhash().send()
  const isValid = async (commitment: "confirmed" | "finalized") =>
    (await rpc.isBlockhashValid(latest.blockhash, { commitment }).send()).value
  // The latest final block is older than the blockhash.
  expect([await isValid("confirmed"), await isValid("finalized")]).toEqual([true, false])
  chain.advance(151)
  expect([await isValid("confirmed"), await isValid("finalized")]).toEqual([false, true])
  chain.advance(32)
  expect([await isValid("confirmed"), await isValid("finalized")]).toEqual([false, false])
  const slot = await rpc.getSlot({ commitment: "confirmed" }).send()
  const ahead = { commitment: "finalized", minContextSlot: slot } as const
  await expect(rpc.isBlockhashValid(latest.blockhash, ahead).send()).rejects.toThrow(/context slot/)
})

it("lists its blocks with their times, each slot 400 ms after the one before", async () => {
  const final = await rpc.getSlot({ commitment: "finalized" }).send()
  const blocksFrom = (slot: bigint, limit: number, commitment: "confirmed" | "finalized" = "finalized") =>
    rpc.getBlocksWithLimit(slot, limit, { commitment }).send()
  const blocks = await blocksFrom(final - 999n, 2_000)
  expect([blocks.length, blocks[0], blocks.at(-1)]).toEqual([1_000, final - 999n, final])
  expect(await blocksFrom(final - 9n, 3)).toEqual([final - 9n, final - 8n, final - 7n])
  expect(await blocksFrom(final + 1n, 3)).toEqual([])
  expect(await blocksFrom(final + 1n, 3, "confirmed")).toHaveLength(3)
  const [late, early] = await Promise.all(
    [final, final - 1_000n].map((slot) => rpc.getBlockTime(slot).send())
  )
  expect(Number(late) - Number(early)).toBe(400)
})
