import { assert, describe, it } from "@effect/vitest"
import { crc32 } from "node:zlib"
import { Schema } from "effect"
import { SearchProduct } from "../../src/shop/goods/Product.ts"
import { TrackResult } from "../../src/shop/goods/Tracking.ts"
import type { CallContext } from "../../src/runtime/Deadline.ts"
import type { MailerOptions } from "../../src/shop/ports/Mailer.ts"
import type { TrackerOptions } from "../../src/shop/ports/Tracker.ts"
import {
  fakeAssistant,
  fakeFacilitator,
  fakeFulfilment,
  fakeMailer,
  fakeMarketplace,
  fakeTracker,
  fakeVaultFiles,
  sampleArchive,
  sampleProducts,
  scripted
} from "../../../testing/src/index.ts"
import { quoteRequest } from "../ports/subjects.ts"

const context = (): CallContext => ({ signal: new AbortController().signal })

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.fail("did not reject"),
    (error: unknown) => error
  )

describe("scripted", () => {
  const fresh = () =>
    scripted<(text: string, context: CallContext) => Promise<number>>("size", (text) => text.length)

  it("returns its default, then the configured result; one-time steps come first", async () => {
    const size = fresh()
    const boom = new Error("boom")
    assert.strictEqual(await size("abc", context()), 3)
    size
      .returns(7)
      .returnsOnce((text) => text.length * 10)
      .failsOnceWith(boom)
    assert.strictEqual(await size("abc", context()), 30)
    assert.strictEqual(await rejection(size("abc", context())), boom)
    assert.strictEqual(await size("abc", context()), 7)
    size.failsWith("no error at all")
    assert.strictEqual(await rejection(size("abc", context())), "no error at all")
    assert.strictEqual(size.calls.length, 5)
    assert.strictEqual(size.calls[0]?.[0], "abc")
    size.reset()
    assert.strictEqual(size.calls.length, 0)
    assert.strictEqual(await size("abc", context()), 3)
  })

  it("names the function without a script", async () => {
    const error = await rejection(scripted<TrackerOptions["track"]>("track")({ number: "1" }, context()))
    assert.match(String(error), /track: no result was scripted/)
  })

  it("stops waiting when the signal aborts", async () => {
    const size = fresh().delays(60_000)
    const waiting = new AbortController()
    const delayed = rejection(size("abc", waiting))
    const hung = rejection(size.hangsOnce()("abc", waiting))
    waiting.abort(new Error("time is over"))
    assert.match(String(await delayed), /time is over/)
    assert.match(String(await hung), /time is over/)
    assert.match(String(await rejection(size("abc", waiting))), /time is over/)
  })

  it("waits before it returns", async () => {
    const size = fresh().delays(15)
    const start = performance.now()
    assert.strictEqual(await size("abc", context()), 3)
    assert.isAtLeast(performance.now() - start, 14)
    assert.strictEqual(await size.delays(0)("abc", context()), 3)
  })
})

describe("fake providers", () => {
  it("respond in the shapes of the contract", async () => {
    for (const source of ["marketplace_a", "marketplace_b"] as const) {
      const page = await fakeMarketplace(source).search({ q: "tote", page: 1 }, context())
      assert.strictEqual(new Set(page.products.map(({ asin }) => asin)).size, 5)
      assert.isTrue(
        page.products.every((product) => Schema.is(SearchProduct)(product) && product.source === source)
      )
      assert.isTrue(page.products.every(({ asin }) => asin.length === 10))
    }
    assert.isTrue(Schema.is(TrackResult)(await fakeTracker().track({ number: "ABC12345" }, context())))
  })

  it("assistant recommends what the search finds", async () => {
    const queries: Array<unknown> = []
    const response = await fakeAssistant().reply(
      { message: "a tote" },
      {
        ...context(),
        search: async (query) => {
          queries.push(query)
          return sampleProducts("marketplace_a", 5)
        }
      }
    )
    assert.strictEqual(response.products.length, 3)
    assert.deepStrictEqual(queries, [{ q: "a tote", page: 1 }])
  })

  it("fulfilment places each order once, and can lose a response", async () => {
    const fulfilment = fakeFulfilment({ now: () => 0 })
    const { expiresAt, reference, total } = await fulfilment.quote(quoteRequest, context())
    assert.strictEqual(expiresAt.getTime(), 600_000)
    const place = (orderId: string) =>
      fulfilment.place({ ...quoteRequest, orderId, reference, total }, context())

    fulfilment.losesNextResponse()
    assert.match(String(await rejection(place("1"))), /connection reset/)
    assert.deepStrictEqual(await place("1"), { reference: "upstream-order-1" })
    assert.deepStrictEqual(await place("2"), { reference: "upstream-order-2" })
    fulfilment.place.failsOnceWith(new Error("down"))
    assert.match(String(await rejection(place("3"))), /down/)

    assert.deepStrictEqual(Array.from(fulfilment.orders.keys()), ["1", "2"])
    assert.strictEqual(fulfilment.placements("1"), 2)
    assert.strictEqual(fulfilment.placements("3"), 1)
  })

  it("mailer sends each key once", async () => {
    const mailer = fakeMailer()
    const mail: Parameters<MailerOptions["send"]>[0] = {
      to: "a@b.example",
      subject: "Hi",
      text: "",
      html: "",
      idempotencyKey: "1"
    }
    await mailer.send(mail, context())
    await mailer.send(mail, context())
    assert.strictEqual(mailer.sent.length, 1)
    assert.strictEqual(mailer.send.calls.length, 2)
  })

  it("vault opens the archive of a slug, or a sample", async () => {
    const given = sampleArchive({ "a.txt": "a" })
    const vault = fakeVaultFiles(new Map([["given", given]]))
    const opened = await vault.open({ slug: "given" }, context())
    assert.strictEqual("body" in opened && opened.body, given)
    const sample = await vault.open({ slug: "other" }, context())
    assert.deepStrictEqual(sample, { body: sampleArchive({ "README.md": "# other\n" }) })
  })
})

describe("sampleArchive", () => {
  /** Files of an archive as its central directory lists them, checksums checked. */
  const filesOf = (zip: Uint8Array): Record<string, string> => {
    const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength)
    const text = (from: number, length: number) => new TextDecoder().decode(zip.subarray(from, from + length))
    const end = zip.length - 22
    assert.strictEqual(view.getUint32(end, true), 0x06054b50)
    const files: Record<string, string> = {}
    let at = view.getUint32(end + 16, true)
    for (let entry = 0; entry < view.getUint16(end + 10, true); entry++) {
      assert.strictEqual(view.getUint32(at, true), 0x02014b50)
      const size = view.getUint32(at + 24, true)
      const nameLength = view.getUint16(at + 28, true)
      const local = view.getUint32(at + 42, true)
      assert.strictEqual(view.getUint32(local, true), 0x04034b50)
      const data = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true)
      assert.strictEqual(view.getUint32(at + 16, true), crc32(zip.subarray(data, data + size)))
      files[text(at + 46, nameLength)] = text(data, size)
      at += 46 + nameLength + view.getUint16(at + 30, true)
    }
    assert.strictEqual(at, end)
    return files
  }

  it("is a ZIP archive of its files", () => {
    const files = { "README.md": "# Plan\n", "notes/été.txt": "warm\n" }
    assert.deepStrictEqual(filesOf(sampleArchive(files)), files)
    assert.deepStrictEqual(filesOf(sampleArchive({})), {})
  })
})

describe("fakeFacilitator", () => {
  const payment = (nonce: string) => ({
    x402Version: 2,
    payload: { signature: "0x", authorization: { from: "0xPayer", nonce } }
  })
  const requirements = { scheme: "exact", network: "eip155:84532", amount: "10000", payTo: "0xPayee" }

  it("settles each nonce once, with a transaction of its own", async () => {
    const facilitator = fakeFacilitator()
    assert.deepStrictEqual(await facilitator.verify(payment("0x1"), requirements), {
      isValid: true,
      payer: "0xPayer"
    })
    const first = await facilitator.settle(payment("0x1"), requirements)
    const second = await facilitator.settle(payment("0x2"), {
      ...requirements,
      amount: undefined,
      maxAmountRequired: "7"
    })
    assert.isTrue(first.success && second.success)
    assert.match(first.transaction, /^0x[0-9a-f]{64}$/)
    assert.notStrictEqual(first.transaction, second.transaction)
    assert.deepStrictEqual(
      facilitator.settled.map(({ amountAtomic, payTo, payer }) => ({ amountAtomic, payTo, payer })),
      [
        { amountAtomic: "10000", payTo: "0xPayee", payer: "0xPayer" },
        { amountAtomic: "7", payTo: "0xPayee", payer: "0xPayer" }
      ]
    )

    const again = await facilitator.settle(payment("0x1"), requirements)
    assert.isFalse(again.success)
    assert.strictEqual(again.errorReason, "invalid_transaction_state")
    const verified = await facilitator.verify(payment("0x1"), requirements)
    assert.strictEqual(verified.invalidReason, "invalid_exact_evm_nonce_already_used")
    assert.strictEqual(facilitator.settled.length, 2)
    assert.strictEqual(facilitator.settle.calls.length, 3)
  })

  it("lets one of many racers settle", async () => {
    const facilitator = fakeFacilitator()
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => facilitator.settle(payment("0x1"), requirements))
    )
    assert.strictEqual(responses.filter(({ success }) => success).length, 1)
  })

  it("refuses, leaves pending, and loses responses as configured", async () => {
    const facilitator = fakeFacilitator()
      .rejectsVerification("invalid_exact_evm_payload_signature")
      .rejectsSettlement()
    assert.deepStrictEqual(await facilitator.verify(payment("0x1"), requirements), {
      isValid: false,
      invalidReason: "invalid_exact_evm_payload_signature"
    })
    assert.strictEqual(
      (await facilitator.settle(payment("0x1"), requirements)).errorReason,
      "insufficient_funds"
    )

    facilitator.reset().leavesPending()
    const pending = await facilitator.settle(payment("0x1"), requirements)
    assert.isFalse(pending.success)
    assert.strictEqual(pending.errorReason, "settlement_pending")
    assert.match(pending.transaction, /^0x/)

    facilitator.reset().losesNextSettlement(true).losesNextSettlement(false)
    await rejection(facilitator.settle(payment("0x1"), requirements))
    await rejection(facilitator.settle(payment("0x2"), requirements))
    assert.strictEqual(facilitator.settled.length, 1)
    assert.isFalse((await facilitator.settle(payment("0x1"), requirements)).success)
    assert.isTrue((await facilitator.settle(payment("0x2"), requirements)).success)
  })

  it("supports both versions of its networks", async () => {
    const { kinds } = await fakeFacilitator({ networks: ["eip155:8453"] }).getSupported()
    assert.deepStrictEqual(kinds, [
      { x402Version: 1, scheme: "exact", network: "eip155:8453" },
      { x402Version: 2, scheme: "exact", network: "eip155:8453" }
    ])
  })
})
