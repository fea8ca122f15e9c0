import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { type Page, type Place, walkBack } from "../../../../src/toll/evidence/solana/SolanaListing.ts"
import { SolanaNode } from "../../../../src/toll/evidence/solana/SolanaNode.ts"

type Entry = readonly [signature: string, blockTime: number | null | undefined, slot?: number]

/** The oldest block that a node has, and its time. */
interface FirstBlock {
  readonly slot: number
  readonly seconds: number
}

/** A node that lists these transactions, newest first, a thousand at a time. */
const nodeOf = (entries: ReadonlyArray<Entry>, first: FirstBlock) => {
  const pages: Array<Readonly<Record<string, unknown>>> = []
  const client = HttpClient.make((request) =>
    Effect.sync(() => {
      const body = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : "{}"
      const { method, params } = JSON.parse(body) as {
        readonly method: string
        readonly params: readonly [unknown, Record<string, unknown>]
      }
      const respond = (result: unknown) => HttpClientResponse.fromWeb(request, Response.json({ result }))
      if (method === "getFirstAvailableBlock") return respond(first.slot)
      if (method === "getBlockTime") {
        assert.deepStrictEqual(params, [first.slot] as unknown)
        return respond(first.seconds)
      }
      const [address, options] = params
      assert.strictEqual(address, "address")
      pages.push(options)
      const start = entries.findIndex(([signature]) => signature === options["before"]) + 1
      return respond(
        entries
          .slice(start, start + 1_000)
          .map(([signature, blockTime, slot = 7]) =>
            blockTime === undefined ? { signature, slot } : { signature, slot, blockTime }
          )
      )
    })
  )
  return { node: new SolanaNode("https://rpc.example", client), pages }
}

const many = (count: number, seconds: number, prefix = "t"): ReadonlyArray<Entry> =>
  Array.from({ length: count }, (_, index) => [`${prefix}${index}`, seconds] as const)

interface WalkOptions {
  readonly first?: FirstBlock
  readonly before?: Place
  readonly maxPages?: number
  readonly goesOn?: (page: Page) => boolean
}

const walk = Effect.fnUntraced(function* (entries: ReadonlyArray<Entry>, options: WalkOptions = {}) {
  const { before, first = { slot: 0, seconds: 0 }, goesOn = () => true, maxPages = 3 } = options
  const { node, pages } = nodeOf(entries, first)
  const shown: Array<Page> = []
  const isComplete = yield* walkBack(
    node,
    { address: "address", slot: 1_000, sinceSeconds: 100, maxPages, before },
    (page) =>
      Effect.sync(() => {
        shown.push(page)
        return goesOn(page)
      })
  )
  const signatures = shown.flatMap((page) => page.entries.map(({ signature }) => signature))
  return { isComplete, pages, signatures, lasts: shown.map(({ last }) => last.signature) }
})

describe("a walk", () => {
  it.effect("shows what is since the time, and what may be", () =>
    Effect.gen(function* () {
      const entries: ReadonlyArray<Entry> = [
        ["last", 199],
        ["unknown", null],
        ["missing", undefined],
        ["first", 100],
        ["early", 99]
      ]
      const { isComplete, lasts, pages, signatures } = yield* walk(entries)
      assert.deepStrictEqual(signatures, ["last", "unknown", "missing", "first"])
      assert.deepStrictEqual(lasts, ["early"])
      assert.isTrue(isComplete)
      assert.deepStrictEqual(pages, [{ commitment: "confirmed", limit: 1_000, minContextSlot: 1_000 }])
    })
  )

  it.effect("begins where it is told to", () =>
    Effect.gen(function* () {
      const entries = [...many(3, 150), ["old", 99] as const]
      const { isComplete, pages, signatures } = yield* walk(entries, { before: { signature: "t1", slot: 7 } })
      assert.deepStrictEqual(signatures, ["t2"])
      assert.isTrue(isComplete)
      assert.deepInclude(pages[0], { before: "t1", minContextSlot: 1_000 })
    })
  )

  it.effect("goes on behind a full page, up to the time", () =>
    Effect.gen(function* () {
      const { isComplete, lasts, pages, signatures } = yield* walk([
        ...many(1_000, 150),
        ["next", 120],
        ["old", 99]
      ])
      assert.strictEqual(signatures.length, 1_001)
      assert.isTrue(isComplete)
      assert.deepStrictEqual(lasts, ["t999", "old"])
      assert.deepStrictEqual(
        pages.map(({ before }) => before),
        [undefined, "t999"]
      )
      const ending = yield* walk([...many(999, 150), ["old", 99], ...many(5, 98, "older")])
      assert.deepStrictEqual(
        [ending.isComplete, ending.pages.length, ending.signatures.length],
        [true, 1, 999]
      )
      const empty = yield* walk(many(1_000, 150))
      assert.deepStrictEqual(
        [empty.isComplete, empty.pages.length, empty.signatures.length],
        [true, 2, 1_000]
      )
    })
  )

  it.effect("goes on at a node that has the transaction behind which it goes on", () =>
    Effect.gen(function* () {
      const entries = [...many(999, 150), ["last", 150, 1_007] as const, ["old", 99] as const]
      const { pages } = yield* walk(entries)
      assert.deepStrictEqual(
        pages.map(({ minContextSlot }) => minContextSlot),
        [1_000, 1_007]
      )
      const begun = yield* walk(
        [
          ["last", 150],
          ["old", 99]
        ],
        { before: { signature: "last", slot: 1_007 } }
      )
      assert.propertyVal(begun.pages[0], "minContextSlot", 1_007)
    })
  )

  it.effect(
    "is incomplete where the node lacks blocks since the time, unless it has an older transaction",
    () =>
      Effect.gen(function* () {
        const isComplete = (entries: ReadonlyArray<Entry>, seconds: number) =>
          Effect.map(walk(entries, { first: { slot: 600, seconds } }), (walked) => walked.isComplete)
        for (const entries of [[], many(3, 150)]) {
          assert.isTrue(yield* isComplete(entries, 100))
          assert.isFalse(yield* isComplete(entries, 101))
        }
        assert.isTrue(yield* isComplete([...many(3, 150), ["old", 99]], 101))
        // The first block of all is there.
        assert.isTrue((yield* walk([], { first: { slot: 0, seconds: 101 } })).isComplete)
      })
  )

  it.effect("ends at its limit, or when told to", () =>
    Effect.gen(function* () {
      const over = yield* walk(many(2_000, 150), { maxPages: 2 })
      assert.deepStrictEqual([over.isComplete, over.pages.length], [false, 2])
      const stopped = yield* walk(many(1_500, 150), { goesOn: () => false })
      assert.deepStrictEqual([stopped.isComplete, stopped.pages.length], [false, 1])
    })
  )
})
