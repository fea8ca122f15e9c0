import { Context, Effect, Layer } from "effect"
import { StoreError } from "../../src/domain/Errors.ts"
import { memory } from "../../src/stores/memory.ts"
import type { Stores } from "../../src/stores/Stores.ts"
import { type Redemption, VaultPurchases } from "../../src/shop/ports/VaultPurchases.ts"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { type Call, downloadOf, expectFailed, jsonOf, openTill, vaultBuy } from "../toll/openTill.ts"
import { outcomeOf, proofFor, signIn, signInOf } from "../toll/signIn.ts"
import { otherPayer } from "../toll/wallet.ts"

/*
 * How many proofs of wallets are looked up in a minute, and whose.
 */

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 2, 2, 12) })
})
afterEach(() => {
  vi.useRealTimers()
})

const archive = Buffer.from("PK34567890")
const unknown = downloadOf("9d1f4f52-5a0c-4f6f-8c1e-6f1f0a7b2c3d", "1.none")

const openShop = async (options: Parameters<typeof openTill>[0] = {}) => {
  const vault = { open: async () => ({ body: archive }), freeReaccess: true }
  const shop = await openTill({ vault, ...options })
  const buy = async (): Promise<Call> => {
    const bought = jsonOf(await shop.presentAgain(vaultBuy, await shop.payFor(vaultBuy)))
    return downloadOf(String(bought["purchaseId"]), String(bought["downloadToken"]))
  }
  return { shop, buy, call: await buy() }
}

type Shop = Awaited<ReturnType<typeof openShop>>["shop"]

/** Presents one proof from each of these addresses; returns how often each outcome came. */
const tally = async (shop: Shop, call: Call, proof: string, addresses: ReadonlyArray<string | undefined>) => {
  const counts: Record<string, number> = {}
  for (const clientAddress of addresses) {
    const outcome = outcomeOf(
      await signIn(shop, call, proof, clientAddress === undefined ? {} : { clientAddress })
    )
    counts[outcome] = (counts[outcome] ?? 0) + 1
  }
  return counts
}

const times = <A>(count: number, of: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, index) => of(index))

describe("proofs without the token of a purchase", () => {
  it("lock no buyer out, from however many addresses they come", async () => {
    const { call, shop } = await openShop()
    const bad = await proofFor(shop, unknown, otherPayer)
    const crowd = times(700, (index) => `66.0.${Math.floor(index / 5)}.1`)
    expect(await tally(shop, unknown, bad, crowd)).toEqual({ sign_in_refused: 700 })
    const fresh = { clientAddress: "77.1.2.3" }
    expect(outcomeOf(await signIn(shop, call, await proofFor(shop, call), fresh))).toBe("200")
  })

  it("get a challenge 60 times in a minute, by client, and lock out no buyer at the same address", async () => {
    const { call, shop } = await openShop()
    const bad = await proofFor(shop, unknown, otherPayer)
    const one = times(60, () => undefined)
    expect(await tally(shop, unknown, bad, one)).toEqual({ sign_in_refused: 60 })
    const limited = await signIn(shop, unknown, bad)
    expect([outcomeOf(limited), signInOf(limited)]).toEqual(["sign_in_rate_limited", undefined])
    expect(limited.headers.get("vary")).toContain("SIGN-IN-WITH-X")
    const elsewhere = await signIn(shop, unknown, bad, { clientAddress: "77.1.2.3" })
    expect([outcomeOf(elsewhere), signInOf(elsewhere)?.version]).toEqual(["sign_in_refused", "1"])
    expect(outcomeOf(await signIn(shop, call, await proofFor(shop, call)))).toBe("200")
    vi.setSystemTime(Date.now() + 60_000)
    expect(await tally(shop, unknown, bad, [undefined])).toEqual({ sign_in_refused: 1 })
  })
})

describe("proofs with a token of a retired key", () => {
  it("are limited by client, and lock no buyer out, since anybody can make such a token up", async () => {
    const { call, shop } = await openShop({ retiredKeys: ["0"] })
    const madeUp: Call = { path: unknown.path.replace("1.none", "0.none") }
    const bad = await proofFor(shop, madeUp, otherPayer)
    const crowd = times(700, (index) => `66.0.${Math.floor(index / 5)}.1`)
    expect(await tally(shop, madeUp, bad, crowd)).toEqual({ sign_in_refused: 700 })
    const one = times(61, () => "77.1.2.3")
    expect(await tally(shop, madeUp, bad, one)).toEqual({ sign_in_refused: 60, sign_in_rate_limited: 1 })
    const fresh = { clientAddress: "77.1.2.3" }
    expect(outcomeOf(await signIn(shop, call, await proofFor(shop, call), fresh))).toBe("200")
  })
})

describe("proofs with the token of a purchase", () => {
  it("are looked up 60 times in a minute for one client, whatever the purchase", async () => {
    const { buy, call, shop } = await openShop()
    const other = await buy()
    const proofs = [await proofFor(shop, call, otherPayer), await proofFor(shop, other, otherPayer)] as const
    const client = "77.1.2.3"
    const half = times(30, () => client)
    expect(await tally(shop, call, proofs[0], half)).toEqual({ sign_in_refused: 30 })
    expect(await tally(shop, other, proofs[1], half)).toEqual({ sign_in_refused: 30 })
    expect(await tally(shop, call, proofs[0], [client])).toEqual({ sign_in_rate_limited: 1 })
    expect(await tally(shop, call, proofs[0], ["77.1.2.4"])).toEqual({ sign_in_refused: 1 })
    vi.setSystemTime(Date.now() + 60_000)
    expect(await tally(shop, call, proofs[0], [client])).toEqual({ sign_in_refused: 1 })
  })

  it("are looked up 60 times in a minute for one purchase, however it is spelled, and others' as well", async () => {
    const { buy, call, shop } = await openShop()
    const shouted: Call = {
      path: call.path.replace(/download\/[^?]+/, (path) => path.toUpperCase().replace("DOWNLOAD", "download"))
    }
    expect(shouted).not.toEqual(call)
    const bad = await proofFor(shop, call, otherPayer)
    const crowd = times(59, (index) => `66.0.${index}.1`)
    expect(await tally(shop, call, bad, crowd)).toEqual({ sign_in_refused: 59 })
    const badToo = await proofFor(shop, shouted, otherPayer)
    expect(await tally(shop, shouted, badToo, ["77.1.2.3"])).toEqual({ sign_in_refused: 1 })
    for (const [each, proof] of [
      [call, bad],
      [shouted, badToo]
    ] as const)
      expect(await tally(shop, each, proof, ["77.1.2.4"])).toEqual({ sign_in_rate_limited: 1 })
    const other = await buy()
    const fresh = { clientAddress: "77.1.2.4" }
    expect(outcomeOf(await signIn(shop, other, await proofFor(shop, other), fresh))).toBe("200")
    vi.setSystemTime(Date.now() + 60_000)
    expect(outcomeOf(await signIn(shop, call, await proofFor(shop, call), fresh))).toBe("200")
  })
})

/** A storage that redeems proofs as this effect says. */
const redeeming = (outcome: Effect.Effect<Redemption, StoreError>) =>
  Layer.effectContext(
    Effect.map(Effect.context<Stores>(), (stores) => {
      const purchases = Context.get(stores, VaultPurchases)
      return Context.add(stores, VaultPurchases, { ...purchases, redeem: () => outcome })
    })
  ).pipe(Layer.provide(memory()))

const storeIsGone = Effect.fail(new StoreError({ operation: "redeem", cause: new Error("gone") }))

describe("the host's stream", () => {
  it.each([
    ["416", Effect.succeed<Redemption>("Redeemed"), "bytes=10-"],
    ["sign_in_budget_spent", Effect.succeed<Redemption>("Spent"), undefined],
    ["invalid_siwx_nonce", Effect.succeed<Redemption>("Used"), undefined],
    ["503", storeIsGone, undefined]
  ])("is canceled where it isn't sent: %s", async (outcome, redemption, range) => {
    let canceled = 0
    const open = async () => {
      const cancel = () => void canceled++
      const start = (controller: ReadableStreamDefaultController) => controller.enqueue(archive)
      return { body: new ReadableStream<Uint8Array>({ start, cancel }), size: archive.length }
    }
    const { call, shop } = await openShop({
      vault: { open, freeReaccess: true },
      storage: redeeming(redemption)
    })
    // The sale has opened one, too.
    canceled = 0
    const proof = await proofFor(shop, call)
    const response = await signIn(shop, call, proof, range === undefined ? {} : { range })
    expect([outcomeOf(response), canceled]).toEqual([outcome, 1])
  })
})

it("a proof without a token is a 400, once it is known to be for this resource", async () => {
  const { shop } = await openShop()
  const call: Call = { path: unknown.path.replace(/\?.*/, "") }
  expectFailed(await signIn(shop, call, await proofFor(shop, call)), 400, "VALIDATION_ERROR")
  expect(outcomeOf(await signIn(shop, call, await proofFor(shop, { path: "/x402/vault/download/1" })))).toBe(
    "invalid_siwx_uri_mismatch"
  )
})
