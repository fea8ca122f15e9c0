import { Context, Effect, Layer } from "effect"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { Charges } from "../../src/ports/Charges.ts"
import type { Stores } from "../../src/ports/Stores.ts"
import { Secrets } from "../../src/runtime/Secrets.ts"
import type { TillOptions } from "../../src/till/TillOptions.ts"
import { downloadTokenOf } from "../../src/vault/DownloadToken.ts"
import { type Call, downloadOf, expectFailed, type ReceivedResponse, vaultBuy } from "../toll/openTill.ts"
import { outcomeOf, proofFor, signIn } from "../toll/signIn.ts"
import { otherPayer, payer } from "../toll/wallet.ts"
import { buyItem, download, failingGrants, minute, pass, settles, sharedFile, type Shop } from "./openShop.ts"

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 2, 2, 12) })
})
afterEach(() => {
  vi.useRealTimers()
})

const mebibyte = 2 ** 20

/** A vault that lets wallets download again, and counts what is opened. */
const freeVault = ({ bytes = 1_000, ...options }: { bytes?: number; maxDownloads?: number } = {}) => {
  const seen = { opened: 0, isBroken: false }
  const open = async () => {
    seen.opened++
    if (seen.isBroken) throw new Error("the disk is gone")
    return { body: new Uint8Array(bytes).fill(7) }
  }
  const vault: NonNullable<TillOptions["vault"]> = { open, freeReaccess: true, ...options }
  return { seen, vault }
}

const callOf = ({ downloadToken, purchaseId }: Awaited<ReturnType<typeof buyItem>>): Call =>
  downloadOf(purchaseId, downloadToken)

/** Signs in with a proof of its own. */
const enter = async (shop: Shop, call: Call, account = payer): Promise<ReceivedResponse> =>
  signIn(shop, call, await proofFor(shop, call, account))

const outcomes = async (shop: Shop, call: Call, times: number): Promise<ReadonlyArray<string>> => {
  const list: Array<string> = []
  for (let time = 0; time < times; time++) list.push(outcomeOf(await enter(shop, call)))
  return list
}

const dueRefund = { _tag: "Due", startedAtMillis: undefined } as const

/** A storage in which, once `areDue`, a refund of each settled charge is due. */
const refunding = (storage: TillOptions["storage"], refunds: { areDue: boolean }): TillOptions["storage"] =>
  Layer.effectContext(
    Effect.map(Effect.context<Stores>(), (stores) => {
      const charges = Context.get(stores, Charges)
      const find: typeof charges.find = (key) =>
        Effect.map(charges.find(key), (charge) =>
          charge && refunds.areDue ? { ...charge, refund: dueRefund } : charge
        )
      return Context.add(stores, Charges, { ...charges, find })
    })
  ).pipe(Layer.provide(storage))

describe("a purchase whose payment settled and whose grant failed", () => {
  it("is granted to the wallet that paid, once it has proved itself", async () => {
    const file = sharedFile()
    const shop = await file.open({ storage: failingGrants(file.storage(), 1), vault: freeVault().vault })
    const call = callOf(await buyItem(shop))
    expect(file.rows()).toMatchObject([{ status: "reserved" }])

    expect(outcomeOf(await enter(shop, call, otherPayer))).toBe("sign_in_refused")
    const forged: Call = { path: `${call.path.slice(0, -1)}!` }
    expect(outcomeOf(await enter(shop, forged))).toBe("sign_in_refused")
    expect(file.rows()).toMatchObject([{ status: "reserved" }])

    expect(outcomeOf(await enter(shop, call))).toBe("200")
    expect(file.rows()).toMatchObject([{ status: "granted" }])
    await settles(() => shop.mailer.sent).toHaveLength(1)
    expect(await shop.till.charges.list()).toHaveLength(1)
  })

  it("is granted to nobody if its refund is due", async () => {
    const file = sharedFile()
    const { seen, vault } = freeVault()
    const refunds = { areDue: false }
    const shop = await file.open({ storage: refunding(failingGrants(file.storage(), 1), refunds), vault })
    const call = callOf(await buyItem(shop))
    refunds.areDue = true
    expect(outcomeOf(await enter(shop, call))).toBe("sign_in_refused")
    expect(file.rows()).toMatchObject([{ status: "reserved" }])
    expect(seen.opened).toBe(0)
  })
})

describe("a purchase that was never paid", () => {
  it("is refused to the wallet that would have paid, and stays reserved", async () => {
    const file = sharedFile()
    const secret = "a secret of this test, of 32 characters or more"
    const { seen, vault } = freeVault()
    const shop = await file.open({ secret, vault })
    shop.facilitator.settle.failsWith(new Error("connection reset"))
    expectFailed(await shop.present(vaultBuy, await shop.payFor(vaultBuy)), 503, "SETTLEMENT_PENDING")
    const purchaseId = file.rows()[0]!.id
    const token = Effect.map(Secrets, (secrets) => downloadTokenOf(secrets, purchaseId, "1")!)
    const keys = Secrets.layer([{ id: "1", secret }])
    const call = downloadOf(purchaseId, await Effect.runPromise(Effect.provide(token, keys)))
    expect(outcomeOf(await enter(shop, call))).toBe("sign_in_refused")
    expect(file.rows()).toMatchObject([{ status: "reserved" }])
    expect(seen.opened).toBe(0)
  })
})

describe("the host's file", () => {
  const buy = async (options: Parameters<typeof freeVault>[0] = {}) => {
    const { seen, vault } = freeVault(options)
    const file = sharedFile()
    const shop = await file.open({ vault })
    return { file, seen, shop, vault, call: callOf(await buyItem(shop)) }
  }

  it("is opened once for a proof, however often it is presented", async () => {
    const { call, seen, shop } = await buy()
    const proof = await proofFor(shop, call)
    const copies = await Promise.all(Array.from({ length: 10 }, () => signIn(shop, call, proof)))
    const used = "invalid_siwx_nonce"
    expect(copies.map(outcomeOf).sort()).toEqual(["200", ...Array<string>(9).fill(used)])
    for (let copy = 0; copy < 10; copy++) expect(outcomeOf(await signIn(shop, call, proof))).toBe(used)
    expect(seen.opened).toBe(1)
    expect(await outcomes(shop, call, 2)).toEqual(["200", "200"])
  })

  it("is opened once in each process for a proof that another process used up", async () => {
    const { call, file, seen, shop, vault } = await buy()
    const other = await file.open({ vault })
    const proof = await proofFor(shop, call)
    expect(outcomeOf(await signIn(shop, call, proof))).toBe("200")
    for (let copy = 0; copy < 5; copy++)
      expect(outcomeOf(await signIn(other, call, proof))).toBe("invalid_siwx_nonce")
    expect(seen.opened).toBe(2)
  })

  it("is opened for a proof until the proof is too old", async () => {
    const { call, seen, shop } = await buy()
    const proof = await proofFor(shop, call)
    expect(outcomeOf(await signIn(shop, call, proof))).toBe("200")
    pass(5 * minute - 1)
    expect(outcomeOf(await signIn(shop, call, proof))).toBe("invalid_siwx_nonce")
    pass(1)
    expect(outcomeOf(await signIn(shop, call, proof))).toBe("invalid_siwx_issued_at_too_old")
    expect(seen.opened).toBe(1)
  })

  it("leaves the proof valid where it can't be opened, or has no such range", async () => {
    const { call, seen, shop } = await buy({ maxDownloads: 1 })
    const proof = await proofFor(shop, call)
    seen.isBroken = true
    for (let time = 0; time < 2; time++) expectFailed(await signIn(shop, call, proof), 502, "VAULT_ERROR")
    seen.isBroken = false
    expect(outcomeOf(await signIn(shop, call, proof, { range: "bytes=1000-" }))).toBe("416")
    expect(outcomeOf(await signIn(shop, call, proof))).toBe("200")
    expect(outcomeOf(await enter(shop, call))).toBe("403")
  })

  it("isn't opened beyond the host's limit, which uses up neither bytes nor the proof", async () => {
    const { call, seen, shop } = await buy({ bytes: 6 * mebibyte, maxDownloads: 1 })
    expect(await outcomes(shop, call, 5)).toEqual(["200", "403", "403", "403", "403"])
    expect(seen.opened).toBe(1)
  })

  it("counts no download whose proof is refused", async () => {
    const { call, shop } = await buy({ bytes: 6 * mebibyte, maxDownloads: 4 })
    const spent = "sign_in_budget_spent"
    expect(await outcomes(shop, call, 5)).toEqual(["200", "200", "200", spent, spent])
    expect([(await download(shop, boughtOf(call))).status, outcomeOf(await enter(shop, call))]).toEqual([
      200,
      "403"
    ])
  })

  it("counts once for a proof that was presented to two processes", async () => {
    const { call, file, shop, vault } = await buy({ maxDownloads: 2 })
    const other = await file.open({ vault })
    const proof = await proofFor(shop, call)
    const two = [await signIn(shop, call, proof), await signIn(other, call, proof)]
    expect(two.map(outcomeOf)).toEqual(["200", "invalid_siwx_nonce"])
    expect(await outcomes(other, call, 2)).toEqual(["200", "403"])
  })
})

const boughtOf = ({ path }: Call) => {
  const [, purchaseId = "", downloadToken = ""] = /download\/([^?]+)\?downloadToken=(.+)$/.exec(path) ?? []
  return { purchaseId, downloadToken }
}
