import { Effect } from "effect"
import type { OrderStatus } from "../../domain/Order.ts"
import type { StoreError } from "../../domain/Errors.ts"
import { Charges } from "../../ports/Charges.ts"
import { Orders } from "../../ports/Orders.ts"
import { Quotes } from "../../ports/Quotes.ts"
import type { Stores } from "../../ports/Stores.ts"
import { VaultItems } from "../../ports/VaultItems.ts"
import { VaultPurchases } from "../../ports/VaultPurchases.ts"
import {
  sampleAnswer,
  sampleCharge,
  sampleOffer,
  sampleOrder,
  samplePurchase,
  sampleQuote,
  sampleReceipt,
  sampleVaultItem,
  uuidOf
} from "./records.ts"
import { equal, type StoreCase } from "./StoreCase.ts"
import { storeModel } from "./StoreModel.ts"

/** Numbers that look random and are the same for the same seed (mulberry32). */
const dice = (seed: number) => {
  let state = seed >>> 0
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
  return { below, pick: <A>(choices: ReadonlyArray<A>): A => choices[below(choices.length)]! }
}
type Dice = ReturnType<typeof dice>

/** A verb with its arguments, to be said to both. */
type Verb = Effect.Effect<unknown, StoreError, Stores>
type Roll = (dice: Dice, step: number) => Verb

const owners = ["me", "you", "us"]
const statuses: ReadonlyArray<OrderStatus> = ["awaiting_payment", "processing", "placing", "placed"]
const someKey = (dice: Dice) => `key-${dice.below(4)}`
const someId = (dice: Dice) => uuidOf(dice.below(5))
const someTime = (dice: Dice) => dice.below(100)
/** Of a quote: in steps that leave room between them, so that no two quotes lapse at the same time. */
const someQuoteTime = (dice: Dice) => someTime(dice) * 1e6
const someLease = (dice: Dice) => ({ owner: dice.pick(owners), untilMillis: someTime(dice) })

const chargeRolls: ReadonlyArray<Roll> = [
  (dice, step) => {
    const charge = sampleCharge({
      key: someKey(dice),
      payloadDigest: `digest-${step}`,
      validBeforeSeconds: dice.below(2),
      createdAtMillis: step
    })
    const lease = someLease(dice)
    const now = someTime(dice)
    return Charges.use((charges) => charges.claim(charge, lease, now))
  },
  (dice, step) => {
    const key = someKey(dice)
    const owner = dice.pick(owners)
    const subject = dice.pick([undefined, { kind: "order", id: `order-${step}` } as const])
    return Charges.use((charges) => charges.advance(key, owner, { answer: sampleAnswer(`${step}`), subject }))
  },
  (dice, step) => {
    const key = someKey(dice)
    const now = someTime(dice)
    return Charges.use((charges) => charges.complete(key, sampleReceipt(step), now))
  },
  (dice) => {
    const key = someKey(dice)
    const owner = dice.pick(owners)
    return Charges.use((charges) => charges.release(key, owner))
  },
  (dice) => {
    const key = someKey(dice)
    const lease = someLease(dice)
    const now = someTime(dice)
    return Charges.use((charges) => charges.takeOver(key, lease, now))
  },
  (dice) => {
    const key = someKey(dice)
    const owner = dice.pick(owners)
    return Charges.use((charges) => charges.yieldLease(key, owner))
  },
  (dice) => {
    const now = someTime(dice)
    return Charges.use((charges) => charges.unfinished(now, 3))
  },
  (dice) => {
    const before = dice.pick([50, 500, 2_000])
    return Charges.use((charges) => charges.expire(before))
  }
]

const quoteRolls: ReadonlyArray<Roll> = [
  (dice, step) => {
    const offer = sampleOffer({ expiresAtMillis: someQuoteTime(dice) + step, reference: `offer-${step}` })
    const fingerprint = `request-${dice.below(2)}`
    const quote = sampleQuote({ id: uuidOf(1_000 + step), fingerprint, offer, createdAtMillis: step })
    const now = someQuoteTime(dice)
    return Quotes.use((quotes) => quotes.put(quote, now))
  },
  (dice, step) => {
    const id = uuidOf(1_000 + Math.max(0, step - dice.below(40)))
    const key = someKey(dice)
    const now = someQuoteTime(dice)
    return Quotes.use((quotes) => quotes.consume(id, key, now))
  },
  // Consumes what is live, which a guess rarely hits.
  (dice) => {
    const fingerprint = `request-${dice.below(2)}`
    const key = someKey(dice)
    const now = someQuoteTime(dice)
    return Quotes.use((quotes) =>
      Effect.flatMap(quotes.findLive(fingerprint, now), (quote) =>
        quote === undefined ? Effect.succeed(undefined) : quotes.consume(quote.id, key, now)
      )
    )
  },
  (dice) => {
    const key = someKey(dice)
    return Quotes.use((quotes) => quotes.restore(key))
  },
  (dice) => {
    const before = dice.below(20) * 1e6
    return Quotes.use((quotes) => quotes.expire(before))
  }
]

const orderRolls: ReadonlyArray<Roll> = [
  (dice, step) => {
    const order = sampleOrder({
      id: someId(dice),
      status: dice.pick(statuses),
      createdAtMillis: step,
      updatedAtMillis: step
    })
    return Orders.use((orders) => orders.create(order))
  },
  (dice, step) => {
    const id = someId(dice)
    const from = statuses.filter(() => dice.below(2) === 0)
    const reference = dice.below(2) === 0 ? {} : { upstreamReference: `up-${step}` }
    const advance = { from, to: dice.pick(statuses), ...reference }
    return Orders.use((orders) => orders.advance(id, advance, step))
  },
  (dice) => {
    const before = dice.below(2) === 0 ? {} : { before: someId(dice) }
    const status = dice.below(2) === 0 ? {} : { status: dice.pick(statuses) }
    const limit = 1 + dice.below(4)
    return Orders.use((orders) => orders.list({ limit, ...before, ...status }))
  },
  (dice) => {
    const status = dice.pick(statuses)
    const limit = 1 + dice.below(4)
    return Orders.use((orders) => orders.waiting(status, limit))
  }
]

const vaultRolls: ReadonlyArray<Roll> = [
  (dice, step) => {
    const item = sampleVaultItem(dice.below(5), {
      slug: `slug-${dice.below(6)}`,
      title: dice.pick(["Growth 100%", "growth a_b", "Don't"]),
      price: 1 + dice.below(9),
      category: dice.pick(["ios", "career"]),
      downloads: step
    })
    return VaultItems.use((items) => items.put(item))
  },
  (dice) => {
    const slug = `slug-${dice.below(6)}`
    return VaultItems.use((items) => Effect.andThen(items.countDownload(slug), items.findBySlug(slug)))
  },
  (dice) => {
    const cursor = dice.below(2) === 0 ? {} : { cursor: someId(dice) }
    const q = dice.pick([{}, { q: "GROWTH" }, { q: "%" }, { q: "_ growth" }, { q: "slug-1" }])
    const minPrice = dice.pick([{}, { minPrice: 5 }])
    const category = dice.pick([{}, { category: "ios" as const }])
    const limit = 1 + dice.below(4)
    return VaultItems.use((items) => items.search({ limit, ...cursor, ...q, ...minPrice, ...category }))
  },
  (dice, step) => {
    const purchase = samplePurchase({ id: someId(dice), createdAtMillis: step })
    return VaultPurchases.use((purchases) => purchases.reserve(purchase))
  },
  (dice) => {
    const id = someId(dice)
    return VaultPurchases.use((purchases) => purchases.grant(id))
  },
  (dice) => {
    const id = someId(dice)
    return VaultPurchases.use((purchases) => purchases.cancel(id))
  }
]

const rolls = [chargeRolls, quoteRolls, orderRolls, vaultRolls]

/** All that can be seen of the stores. */
const everything: Verb = Effect.all([
  Charges.use((charges) => charges.list({ limit: 100 })),
  Effect.forEach([0, 50, 99], (now) => Charges.use((charges) => charges.unfinished(now, 100))),
  Effect.forEach(["request-0", "request-1"], (fingerprint) =>
    Effect.forEach([0, 50e6, 99e6], (now) => Quotes.use((quotes) => quotes.findLive(fingerprint, now)))
  ),
  Orders.use((orders) => orders.list({ limit: 100 })),
  VaultItems.use((items) => items.search({ limit: 100 })),
  Effect.forEach([0, 1, 2, 3, 4], (number) =>
    VaultPurchases.use((purchases) => purchases.find(uuidOf(number)))
  )
])

/** What came of a verb; that a store refused it is an outcome as well. */
const outcomeOf = (verb: Verb): Effect.Effect<unknown, never, Stores> =>
  Effect.match(verb, { onSuccess: (value) => value, onFailure: ({ _tag }) => ({ failed: _tag }) })

/**
 * Says the same random verbs to the stores and to a plain model of them: the outcomes must be the same.
 * A failure names the seed and the step: the same seed says the same verbs again.
 *
 * @param seed any integer
 * @param steps how many verbs, below a million
 */
export const storeModelCase = (seed: number, steps = 300): StoreCase => ({
  name: `All stores: ${steps} random verbs have the outcomes of the model (seed ${seed})`,
  run: Effect.gen(function* () {
    const model = storeModel()
    const { below, pick } = dice(seed)
    for (let step = 0; step < steps; step++) {
      const verb = pick(pick(rolls))({ below, pick }, step)
      const at = `seed ${seed}, step ${step}`
      equal(yield* outcomeOf(verb), yield* Effect.provideContext(outcomeOf(verb), model), at)
      if (step % 25 !== 24) continue
      const seen = outcomeOf(everything)
      equal(yield* seen, yield* Effect.provideContext(seen, model), `${at}, all that can be seen`)
    }
  })
})

/** The model on a few seeds. */
export const randomCases: ReadonlyArray<StoreCase> = [1, 2, 3, 4, 5].map((seed) => storeModelCase(seed))
