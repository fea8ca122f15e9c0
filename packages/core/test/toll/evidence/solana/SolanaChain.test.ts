import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { fromBase58, toBase58 } from "../../../../src/domain/Base58.ts"
import { Chain } from "../../../../src/toll/evidence/Chain.ts"
import { changeOf } from "../../../../src/toll/evidence/solana/SolanaTransfers.ts"
import { nonceOf } from "../../../../src/toll/exact/SignedPayment.ts"
import {
  base64Of,
  devnet,
  solanaPayTo,
  solanaV1,
  tokenAccountOf,
  transaction,
  transactionBytes,
  type TransactionOptions,
  wallet
} from "../../solana.ts"

/*
 * Reads of a scripted node. The same on a virtual machine: e2e/clients/solanaSettlement.test.ts.
 */

const presented = 1_700_000_000
const payment = solanaV1()
const authorization = {
  from: wallet.address,
  to: solanaPayTo,
  value: "10000",
  validAfter: "0",
  validBefore: String(presented + 90),
  nonce: nonceOf(payment)
}
const idOf = (number: number): string => toBase58(new Uint8Array(64).fill(number))

const clockAccount = (slot: number, seconds: number): string => {
  const view = new DataView(new ArrayBuffer(40))
  view.setBigUint64(0, BigInt(slot), true)
  view.setBigInt64(32, BigInt(seconds), true)
  return base64Of(new Uint8Array(view.buffer))
}

const landed = (options: TransactionOptions = {}, err: unknown = null) => {
  const accountIndex = transaction(options).accounts.indexOf(tokenAccountOf(solanaPayTo))
  const balance = (amount: string) => [
    { accountIndex, mint: devnet.asset, owner: solanaPayTo, uiTokenAmount: { amount } }
  ]
  return {
    slot: 90,
    blockTime: presented + 5,
    meta: { err, preTokenBalances: balance("0"), postTokenBalances: balance(err === null ? "10000" : "0") },
    transaction: [base64Of(transactionBytes(options)), "base64"]
  }
}

interface Script {
  /** The newest final block. */
  readonly final?: { readonly slot: number; readonly seconds: number }
  readonly acceptsNewest?: boolean
  readonly acceptsFinal?: boolean
  readonly transactions?: Readonly<Record<string, unknown>>
  /** The payer's transactions, newest first, with the time of their block. */
  readonly signatures?: ReadonlyArray<readonly [string, number | null]>
  /** The final block that doesn't accept the blockhash; default: `final`. */
  readonly expiredAtSlot?: number
  /** The oldest block that the node has. */
  readonly firstSlot?: number
  readonly slotSeconds?: number
  /** Accounts in base64. */
  readonly accounts?: Readonly<Record<string, string>>
  /** Replaces the response to a method. */
  readonly fails?: Readonly<Record<string, () => Response>>
}

type Request = { readonly method: string; readonly params: ReadonlyArray<unknown> }

const resultOf = ({ method, params }: Request, script: Script): unknown => {
  const { acceptsFinal = true, acceptsNewest = true, final = { slot: 100, seconds: presented + 20 } } = script
  const options = (params[1] ?? {}) as {
    readonly commitment?: string
    readonly before?: string
    readonly limit?: number
  }
  switch (method) {
    case "getBlockTime":
      return Math.floor(final.seconds - (final.slot - Number(params[0])) * (script.slotSeconds ?? 0.4))
    case "getAccountInfo":
      if (script.accounts !== undefined) {
        const data = script.accounts[String(params[0])]
        return { context: { slot: 1 }, value: data === undefined ? null : { data: [data, "base64"] } }
      }
      return {
        context: { slot: final.slot },
        value: { data: [clockAccount(final.slot, final.seconds), "base64"] }
      }
    case "isBlockhashValid":
      return {
        context: {
          slot: options.commitment === "finalized" ? (script.expiredAtSlot ?? final.slot) : final.slot
        },
        value: { finalized: acceptsFinal, processed: acceptsNewest }[options.commitment ?? ""]
      }
    case "getTransaction":
      return script.transactions?.[String(params[0])] ?? null
    case "getSlot":
      return final.slot + 1
    case "getFirstAvailableBlock":
      return script.firstSlot ?? 0
    case "getSignaturesForAddress": {
      const all = script.signatures ?? []
      const start = options.before === undefined ? 0 : all.findIndex(([id]) => id === options.before) + 1
      return all
        .slice(start, start + (options.limit ?? 1_000))
        .map(([signature, blockTime]) => ({ signature, blockTime, err: null, slot: 1, memo: null }))
    }
    default:
      throw new Error(`no method ${method}`)
  }
}

/** A chain over a scripted node, and the methods that were called. */
const open = Effect.fnUntraced(function* (script: Script, nowSeconds = presented + 20) {
  yield* TestClock.setTime(nowSeconds * 1000)
  const requests: Array<Request> = []
  const client = HttpClient.make((request) =>
    Effect.sync(() => {
      const body = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : "{}"
      const call = JSON.parse(body) as Request
      requests.push(call)
      const failure = script.fails?.[call.method]
      const response = failure?.() ?? Response.json({ jsonrpc: "2.0", id: 1, result: resultOf(call, script) })
      return HttpClientResponse.fromWeb(request, response)
    })
  )
  const layer = Chain.layerRpc([{ ...devnet, rpcUrl: "https://rpc.example/secret-key" }]).pipe(
    Layer.provide(Layer.succeed(HttpClient.HttpClient, client))
  )
  return { chain: yield* Effect.provide(Chain, layer), requests }
})

const evidenceOf = Effect.fnUntraced(function* (script: Script, transaction?: string, nowSeconds?: number) {
  const { chain, requests } = yield* open(script, nowSeconds)
  const evidence = yield* chain.evidence(devnet, authorization, { transaction })
  return { evidence, methods: requests.map(({ method }) => method), requests }
})

const moved = { _tag: "Moved" as const, logIndex: 2, atSeconds: presented + 5 }

it.effect("the newest confirmed slot is read twice for several calls", () =>
  Effect.gen(function* () {
    const { chain, requests } = yield* open({})
    const heads = yield* Effect.forkChild(Effect.all([chain.head!(devnet.caip2), chain.head!(devnet.caip2)]))
    yield* TestClock.adjust(0)
    assert.deepStrictEqual(yield* Fiber.join(heads), [{ number: 101n }, { number: 101n }])
    assert.deepStrictEqual(
      requests.map(({ method, params }) => [method, params]),
      Array.from({ length: 2 }, () => ["getSlot", [{ commitment: "confirmed" }]])
    )
    assert.isUndefined(yield* chain.head!("solana:unknown"))
  })
)

describe("evidence on Solana", () => {
  it.effect("is the named transaction, if it has the payment's message", () =>
    Effect.gen(function* () {
      const { evidence, methods } = yield* evidenceOf({ transactions: { [idOf(1)]: landed() } }, idOf(1))
      assert.deepStrictEqual(evidence, { ...moved, transaction: idOf(1), isFinal: true })
      assert.deepStrictEqual(methods, ["getAccountInfo", "getTransaction"])
    })
  )

  it.effect("says whether its slot was shown before the claim", () =>
    Effect.gen(function* () {
      for (const named of [idOf(1), undefined]) {
        const final = { slot: 100, seconds: presented + 20 }
        const script: Script = {
          final,
          transactions: { [idOf(1)]: landed() },
          signatures: [[idOf(1), presented + 5]]
        }
        const { chain } = yield* open(script)
        const after = (number: bigint) =>
          chain.evidence(devnet, authorization, { transaction: named, claimedAfter: { number } })
        const found = { ...moved, transaction: idOf(1), isFinal: true }
        assert.deepStrictEqual(yield* after(89n), found)
        assert.deepStrictEqual(yield* after(90n), { ...found, precedesClaim: true })
        // A slot that the chain has not reached, as a faulty node shows one, says nothing about a payment.
        assert.deepStrictEqual(yield* after(9_000_000n), { _tag: "Unavailable" })
        // For a minute in which the chain goes on: then no node that lags can be the reason.
        final.slot++
        yield* TestClock.adjust("61 seconds")
        assert.deepStrictEqual(yield* after(9_000_000n), found)
      }
    })
  )

  it.effect("is final once its block is", () =>
    Effect.gen(function* () {
      const final = { slot: 89, seconds: presented + 3 }
      const { evidence } = yield* evidenceOf({ final, transactions: { [idOf(1)]: landed() } }, idOf(1))
      assert.deepStrictEqual(evidence, { ...moved, transaction: idOf(1), isFinal: false })
    })
  )

  it.effect("is found among the payer's transactions, where the named one is another or can't be read", () =>
    Effect.gen(function* () {
      const other = landed({ blockhash: tokenAccountOf(wallet.address) })
      const script: Script = {
        transactions: { [idOf(1)]: other, [idOf(2)]: landed(), [idOf(3)]: other },
        signatures: [
          [idOf(3), presented + 9],
          [idOf(2), presented + 5],
          [idOf(4), null]
        ]
      }
      const found = { ...moved, transaction: idOf(2), isFinal: true }
      for (const named of [idOf(1), idOf(9), "0xnonsense", undefined])
        assert.deepStrictEqual((yield* evidenceOf(script, named)).evidence, found)
    })
  )

  it.effect("doesn't compare transactions from before the payment could be made", () =>
    Effect.gen(function* () {
      const { evidence, methods } = yield* evidenceOf({
        signatures: [[idOf(1), presented - 10_000]],
        transactions: { [idOf(1)]: landed() }
      })
      assert.deepStrictEqual(evidence, { _tag: "NotMoved", chainTimeSeconds: presented + 20 })
      assert.notInclude(methods, "getTransaction")
    })
  )

  it.effect("is found beyond the first few of the payer's transactions", () =>
    Effect.gen(function* () {
      const other = landed({ blockhash: tokenAccountOf(wallet.address) })
      const ids = [1, 2, 3, 4, 5, 6].map(idOf)
      const { evidence } = yield* evidenceOf({
        signatures: ids.map((id) => [id, presented + 5] as const),
        transactions: { ...Object.fromEntries(ids.map((id) => [id, other])), [idOf(5)]: landed() }
      })
      assert.deepStrictEqual(evidence, { ...moved, transaction: idOf(5), isFinal: true })
    })
  )

  it.effect("is not among transactions with other messages", () =>
    Effect.gen(function* () {
      const { evidence } = yield* evidenceOf({
        signatures: [[idOf(1), presented + 5]],
        transactions: { [idOf(1)]: landed({ blockhash: tokenAccountOf(wallet.address) }) }
      })
      assert.deepStrictEqual(evidence, { _tag: "NotMoved", chainTimeSeconds: presented + 20 })
    })
  )

  it.effect("is unknown where the node lists a transaction that it doesn't have", () =>
    Effect.gen(function* () {
      const { evidence } = yield* evidenceOf({ signatures: [[idOf(1), presented + 5]] })
      assert.deepStrictEqual(evidence, { _tag: "Unavailable" })
    })
  )

  it.effect("reaches back to when the payment's block could be new, or to a given time", () =>
    Effect.gen(function* () {
      const transactions = { [idOf(1)]: landed() }
      const at = (seconds: number): Script => ({ transactions, signatures: [[idOf(1), seconds]] })
      // Two lifetimes of a blockhash before the end, and ten minutes for clocks that differ.
      const earliest = presented + 90 - 180 - 600
      const tagOf = (seconds: number) => Effect.map(evidenceOf(at(seconds)), ({ evidence }) => evidence._tag)
      assert.strictEqual(yield* tagOf(earliest), "Moved")
      assert.strictEqual(yield* tagOf(earliest - 1), "NotMoved")
      const { chain } = yield* open(at(earliest - 1))
      const since = yield* chain.evidence(devnet, authorization, { sinceSeconds: earliest - 1 + 600 })
      assert.strictEqual(since._tag, "Moved")
    })
  )

  it.effect("isn't past the end by a clock of ours that is slow", () =>
    Effect.gen(function* () {
      const final = { slot: 500, seconds: presented + 200 }
      const script = { final, acceptsNewest: false, acceptsFinal: false }
      const { evidence } = yield* evidenceOf(script, undefined, presented + 30)
      assert.deepStrictEqual(evidence, { _tag: "NotMoved", chainTimeSeconds: presented + 30 })
    })
  )

  it.effect("of a failed transaction is that it didn't pay", () =>
    Effect.gen(function* () {
      const { evidence } = yield* evidenceOf(
        { transactions: { [idOf(1)]: landed({}, "AccountNotFound") } },
        idOf(1)
      )
      assert.deepStrictEqual(evidence, { _tag: "NotPaid", reason: "failed" })
    })
  )

  it.effect("is read in this order: no block accepts the blockhash, then nothing is found", () =>
    Effect.gen(function* () {
      const final = { slot: 500, seconds: presented + 200 }
      const { evidence, methods, requests } = yield* evidenceOf(
        { final, acceptsNewest: false, acceptsFinal: false },
        undefined,
        presented + 205
      )
      assert.deepStrictEqual(evidence, { _tag: "NotMoved", chainTimeSeconds: presented + 200 })
      assert.deepStrictEqual(methods, [
        "getAccountInfo",
        "isBlockhashValid",
        "isBlockhashValid",
        "getSignaturesForAddress",
        "getFirstAvailableBlock"
      ])
      for (const { params } of requests.slice(1, 4)) assert.propertyVal(params[1], "minContextSlot", 500)
    })
  )

  it.effect("is from a list as of the block that no longer accepts the blockhash", () =>
    Effect.gen(function* () {
      // The node that responds to the second request is ahead of the others.
      const final = { slot: 500, seconds: presented + 200 }
      const { requests } = yield* evidenceOf(
        { final, acceptsNewest: false, acceptsFinal: false, expiredAtSlot: 640 },
        undefined,
        presented + 205
      )
      const list = requests.find(({ method }) => method === "getSignaturesForAddress")
      assert.propertyVal(list?.params[1], "minContextSlot", 640)
    })
  )

  it.effect("is unknown where the node lacks the blocks that the payment may be in", () =>
    Effect.gen(function* () {
      const final = { slot: 5_000, seconds: presented + 200 }
      const expired = { final, acceptsNewest: false, acceptsFinal: false }
      const evidenceFrom = (firstSlot: number, slotSeconds: number) =>
        Effect.map(
          evidenceOf({ ...expired, firstSlot, slotSeconds }, undefined, presented + 205),
          ({ evidence }) => evidence
        )
      // 890 s before, whatever a slot takes.
      for (const [slotSeconds, firstSlot] of [
        [0.4, 2_775],
        [0.2, 550]
      ] as const) {
        assert.deepStrictEqual(yield* evidenceFrom(firstSlot + 10, slotSeconds), { _tag: "Unavailable" })
        assert.deepStrictEqual(yield* evidenceFrom(firstSlot, slotSeconds), {
          _tag: "NotMoved",
          chainTimeSeconds: presented + 200
        })
      }
    })
  )

  it.effect("keeps a payment open while either block accepts its blockhash", () =>
    Effect.gen(function* () {
      const final = { slot: 500, seconds: presented + 200 }
      for (const accepts of [{ acceptsNewest: true }, { acceptsNewest: false, acceptsFinal: true }]) {
        const { evidence } = yield* evidenceOf({ final, ...accepts }, undefined, presented + 205)
        assert.deepStrictEqual(evidence, { _tag: "NotMoved", chainTimeSeconds: presented + 90 })
      }
    })
  )

  it.effect("is unknown where the node fails, or returns something else", () =>
    Effect.gen(function* () {
      const failures: ReadonlyArray<() => Response> = [
        () => Response.json({ jsonrpc: "2.0", id: 1, error: { code: -32016, message: "secret-key" } }),
        () => Response.json({ jsonrpc: "2.0", id: 1, result: { value: "text" } }),
        () => new Response("<html>", { status: 503 })
      ]
      for (const fails of failures)
        for (const method of [
          "getAccountInfo",
          "isBlockhashValid",
          "getSignaturesForAddress",
          "getFirstAvailableBlock"
        ]) {
          const { evidence } = yield* evidenceOf({ fails: { [method]: fails } })
          assert.deepStrictEqual(evidence, { _tag: "Unavailable" })
        }
    })
  )

  it.effect("is unknown for a charge of another kind of chain", () =>
    Effect.gen(function* () {
      const { chain } = yield* open({})
      const evidence = yield* chain.evidence(devnet, { ...authorization, nonce: `0x${"ab".repeat(32)}` })
      assert.deepStrictEqual(evidence, { _tag: "Unavailable" })
    })
  )
})

describe("transfers to a wallet", () => {
  const span = { fromSeconds: presented, beforeSeconds: presented + 60 }
  /** A transaction that moves an amount between two owners. */
  const moves = (amount: number, change: object = {}) => {
    const balance = (accountIndex: number, owner: string, units: number, mint = devnet.asset) => ({
      accountIndex,
      mint,
      owner,
      uiTokenAmount: { amount: String(units) }
    })
    return {
      ...landed(),
      meta: {
        err: null,
        preTokenBalances: [balance(2, wallet.address, 500), balance(4, "another", 7)],
        postTokenBalances: [
          balance(2, wallet.address, 500 - amount),
          balance(3, solanaPayTo, amount),
          balance(4, "another", 7),
          balance(5, solanaPayTo, 9_000, "worthless")
        ]
      },
      ...change
    }
  }
  const script: Script = {
    signatures: [
      [idOf(9), presented + 60],
      [idOf(4), presented + 59],
      [idOf(3), presented + 9],
      [idOf(2), presented + 5],
      [idOf(1), presented],
      [idOf(8), presented - 1]
    ],
    transactions: {
      [idOf(1)]: moves(100),
      [idOf(2)]: { ...moves(200), meta: { ...moves(200).meta, err: "AccountNotFound" } },
      [idOf(3)]: moves(-300),
      [idOf(4)]: moves(400)
    }
  }
  const found = (id: number, valueAtomic: string) => ({
    transaction: idOf(id),
    logIndex: 2,
    from: wallet.address,
    valueAtomic,
    atSeconds: presented + 5
  })

  it.effect("are what successful transactions of the span added to its balance, oldest first", () =>
    Effect.gen(function* () {
      const { chain, requests } = yield* open(script)
      const read = yield* chain.transfersTo(devnet, solanaPayTo, span)
      assert.deepStrictEqual(read?.transfers, [found(1, "100"), found(4, "400")])
      assert.strictEqual(requests[1]!.params[0], tokenAccountOf(solanaPayTo))
      const reads = requests.length
      assert.deepStrictEqual(
        (yield* chain.transfersTo(devnet, solanaPayTo, span))?.transfers,
        read?.transfers
      )
      // Final transactions are not read again.
      assert.deepStrictEqual(
        requests.slice(reads).map(({ method }) => method),
        ["getAccountInfo", "getSignaturesForAddress"]
      )
    })
  )

  it.effect("are read again while a fork can still undo them", () =>
    Effect.gen(function* () {
      for (const [slot, reads] of [
        [89, 2],
        [90, 1]
      ] as const) {
        const { chain, requests } = yield* open({
          final: { slot, seconds: presented + 20 },
          signatures: [[idOf(1), presented]],
          transactions: { [idOf(1)]: moves(100) }
        })
        yield* chain.transfersTo(devnet, solanaPayTo, span)
        yield* chain.transfersTo(devnet, solanaPayTo, span)
        assert.strictEqual(requests.filter(({ method }) => method === "getTransaction").length, reads)
      }
    })
  )

  it.effect("of one transaction are what it added to the wallet's balance", () =>
    Effect.gen(function* () {
      const { chain } = yield* open({ ...script, transactions: { [idOf(1)]: moves(100) } })
      const paidBy = (transaction: string, to: string) => chain.paidBy!(devnet, transaction, to)
      assert.strictEqual(yield* paidBy(idOf(1), solanaPayTo), 100n)
      assert.strictEqual(yield* paidBy(idOf(1), devnet.asset), 0n)
      assert.strictEqual(yield* paidBy(idOf(2), solanaPayTo), "absent")
    })
  )

  it.effect("from a wallet are what successful transactions took from its balance", () =>
    Effect.gen(function* () {
      const { chain, requests } = yield* open(script)
      const read = yield* chain.transfersFrom!(devnet, solanaPayTo, span)
      const { from: to, ...paid } = found(3, "300")
      assert.deepStrictEqual(read?.transfers, [{ ...paid, to }])
      const reads = requests.length
      // One reading serves both directions.
      assert.lengthOf((yield* chain.transfersTo(devnet, solanaPayTo, span))?.transfers ?? [], 2)
      assert.isFalse(requests.slice(reads).some(({ method }) => method === "getTransaction"))
    })
  )

  it.effect("show which of several payments are among them, by their messages and amounts", () =>
    Effect.gen(function* () {
      const { chain, requests } = yield* open({ ...script, final: { slot: 100, seconds: presented + 60 } })
      const of = (value: string, nonce = authorization.nonce) => ({ ...authorization, value, nonce })
      const otherMessage = authorization.nonce.replace(/.$/, (last) => (last === "0" ? "1" : "0"))
      const paid = yield* chain.paidWithin!(
        devnet,
        [
          of("400"),
          of("100"),
          of("101"),
          of("200"),
          of("400", otherMessage),
          of("400", `0x${"ab".repeat(32)}`)
        ],
        span
      )
      assert.deepStrictEqual(paid, [idOf(4), idOf(1), undefined, undefined, undefined, undefined])
      const before = requests.length
      yield* chain.paidWithin!(devnet, [of("400")], span)
      // Its transactions are known by now: the clock twice, and the list.
      assert.isAtMost(requests.length - before, 4)
      // While its last final block is within the span.
      const early = yield* open(script)
      assert.isUndefined(yield* early.chain.paidWithin!(devnet, [of("400")], span))
    })
  )

  it("are none without a change, and name no payer that there isn't", () => {
    const of = { mint: devnet.asset, wallet: solanaPayTo }
    const { meta } = moves(100)
    const without = (
      preTokenBalances: typeof meta.preTokenBalances | null,
      postTokenBalances = meta.postTokenBalances
    ) =>
      changeOf(
        "id",
        {
          slot: 1,
          blockTime: null,
          meta: { err: null, preTokenBalances, postTokenBalances },
          transaction: ["", "base64"]
        },
        of
      )
    const alone = meta.postTokenBalances.filter(({ owner }) => owner === solanaPayTo)
    assert.deepStrictEqual(without(null, alone), {
      transaction: "id",
      logIndex: 2,
      other: "",
      change: 100n,
      digest: ""
    })
    assert.isUndefined(without(meta.postTokenBalances))
    assert.isUndefined(without(null, []))
  })

  it.effect(
    "are found however many there are, and the list of an older span begins where it is known to",
    () =>
      Effect.gen(function* () {
        const moved = moves(1)
        const crowd = Array.from(
          { length: 6_000 },
          (_, index) => [`${index}`, presented + 30 - Math.floor(index / 200)] as const
        )
        const { chain, requests } = yield* open({
          signatures: crowd,
          transactions: Object.fromEntries(crowd.map(([id]) => [id, moved]))
        })
        const readBetween = Effect.fnUntraced(function* (fromSeconds: number, beforeSeconds: number) {
          const before = requests.length
          const read = yield* chain.transfersTo(devnet, solanaPayTo, { fromSeconds, beforeSeconds })
          const pages = requests.slice(before).filter(({ method }) => method === "getSignaturesForAddress")
          return { found: read?.transfers.length, pages: pages.length }
        })
        assert.deepStrictEqual(yield* readBetween(presented, presented + 12), { found: 2_200, pages: 7 })
        // A page ends with the transactions of this second.
        assert.deepStrictEqual(yield* readBetween(presented + 11, presented + 12), { found: 200, pages: 2 })
        assert.strictEqual(requests.filter(({ method }) => method === "getTransaction").length, 2_200)
      })
  )

  it.effect("are unknown where one can't be read", () =>
    Effect.gen(function* () {
      const final = { slot: 100, seconds: presented + 60 }
      for (const unknown of [{ signatures: [[idOf(7), presented]] as const }, { firstSlot: 100 }]) {
        const { chain } = yield* open({ ...unknown, final })
        assert.isUndefined(yield* chain.transfersTo(devnet, solanaPayTo, span))
        assert.isUndefined(yield* chain.paidWithin!(devnet, [authorization], span))
      }
    })
  )
})

describe("other reads on Solana", () => {
  it.effect("are of the account from which a wallet pays, and check no signatures or nonces", () =>
    Effect.gen(function* () {
      const own = Buffer.concat([
        Buffer.alloc(32),
        Buffer.from(fromBase58(wallet.address, 32)!),
        Buffer.alloc(101)
      ])
      own.writeBigUInt64LE(42n, 64)
      const given = Buffer.from(own).fill(1, 32, 64)
      const balances = Effect.fnUntraced(function* (account: Buffer | undefined) {
        const accounts =
          account === undefined ? {} : { [tokenAccountOf(wallet.address)]: account.toString("base64") }
        const { chain, requests } = yield* open({ accounts })
        const balance = yield* chain.balanceOf(devnet, wallet.address)
        return { balance, chain, requests }
      })
      const { balance, chain, requests } = yield* balances(own)
      assert.strictEqual(balance, 42n)
      assert.isTrue(chain.canRead(devnet.caip2))
      const options = { encoding: "base64", commitment: "confirmed" }
      assert.deepStrictEqual(requests[0]!.params, [tokenAccountOf(wallet.address), options])
      assert.isUndefined(yield* chain.usedNonces(devnet, [authorization]))
      assert.isUndefined(yield* chain.acceptsSignature(devnet, wallet.address, "0x", "0x"))
      assert.strictEqual(requests.length, 1)
      // No account, one that is another's by now, and lamports at its address.
      for (const account of [undefined, given, Buffer.alloc(0)])
        assert.strictEqual((yield* balances(account)).balance, 0n)
    })
  )
})
