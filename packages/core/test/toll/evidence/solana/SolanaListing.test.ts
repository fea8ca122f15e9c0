import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { listSince } from "../../../../src/toll/evidence/solana/SolanaListing.ts"
import { SolanaNode } from "../../../../src/toll/evidence/solana/SolanaNode.ts"

type Entry = readonly [signature: string, blockTime: number | null | undefined]

/** A node that lists these transactions, newest first, a thousand at a time, and has all blocks since a slot. */
const nodeOf = (entries: ReadonlyArray<Entry>, firstSlot: number) => {
  const pages: Array<Readonly<Record<string, unknown>>> = []
  const client = HttpClient.make((request) =>
    Effect.sync(() => {
      const body = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : "{}"
      const { method, params } = JSON.parse(body) as {
        readonly method: string
        readonly params: readonly [string, Record<string, unknown>]
      }
      if (method === "getFirstAvailableBlock")
        return HttpClientResponse.fromWeb(request, Response.json({ result: firstSlot }))
      const [address, options] = params
      assert.strictEqual(address, "address")
      pages.push(options)
      const start = entries.findIndex(([signature]) => signature === options["before"]) + 1
      const result = entries
        .slice(start, start + 1_000)
        .map(([signature, blockTime]) => (blockTime === undefined ? { signature } : { signature, blockTime }))
      return HttpClientResponse.fromWeb(request, Response.json({ result }))
    })
  )
  return { node: new SolanaNode("https://rpc.example", client), pages }
}

const many = (count: number, seconds: number, prefix = "t"): ReadonlyArray<Entry> =>
  Array.from({ length: count }, (_, index) => [`${prefix}${index}`, seconds] as const)

const list = (
  entries: ReadonlyArray<Entry>,
  limits = { pages: 3, signatures: 2_500 },
  beforeSeconds?: number,
  firstSlot = 0
) => {
  const { node, pages } = nodeOf(entries, firstSlot)
  const span = {
    clock: { slot: 1_000, seconds: 220 },
    sinceSeconds: 100,
    ...(beforeSeconds === undefined ? {} : { beforeSeconds })
  }
  return Effect.map(listSince(node, "address", span, limits), (listing) => ({ ...listing, pages }))
}

describe("a listing", () => {
  it.effect("has what is in the span, and what may be in it", () =>
    Effect.gen(function* () {
      const entries: ReadonlyArray<Entry> = [
        ["late", 200],
        ["last", 199],
        ["unknown", null],
        ["missing", undefined],
        ["first", 100],
        ["early", 99]
      ]
      const { isComplete, pages, signatures } = yield* list(entries, undefined, 200)
      assert.deepStrictEqual(signatures, ["last", "unknown", "missing", "first"])
      assert.isTrue(isComplete)
      assert.deepStrictEqual(pages, [{ commitment: "confirmed", limit: 1_000, minContextSlot: 1_000 }])
      assert.deepStrictEqual((yield* list(entries)).signatures[0], "late")
    })
  )

  it.effect("goes on behind a full page, up to the time", () =>
    Effect.gen(function* () {
      const { isComplete, pages, signatures } = yield* list([...many(1_000, 150), ["next", 120], ["old", 99]])
      assert.strictEqual(signatures.length, 1_001)
      assert.isTrue(isComplete)
      assert.deepStrictEqual(
        pages.map(({ before }) => before),
        [undefined, "t999"]
      )
      const ending = yield* list([...many(999, 150), ["old", 99], ...many(5, 98, "older")])
      assert.deepStrictEqual(
        [ending.isComplete, ending.pages.length, ending.signatures.length],
        [true, 1, 999]
      )
      const empty = yield* list(many(1_000, 150))
      assert.deepStrictEqual(
        [empty.isComplete, empty.pages.length, empty.signatures.length],
        [true, 2, 1_000]
      )
    })
  )

  it.effect("is incomplete where the node lacks blocks of the span, unless it has an older transaction", () =>
    Effect.gen(function* () {
      const isComplete = (entries: ReadonlyArray<Entry>, firstSlot: number) =>
        Effect.map(list(entries, undefined, undefined, firstSlot), (listing) => listing.isComplete)
      for (const entries of [[], many(3, 150)]) {
        assert.isTrue(yield* isComplete(entries, 600))
        assert.isFalse(yield* isComplete(entries, 601))
      }
      assert.isTrue(yield* isComplete([...many(3, 150), ["old", 99]], 601))
    })
  )

  it.effect("is incomplete behind its limits, and complete at them", () =>
    Effect.gen(function* () {
      const pagesOver = yield* list(many(2_000, 150), { pages: 2, signatures: 5_000 })
      assert.deepStrictEqual([pagesOver.isComplete, pagesOver.pages.length], [false, 2])
      const over = yield* list(many(11, 150), { pages: 2, signatures: 10 })
      assert.deepStrictEqual([over.isComplete, over.signatures.length], [false, 10])
      const at = yield* list(many(10, 150), { pages: 2, signatures: 10 })
      assert.deepStrictEqual([at.isComplete, at.signatures.length, at.pages.length], [true, 10, 1])
      assert.deepStrictEqual((yield* list([])).isComplete, true)
    })
  )
})
