import { fakeFacilitator } from "@till402/testing"
import { expect } from "vitest"
import { attack } from "../src/attack.ts"
import { baseUrl, type Call, calls, downloadOf, jsonOf, type ReceivedResponse } from "../src/Calls.ts"
import { naiveStatus, openNaiveStatus } from "../src/NaiveStatus.ts"
import { openOurs } from "../src/Ours.ts"
import { payer, readHeader, stranger } from "../src/Payments.ts"
import { presentProof, proofOf, type SignInInfo } from "../src/SignIns.ts"
import { visit, type Visitor } from "../src/Visitor.ts"

/*
 * Attacks on status pages: on what a stranger can learn of an order or a purchase, and take of it.
 */

const naiveOrders = [
  { email: "ada@example.com", transaction: "0xaaaa", tokens: ["token-1"] },
  { email: "grace@example.com", transaction: "0xbbbb", tokens: ["token-1"] }
]
const openNaive = () => visit(openNaiveStatus(naiveOrders))

interface Bought {
  readonly visitor: Visitor
  readonly response: ReceivedResponse
  readonly page: Call
  readonly transaction: string
}

const buy = async (call: Call): Promise<Bought> => {
  const visitor = visit(await openOurs(fakeFacilitator()))
  const response = await visitor.present(call, await visitor.payFor(call))
  expect(response.status, response.text).toBe(200)
  const url = /^<(.*)>/.exec(response.headers.get("link") ?? "")![1]!
  const { transaction } = readHeader<{ readonly transaction: string }>(response.headers, "payment-response")
  return { visitor, response, page: { path: url.slice(baseUrl.length) }, transaction }
}

const challengeIn = (response: ReceivedResponse): SignInInfo => {
  expect(response.status, response.text).toBe(401)
  const details = jsonOf(response)["details"] as { "sign-in-with-x": { info: SignInInfo } }
  return details["sign-in-with-x"].info
}

const info = (): SignInInfo => ({
  domain: new URL(baseUrl).host,
  uri: `${baseUrl}/status/0`,
  version: "1",
  nonce: "0123456789abcdef0123456789abcdef",
  issuedAt: new Date().toISOString()
})

/** What identifies a buyer, or what they bought. */
const personal = [...JSON.stringify(calls.buy.body).matchAll(/"([^"]{6,})"(?!:)/g)].map(([, value]) => value!)

const expectNothingPersonal = ({ text }: ReceivedResponse): void => {
  for (const secret of [...personal, `"response"`, "parcels", "downloadToken", payer.address])
    expect(text).not.toContain(secret)
}

/** What doesn't differ from each response to each: all but the challenge. */
const comparable = ({ headers, status, text }: ReceivedResponse) => ({
  status,
  headers: Object.fromEntries(headers),
  text: text.replaceAll(/"(nonce|issuedAt|expirationTime|uri)":"[^"]*"/g, "")
})

const goods: ReadonlyArray<Call> = [calls.buy, calls.vaultBuy]

attack("orders found by guessing their ids at the status page", {
  on: naiveStatus,
  lands: async () => {
    const found = await Promise.all([0, 1, 2].map((id) => openNaive().send({ path: `/status/${id}` })))
    expect(found.map(({ status }) => status)).toEqual([200, 200, 404])
    expect(found[1]!.text).toContain("grace@example.com")
  },
  fails: async () => {
    for (const call of goods) {
      const { page, visitor } = await buy(call)
      const guess = { path: page.path.replace(/[^/]*$/, crypto.randomUUID()) }
      const existing = await visitor.send(page)
      expect(comparable(existing)).toEqual(comparable(await visitor.send(guess)))
      expectNothingPersonal(existing)
      const foreign = await presentProof(visitor, page, await proofOf(challengeIn(existing), stranger))
      const unknown = await proofOf(challengeIn(await visitor.send(guess)), stranger)
      expect(comparable(foreign)).toEqual(comparable(await presentProof(visitor, guess, unknown)))
      expect(foreign.status).toBe(404)
    }
  }
})

attack("another wallet at the status page of an order", {
  on: naiveStatus,
  lands: async () => {
    const visitor = openNaive()
    const shown = await presentProof(visitor, { path: "/status/0" }, await proofOf(info(), stranger))
    expect(shown.text).toContain("ada@example.com")
  },
  fails: async () => {
    for (const call of goods) {
      const { page, visitor } = await buy(call)
      const challenge = async () => challengeIn(await visitor.send(page))
      const proofs = [
        await proofOf(await challenge(), stranger),
        await proofOf(await challenge(), stranger, payer.address)
      ]
      for (const proof of proofs) {
        const refused = await presentProof(visitor, page, proof)
        expect(refused.status).toBe(404)
        expectNothingPersonal(refused)
      }
      const own = await presentProof(visitor, page, await proofOf(await challenge(), payer))
      expect(own.status).toBe(200)
    }
  }
})

attack("a transaction's hash as the key to an order", {
  on: naiveStatus,
  lands: async () => {
    const shown = await openNaive().send({ path: "/status/0xbbbb" })
    expect(shown.text).toContain("grace@example.com")
  },
  fails: async () => {
    for (const call of goods) {
      const { page, response, transaction, visitor } = await buy(call)
      const shown = await visitor.send({ path: page.path.replace(/[^/]*$/, transaction) })
      expect(shown.status).toBe(200)
      expect(Object.keys(jsonOf(shown))).toEqual(["status", "sign-in-with-x"])
      expectNothingPersonal(shown)
      const ids = Object.values(jsonOf(response)).filter((value) => /^[0-9a-f-]{36}$/.test(String(value)))
      for (const id of ids) expect(shown.text).not.toContain(id)
    }
  }
})

attack("a sign-in at a status page sent again", {
  on: naiveStatus,
  lands: async () => {
    const visitor = openNaive()
    const proof = await proofOf(info(), payer)
    for (let time = 0; time < 3; time++)
      expect((await presentProof(visitor, { path: "/status/0" }, proof)).status).toBe(200)
  },
  fails: async () => {
    for (const call of goods) {
      const { page, visitor } = await buy(call)
      const proof = await proofOf(challengeIn(await visitor.send(page)), payer)
      const copies = await Promise.all(Array.from({ length: 20 }, () => presentProof(visitor, page, proof)))
      expect(copies.filter(({ status }) => status === 200)).toHaveLength(1)
      const elsewhere = await presentProof(visitor, { path: `${page.path}/token`, body: {} }, proof)
      expect([401, 404]).toContain(elsewhere.status)
    }
  }
})

attack("an old response as the key to parcels and address", {
  on: naiveStatus,
  lands: async () => {
    const [held] = naiveOrders
    const shown = await openNaive().send({ path: `/status/${held!.transaction}` })
    expect(shown.text).toContain(held!.email)
  },
  fails: async () => {
    for (const call of goods) {
      const { page, response, visitor } = await buy(call)
      const token = { "status-token": response.headers.get("status-token")! }
      const shown = await visitor.send(page, token)
      expect([shown.status, jsonOf(shown)["refund"]]).toEqual([200, null])
      expectNothingPersonal(shown)
      expect(shown.headers.get("status-token")).toBeNull()
      // It opens no other page, and issues no download token.
      const other = { path: page.path.replace(/[^/]*$/, crypto.randomUUID()) }
      const action = { path: `${page.path}/token`, body: {} }
      const refused = [await visitor.send(other, token), await visitor.send(action, token)]
      expect(refused.map(({ status }) => status)).toEqual([404, call === calls.vaultBuy ? 401 : 404])
    }
  }
})

attack("an old download token, from an old response, after a new one was issued", {
  on: naiveStatus,
  lands: async () => {
    const visitor = openNaive()
    expect(jsonOf(await visitor.send({ path: "/token/0", body: {} }))).toEqual({ token: "token-2" })
    expect((await visitor.send({ path: "/download/0?token=token-1" })).text).toBe("the goods")
  },
  fails: async () => {
    const { page, response, visitor } = await buy(calls.vaultBuy)
    const { downloadToken, purchaseId } = jsonOf(response)
    const action = { path: `${page.path}/token`, body: {} }
    const proof = await proofOf(challengeIn(await visitor.send(action)), payer)
    const renewed = jsonOf(await presentProof(visitor, action, proof))
    const old = downloadOf(String(purchaseId), String(downloadToken))
    expect((await visitor.present(old, await visitor.payFor(old))).status).toBe(403)
    const current = downloadOf(String(purchaseId), String(renewed["downloadToken"]))
    expect((await visitor.present(current, await visitor.payFor(current))).status).toBe(200)
  }
})
