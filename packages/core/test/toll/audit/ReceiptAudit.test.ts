import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Charges } from "../../../src/ports/Charges.ts"
import { startOf } from "../../../src/toll/audit/ReceiptAudit.ts"
import { network, token } from "../evidence/EvidenceWorld.ts"
import { RpcFailure } from "../evidence/FakeNode.ts"
import { memoryMarks, openWorld, startSeconds, word } from "./receiptWorld.ts"

/*
 * Facilitators whose receipts are checked: what stops one, and all that must not.
 */

const hour = 3_600
const inWorld = <A>(test: Effect.Effect<A, unknown, Charges>) =>
  test.pipe(Effect.provide(Charges.layerMemory), Effect.orDie)
const noTransaction = word(0xab)

describe("a false receipt", () => {
  it.effect("is confirmed by two reads ten minutes apart", () =>
    inWorld(
      Effect.gen(function* () {
        const { found, pass, record, sign } = yield* openWorld()
        const key = yield* record(yield* sign, noTransaction)
        // Its authorization expires after 2 minutes, which are final a minute later; then follow ten.
        yield* pass(12 * 60)
        assert.deepStrictEqual(found, [])
        yield* pass(5 * 60)
        assert.deepStrictEqual(
          found.map(({ charge, reason }) => [charge.key, charge.reportedBy, reason]),
          [[key, "alpha", "unused"]]
        )
        yield* pass(hour)
        assert.lengthOf(found, 1)
      })
    )
  )

  it.effect("is found where it names the transaction of another payment of the same payer and amount", () =>
    inWorld(
      Effect.gen(function* () {
        const { found, node, paid, pass, record, sign } = yield* openWorld()
        const honest = yield* sign
        const transaction = node.transact(paid(honest))
        yield* record(honest, transaction)
        const key = yield* record(yield* sign, transaction)
        yield* pass(hour)
        assert.deepStrictEqual(
          found.map(({ charge }) => charge.key),
          [key]
        )
      })
    )
  )

  it.effect("is found where its authorization paid another account, or was canceled", () =>
    inWorld(
      Effect.gen(function* () {
        const { found, node, pass, record, sign } = yield* openWorld()
        const [elsewhere, canceled] = [yield* sign, yield* sign]
        yield* record(
          elsewhere,
          node.transact([token.used(elsewhere), token.transfer({ ...elsewhere, to: elsewhere.from })])
        )
        yield* record(canceled, node.transact([token.canceled(canceled)]))
        yield* pass(hour)
        assert.deepStrictEqual(found.map(({ reason }) => reason).toSorted(), ["canceled", "used_otherwise"])
      })
    )
  )

  it.effect("is confirmed as soon among a hundred others", () =>
    inWorld(
      Effect.gen(function* () {
        const { found, pass, record, sign } = yield* openWorld()
        for (let number = 0; number < 100; number++) yield* record(yield* sign, noTransaction)
        yield* pass(25 * 60)
        assert.isAbove(found.length, 0)
      })
    )
  )

  it.effect("is found behind a span that no search can read", () =>
    inWorld(
      Effect.gen(function* () {
        const { found, node, pass, record, sign } = yield* openWorld()
        // Somebody has filled a block with transfers; a search by payer and nonce doesn't see them.
        node.fault = ({ method, params }) => {
          const [, , nonce] = (params as ReadonlyArray<{ topics?: ReadonlyArray<unknown> }>)[0]?.topics ?? []
          if (method === "eth_getLogs" && typeof nonce !== "string")
            throw new RpcFailure(-32_005, "query returned more than 10000 results")
        }
        const key = yield* record(yield* sign, noTransaction)
        yield* pass(6 * hour)
        assert.deepStrictEqual(
          found.map(({ charge }) => charge.key),
          [key]
        )
      })
    )
  )

  it.effect("is found among thousands of true ones, with a read every 30 seconds at most", () =>
    inWorld(
      Effect.gen(function* () {
        const { found, node, paid, pass, reads, record, sign } = yield* openWorld()
        let key = ""
        for (let number = 0; number < 450; number++) {
          const authorization = yield* sign
          const isFalse = number === 210
          const transaction = isFalse
            ? noTransaction
            : node.transact(paid(authorization), { block: node.height })
          const recorded = yield* record(authorization, transaction)
          if (isFalse) key = recorded
        }
        const before = node.count("eth_getLogs")
        yield* pass(30 * 60)
        assert.deepStrictEqual(
          found.map(({ charge }) => charge.key),
          [key]
        )
        // 200, 200 and 50 at once; then only the false one is looked up, once it may have expired.
        assert.strictEqual(reads.filter((read) => read === "search").length, 3)
        assert.isAtMost(reads.length, 10)
        assert.strictEqual(node.count("eth_getLogs") - before, 3)
      })
    )
  )

  it.effect("is found after a restart in between", () =>
    inWorld(
      Effect.gen(function* () {
        const { found, pass, record, restart, sign } = yield* openWorld()
        const marks = memoryMarks()
        restart(marks)
        yield* record(yield* sign, noTransaction)
        yield* pass(10 * 60)
        restart(marks)
        yield* pass(20 * 60)
        assert.lengthOf(found, 1)
      })
    )
  )
})

describe("a true receipt", () => {
  it.effect("costs no read of its own", () =>
    inWorld(
      Effect.gen(function* () {
        const { found, node, paid, pass, reads, record, sign } = yield* openWorld()
        const authorization = yield* sign
        yield* record(authorization, node.transact(paid(authorization)))
        yield* pass(2 * hour)
        assert.deepStrictEqual([found, reads], [[], ["search"]])
      })
    )
  )

  it.effect("isn't even read where the chain has proven it", () =>
    inWorld(
      Effect.gen(function* () {
        const { node, paid, pass, reads, record, sign } = yield* openWorld()
        const authorization = yield* sign
        yield* record(authorization, node.transact(paid(authorization)), 1)
        yield* pass(hour)
        assert.deepStrictEqual(reads, [])
      })
    )
  )

  it.effect("may name another transaction than the one that paid: somebody sent the payment first", () =>
    inWorld(
      Effect.gen(function* () {
        const { found, node, paid, pass, record, sign } = yield* openWorld()
        const [soon, late] = [yield* sign, yield* sign]
        node.transact(paid(soon))
        yield* record(soon, noTransaction)
        yield* record(late, node.transact(paid(late), { succeeded: false }))
        // Long after the receipt, at the end of its validity.
        yield* pass(90)
        node.transact(paid(late))
        yield* pass(2 * hour)
        assert.deepStrictEqual(found, [])
      })
    )
  )

  it.effect(
    "may be moved to another block by a reorganization, before or after it was first looked for",
    () =>
      inWorld(
        Effect.gen(function* () {
          const { found, node, paid, pass, record, sign } = yield* openWorld()
          const authorization = yield* sign
          yield* record(authorization, node.transact(paid(authorization)))
          node.reorganize(3)
          yield* pass(30)
          node.transact(paid(authorization))
          yield* pass(2 * hour)
          assert.deepStrictEqual(found, [])
        })
      )
  )

  it.effect("may be of a settlement that the chain shows long after it was reported", () =>
    inWorld(
      Effect.gen(function* () {
        const { found, node, paid, pass, reads, record, sign } = yield* openWorld()
        const authorization = yield* sign
        yield* record(authorization, noTransaction)
        // The chain stands still, and nothing on it expires.
        yield* pass(hour, true)
        assert.notInclude(reads, "look up")
        node.transact(paid(authorization))
        yield* pass(2 * hour)
        assert.deepStrictEqual(found, [])
      })
    )
  )

  it.effect("may not be shown yet by a node that lags behind for half an hour", () =>
    inWorld(
      Effect.gen(function* () {
        const { found, node, paid, pass, reads, record, sign } = yield* openWorld()
        const authorization = yield* sign
        const { height } = node
        yield* record(authorization, node.transact(paid(authorization)))
        node.height = height
        yield* pass(hour / 2, true)
        yield* pass(2 * hour)
        assert.deepStrictEqual(found, [])
        assert.notInclude(reads, "look up")
      })
    )
  )

  it.effect("may be one of several in one transaction", () =>
    inWorld(
      Effect.gen(function* () {
        const { found, node, paid, pass, reads, record, sign } = yield* openWorld()
        const [one, other] = [yield* sign, yield* sign]
        const stranger = token.transfer({ ...one, from: one.to, to: one.from })
        const transaction = node.transact([stranger, ...paid(one), stranger, ...paid(other)])
        yield* record(one, transaction)
        yield* record(other, transaction)
        yield* pass(hour)
        assert.deepStrictEqual([found, reads], [[], ["search"]])
      })
    )
  )

  it.effect("may seem false at one read, to a node that didn't show it", () =>
    inWorld(
      Effect.gen(function* () {
        const { found, node, paid, pass, record, sign } = yield* openWorld()
        const authorization = yield* sign
        yield* record(authorization, noTransaction)
        yield* pass(5 * 60)
        // By now one read has shown that it is unused. The next one doesn't.
        node.transact(paid(authorization), { block: node.height - 140n })
        yield* pass(2 * hour)
        assert.deepStrictEqual(found, [])
      })
    )
  )

  it.effect("is left alone where the chain can't be read for an hour", () =>
    inWorld(
      Effect.gen(function* () {
        const { found, node, paid, pass, record, sign } = yield* openWorld()
        const authorization = yield* sign
        yield* record(authorization, node.transact(paid(authorization)))
        node.fault = () => {
          throw new Error("no connection")
        }
        yield* pass(hour)
        node.fault = undefined
        yield* pass(hour)
        assert.deepStrictEqual(found, [])
      })
    )
  )

  it.effect("is found by a node that lists the logs of few blocks at a time", () =>
    inWorld(
      Effect.gen(function* () {
        const { found, node, paid, pass, reads, record, restart, sign } = yield* openWorld()
        node.fault = ({ method, params }) => {
          const [filter] = params as [{ readonly fromBlock: string; readonly toBlock: string }]
          if (method === "eth_getLogs" && BigInt(filter.toBlock) - BigInt(filter.fromBlock) >= 10n)
            throw new RpcFailure(-32_600, "up to 10 blocks")
        }
        for (let number = 0; number < 12; number++) {
          const authorization = yield* sign
          yield* record(authorization, node.transact(paid(authorization)))
          yield* pass(120)
        }
        // Checks all of them again, which takes too many queries at once.
        restart()
        const before = reads.length
        yield* pass(hour)
        assert.deepStrictEqual(found, [])
        assert.notInclude(reads, "look up")
        // 24 minutes in pieces, of which the first was too long.
        assert.isAtLeast(reads.length - before, 3)
        assert.isAtMost(reads.length - before, 8)
      })
    )
  )
})

describe("the audit of receipts", () => {
  const nowMillis = startSeconds * 1000
  const day = 86_400_000
  const mark = (text: string, caip2: string = network.caip2) => [`receipts ${caip2} ${text}`, ""] as const

  it.each<readonly [string, ReadonlyArray<readonly [string, string]>, number]>([
    ["a day ago, where nothing is known", [], day],
    ["a day ago, where the mark is newer", [mark("2026-01-01")], day],
    ["at the newest mark", [mark("2025-12-20"), mark("2025-12-28"), mark("2025-12-24")], 4 * day],
    ["not at the mark of another network", [mark("2025-12-28", "eip155:8453")], day],
    ["at most thirty days ago", [mark("2025-10-01")], 30 * day],
    ["a day ago, where a mark names no day", [mark("yesterday")], day]
  ])("begins %s", (_, marks, agoMillis) => {
    assert.deepStrictEqual(startOf(network.caip2, new Map(marks), nowMillis), {
      key: "",
      settledAtMillis: nowMillis - agoMillis
    })
  })

  it.effect("writes a mark for each day, and goes on from there after days without a process", () =>
    inWorld(
      Effect.gen(function* () {
        const { found, node, pass, record, restart, sign } = yield* openWorld()
        const known = new Map<string, string>()
        restart(memoryMarks(known))
        yield* record(yield* sign, noTransaction)
        yield* pass(4 * 60)
        assert.deepStrictEqual([...known.keys()], ["receipts eip155:84532 2026-01-01"])
        assert.deepStrictEqual(found, [])
        // Nothing runs for three days.
        node.mineUntil(startSeconds + 3 * 86_400)
        restart(memoryMarks(known))
        yield* Effect.andThen(pass(30), pass(hour))
        assert.lengthOf(found, 1)
      })
    )
  )
})
