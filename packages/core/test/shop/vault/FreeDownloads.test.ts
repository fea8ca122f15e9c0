import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { type Call, expectFailed, vaultBuy } from "../../toll/openTill.ts"
import { outcomeOf, proofFor, signIn } from "../../toll/signIn.ts"
import { otherPayer, payer } from "../../toll/wallet.ts"
import {
  callById,
  callOf,
  enter,
  freeVault,
  openFreeShop,
  outcomes,
  refunding,
  renaming,
  secret
} from "./openFreeShop.ts"
import { buyItem, download, failingGrants, minute, pass, settles, openDatabase } from "./openShop.ts"

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 2, 2, 12) })
})
afterEach(() => {
  vi.useRealTimers()
})

const mebibyte = 2 ** 20
const refused = "sign_in_refused"
const spent = "sign_in_budget_spent"
const used = "invalid_siwx_nonce"

describe("a purchase whose payment settled and whose grant failed", () => {
  it("is granted to the wallet that paid, once it has proved itself", async () => {
    const database = openDatabase()
    const shop = await database.open({
      storage: failingGrants(database.storage(), 1),
      vault: freeVault().vault
    })
    const call = callOf(await buyItem(shop))
    expect(await database.rows()).toMatchObject([{ status: "reserved" }])

    expect(outcomeOf(await enter(shop, call, otherPayer))).toBe(refused)
    const forged: Call = { path: `${call.path.slice(0, -1)}!` }
    expect(outcomeOf(await enter(shop, forged))).toBe(refused)
    expect(await database.rows()).toMatchObject([{ status: "reserved" }])

    expect(outcomeOf(await enter(shop, call))).toBe("200")
    expect(await database.rows()).toMatchObject([{ status: "granted" }])
    await settles(() => shop.mailer.sent).toHaveLength(1)
    expect(await shop.till.charges.list()).toHaveLength(1)
  })

  it("is granted to nobody if its refund is due", async () => {
    const refunds = { areDue: false }
    const { call, database, seen, shop } = await openFreeShop({}, (storage) =>
      refunding(refunds)(failingGrants(storage, 1))
    )
    refunds.areDue = true
    expect(outcomeOf(await enter(shop, call))).toBe(refused)
    expect(await database.rows()).toMatchObject([{ status: "reserved" }])
    expect(seen.opened).toBe(0)
  })
})

describe("a purchase that was never paid", () => {
  it("is refused to the wallet that would have paid, and stays reserved", async () => {
    const database = openDatabase()
    const { seen, vault } = freeVault()
    const shop = await database.open({ secret, vault })
    shop.facilitator.settle.failsWith(new Error("connection reset"))
    expectFailed(await shop.present(vaultBuy, await shop.payFor(vaultBuy)), 503, "SETTLEMENT_PENDING")
    const call = await callById((await database.rows())[0]!.id)
    expect(outcomeOf(await enter(shop, call))).toBe(refused)
    expect(await database.rows()).toMatchObject([{ status: "reserved" }])
    // For the sale alone.
    expect(seen.opened).toBe(1)
  })

  it("is refused as any other if it was never made, or is gone", async () => {
    const { shop } = await openFreeShop()
    const call = await callById("9d1f4f52-5a0c-4f6f-8c1e-6f1f0a7b2c3d")
    expect(outcomeOf(await enter(shop, call))).toBe(refused)
  })
})

describe("the wallet that paid", () => {
  it("is told by the charge: its address, on a network of its own family", async () => {
    const changes: Parameters<typeof renaming>[0] = { counted: [] }
    const { call, seen, shop } = await openFreeShop({}, renaming(changes))
    const paidBy = async (chargeKey: string) => {
      changes.chargeKey = chargeKey
      return outcomeOf(await enter(shop, call))
    }
    const address = payer.address.toLowerCase()
    expect(await paidBy(`eip155:84532:0xusdc:${address}:0x01`)).toBe("200")
    expect(await paidBy(`eip155:8453:0xusdc:${address}:0x01`)).toBe("200")
    const opened = seen.opened
    expect(await paidBy(`eip155:84532:0xusdc:${otherPayer.address.toLowerCase()}:0x01`)).toBe(refused)
    expect(await paidBy(`solana:devnet:usdc:${payer.address}:1.2`)).toBe(refused)
    expect(await paidBy(`solana:devnet:usdc:${address}:1.2`)).toBe(refused)
    expect(await paidBy("a text of another kind")).toBe(refused)
    expect(seen.opened).toBe(opened)
    expect(changes.counted).toEqual([])
  })
})

describe("the host's file", () => {
  it("is opened once for a proof, however often it is presented", async () => {
    const { call, seen, shop } = await openFreeShop()
    const proof = await proofFor(shop, call)
    const copies = await Promise.all(Array.from({ length: 10 }, () => signIn(shop, call, proof)))
    expect(copies.map(outcomeOf).sort()).toEqual(["200", ...Array<string>(9).fill(used)])
    for (let copy = 0; copy < 10; copy++) expect(outcomeOf(await signIn(shop, call, proof))).toBe(used)
    expect(seen.opened).toBe(1)
    expect(await outcomes(shop, call, 2)).toEqual(["200", "200"])
  })

  it("is opened once in each process for a proof that another process used up", async () => {
    const { call, database, seen, shop, vault } = await openFreeShop()
    const other = await database.open({ vault, secret })
    const proof = await proofFor(shop, call)
    expect(outcomeOf(await signIn(shop, call, proof))).toBe("200")
    for (let copy = 0; copy < 5; copy++) expect(outcomeOf(await signIn(other, call, proof))).toBe(used)
    expect(seen.opened).toBe(2)
  })

  it("isn't opened again for a used proof until the proof is too old", async () => {
    const { call, seen, shop } = await openFreeShop()
    const proof = await proofFor(shop, call)
    expect(outcomeOf(await signIn(shop, call, proof))).toBe("200")
    pass(5 * minute - 1)
    expect(outcomeOf(await signIn(shop, call, proof))).toBe(used)
    pass(1)
    expect(outcomeOf(await signIn(shop, call, proof))).toBe("invalid_siwx_issued_at_too_old")
    expect(seen.opened).toBe(1)
  })

  it("leaves the proof valid where it can't be opened, or has no such range", async () => {
    const { call, seen, shop } = await openFreeShop({ maxDownloads: 1 })
    const proof = await proofFor(shop, call)
    seen.isBroken = true
    for (let time = 0; time < 2; time++) expectFailed(await signIn(shop, call, proof), 502, "VAULT_ERROR")
    seen.isBroken = false
    expect(outcomeOf(await signIn(shop, call, proof, { range: "bytes=1000-" }))).toBe("416")
    expect(outcomeOf(await signIn(shop, call, proof))).toBe("200")
    expect(outcomeOf(await enter(shop, call))).toBe("403")
  })

  it("isn't opened when the purchase is older than the host allows", async () => {
    const { call, seen, shop } = await openFreeShop({ maxAgeMillis: 10 * minute })
    pass(10 * minute)
    expect(outcomeOf(await enter(shop, call))).toBe("200")
    pass(1)
    expectFailed(await enter(shop, call), 403, "DOWNLOAD_EXPIRED")
    expect(seen.opened).toBe(1)
  })

  it("isn't opened beyond the host's limit, which uses up neither bytes nor the proof", async () => {
    const { call, seen, shop } = await openFreeShop({ bytes: 6 * mebibyte, maxDownloads: 1 })
    expect(await outcomes(shop, call, 5)).toEqual(["200", "403", "403", "403", "403"])
    expect(seen.opened).toBe(1)
  })
})

describe("the downloads that a host limits", () => {
  it("count none whose proof is refused", async () => {
    const { bought, call, shop } = await openFreeShop({ bytes: 6 * mebibyte, maxDownloads: 4 })
    expect(await outcomes(shop, call, 5)).toEqual(["200", "200", "200", spent, spent])
    expect((await download(shop, bought)).status).toBe(200)
    expect(outcomeOf(await enter(shop, call))).toBe("403")
  })

  it("count once for a proof that was presented to two processes", async () => {
    const { call, database, shop, vault } = await openFreeShop({ maxDownloads: 2 })
    const other = await database.open({ vault, secret })
    const proof = await proofFor(shop, call)
    const two = [await signIn(shop, call, proof), await signIn(other, call, proof)]
    expect(two.map(outcomeOf)).toEqual(["200", used])
    expect(await outcomes(other, call, 2)).toEqual(["200", "403"])
  })
})

describe("the bytes of a day", () => {
  it("are used up by a file of unknown size at once", async () => {
    const { call, shop } = await openFreeShop({ isUnsized: true })
    expect(await outcomes(shop, call, 2)).toEqual(["200", spent])
  })

  it("leave a proof valid that asks for too many, and count 64 KiB for each part", async () => {
    const size = 6 * mebibyte
    const { call, shop } = await openFreeShop({ bytes: size })
    expect(await outcomes(shop, call, 2)).toEqual(["200", "200"])
    const large = { range: `bytes=${100 * 1024}-` }
    expect(outcomeOf(await signIn(shop, call, await proofFor(shop, call), large))).toBe("206")
    const proof = await proofFor(shop, call)
    expect(outcomeOf(await signIn(shop, call, proof))).toBe(spent)
    const small = { range: "bytes=0-0" }
    expect(outcomeOf(await signIn(shop, call, proof, small))).toBe("206")
    expect(outcomeOf(await signIn(shop, call, await proofFor(shop, call), small))).toBe(spent)
  })
})
