import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { address as toAddress, generateKeyPairSigner } from "@solana/kit"
import { facilitatorHandler } from "@till402/providers/facilitator"
import { memoryTransferJournal } from "@till402/providers/solana-facilitator"
import { solanaPayingFetch, startSolanaChain, type SolanaChain } from "@till402/sandbox/solana"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { facilitatorOn, feePayerSigner, payerOn, payV1, payV2, settled } from "./solanaPayments.ts"
import { openSolanaShop, refusalOf, searchUrl } from "./solanaShop.ts"

/*
 * A facilitator on Solana without a third party, on a local chain, paid by official clients.
 * solanaFacilitator.deep.test.ts has processes that die.
 */

let chain: SolanaChain
let feePayer: string
beforeAll(async () => {
  chain = await startSolanaChain({ slotMillis: 0 })
  const signer = await feePayerSigner()
  feePayer = signer.address
})
afterAll(async () => {
  await chain?.stop()
})

let payTo: string
beforeEach(async () => {
  chain.dropTransactions(false)
  chain.airdrop(toAddress(feePayer))
  const payee = await generateKeyPairSigner()
  await chain.mint(payee.address, 0n)
  await chain.mint(payee.address, 0n, chain.dollar2022)
  payTo = payee.address
  received = () => chain.balanceOf(payee.address)
})
let received: () => Promise<bigint>

const proxies: Array<Server> = []
afterAll(() => proxies.forEach((proxy) => proxy.close()))

/** Nodes behind one URL, of which the one that answers a method stands still. */
const behindFor = async (rpcUrl: string, method: string): Promise<string> => {
  const ask = async (body: string) =>
    (await fetch(rpcUrl, { method: "POST", body, headers: { "content-type": "application/json" } })).text()
  const standing = await ask(
    JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [{ commitment: "confirmed" }] })
  )
  const proxy = createServer(async (request, response) => {
    const body = await text(request)
    response.setHeader("content-type", "application/json")
    response.end(JSON.parse(body).method === method ? standing : await ask(body))
  })
  proxies.push(proxy.listen(0, "127.0.0.1"))
  await once(proxy, "listening")
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

const failed = (errorReason: string) => ({ success: false, errorReason, transaction: "" })

describe.each([
  ["version 1", payV1],
  ["version 2", payV2]
])("a payment of the official client, %s", (_, pay) => {
  it("is verified, then settled once however often it is presented", async () => {
    const journal = memoryTransferJournal()
    const facilitator = await facilitatorOn(chain.rpcUrl, { journal })
    const payer = await payerOn(chain)
    const { payload, requirements } = await pay(chain, payer, { payTo, feePayer })
    expect(await facilitator.verify(payload, requirements)).toEqual({ isValid: true, payer: payer.address })
    expect(journal.attempts()).toEqual([])

    const settled = await facilitator.settle(payload, requirements)
    expect(settled).toEqual({
      success: true,
      transaction: journal.attempts()[0]?.signature,
      network: chain.caip2,
      payer: payer.address
    })
    chain.advance(500)
    expect(await facilitator.settle(payload, requirements)).toEqual(settled)
    const another = await facilitatorOn(chain.rpcUrl, { journal })
    expect(await another.settle(payload, requirements)).toEqual(settled)
    expect(await received()).toBe(10_000n)
    expect(await chain.balanceOf(payer.address)).toBe(40_000n)
  })

  it("is settled once by calls at the same time", async () => {
    const journal = memoryTransferJournal()
    const facilitators = await Promise.all(
      Array.from({ length: 4 }, () => facilitatorOn(chain.rpcUrl, { journal }))
    )
    const { payload, requirements } = await pay(chain, await payerOn(chain), { payTo, feePayer })
    const results = await Promise.all(facilitators.map((each) => each.settle(payload, requirements)))
    expect(new Set(results.map(({ transaction }) => transaction)).size).toBe(1)
    expect(results.every(({ success }) => success)).toBe(true)
    expect(await received()).toBe(10_000n)
  })

  it("may be of the Token-2022 program", async () => {
    const facilitator = await facilitatorOn(chain.rpcUrl)
    const terms = { payTo, feePayer, token: chain.dollar2022 }
    const { payload, requirements } = await pay(chain, await payerOn(chain), terms)
    await settled(facilitator, { payload, requirements })
    expect(await chain.balanceOf(toAddress(payTo), chain.dollar2022)).toBe(10_000n)
  })

  it("is refused for other requirements than its own", async () => {
    const facilitator = await facilitatorOn(chain.rpcUrl)
    const { payload, requirements } = await pay(chain, await payerOn(chain), { payTo, feePayer })
    const thief = await generateKeyPairSigner()
    for (const change of [
      { payTo: thief.address },
      { amount: "10001", maxAmountRequired: "10001" },
      { asset: chain.dollar2022.mint },
      { extra: { feePayer: thief.address } },
      { extra: {} },
      { network: "base-sepolia" },
      { scheme: "upto" }
    ]) {
      const other = { ...Object(requirements), ...change }
      expect(await facilitator.verify(payload, other)).toMatchObject({ isValid: false })
      expect(await facilitator.settle(payload, other)).toMatchObject({ success: false, transaction: "" })
    }
    // Nor once it is settled.
    await settled(facilitator, { payload, requirements })
    const other = { ...Object(requirements), amount: "9999", maxAmountRequired: "9999" }
    expect(await facilitator.settle(payload, other)).toMatchObject(failed("duplicate_settlement"))
    expect(await received()).toBe(10_000n)
  })
})

describe("a payment that can't be settled", () => {
  it("is refused without money, and after its blockhash has expired", async () => {
    const journal = memoryTransferJournal()
    const facilitator = await facilitatorOn(chain.rpcUrl, { journal })
    const poor = await payV2(chain, await payerOn(chain, 9_999n), { payTo, feePayer })
    const late = await payV2(chain, await payerOn(chain), { payTo, feePayer })
    chain.advance(151)
    for (const [{ payload, requirements }, reason] of [
      [poor, "insufficient_funds"],
      [late, "invalid_exact_svm_transaction_simulation_failed"]
    ] as const) {
      expect(await facilitator.verify(payload, requirements)).toMatchObject({ invalidReason: reason })
      expect(await facilitator.settle(payload, requirements)).toMatchObject(failed(reason))
    }
    expect(journal.attempts()).toEqual([])
  })

  it("is not judged while the fee payer has no SOL, or the node fails", async () => {
    const { payload, requirements } = await payV2(chain, await payerOn(chain), { payTo, feePayer })
    const broke = await generateKeyPairSigner()
    const poor = await facilitatorOn(chain.rpcUrl, {
      feePayer: { address: broke.address, sign: async () => new Uint8Array(64) }
    })
    await expect(poor.verify(payload, requirements)).rejects.toMatchObject({ _tag: "FeePayerUnderfunded" })
    const broken: typeof fetch = async (input, init) =>
      (await new Response(init?.body).text()).includes("simulateTransaction")
        ? new Response("", { status: 500 })
        : fetch(input, init)
    const lost = await facilitatorOn(chain.rpcUrl, { fetch: broken })
    await expect(lost.verify(payload, requirements)).rejects.toThrow()
    expect(await lost.settle(payload, requirements)).toMatchObject(failed("unexpected_settle_error"))
    const mainnet = await facilitatorOn(chain.rpcUrl, { network: "solana" })
    const other = { ...Object(requirements), network: "solana" }
    const paid = { ...Object(payload), accepted: other }
    await expect(mainnet.verify(paid, other)).rejects.toThrow(/not a node of/)
  })

  it("is refused if it can't be read", async () => {
    const facilitator = await facilitatorOn(chain.rpcUrl)
    const { payload, requirements } = await payV2(chain, await payerOn(chain), { payTo, feePayer })
    for (const transaction of ["", "AAAA", "x".repeat(5_000), 7]) {
      const other = { ...Object(payload), payload: { transaction } }
      expect(await facilitator.verify(other, requirements)).toMatchObject({ isValid: false })
      expect(await facilitator.settle(other, requirements)).toMatchObject({ success: false, transaction: "" })
    }
    for (const other of [null, {}, { ...Object(payload), x402Version: 3 }]) {
      expect(await facilitator.verify(other, requirements)).toMatchObject({
        invalidReason: "invalid_payload"
      })
    }
  })
})

describe("a settlement that the network loses", () => {
  it("is pending until its blockhash has expired in the final chain, and then void", async () => {
    const facilitator = await facilitatorOn(chain.rpcUrl)
    const { payload, requirements } = await payV2(chain, await payerOn(chain), { payTo, feePayer })
    chain.dropTransactions(true)
    const pending = { success: false, errorReason: "settlement_pending", transaction: expect.any(String) }
    expect(await facilitator.settle(payload, requirements)).toMatchObject(pending)
    chain.advance(160)
    expect(await facilitator.settle(payload, requirements)).toMatchObject(pending)
    // 32 more blocks until that is final.
    chain.advance(22)
    expect(await facilitator.settle(payload, requirements)).toMatchObject(pending)
    chain.advance(1)
    expect(await facilitator.settle(payload, requirements)).toMatchObject(failed("transaction_expired"))
    expect(await received()).toBe(0n)
  })

  it("is pending while its blockhash lasts, though the node that names the latest one is far behind", async () => {
    const url = await behindFor(chain.rpcUrl, "getLatestBlockhash")
    const facilitator = await facilitatorOn(url)
    chain.advance(100)
    const { payload, requirements } = await payV2(chain, await payerOn(chain), { payTo, feePayer })
    chain.dropTransactions(true)
    const pending = { errorReason: "settlement_pending", transaction: expect.any(String) }
    expect(await facilitator.settle(payload, requirements)).toMatchObject(pending)
    chain.advance(140)
    expect(await facilitator.settle(payload, requirements)).toMatchObject(pending)
    chain.dropTransactions(false)
    await expect.poll(async () => (await facilitator.settle(payload, requirements)).success).toBe(true)
    expect(await received()).toBe(10_000n)
  })

  it("is sent again by the next call", async () => {
    const facilitator = await facilitatorOn(chain.rpcUrl)
    const { payload, requirements } = await payV2(chain, await payerOn(chain), { payTo, feePayer })
    chain.dropTransactions(true)
    await facilitator.settle(payload, requirements)
    chain.dropTransactions(false)
    // A call waits for a while only.
    await expect.poll(async () => (await facilitator.settle(payload, requirements)).success).toBe(true)
    expect(await received()).toBe(10_000n)
  })
})

describe("a facilitator over HTTP", () => {
  it("settles for the tills that it knows, each payment for one of them", async () => {
    const handle = facilitatorHandler(await facilitatorOn(chain.rpcUrl), {
      authorize: (request) => request.headers.get("x-till") ?? undefined
    })
    const { payload, requirements } = await payV2(chain, await payerOn(chain), { payTo, feePayer })
    const post = async (path: string, till: string) => {
      const body = JSON.stringify({ paymentPayload: payload, paymentRequirements: requirements })
      const headers = till === "" ? new Headers() : new Headers({ "x-till": till })
      const response = await handle(
        new Request(`http://host/facilitator${path}`, { method: "POST", body, headers })
      )
      return { status: response.status, body: await response.json() }
    }
    expect((await post("/verify", "")).status).toBe(401)
    expect(await post("/verify", "books")).toMatchObject({ status: 200, body: { isValid: true } })
    expect(await post("/settle", "books")).toMatchObject({ body: { success: true } })
    expect(await post("/settle", "books")).toMatchObject({ body: { success: true } })
    expect(await post("/settle", "toys")).toMatchObject({ body: failed("duplicate_settlement") })
    expect(await received()).toBe(10_000n)
  })

  it("settles a payment that several tills present at the same time for one of them", async () => {
    const facilitator = await facilitatorOn(chain.rpcUrl)
    const { payload, requirements } = await payV2(chain, await payerOn(chain), { payTo, feePayer })
    const tills = ["books", "toys", "lamps", "desks"]
    const results = await Promise.all(tills.map((till) => facilitator.settle(payload, requirements, till)))
    expect(results.filter(({ success }) => success)).toHaveLength(1)
    const refused = results.filter(({ errorReason }) => errorReason === "duplicate_settlement")
    expect(refused).toHaveLength(3)
    expect(await received()).toBe(10_000n)
  })

  it("settles a payment for the tills of one store, in any process, and for no other store", async () => {
    const journal = memoryTransferJournal()
    const facilitator = await facilitatorOn(chain.rpcUrl, { journal })
    const other = await facilitatorOn(chain.rpcUrl, { journal })
    const { payload, requirements } = await payV2(chain, await payerOn(chain), { payTo, feePayer })
    const settled = await facilitator.forTill("books").settle(payload, requirements)
    expect(settled).toMatchObject({ success: true })
    expect(await other.forTill("books").settle(payload, requirements)).toEqual(settled)
    expect(await other.forTill("toys").settle(payload, requirements)).toMatchObject(
      failed("duplicate_settlement")
    )
    expect(() => facilitator.forTill("")).toThrow("till must name the till's store")
  })

  it("returns a settlement of another process that took the money before the check", async () => {
    const journal = memoryTransferJournal()
    const facilitator = await facilitatorOn(chain.rpcUrl, { journal })
    const { payload, requirements } = await payV2(chain, await payerOn(chain, 10_000n), { payTo, feePayer })
    let isFirst = true
    const late = await facilitatorOn(chain.rpcUrl, {
      journal: {
        ...journal,
        find: async (key) => {
          if (!isFirst) return journal.find(key)
          isFirst = false
          await settled(facilitator, { payload, requirements })
          return []
        }
      }
    })
    await settled(late, { payload, requirements })
  })

  it("names its fee payer for both versions", async () => {
    const { getSupported } = await facilitatorOn(chain.rpcUrl)
    const kind = { scheme: "exact", extra: { feePayer } }
    expect((await getSupported()).kinds).toEqual([
      { ...kind, x402Version: 2, network: chain.caip2 },
      { ...kind, x402Version: 1, network: "solana-devnet" }
    ])
  })
})

describe("a till over it", () => {
  it("is paid by the official client", async () => {
    const local = await facilitatorOn(chain.rpcUrl)
    const official = { client: local, feePayer, url: "", stop: async () => undefined }
    const { payer, received, send } = await openSolanaShop({ chain, official })
    const response = await solanaPayingFetch(chain, payer, 1_000, send)(searchUrl)
    expect(response.status, await response.clone().text()).toBe(200)
    expect(await received()).toBe(10_000n)
  })

  it("asks a payer who has paid and has too little money for a payment: 402, not 503", async () => {
    const local = await facilitatorOn(chain.rpcUrl)
    const official = {
      client: { ...local, ...local.forTill("books") },
      feePayer,
      url: "",
      stop: async () => undefined
    }
    const { payer, send } = await openSolanaShop({ chain, official })
    const pay = solanaPayingFetch(chain, payer, 1_000, send)
    expect((await pay(searchUrl)).status).toBe(200)
    const elsewhere = await generateKeyPairSigner()
    await chain.mint(elsewhere.address, 0n)
    const amount = (await chain.balanceOf(payer.address)) - 9_999n
    const spending = await payV2(chain, payer, { payTo: elsewhere.address, feePayer, amount })
    const spent = await (await facilitatorOn(chain.rpcUrl)).settle(spending.payload, spending.requirements)
    expect(spent.success).toBe(true)
    const response = await pay(searchUrl)
    expect(response.status, await response.clone().text()).toBe(402)
    expect(await refusalOf(response)).toBe("insufficient_funds")
  })
})
