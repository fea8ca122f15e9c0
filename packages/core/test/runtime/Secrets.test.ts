import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { sqlite } from "@till402/core/sqlite"
import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { Secrets } from "../../src/runtime/Secrets.ts"
import { sampleTrackResult } from "../../../testing/src/index.ts"
import { keepThreads } from "../stores/sqlite/keptThreads.ts"
import {
  buy,
  downloadOf,
  expectFailed,
  expectRefused,
  jsonOf,
  openTill,
  search,
  track,
  trackingNumber,
  vaultBuy,
  withoutExample
} from "../toll/openTill.ts"
import { headerOf, payChallenge } from "../toll/wallet.ts"

keepThreads()

/** A folder that is gone after the test. */
const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), "till402-secrets-"))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** Everything a thief of the database has: the file, its log, its journal. */
const bytesOf = (path: string): string =>
  readdirSync(path)
    .map((name) => readFileSync(join(path, name)).toString("latin1"))
    .join("\n")

const stored = async () => {
  const path = folder()
  const filename = join(path, "till.sqlite")
  const open = (options: Parameters<typeof openTill>[0] = {}) =>
    openTill({ storage: sqlite({ filename }), ...options })
  return { path, filename, open, shop: await open() }
}

/** Makes the database one that was used with no key yet. */
const forgetKeys = (filename: string): void => {
  const database = new DatabaseSync(filename, { timeout: 1_000 })
  database.exec("DELETE FROM till_marks WHERE name LIKE 'secret.%'")
  database.close()
}

describe("what is kept", () => {
  it("of a response without secrets is readable, which shows that these tests look in the right place", async () => {
    const { path, shop } = await stored()
    await shop.present(search, await shop.payFor(search))
    expect(bytesOf(path)).toContain("Canvas tote bag A1")
  })

  it("of track opens nothing: neither the number nor what was found", async () => {
    const { path, shop } = await stored()
    shop.tracker.track.returns(sampleTrackResult(trackingNumber, { carrierNotice: "left with the porter" }))
    const response = await shop.present(track, await shop.payFor(track))
    expect(response.text).toContain("left with the porter")
    const bytes = bytesOf(path)
    for (const secret of [trackingNumber, "left with the porter", "InTransit"])
      expect(bytes).not.toContain(secret)
  })

  it("of vault buy opens nothing: no token", async () => {
    const { path, shop } = await stored()
    const bought = jsonOf(await shop.present(vaultBuy, await shop.payFor(vaultBuy)))
    const token = String(bought["downloadToken"])
    const bytes = bytesOf(path)
    expect(bytes).toContain(String(bought["purchaseId"]))
    for (const secret of [token, token.split(".")[1]!, "downloadToken"]) expect(bytes).not.toContain(secret)
  })

  it("of buy contains only the order, not the response", async () => {
    const { path, shop } = await stored()
    expect((await shop.present(buy, await shop.payFor(buy))).status).toBe(200)
    expect(bytesOf(path)).not.toContain("totalPrice")
  })

  it("of a payment in flight for such a response can't be presented by a thief", async () => {
    const { path, shop } = await stored()
    shop.facilitator.losesNextSettlement(false)
    const payment = await payChallenge(await shop.challenge(vaultBuy))
    expectFailed(await shop.present(vaultBuy, headerOf(payment)), 503, "SETTLEMENT_PENDING")
    const bytes = bytesOf(path)
    const { signature } = payment.payload
    for (const secret of [signature, signature.slice(2, 66), headerOf(payment), "downloadToken"])
      expect(bytes).not.toContain(secret)
    // It can be finished all the same.
    expect(await shop.till.reconcile()).toEqual({ settled: 1, pending: 0 })
    expect((await shop.present(vaultBuy, headerOf(payment))).status).toBe(200)
  })

  it("of the host secret is nothing", async () => {
    const { filename, path, open } = await stored()
    forgetKeys(filename)
    const secret = "canary-canary-canary-canary-canary-canary"
    const shop = await open({ secret })
    await shop.present(vaultBuy, await shop.payFor(vaultBuy))
    expect(bytesOf(path)).not.toContain(secret)
  })
})

describe("a vault purchase whose settlement was refused", () => {
  it("is not granted, and not kept", async () => {
    const { filename, shop } = await stored()
    shop.facilitator.rejectsSettlement("insufficient_funds")
    expectRefused(await shop.present(vaultBuy, await shop.payFor(vaultBuy)), "insufficient_funds")
    const database = new DatabaseSync(filename, { readOnly: true })
    onTestFinished(() => database.close())
    expect({ ...database.prepare("SELECT count(*) AS count FROM till_vault_purchases").get() }).toEqual({
      count: 0
    })
    expect(shop.mailer.sent).toEqual([])
  })

  it("is not granted while its settlement is unknown", async () => {
    const { filename, shop } = await stored()
    shop.facilitator.losesNextSettlement(true)
    expectFailed(await shop.present(vaultBuy, await shop.payFor(vaultBuy)), 503, "SETTLEMENT_PENDING")
    const database = new DatabaseSync(filename, { readOnly: true })
    onTestFinished(() => database.close())
    const purchases = database.prepare("SELECT id, status FROM till_vault_purchases").all()
    expect(purchases.map(({ status }) => status)).toEqual(["reserved"])
    const download = downloadOf(String(purchases[0]!["id"]), "1.token")
    expectFailed(await shop.present(download, await shop.payFor(download)), 404, "PURCHASE_NOT_FOUND")
  })
})

describe("a response that contains a secret", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 2, 2, 12) })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it("is given again for a short time alone: the signature is public by then", async () => {
    const shop = await openTill({ secretResponseLifetimeMillis: 60_000 })
    const payment = await shop.payFor(vaultBuy)
    const response = await shop.present(vaultBuy, payment)
    vi.setSystemTime(Date.now() + 60_000)
    expect((await shop.present(vaultBuy, payment)).text).toBe(response.text)
    vi.setSystemTime(Date.now() + 1)
    const refused = await shop.present(vaultBuy, payment)
    expectRefused(refused, "payment_already_used")
    expect(withoutExample(refused)).not.toContain("downloadToken")
    expect(shop.facilitator.settled).toHaveLength(1)
  })

  it("is replayed for ten minutes by default; other responses for a day", async () => {
    const shop = await openTill()
    const [bought, found] = [await shop.payFor(vaultBuy), await shop.payFor(search)]
    await shop.present(vaultBuy, bought)
    await shop.present(search, found)
    vi.setSystemTime(Date.now() + 600_001)
    expectRefused(await shop.present(vaultBuy, bought), "payment_already_used")
    expect((await shop.present(search, found)).status).toBe(200)
    vi.setSystemTime(Date.now() + 86_400_000)
    expectRefused(await shop.present(search, found), "payment_already_used")
  })
})

describe("keys", () => {
  const oldKey = { id: "2025", secret: "the key of last year, which nobody can guess" }
  const newKey = { id: "2026", secret: "the key of this year, which nobody can guess" }

  it("that follow another open what was made under it", async () => {
    const { filename, open } = await stored()
    forgetKeys(filename)
    const before = await open({ secret: [oldKey] })
    const payment = await before.payFor(vaultBuy)
    const response = await before.present(vaultBuy, payment)
    const { downloadToken, purchaseId } = jsonOf(response)
    const download = downloadOf(String(purchaseId), String(downloadToken))
    await before.till.dispose()

    const after = await open({ secret: [newKey, oldKey] })
    expect((await after.present(download, await after.payFor(download))).status).toBe(200)
    const again = await after.present(vaultBuy, payment)
    expect([again.status, again.text]).toEqual([200, response.text])
    const newer = jsonOf(await after.presentAgain(vaultBuy, await after.payFor(vaultBuy)))
    expect([downloadToken, newer["downloadToken"]]).toEqual([
      expect.stringMatching(/^2025\./),
      expect.stringMatching(/^2026\./)
    ])
    await after.till.dispose()

    const without = await open({ secret: [newKey], retiredKeys: [oldKey.id] })
    expectFailed(await without.present(download, await without.payFor(download)), 403, "DOWNLOAD_FORBIDDEN")
    expectRefused(await without.present(vaultBuy, payment), "payment_already_used")
  })

  it("that follow another finish a payment that was under way", async () => {
    const { filename, open } = await stored()
    forgetKeys(filename)
    const before = await open({ secret: [oldKey] })
    before.facilitator.losesNextSettlement(false)
    const payment = await before.payFor(vaultBuy)
    expectFailed(await before.present(vaultBuy, payment), 503, "SETTLEMENT_PENDING")
    await before.till.dispose()
    const after = await open({ secret: [newKey, oldKey] })
    expect((await after.present(vaultBuy, payment)).status).toBe(200)
  })

  it("that are lost leave it unknown, and refuse nothing", async () => {
    const { filename, open } = await stored()
    forgetKeys(filename)
    const before = await open({ secret: [oldKey] })
    before.facilitator.losesNextSettlement(false)
    await before.present(vaultBuy, await before.payFor(vaultBuy))
    await before.till.dispose()
    await expect(open({ secret: [newKey] })).rejects.toThrow("not the one this database was used with")
    const after = await open({ secret: [newKey], retiredKeys: [oldKey.id] })
    expect(await after.till.reconcile()).toMatchObject({ settled: 0 })
    expect((await after.till.charges.list()).map(({ state }) => state)).toEqual(["ready"])
    expect(after.facilitator.settle.calls).toEqual([])
  })
})

describe("a download", () => {
  it("wants the token of that very purchase", async () => {
    const shop = await openTill()
    const buyOne = async () => jsonOf(await shop.presentAgain(vaultBuy, await shop.payFor(vaultBuy)))
    const [one, other] = [await buyOne(), await buyOne()]
    const token = String(one["downloadToken"])
    const wrong = [String(other["downloadToken"]), `${token}x`, token.slice(0, -1), token.slice(2), "1.", "."]
    for (const downloadToken of wrong) {
      const download = downloadOf(String(one["purchaseId"]), encodeURIComponent(downloadToken))
      expectFailed(await shop.present(download, await shop.payFor(download)), 403, "DOWNLOAD_FORBIDDEN")
    }
    expect(shop.facilitator.settled).toHaveLength(2)
    const upper = downloadOf(String(one["purchaseId"]).toUpperCase(), token)
    expect((await shop.present(upper, await shop.payFor(upper))).status).toBe(200)
  })
})

const keys = [{ id: "k1", secret: "0123456789abcdef0123456789abcdef" }]

describe("an encrypted value", () => {
  it.each(["not base64!", "abc", "", "AAAA"])("that is damaged is undefined: %j", async (base64) => {
    const decrypted = Effect.gen(function* () {
      const secrets = yield* Secrets
      const { keyId } = yield* secrets.encrypt("a receipt")
      return yield* secrets.decrypt({ keyId, base64 })
    })
    expect(await Effect.runPromise(Effect.provide(decrypted, Secrets.layer(keys)))).toBeUndefined()
  })

  it("keeps large texts with all characters", async () => {
    const text = "é€😀 ".repeat(20_000)
    const decrypted = Effect.flatMap(Secrets, (secrets) =>
      Effect.flatMap(secrets.encrypt(text), (encrypted) => secrets.decrypt(encrypted))
    )
    expect(await Effect.runPromise(Effect.provide(decrypted, Secrets.layer(keys)))).toBe(text)
  })
})
