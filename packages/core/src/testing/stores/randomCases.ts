import { Effect } from "effect"
import type { OrderStatus } from "../../domain/Order.ts"
import { Charges } from "../../ports/Charges.ts"
import { Orders } from "../../ports/Orders.ts"
import { Quotes } from "../../ports/Quotes.ts"
import type { Stores } from "../../ports/Stores.ts"
import { VaultItems } from "../../ports/VaultItems.ts"
import { VaultPurchases } from "../../ports/VaultPurchases.ts"
import { chargeRolls, told, toldAll } from "./chargeRolls.ts"
import { type Dice, dice, type Roll, someKey, someTime, type Verb } from "./Dice.ts"
import { sampleOffer, sampleOrder, samplePurchase, sampleQuote, sampleVaultItem, uuidOf } from "./records.ts"
import { equal, type RestartCase, type StoreCase } from "./StoreCase.ts"
import { storeModel } from "./StoreModel.ts"

const statuses: ReadonlyArray<OrderStatus> = ["awaiting_payment", "processing", "placed", "delivered"]
/** When an order is due: never, or at a time that no other order has. */
const someDue = (dice: Dice, step: number) => (dice.below(3) === 0 ? undefined : step * 10 + dice.below(9))
const someId = (dice: Dice) => uuidOf(dice.below(5))
/** Of a quote: in steps that leave room between them, so that no two quotes lapse at the same time. */
const someQuoteTime = (dice: Dice) => someTime(dice) * 1e6

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
    const fingerprint = `request-${dice.below(2)}`
    const key = someKey(dice)
    const now = someQuoteTime(dice)
    return Quotes.use((quotes) => quotes.findConsumed(fingerprint, key, now))
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
      dueAtMillis: someDue(dice, step),
      createdAtMillis: step,
      updatedAtMillis: step
    })
    return Orders.use((orders) => orders.create(order))
  },
  // Changes what stands there, or what stood there before.
  (dice, step) => {
    const id = someId(dice)
    const behind = dice.below(4) === 0 ? 1 : 0
    const change = {
      status: dice.pick(statuses),
      attempts: dice.below(3),
      dueAtMillis: someDue(dice, step),
      updatedAtMillis: step,
      ...(dice.below(2) === 0 ? {} : { upstreamReference: `up-${step}`, reason: "out_of_stock" }),
      email: "eve@example.com"
    }
    return Orders.use((orders) =>
      Effect.flatMap(orders.find(id), (order) =>
        order === undefined
          ? Effect.succeed(undefined)
          : orders.replace({ ...order, ...change, version: order.version - behind })
      )
    )
  },
  (dice, step) => {
    const id = someId(dice)
    return Orders.use((orders) =>
      Effect.flatMap(orders.find(id), (order) =>
        orders.findByReference(order?.upstreamReference ?? `up-${step}`)
      )
    )
  },
  // One at a time: two would be due at the same time again, and the port does not order them.
  (dice, step) => {
    const now = step * 10 + dice.below(200)
    return Orders.use((orders) => orders.take(now, (step + 100) * 10 + 9, 1))
  },
  // All of them: which ones a smaller number touches is nobody's promise.
  (dice, step) => {
    const before = step - dice.below(50)
    return Orders.use((orders) => orders.forget(before, 100))
  },
  (dice) => {
    const before = dice.below(2) === 0 ? {} : { before: someId(dice) }
    const status = dice.below(2) === 0 ? {} : { status: dice.pick(statuses) }
    const limit = 1 + dice.below(4)
    return Orders.use((orders) => orders.list({ limit, ...before, ...status }))
  }
]

const purchaseRolls: ReadonlyArray<Roll> = [
  (dice, step) => {
    const purchase = samplePurchase({
      id: someId(dice),
      createdAtMillis: step,
      dueAtMillis: someDue(dice, step)
    })
    return VaultPurchases.use((purchases) => purchases.reserve(purchase))
  },
  (dice, step) => {
    const id = someId(dice)
    const due = someDue(dice, step)
    return VaultPurchases.use((purchases) => purchases.grant(id, due))
  },
  (dice) => {
    const id = someId(dice)
    return VaultPurchases.use((purchases) => purchases.cancel(id))
  },
  // One at a time: two would be due at the same time again, and which goes first then is nobody's promise.
  (dice, step) => {
    const now = step * 10 + dice.below(200)
    return VaultPurchases.use((purchases) => purchases.take(now, (step + 100) * 10 + 9, 1))
  },
  // Of what stands there, or of what stood there before.
  (dice, step) => {
    const id = someId(dice)
    const behind = dice.below(4) === 0 ? 1 : 0
    const due = someDue(dice, step)
    return VaultPurchases.use((purchases) =>
      Effect.flatMap(purchases.find(id), (purchase) =>
        purchases.reschedule(id, (purchase?.dueAtMillis ?? step) - behind, due)
      )
    )
  },
  // All of them: which ones a smaller number touches is nobody's promise.
  (dice, step) => {
    const before = step - dice.below(50)
    return VaultPurchases.use((purchases) => purchases.forget(before, 100))
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
  ...purchaseRolls
]

const { claiming, reading, settled, upkeep } = chargeRolls
/** Claims twice: the other verbs need what they bring about. */
const rolls = [claiming, claiming, settled, upkeep, reading, quoteRolls, orderRolls, vaultRolls]

/** All that can be seen of the stores. */
const everything: Verb = Effect.all([
  Charges.use((charges) => Effect.map(charges.list({ limit: 100 }), (found) => found.map(told))),
  Charges.use((charges) => charges.entries({ limit: 1_000 })),
  Effect.forEach([0, 50, 99], (now) =>
    Charges.use((charges) =>
      Effect.all([
        Effect.map(charges.unfinished(now, 100), toldAll),
        Effect.map(charges.voidedDue(now, 100), toldAll)
      ])
    )
  ),
  Charges.use((charges) => charges.refundStop()),
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

/** Random verbs of a seed, said to a store and to a model of it, some steps at a time. */
const comparison = (seed: number) => {
  const model = storeModel()
  const { below, pick } = dice(seed)
  const same = Effect.fnUntraced(function* (verb: Verb, what: string) {
    const outcome = outcomeOf(verb)
    equal(yield* outcome, yield* Effect.provideContext(outcome, model), what)
  })
  return Effect.fnUntraced(function* (from: number, to: number) {
    for (let step = from; step < to; step++) {
      const verb = pick(pick(rolls))({ below, pick }, step)
      yield* same(verb, `seed ${seed}, step ${step}`)
      if (step % 25 === 24) yield* same(everything, `seed ${seed}, step ${step}, all that can be seen`)
    }
    yield* same(everything, `seed ${seed}, before step ${to}, all that can be seen`)
  })
}

/**
 * Says the same random verbs to the stores and to a plain model of them: the outcomes must be the same.
 * A failure names the seed and the step: the same seed says the same verbs again.
 *
 * @param seed any integer
 * @param steps how many verbs, below a million
 */
export const storeModelCase = (seed: number, steps = 800): StoreCase => ({
  name: `All stores: ${steps} random verbs have the outcomes of the model (seed ${seed})`,
  run: Effect.suspend(() => comparison(seed)(0, steps))
})

const stepsBetweenRestarts = 40

/** The same for stores that are closed and opened again every 40 steps. */
export const restartedModelCase = (seed: number, steps = 200): RestartCase => ({
  name: `All stores: ${steps} random verbs across restarts have the outcomes of the model (seed ${seed})`,
  run: (opened) =>
    Effect.gen(function* () {
      const compare = comparison(seed)
      for (let from = 0; from < steps; from += stepsBetweenRestarts)
        yield* opened(compare(from, Math.min(steps, from + stepsBetweenRestarts)))
    })
})

/** The model on a few seeds. */
export const randomCases: ReadonlyArray<StoreCase> = [1, 2, 3, 4, 5].map((seed) => storeModelCase(seed))
