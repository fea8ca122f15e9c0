import type { PlacementJournal } from "@till402/providers/rye"
import type { PaymentJournal, PaymentRecord, RecordedPayment } from "@till402/providers/treasury"
import type { TransferAttempt, TransferJournal } from "@till402/providers/solana-refunds"
import { assert } from "vitest"

/*
 * What every journal promises, as cases over two openings of one store: two processes that share it. A store that lives
 * in one process gives the same journal twice.
 */

export interface Opening {
  readonly payments: PaymentJournal
  readonly placements: PlacementJournal
  readonly transfers: TransferJournal
}

export interface JournalCase {
  readonly name: string
  readonly run: (left: Opening, right: Opening) => Promise<void>
}

export const record = (change: Partial<PaymentRecord> = {}): PaymentRecord => ({
  key: "order-1",
  reference: "cm-1",
  chainId: 8453,
  payer: "0x00000000000000000000000000000000000000a1",
  nonce: 7,
  transaction: "0x01",
  signedTransaction: "0x02f8",
  expiresAtMillis: 1_900_000_000_123,
  ...change
})

export const stored = (payment: PaymentRecord): RecordedPayment => ({ ...payment, replacements: [] })

const other = (nonce: number, change: Partial<PaymentRecord> = {}): PaymentRecord =>
  record({ key: `order-${nonce}`, reference: `cm-${nonce}`, nonce, ...change })

const attempt = (position: number, change: Partial<TransferAttempt> = {}): TransferAttempt => ({
  key: "charge-1",
  position,
  signature: `signature-${position}`,
  transaction: "AQID",
  lastValidBlockHeight: 300_000_150,
  signedAtSlot: 320_000_000,
  network: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
  payer: "payer",
  payee: "payee",
  mint: "mint",
  amountAtomic: "18446744073709551615",
  caller: "shop",
  ...change
})

/** Ten racers, left and right in turns. */
const race = <A>(left: Opening, right: Opening, run: (opening: Opening, racer: number) => Promise<A>) =>
  Promise.all(Array.from({ length: 10 }, (_, racer) => run(racer % 2 === 0 ? left : right, racer)))

export const journalCases: ReadonlyArray<JournalCase> = [
  {
    name: "a payment is there for everybody once it is inserted, as it was given",
    run: async (left, right) => {
      assert.isUndefined(await right.payments.find("order-1"))
      assert.isUndefined(await left.payments.insert(record()))
      assert.deepStrictEqual(await right.payments.find("order-1"), stored(record()))
      assert.deepStrictEqual(await left.payments.find("order-1"), stored(record()))
      assert.isUndefined(await right.payments.find("order-2"))
    }
  },
  {
    name: "a payment keeps the greatest numbers, long transactions, and letters of all kinds",
    run: async (left, right) => {
      const odd = record({
        key: "Bestellung № 1 'x' \"y\" \\ $1 ?",
        chainId: Number.MAX_SAFE_INTEGER,
        nonce: Number.MAX_SAFE_INTEGER,
        expiresAtMillis: Number.MAX_SAFE_INTEGER,
        signedTransaction: `0x${"ab".repeat(20_000)}`
      })
      assert.isUndefined(await left.payments.insert(odd))
      assert.deepStrictEqual(await right.payments.find(odd.key), stored(odd))
    }
  },
  {
    name: "a second payment under one key, of one reference, or of one number is not stored, and the first is returned",
    run: async (left, right) => {
      await left.payments.insert(record())
      for (const clashing of [
        record({ reference: "cm-2", nonce: 8, transaction: "0x03" }),
        other(2, { reference: "cm-1" }),
        other(2, { nonce: 7 }),
        record()
      ]) {
        assert.deepStrictEqual(await right.payments.insert(clashing), stored(record()))
      }
      assert.isUndefined(await right.payments.find("order-2"))
      assert.deepStrictEqual(await left.payments.find("order-1"), stored(record()))
    }
  },
  {
    name: "of several conflicting payments, the one with the same key is returned",
    run: async (left, right) => {
      await left.payments.insert(other(1))
      await left.payments.insert(other(2))
      await left.payments.insert(other(3))
      const clashing = record({ key: "order-2", reference: "cm-1", nonce: 3 })
      assert.deepStrictEqual(await right.payments.insert(clashing), stored(other(2)))
    }
  },
  {
    name: "the same number of another account or another chain is another one",
    run: async (left, right) => {
      await left.payments.insert(record())
      const accounts = other(2, { nonce: 7, payer: "0x00000000000000000000000000000000000000a2" })
      assert.isUndefined(await right.payments.insert(accounts))
      assert.isUndefined(await right.payments.insert(other(3, { nonce: 7, chainId: 84_532 })))
    }
  },
  {
    name: "of payments under one key that race, one is stored and the others receive it",
    run: async (left, right) => {
      const responses = await race(left, right, ({ payments }, racer) =>
        payments.insert(record({ reference: `cm-${racer}`, nonce: racer }))
      )
      const winner = await left.payments.find("order-1")
      assert.isDefined(winner)
      assert.deepStrictEqual(
        responses.filter((response) => response !== undefined),
        Array.from({ length: 9 }, () => winner)
      )
    }
  },
  {
    name: "of payments that race for one number, one is stored and the others receive it",
    run: async (left, right) => {
      const responses = await race(left, right, ({ payments }, racer) =>
        payments.insert(other(racer, { nonce: 7 }))
      )
      const winners = responses.flatMap((response, racer) => (response === undefined ? [racer] : []))
      assert.strictEqual(winners.length, 1)
      const winner = stored(other(winners[0]!, { nonce: 7 }))
      for (const response of responses) assert.deepStrictEqual(response ?? winner, winner)
      const found = await Promise.all(responses.map((_, racer) => right.payments.find(`order-${racer}`)))
      assert.deepStrictEqual(
        found.filter((each) => each !== undefined),
        [winner]
      )
    }
  },
  {
    name: "payments that don't clash are all stored, whoever else inserts meanwhile",
    run: async (left, right) => {
      const responses = await race(left, right, ({ payments }, racer) => payments.insert(other(racer)))
      assert.deepStrictEqual(new Set(responses), new Set([undefined]))
      for (let racer = 0; racer < 10; racer++) {
        assert.deepStrictEqual(await left.payments.find(`order-${racer}`), stored(other(racer)))
      }
    }
  },
  {
    name: "replacements of a payment are there for everybody, in order, each as it was given",
    run: async (left, right) => {
      await left.payments.insert(record())
      await left.payments.insert(other(2))
      const [first, second] = ["0xa1", "0xa2"].map((transaction) => ({
        transaction: transaction as `0x${string}`,
        signedTransaction: `${transaction}02f8` as `0x${string}`
      }))
      const once = { ...record(), replacements: [first!] }
      assert.deepStrictEqual(await left.payments.replace("order-1", 0, first!), once)
      assert.deepStrictEqual(await right.payments.find("order-1"), once)
      const twice = { ...record(), replacements: [first!, second!] }
      assert.deepStrictEqual(await right.payments.replace("order-1", 1, second!), twice)
      assert.deepStrictEqual(await left.payments.find("order-1"), twice)
      assert.deepStrictEqual(await left.payments.insert(other(3, { nonce: 7 })), twice)
      assert.deepStrictEqual(await left.payments.find("order-2"), stored(other(2)))
    }
  },
  {
    name: "of replacements that race for one position, one is stored and all are told of it",
    run: async (left, right) => {
      await left.payments.insert(record())
      const responses = await race(left, right, ({ payments }, racer) =>
        payments.replace("order-1", 0, { transaction: `0x0${racer}`, signedTransaction: `0x1${racer}` })
      )
      const winner = await left.payments.find("order-1")
      assert.strictEqual(winner?.replacements.length, 1)
      for (const response of responses) assert.deepStrictEqual(response, winner)
    }
  },
  {
    name: "a replacement of a payment that was never inserted is refused",
    run: async (left) => {
      const variant = { transaction: "0xa1", signedTransaction: "0xa102f8" } as const
      const outcome = await left.payments.replace("order-1", 0, variant).catch((error: unknown) => error)
      assert.instanceOf(outcome, Error)
    }
  },
  {
    name: "attempts of a transfer are there for everybody, by position, each as it was given",
    run: async (left, right) => {
      assert.deepStrictEqual(await right.transfers.find("charge-1"), [])
      assert.deepStrictEqual(await left.transfers.insert(attempt(0)), [attempt(0)])
      const both = [attempt(0), attempt(1, { lastValidBlockHeight: Number.MAX_SAFE_INTEGER })]
      assert.deepStrictEqual(await right.transfers.insert(both[1]!), both)
      const other = attempt(0, { key: "charge '2' $1 ?" })
      assert.deepStrictEqual(await left.transfers.insert(other), [other])
      assert.deepStrictEqual(await left.transfers.find("charge-1"), both)
      assert.deepStrictEqual(await right.transfers.find(other.key), [other])
    }
  },
  {
    name: "of attempts that race for one position, one is stored and all are told of it",
    run: async (left, right) => {
      const responses = await race(left, right, ({ transfers }, racer) =>
        transfers.insert(attempt(0, { signature: `signature-${racer}` }))
      )
      const stored = await left.transfers.find("charge-1")
      assert.strictEqual(stored.length, 1)
      for (const response of responses) assert.deepStrictEqual(response, stored)
    }
  },
  {
    name: "a placement is there for everybody once it is recorded, and the last one stands",
    run: async (left, right) => {
      assert.isUndefined(await left.placements.find("order-1"))
      await left.placements.record("order-1", { reference: "ci_1", atMillis: 1_900_000_000_123 })
      assert.deepStrictEqual(await right.placements.find("order-1"), {
        reference: "ci_1",
        atMillis: 1_900_000_000_123
      })
      await right.placements.record("order-1", { reference: "ci_1", atMillis: 1_900_000_060_000 })
      assert.deepStrictEqual(await left.placements.find("order-1"), {
        reference: "ci_1",
        atMillis: 1_900_000_060_000
      })
      assert.isUndefined(await left.placements.find("order-2"))
    }
  },
  {
    name: "a buyer is there for everybody once recorded, however often",
    run: async (left, right) => {
      assert.isFalse(await left.placements.hasBought?.("aa"))
      await left.placements.recordBuyer?.("aa")
      await right.placements.recordBuyer?.("aa")
      assert.isTrue(await right.placements.hasBought?.("aa"))
      assert.isFalse(await right.placements.hasBought?.("ab"))
    }
  },
  {
    name: "placements that race are whole: one of them stands, for everybody",
    run: async (left, right) => {
      await race(left, right, ({ placements }, racer) =>
        placements.record("order-1", { reference: `ci_${racer}`, atMillis: racer })
      )
      const stands = await left.placements.find("order-1")
      assert.isDefined(stands)
      assert.strictEqual(stands.reference, `ci_${stands.atMillis}`)
      assert.deepStrictEqual(await right.placements.find("order-1"), stands)
    }
  }
]
