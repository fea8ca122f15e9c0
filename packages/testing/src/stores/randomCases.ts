import { Effect } from "effect"
import {
  Charges,
  Orders,
  type OrderStatus,
  Quotes,
  type Stores,
  VaultItems,
  VaultPurchases
} from "@till402/core/effect"
import { chargeOperations, comparableCharge, comparableCharges } from "./chargeOperations.ts"
import {
  type RandomSource,
  randomSource,
  type RandomOperation,
  randomKey,
  randomTime,
  type Operation
} from "./RandomSource.ts"
import { sampleOffer, sampleOrder, samplePurchase, sampleQuote, sampleVaultItem, uuidOf } from "./records.ts"
import { type ChargeCase, expectEqual, type RestartCase, type StoreCase } from "./StoreCase.ts"
import { storeModel } from "./StoreModel.ts"

const statuses: ReadonlyArray<OrderStatus> = ["awaiting_payment", "processing", "placed", "delivered"]
/** Due time of an order: none, or one that no other order has. */
const randomDue = (random: RandomSource, step: number) =>
  random.below(3) === 0 ? undefined : step * 10 + random.below(9)
const randomId = (random: RandomSource) => uuidOf(random.below(5))
/** Times of quotes, spaced so that no two quotes expire at the same time. */
const randomQuoteTime = (random: RandomSource) => randomTime(random) * 1e6

const quoteOperations: ReadonlyArray<RandomOperation> = [
  (random, step) => {
    const offer = sampleOffer({ expiresAtMillis: randomQuoteTime(random) + step, reference: `offer-${step}` })
    const fingerprint = `k1:request-${random.below(2)}`
    const quote = sampleQuote({ id: uuidOf(1_000 + step), fingerprint, offer, createdAtMillis: step })
    const now = randomQuoteTime(random)
    return Quotes.use((quotes) => quotes.put(quote, now))
  },
  (random, step) => {
    const id = uuidOf(1_000 + Math.max(0, step - random.below(40)))
    const key = randomKey(random)
    const now = randomQuoteTime(random)
    return Quotes.use((quotes) => quotes.consume(id, key, now))
  },
  // Consumes the live quote, as random ids rarely match one.
  (random) => {
    const fingerprint = `k1:request-${random.below(2)}`
    const key = randomKey(random)
    const now = randomQuoteTime(random)
    return Quotes.use((quotes) =>
      Effect.flatMap(quotes.findLive(fingerprint, now), (quote) =>
        quote === undefined ? Effect.succeed(undefined) : quotes.consume(quote.id, key, now)
      )
    )
  },
  (random) => {
    const fingerprint = `k1:request-${random.below(2)}`
    const key = randomKey(random)
    const now = randomQuoteTime(random)
    return Quotes.use((quotes) => quotes.findConsumed(fingerprint, key, now))
  },
  (random) => {
    const key = randomKey(random)
    return Quotes.use((quotes) => quotes.restore(key))
  },
  (random) => {
    const before = random.below(20) * 1e6
    return Quotes.use((quotes) => quotes.expire(before, 100))
  },
  (random) => {
    const now = randomQuoteTime(random)
    return Quotes.use((quotes) => quotes.countUnderKey("k1", now))
  }
]

const orderOperations: ReadonlyArray<RandomOperation> = [
  (random, step) => {
    const order = sampleOrder({
      id: randomId(random),
      status: random.pick(statuses),
      dueAtMillis: randomDue(random, step),
      createdAtMillis: step,
      updatedAtMillis: step
    })
    return Orders.use((orders) => orders.create(order))
  },
  // Replaces the current version, or tries to with an old one.
  (random, step) => {
    const id = randomId(random)
    const behind = random.below(4) === 0 ? 1 : 0
    const status = random.pick(statuses)
    const change = {
      status,
      timeline: [{ status, atMillis: step }],
      attempts: random.below(3),
      dueAtMillis: randomDue(random, step),
      updatedAtMillis: step,
      ...(random.below(2) === 0 ? {} : { upstreamReference: `up-${step}`, reason: "out_of_stock" }),
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
  (random, step) => {
    const id = randomId(random)
    return Orders.use((orders) =>
      Effect.flatMap(orders.find(id), (order) =>
        orders.findByReference(order?.upstreamReference ?? `up-${step}`, undefined)
      )
    )
  },
  // Takes one at a time: two taken together would share a due time, and their order is unspecified.
  (random, step) => {
    const now = step * 10 + random.below(200)
    return Orders.use((orders) => orders.take(now, (step + 100) * 10 + 9, 1))
  },
  () => Orders.use((orders) => orders.earliestDue()),
  (random) => {
    const id = randomId(random)
    const key = `download-${random.below(4)}`
    const max = 1 + random.below(3)
    return VaultPurchases.use((purchases) => purchases.countDownload(id, key, max))
  },
  (random) => {
    const id = randomId(random)
    const key = `download-${random.below(4)}`
    return VaultPurchases.use((purchases) => purchases.releaseDownload(id, key))
  },
  (random, step) => {
    const purchaseId = randomId(random)
    const nonce = `nonce-${random.below(6)}`
    const download = { purchaseId, nonce, bytes: 1 + random.below(5), atMillis: step }
    const budget = { sinceMillis: 0, maxBytes: 10 }
    return VaultPurchases.use((purchases) => purchases.redeem(download, budget))
  },
  (random, step) => {
    const token = {
      purchaseId: randomId(random),
      keyId: random.pick(["k1", "k2"]),
      nonce: `nonce-${random.below(12)}`,
      atMillis: step,
      dueAtMillis: random.pick([undefined, 1e9 + step])
    }
    const limit = { sinceMillis: 0, max: 1 + random.below(3) }
    return VaultPurchases.use((purchases) => purchases.renewToken(token, limit))
  },
  (random) => {
    const before = random.pick([
      {},
      { before: { createdAtMillis: randomTime(random), id: uuidOf(random.below(4)) } }
    ])
    const whose = random.pick([{}, { slug: "item-1" }, { email: "ada@example.com" }])
    const query = { limit: 1 + random.below(4), ...before, ...whose }
    return VaultPurchases.use((purchases) => purchases.list(query))
  },
  // No limit: which records a limit would select is unspecified.
  (random, step) => {
    const before = step - random.below(50)
    return Orders.use((orders) => orders.forget(before, 100))
  },
  (random) => {
    const before = random.below(2) === 0 ? {} : { before: randomId(random) }
    const status = random.below(2) === 0 ? {} : { status: random.pick(statuses) }
    const limit = 1 + random.below(4)
    const named = random.pick([{}, {}, { email: "ada@example.com" }, { item: "B000000001" }])
    return Orders.use((orders) => orders.list({ limit, ...before, ...status, ...named }))
  }
]

const purchaseOperations: ReadonlyArray<RandomOperation> = [
  (random, step) => {
    const purchase = samplePurchase({
      id: randomId(random),
      keyId: random.pick(["k1", "k2"]),
      createdAtMillis: step,
      dueAtMillis: randomDue(random, step)
    })
    return VaultPurchases.use((purchases) => purchases.reserve(purchase))
  },
  (random, step) => {
    const id = randomId(random)
    const due = randomDue(random, step)
    return VaultPurchases.use((purchases) => purchases.grant(id, due))
  },
  (random) => {
    const id = randomId(random)
    return VaultPurchases.use((purchases) => purchases.cancel(id))
  },
  // Takes one at a time: two taken together would share a due time, and their order is unspecified.
  (random, step) => {
    const now = step * 10 + random.below(200)
    return VaultPurchases.use((purchases) => purchases.take(now, (step + 100) * 10 + 9, 1))
  },
  () => VaultPurchases.use((purchases) => purchases.earliestDue()),
  // Reschedules with the current due time, or with an old one.
  (random, step) => {
    const id = randomId(random)
    const behind = random.below(4) === 0 ? 1 : 0
    const due = randomDue(random, step)
    return VaultPurchases.use((purchases) =>
      Effect.flatMap(purchases.find(id), (purchase) =>
        purchases.reschedule(id, (purchase?.dueAtMillis ?? step) - behind, due)
      )
    )
  },
  // No limit: which records a limit would select is unspecified.
  (random, step) => {
    const before = step - random.below(50)
    return VaultPurchases.use((purchases) => purchases.forget(before, 100))
  },
  (random, step) => {
    const keyId = random.pick(["k1", "k2"])
    const since = step - random.below(50)
    return VaultPurchases.use((purchases) => purchases.countUnderKey(keyId, since))
  }
]

const vaultOperations: ReadonlyArray<RandomOperation> = [
  (random, step) => {
    const item = sampleVaultItem(random.below(5), {
      slug: `slug-${random.below(6)}`,
      title: random.pick(["Growth 100%", "growth a_b", "Don't"]),
      price: 1 + random.below(9),
      category: random.pick(["ios", "career"]),
      downloads: step
    })
    return VaultItems.use((items) => items.put(item))
  },
  (random, step) => {
    const item = sampleVaultItem(100 + step, {
      slug: `slug-${random.below(6)}`,
      title: random.pick(["Growth 100%", "Don't"]),
      price: 1 + random.below(2),
      category: "ios",
      coverImageUrl: "https://images.example/cover.png"
    })
    const archive = { digest: random.pick(["a", "b"]).repeat(64), size: 1 + random.below(9) }
    return VaultItems.use((items) => items.publish(item, archive, step))
  },
  (random) => {
    const slug = `slug-${random.below(6)}`
    const limit = 1 + random.below(3)
    return VaultItems.use((items) => items.versions(slug, limit))
  },
  (random) => {
    const slug = `slug-${random.below(6)}`
    return VaultItems.use((items) => items.unlist(slug))
  },
  (random) => {
    const slug = `slug-${random.below(6)}`
    return VaultItems.use((items) => Effect.andThen(items.countDownload(slug), items.findBySlug(slug)))
  },
  (random) => {
    const cursor = random.below(2) === 0 ? {} : { cursor: randomId(random) }
    const q = random.pick([{}, { q: "GROWTH" }, { q: "%" }, { q: "_ grow" }, { q: "slug-1" }])
    const minPrice = random.pick([{}, { minPrice: 5 }])
    const category = random.pick([{}, { category: "ios" as const }])
    const limit = 1 + random.below(4)
    return VaultItems.use((items) => items.search({ limit, ...cursor, ...q, ...minPrice, ...category }))
  },
  ...purchaseOperations
]

const { claiming, reading, settled, upkeep } = chargeOperations
/** What a comparison draws from, and all that can be seen. */
interface Compared<Needed extends Stores> {
  readonly name: string
  readonly groups: ReadonlyArray<ReadonlyArray<RandomOperation<Needed>>>
  readonly snapshot: Operation<Needed>
}

const onlyCharges: Compared<Charges> = {
  name: "Charges",
  // Claims count twice: the other operations need charges to work on.
  groups: [claiming, claiming, settled, upkeep, reading],
  snapshot: Effect.all([
    Charges.use((charges) =>
      Effect.map(charges.list({ limit: 100 }), (found) => found.map(comparableCharge))
    ),
    Charges.use((charges) => charges.entries({ limit: 1_000 })),
    Effect.forEach([0, 50, 99], (now) =>
      Charges.use((charges) =>
        Effect.all([
          Effect.map(charges.unfinished(now, 100), comparableCharges),
          Effect.map(charges.voidedDue(now, 100), comparableCharges)
        ])
      )
    ),
    Charges.use((charges) => charges.refundStop())
  ])
}

const allStores: Compared<Stores> = {
  name: "All stores",
  groups: [...onlyCharges.groups, quoteOperations, orderOperations, vaultOperations],
  snapshot: Effect.all([
    onlyCharges.snapshot,
    Effect.forEach(["k1:request-0", "k1:request-1"], (fingerprint) =>
      Effect.forEach([0, 50e6, 99e6], (now) => Quotes.use((quotes) => quotes.findLive(fingerprint, now)))
    ),
    Orders.use((orders) => orders.list({ limit: 100 })),
    VaultItems.use((items) => items.search({ limit: 100 })),
    Effect.forEach([0, 1, 2, 3, 4], (number) =>
      VaultPurchases.use((purchases) => purchases.find(uuidOf(number)))
    )
  ])
}

/** The outcome of an operation; a store error is an outcome too. */
const outcomeOf = <Needed extends Stores>(verb: Operation<Needed>): Effect.Effect<unknown, never, Needed> =>
  Effect.match(verb, { onSuccess: (value) => value, onFailure: ({ _tag }) => ({ failed: _tag }) })

/** Runs some steps of a seed's random operations on a store and on its model. */
const comparison = <Needed extends Stores>({ groups, snapshot }: Compared<Needed>, seed: number) => {
  const model = storeModel()
  const { below, pick } = randomSource(seed)
  const same = Effect.fnUntraced(function* (verb: Operation<Needed>, what: string) {
    const outcome = outcomeOf(verb)
    expectEqual(yield* outcome, yield* Effect.provideContext(outcome, model), what)
  })
  return Effect.fnUntraced(function* (from: number, to: number) {
    for (let step = from; step < to; step++) {
      const verb = pick(pick(groups))({ below, pick }, step)
      yield* same(verb, `seed ${seed}, step ${step}`)
      if (step % 25 === 24) yield* same(snapshot, `seed ${seed}, step ${step}, all that can be seen`)
    }
    yield* same(snapshot, `seed ${seed}, before step ${to}, all that can be seen`)
  })
}

const modelCase = <Needed extends Stores>(
  compared: Compared<Needed>,
  seed: number,
  steps: number
): StoreCase<Needed> => ({
  name: `${compared.name}: ${steps} random operations match the model (seed ${seed})`,
  run: Effect.suspend(() => comparison(compared, seed)(0, steps))
})

/**
 * Creates a case that runs the same random operations on the stores and on a plain model, and compares the
 * outcomes.
 *
 * A failure names seed and step, and the same seed repeats the same operations.
 *
 * @param seed any integer
 * @param steps number of operations, below a million
 */
export const storeModelCase = (seed: number, steps = 800): StoreCase => modelCase(allStores, seed, steps)

const stepsBetweenRestarts = 40

/** The same for persistent stores, which are closed and opened again every 40 steps. */
export const restartedModelCase = (seed: number, steps = 200): RestartCase => ({
  name: `All stores: ${steps} random operations across restarts match the model (seed ${seed})`,
  run: (opened) =>
    Effect.gen(function* () {
      const compare = comparison(allStores, seed)
      for (let from = 0; from < steps; from += stepsBetweenRestarts)
        yield* opened(compare(from, Math.min(steps, from + stepsBetweenRestarts)))
    })
})

/** The model comparison with a few seeds. */
export const randomCases: ReadonlyArray<StoreCase> = [1, 2, 3, 4, 5].map((seed) => storeModelCase(seed))

/** The same of charges alone. */
export const randomChargeCases: ReadonlyArray<ChargeCase> = [1, 2, 3].map((seed) =>
  modelCase(onlyCharges, seed, 800)
)
