import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TillOptions } from "@till402/core"
import { sqlite } from "@till402/core/sqlite"
import { fakeFacilitator } from "@till402/testing"
import { expect, onTestFinished } from "vitest"
import { attack } from "../src/attack.ts"
import { baseUrl, type Call, downloadOf, jsonOf, type ReceivedResponse, vaultBuyOf } from "../src/Calls.ts"
import { openOurs } from "../src/Ours.ts"
import { payer, readHeader, stranger } from "../src/Payments.ts"
import {
  challengeIn,
  naiveSignIn,
  openNaiveSignIn,
  presentProof,
  proofOf,
  type SignInInfo
} from "../src/SignIns.ts"
import { countOf, visit, type Visitor } from "../src/Visitor.ts"

/*
 * Attacks on free downloads by the proof of a wallet.
 */

const naiveGoods = ["the goods of the first buyer", "the goods of the second buyer"]
const numbered = (number: number): Call => ({ path: `/x402/vault/download/${number}` })

const info = (overrides: Partial<SignInInfo> = {}): SignInInfo => ({
  domain: new URL(baseUrl).host,
  uri: `${baseUrl}/x402/vault/download/0`,
  version: "1",
  nonce: "0123456789abcdef0123456789abcdef",
  issuedAt: new Date().toISOString(),
  ...overrides
})

/** A till that lets wallets download again, with archives of this many bytes. */
const openShop = async (bytes = 100) => {
  const archive = new Uint8Array(bytes).fill(7)
  archive.set(Buffer.from("PK"))
  const vault = { open: async () => ({ body: archive }), freeReaccess: true }
  const shop = await openOurs(fakeFacilitator(), { vault })
  const visitor = visit(shop)
  const buy = async (slug: string): Promise<Call> => {
    const call = vaultBuyOf(slug)
    const { downloadToken, purchaseId } = jsonOf(await visitor.present(call, await visitor.payFor(call)))
    return downloadOf(String(purchaseId), String(downloadToken))
  }
  const call = await buy("launch-plan")
  return { visitor, call, buy, archive, charges: async () => (await shop.till.charges.list()).length }
}

const freshProof = async (visitor: Visitor, call: Call): Promise<string> =>
  proofOf(challengeIn(await visitor.send(call)), payer)

const errorOf = ({ headers, status }: ReceivedResponse): string => {
  expect(status).toBe(402)
  return readHeader<{ readonly error: string }>(headers, "payment-required").error
}
const reasonOf = (response: ReceivedResponse): string => errorOf(response).split(":")[0]!

attack("a wallet's proof sent again", {
  on: naiveSignIn,
  lands: async () => {
    const visitor = visit(openNaiveSignIn(naiveGoods))
    const proof = await proofOf(info(), payer)
    for (let time = 0; time < 3; time++)
      expect((await presentProof(visitor, numbered(0), proof)).text).toBe(naiveGoods[0])
  },
  fails: async () => {
    const { call, visitor } = await openShop()
    const proof = await freshProof(visitor, call)
    const copies = await Promise.all(Array.from({ length: 20 }, () => presentProof(visitor, call, proof)))
    expect(countOf(copies, 200)).toBe(1)
    const later = await presentProof(visitor, call, proof)
    expect(reasonOf(later)).toBe("invalid_siwx_nonce")
    // The refusal has a new challenge, which the wallet may sign.
    const again = await proofOf(challengeIn(later), payer)
    expect((await presentProof(visitor, call, again)).status).toBe(200)
  }
})

attack("a wallet's proof that was signed for another site", {
  on: naiveSignIn,
  lands: async () => {
    const visitor = visit(openNaiveSignIn(naiveGoods))
    const lured = info({ domain: "free-gifts.example", uri: "https://free-gifts.example/" })
    const response = await presentProof(visitor, numbered(0), await proofOf(lured, payer))
    expect(response.text).toBe(naiveGoods[0])
  },
  fails: async () => {
    const { buy, call, visitor } = await openShop()
    const own = challengeIn(await visitor.send(call))
    const other = challengeIn(await visitor.send(await buy("press-kit")))
    const present = async (signed: SignInInfo, shown: Partial<SignInInfo> = {}) => {
      const proof = JSON.parse(Buffer.from(await proofOf(signed, payer), "base64").toString())
      const header = Buffer.from(JSON.stringify({ ...proof, ...shown })).toString("base64")
      return reasonOf(await presentProof(visitor, call, header))
    }
    const lured = { ...own, domain: "free-gifts.example", uri: "https://free-gifts.example/" }
    expect(await present(lured)).toBe("invalid_siwx_domain_mismatch")
    expect(await present({ ...own, uri: lured.uri })).toBe("invalid_siwx_uri_mismatch")
    // Signed for the attacker's site with a challenge of ours, and shown as if it were for ours.
    expect(await present(lured, { domain: own.domain, uri: own.uri })).toBe("sign_in_refused")
    // For another purchase, and with its nonce.
    expect(await present(other)).toBe("invalid_siwx_uri_mismatch")
    expect(await present({ ...other, uri: own.uri })).toBe("invalid_siwx_nonce")
    // With a nonce or a time of the attacker's choice.
    expect(await present(info({ uri: own.uri }))).toBe("invalid_siwx_nonce")
    const later = new Date(Date.parse(own.issuedAt) + 20_000).toISOString()
    expect(await present({ ...own, issuedAt: later })).toBe("invalid_siwx_nonce")
    const tomorrow = new Date(Date.parse(own.issuedAt) + 86_400_000).toISOString()
    expect(await present({ ...own, issuedAt: tomorrow })).toBe("invalid_siwx_issued_at_in_future")
    expect(await present({ ...own, expirationTime: tomorrow })).toBe("sign_in_refused")
  }
})

attack("the proof of a wallet that didn't pay", {
  on: naiveSignIn,
  lands: async () => {
    const visitor = visit(openNaiveSignIn(naiveGoods))
    const response = await presentProof(visitor, numbered(1), await proofOf(info(), stranger))
    expect(response.text).toBe(naiveGoods[1])
  },
  fails: async () => {
    const { call, charges, visitor } = await openShop()
    const challenge = challengeIn(await visitor.send(call))
    const stolen = await proofOf(challenge, stranger, payer.address)
    for (const proof of [await proofOf(challenge, stranger), stolen])
      expect(reasonOf(await presentProof(visitor, call, proof))).toBe("sign_in_refused")
    const cut = call.path.replace(/downloadToken=.*/, "downloadToken=1.none")
    const withoutToken = await presentProof(visitor, { path: cut }, await proofOf(challenge, payer))
    expect(reasonOf(withoutToken)).toBe("sign_in_refused")
    // None of these has used the challenge up.
    expect((await presentProof(visitor, call, await proofOf(challenge, payer))).status).toBe(200)
    expect(await charges()).toBe(1)
  }
})

attack("a download token made with a stolen key", {
  on: naiveSignIn,
  lands: async () => {
    const visitor = visit(openNaiveSignIn(naiveGoods))
    const response = await presentProof(visitor, numbered(1), await proofOf(info(), stranger))
    expect(response.text).toBe(naiveGoods[1])
  },
  fails: async () => {
    const folder = mkdtempSync(join(tmpdir(), "till402-stolen-"))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const open = async (options: Pick<TillOptions, "retiredKeys" | "secret">) => {
      const vault = { open: async () => ({ body: Buffer.from("PK345678") }) }
      const storage = sqlite({ filename: join(folder, "till.sqlite") })
      const shop = await openOurs(fakeFacilitator(), { vault, storage, ...options })
      return { shop, visitor: visit(shop) }
    }
    const stolen = { id: "1", secret: "the key that somebody has stolen, long enough" }
    const before = await open({ secret: [stolen] })
    const buying = vaultBuyOf("launch-plan")
    const bought = jsonOf(await before.visitor.present(buying, await before.visitor.payFor(buying)))
    // Tokens are derived from the key and the purchase's id: the thief's is that of the buyer.
    const call = downloadOf(String(bought["purchaseId"]), String(bought["downloadToken"]))
    await before.shop.till.dispose()

    const fresh = { id: "2", secret: "the key that replaces it, and is long enough" }
    const { shop, visitor } = await open({ secret: [fresh], retiredKeys: ["1"] })
    const paid = await visitor.present(call, await visitor.payFor(call))
    expect([paid.status, jsonOf(paid)["code"]]).toEqual([403, "DOWNLOAD_FORBIDDEN"])
    const challenge = challengeIn(await visitor.send(call))
    const asStranger = await presentProof(visitor, call, await proofOf(challenge, stranger))
    expect(reasonOf(asStranger)).toBe("sign_in_refused")
    // The buyer's wallet still gets the file, and nothing else was charged.
    expect((await presentProof(visitor, call, await proofOf(challenge, payer))).status).toBe(200)
    expect((await shop.till.charges.list()).filter(({ state }) => state === "settled")).toHaveLength(1)
  }
})

attack("purchases found by signing in", {
  on: naiveSignIn,
  lands: async () => {
    const visitor = visit(openNaiveSignIn(naiveGoods))
    const statuses = await Promise.all(
      [1, 2].map(async (number) =>
        presentProof(visitor, numbered(number), await proofOf(info(), stranger)).then(({ status }) => status)
      )
    )
    expect(statuses).toEqual([200, 404])
  },
  fails: async () => {
    const { call, visitor } = await openShop()
    const [, id = "", token = ""] = /download\/([^?]+)\?downloadToken=(.+)$/.exec(call.path) ?? []
    const decoded = decodeURIComponent(token)
    const unknown = `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`
    const tried = [downloadOf(id, decoded), downloadOf(id, "1.none"), downloadOf(unknown, decoded)]
    const seen = await Promise.all(
      tried.map(async (each) => {
        const offered = await visitor.send(each)
        const refused = await presentProof(visitor, each, await proofOf(challengeIn(offered), stranger))
        const names = [offered, refused].map(({ headers }) => Array.from(headers.keys()))
        return [names, offered.status, errorOf(offered), errorOf(refused)]
      })
    )
    expect(seen[1]).toEqual(seen[0])
    expect(seen[2]).toEqual(seen[0])
  }
})

attack("one proof after another that downloads without end", {
  on: naiveSignIn,
  lands: async () => {
    const visitor = visit(openNaiveSignIn(naiveGoods))
    for (let time = 0; time < 10; time++) {
      const proof = await proofOf(info({ nonce: String(time).padStart(32, "0") }), payer)
      expect((await presentProof(visitor, numbered(0), proof)).text).toBe(naiveGoods[0])
    }
  },
  fails: async () => {
    const { archive, call, visitor } = await openShop(6 * 2 ** 20)
    const download = async (headers: Readonly<Record<string, string>> = {}) =>
      visitor.send(call, { "sign-in-with-x": await freshProof(visitor, call), ...headers })
    const first = await Promise.all([download(), download(), download(), download()])
    expect(countOf(first, 200)).toBe(3)
    const refused = first.find(({ status }) => status !== 200)!
    expect(reasonOf(refused)).toBe("sign_in_budget_spent")
    expect(reasonOf(await download({ range: "bytes=0-0" }))).toBe("sign_in_budget_spent")
    // A payment buys another one.
    const paid = await visitor.present(call, await visitor.payFor(call))
    expect([paid.status, paid.text.length]).toEqual([200, archive.length])
  }
})
