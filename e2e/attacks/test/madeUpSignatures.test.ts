import { generatePrivateKey } from "viem/accounts"
import { expect } from "vitest"
import { attack } from "../src/attack.ts"
import { freshAccount } from "../src/Attacker.ts"
import { calls } from "../src/Calls.ts"
import { codeReader, openCodeReader } from "../src/CodeReader.ts"
import { placeWallet, signAsWallet } from "../src/ContractWallet.ts"
import { type FlakyRpc, openFlakyRpc } from "../src/FlakyRpc.ts"
import { workDone } from "../src/Goods.ts"
import { localChainOfFile, readable } from "../src/LocalChain.ts"
import { official, openOfficial } from "../src/Official.ts"
import { openOurs } from "../src/Ours.ts"
import { type Payment, sign, stranger } from "../src/Payments.ts"
import { limitedByPayer, perPayer } from "../src/PayerLimit.ts"
import { type Server, visit, type Visitor } from "../src/Visitor.ts"

/*
 * Made-up signatures cost the attacker nothing, and the host a request to the chain.
 */

const local = localChainOfFile()
/** Many more than the 60 that one client may have checked in a minute. */
const count = 100

/** Payments with well-formed signatures, each in the name of another account and by none of them. */
const makeUp = async (visitor: Visitor): Promise<ReadonlyArray<Payment>> => {
  const { payload, ...payment } = await sign(await visitor.challenge(calls.track), { account: stranger })
  return Array.from({ length: count }, () => {
    const change = { from: freshAccount().address, nonce: generatePrivateKey() }
    return { ...payment, payload: { ...payload, authorization: { ...payload.authorization, ...change } } }
  })
}

/** Counts the requests to the chain while every payment is presented once. */
const requestsOf = async (rpc: FlakyRpc, visitor: Visitor, payments: ReadonlyArray<Payment>) => {
  const before = rpc.requests()
  const responses = await Promise.all(payments.map((payment) => visitor.present(calls.track, payment)))
  // Refused, or requested to retry later: no call is served.
  for (const { status } of responses) expect([402, 429, 503]).toContain(status)
  return rpc.requests() - before
}

attack("made-up signatures that each cost a request to the chain", {
  on: codeReader,
  lands: async () => {
    const rpc = await openFlakyRpc(local().chain.rpcUrl)
    const visitor = visit(openCodeReader(local().facilitator.client, rpc.url))
    const payments = await makeUp(visitor)
    expect(await requestsOf(rpc, visitor, payments)).toBe(count)
    expect(await requestsOf(rpc, visitor, payments)).toBe(count)
  },
  fails: async () => {
    const rpc = await openFlakyRpc(local().chain.rpcUrl)
    const server = await openOurs(local().facilitator.client, {
      networks: [readable(local(), rpc.url)],
      trustFacilitator: false,
      clientAddress: () => "198.51.100.7"
    })
    const visitor = visit(server)
    const [first, ...others] = await makeUp(visitor)
    // A repeated signature is looked up on the chain once.
    await requestsOf(rpc, visitor, [first!])
    const repeated = await requestsOf(
      rpc,
      visitor,
      Array.from({ length: 20 }, () => first!)
    )
    const made = await requestsOf(rpc, visitor, others)
    console.info(`${count} made-up signatures: ${made} requests to the chain, ${repeated} for one repeated`)
    expect(repeated).toBe(0)
    expect(made).toBeLessThan(count * 0.75)
    // A genuine payment is still served.
    expect((await visitor.present(calls.track, await visitor.payFor(calls.track))).status).toBe(200)
    expect(workDone(server.goods)).toBe(1)
  }
})

/** A slow facilitator. */
const slowFacilitator = () => ({
  verify: async (payment: Payment, requirements: unknown) => {
    await new Promise((resolve) => setTimeout(resolve, 150))
    return local().facilitator.client.verify(payment, requirements)
  },
  settle: local().facilitator.client.settle
})

/** Presents a contract wallet's payment while forgeries that name the wallet are in flight. */
const payAmongForgeries = async (server: Server) => {
  const visitor = visit(server)
  const wallet = await placeWallet(local())
  const genuine = await signAsWallet(await visitor.challenge(calls.track), wallet)
  const forgeries: Array<Payment> = []
  for (let number = 0; number < perPayer * 2; number++) {
    const own = await signAsWallet(await visitor.challenge(calls.track), wallet)
    forgeries.push({ ...own, payload: { ...own.payload, signature: `0x${"5a".repeat(96)}` } })
  }
  const forging = Promise.all(forgeries.map((payment) => visitor.present(calls.track, payment)))
  await new Promise((resolve) => setTimeout(resolve, 50))
  const response = await visitor.present(calls.track, genuine)
  const forged = await forging
  // The payment itself is valid.
  expect((await visitor.present(calls.track, genuine)).status).toBe(200)
  return { response, forged }
}

attack("forged signatures that name a contract wallet, to use up that wallet's limit", {
  on: `${official}, behind a limit per payer`,
  lands: async () => {
    const { response } = await payAmongForgeries(limitedByPayer(openOfficial(slowFacilitator())))
    expect(response.status).toBe(429)
  },
  fails: async () => {
    const server = await openOurs(slowFacilitator(), {
      networks: [readable(local())],
      trustFacilitator: false,
      limits: { unsettledPerPayer: perPayer }
    })
    const { response, forged } = await payAmongForgeries(server)
    expect(response.status, response.text).toBe(200)
    for (const { status } of forged) expect([402, 429]).toContain(status)
    expect(workDone(server.goods)).toBe(1)
  }
})
