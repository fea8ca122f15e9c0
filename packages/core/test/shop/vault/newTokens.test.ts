import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { type SignInInfo, signInMessage } from "../../../src/toll/signin/SignInChallenge.ts"
import {
  baseUrl,
  type Call,
  email,
  expectFailed,
  expectRefused,
  jsonOf,
  openTill,
  type OpenOptions,
  type ReceivedResponse,
  vaultBuy
} from "../../toll/openTill.ts"
import { otherPayer, payer } from "../../toll/wallet.ts"
import {
  type Bought,
  buyItem,
  day,
  download,
  downloads,
  failingGrants,
  minute,
  pass,
  settles,
  openDatabase
} from "./openShop.ts"

/*
 * A purchase whose token is lost: the wallet that paid gets a new one.
 */

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 2, 2, 12) })
})
afterEach(() => {
  vi.useRealTimers()
})

type Shop = Awaited<ReturnType<typeof openTill>>

const network = "eip155:84532"
const pageOf = ({ purchaseId }: Pick<Bought, "purchaseId">): Call => ({
  path: `/x402-status/purchases/${purchaseId}/token`,
  body: {}
})

const proofFor = async (shop: Shop, page: Call, account = payer): Promise<string> => {
  const challenged = await shop.send(page)
  expect(challenged.status, challenged.text).toBe(401)
  const { info } = (jsonOf(challenged)["details"] as { "sign-in-with-x": { info: SignInInfo } })[
    "sign-in-with-x"
  ]
  if (page.path.endsWith("/token")) expect(info.statement).toMatch(/new download token.*old one ends/)
  const signature = await account.signMessage({ message: signInMessage(info, network, account.address) })
  const proof = { ...info, address: account.address, chainId: network, type: "eip191", signature }
  return Buffer.from(JSON.stringify(proof)).toString("base64")
}

const signedIn = async (shop: Shop, page: Call): Promise<ReceivedResponse> =>
  shop.send(page, { "sign-in-with-x": await proofFor(shop, page) })

const renew = async (
  shop: Shop,
  bought: Pick<Bought, "purchaseId">,
  account = payer
): Promise<ReceivedResponse> =>
  shop.send(pageOf(bought), { "sign-in-with-x": await proofFor(shop, pageOf(bought), account) })

const open = async (options: OpenOptions = {}) => {
  const shop = await openTill(options)
  return { shop, bought: await buyItem(shop) }
}

describe("a new token", () => {
  it("opens the download, ends the old one, and is mailed", async () => {
    const { bought, shop } = await open()
    const mailsOf = () => shop.mailer.sent.map((mail) => mail.idempotencyKey)
    await settles(mailsOf).toHaveLength(1)
    const renewed = await renew(shop, bought)
    expect(renewed.status, renewed.text).toBe(200)
    const { downloadToken, purchaseId } = jsonOf(renewed)
    expect(jsonOf(renewed)).toEqual({ purchaseId: bought.purchaseId, downloadToken, isMailed: true })
    expect(
      await downloads(shop, { purchaseId: String(purchaseId), downloadToken: String(downloadToken) })
    ).toBe(200)
    expectFailed(await download(shop, bought), 403, "DOWNLOAD_FORBIDDEN")
    await settles(mailsOf).toEqual([
      `purchase-confirmed:${bought.purchaseId}`,
      `purchase-confirmed:${bought.purchaseId}:1`
    ])
    const [first, second] = shop.mailer.sent
    expect([first!.text, second!.text]).toEqual([
      expect.stringContaining(bought.downloadToken),
      expect.stringContaining(String(downloadToken))
    ])
    expect(renewed.text).not.toContain(email)
  })

  it("is another each time, three times a day, and the last stays valid", async () => {
    const { bought, shop } = await open()
    const tokens = new Set([bought.downloadToken])
    let last = bought.downloadToken
    for (let time = 0; time < 3; time++) {
      last = String(jsonOf(await renew(shop, bought))["downloadToken"])
      tokens.add(last)
      pass(minute)
    }
    expect(tokens.size).toBe(4)
    const limited = await renew(shop, bought)
    expectFailed(limited, 429, "RATE_LIMITED")
    expect(limited.headers.get("retry-after")).toBe(String((day - 3 * minute) / 1000))
    expect(await downloads(shop, { ...bought, downloadToken: last })).toBe(200)
    pass(day)
    expect((await renew(shop, bought)).status).toBe(200)
  })

  it("leaves the replayed response as it was, and the status page shows no token that has ended", async () => {
    const shop = await openTill()
    const payment = await shop.payFor(vaultBuy)
    const first = await shop.present(vaultBuy, payment)
    const bought = JSON.parse(first.text) as Bought
    const page = { path: pageOf(bought).path.replace(/\/token$/, "") }
    const before = await signedIn(shop, page)
    expect(jsonOf(before)).toMatchObject({
      downloadToken: { isReplaced: false },
      response: { body: { downloadToken: bought.downloadToken } }
    })
    expect((await renew(shop, bought)).status).toBe(200)
    expect((await shop.present(vaultBuy, payment)).text).toBe(first.text)
    const after = await signedIn(shop, page)
    expect(jsonOf(after)).toMatchObject({ downloadToken: { isReplaced: true }, response: null })
    expect(String(Object(jsonOf(after)["downloadToken"]).help)).toMatch(/POST it to .* \/token/)
    expect(after.text).not.toContain(bought.downloadToken)
    const dead = await download(shop, bought)
    expectFailed(dead, 403, "DOWNLOAD_FORBIDDEN")
    expect(jsonOf(dead)["message"]).toContain(
      `sign in at ${baseUrl}${page.path} with the wallet that paid, and POST to ${baseUrl}${page.path}/token`
    )
  })

  it("goes to the wallet that paid alone, and a proof gets one", async () => {
    const { bought, shop } = await open()
    const foreign = await renew(shop, bought, otherPayer)
    expectFailed(foreign, 404, "STATUS_NOT_FOUND")
    const unknown = { purchaseId: "9d1f4f52-5a0c-4f6f-8c1e-6f1f0a7b2c3d" }
    expect((await renew(shop, unknown)).text).toBe(foreign.text)
    const proof = { "sign-in-with-x": await proofFor(shop, pageOf(bought)) }
    expect((await shop.send(pageOf(bought), proof)).status).toBe(200)
    expectFailed(await shop.send(pageOf(bought), proof), 401, "SIGN_IN_REFUSED")
    // Neither a status token nor a transaction is enough.
    const { headers } = await shop.present(vaultBuy, await shop.payFor(vaultBuy))
    expectFailed(
      await shop.send(pageOf(bought), { "status-token": headers.get("status-token") ?? "" }),
      401,
      "SIGN_IN_REQUIRED"
    )
    expect(await downloads(shop, bought)).toBe(403)
  })

  it("is not got by a proof for the page of the status, nor by one that another process has seen", async () => {
    const database = openDatabase()
    const [one, other] = [await database.open(), await database.open()]
    const bought = await buyItem(one!)
    const proof = { "sign-in-with-x": await proofFor(one!, pageOf(bought)) }
    expect((await one!.send(pageOf(bought), proof)).status).toBe(200)
    expectFailed(await other!.send(pageOf(bought), proof), 409, "TOKEN_NOT_ISSUED")
  })

  it("is for a purchase whose grant failed after its payment settled, too", async () => {
    const database = openDatabase()
    const shop = await database.open({ storage: failingGrants(database.storage(), 1) })
    const bought = await buyItem(shop)
    expect((await database.rows())[0]).toMatchObject({ status: "reserved" })
    expect((await renew(shop, bought)).status).toBe(200)
    expect((await database.rows())[0]).toMatchObject({ status: "granted" })
  })

  it("opens the download also where wallets download free of charge, and the old one doesn't", async () => {
    const vault = { open: async () => ({ body: Buffer.from("PK3") }), freeReaccess: true }
    const { bought, shop } = await open({ vault })
    const { downloadToken } = jsonOf(await renew(shop, bought))
    expect(await downloads(shop, { ...bought, downloadToken: String(downloadToken) })).toBe(200)
    expect(await downloads(shop, bought)).toBe(403)
  })

  it.each(["x", "1.", "1.1.", "1.0.abc", "1.01.abc", "1.1e3.abc", "1.2.3.4", ".", ""])(
    "isn't a text such as %j",
    async (downloadToken) => {
      const { bought, shop } = await open()
      const response = await download(shop, { ...bought, downloadToken: downloadToken || "." })
      expectFailed(response, 403, "DOWNLOAD_FORBIDDEN")
    }
  )
})

describe("a buyer whose response can't be sent again", () => {
  it("isn't told to pay again, but where the purchase is", async () => {
    const { shop } = await open({ without: ["mailer"] })
    const call = { ...vaultBuy, body: { ...Object(vaultBuy.body), email: "grace@mail.example" } }
    const payment = await shop.payFor(call)
    const { purchaseId } = jsonOf(await shop.present(call, payment))
    pass(11 * minute)
    const late = await shop.present(call, payment)
    expect(late.status).toBe(402)
    expect(jsonOf(late)["error"]).toMatch(/^payment_already_used: .*don't pay again\. What it bought is at/)
    expect(jsonOf(late)["error"]).toContain(`${baseUrl}/x402-status/purchases/${purchaseId}`)
    expect(late.text).not.toContain("sign a new one")
    // A payment for another request is refused as before.
    expectRefused(await shop.present(vaultBuy, payment), "payment_already_used")
  })

  it("finds the address in the refusal of a new payment, also after the window", async () => {
    const { bought, shop } = await open()
    pass(30 * day)
    const refused = await shop.present(vaultBuy, await shop.payFor(vaultBuy))
    const page = `${baseUrl}/x402-status/purchases/${bought.purchaseId}`
    expect(jsonOf(refused)).toMatchObject({ code: "DUPLICATE_ORDER", details: { status: page } })
    const message = String(jsonOf(refused)["message"])
    expect(message).toContain(`Your purchase is at ${page}: sign in there`)
    expect(message).toContain(`POST to ${page}/token for a new download token`)
    // Its response isn't kept any more.
    expect(message).not.toContain("first payment again")
  })
})

describe("operators", () => {
  it("find purchases by id, email, item, payer and transaction, and charges likewise", async () => {
    const { bought, shop } = await open()
    const { purchaseId: id } = bought
    const { charges, vault } = shop.till
    const [charge] = await charges.list({ payer: payer.address })
    expect(await charges.find(charge!.key)).toEqual(charge)
    const transaction = charge!.transaction!
    for (const query of [
      {},
      { email },
      { slug: "launch-plan" },
      { payer: payer.address },
      { transaction },
      { email, payer: payer.address.toLowerCase(), slug: "launch-plan", transaction }
    ])
      expect(await vault.purchases(query), JSON.stringify(query)).toMatchObject([{ id, status: "granted" }])
    for (const query of [
      { email: "grace@mail.example" },
      { slug: "other" },
      { payer: otherPayer.address },
      { transaction: `0x${"0".repeat(64)}` },
      { payer: payer.address, slug: "other" }
    ])
      expect(await vault.purchases(query), JSON.stringify(query)).toEqual([])
    expect(await vault.findPurchase(id)).toMatchObject({ id, slug: "launch-plan", email })
    expect(await charges.list({ transaction })).toEqual([charge])
    expect(await charges.list({ payer: otherPayer.address })).toEqual([])
  })

  it("list them in pages", async () => {
    const { bought, shop } = await open()
    const ids = [bought.purchaseId]
    for (let time = 0; time < 4; time++) {
      pass(1_000)
      ids.unshift((await buyItem(shop)).purchaseId)
    }
    for (const query of [{}, { payer: payer.address }]) {
      const first = await shop.till.vault.purchases({ ...query, limit: 2 })
      const rest = await shop.till.vault.purchases({ ...query, before: first.at(-1)! })
      expect([...first, ...rest].map((purchase) => purchase.id)).toEqual(ids)
    }
  })
})
