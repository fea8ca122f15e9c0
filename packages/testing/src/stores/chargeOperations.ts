import { Effect } from "effect"
import { type Charge, Charges, type ChargeState } from "@till402/core/effect"
import {
  type RandomSource,
  type RandomOperation,
  randomKey,
  randomTime,
  type Operation
} from "./RandomSource.ts"
import { sampleAttempt, sampleResponse, sampleCharge, sampleReceipt } from "./records.ts"
import { format } from "./StoreCase.ts"

/* Random operations of `Charges`. */

const owners = ["me", "you", "us"]
const randomLease = (random: RandomSource) => ({
  owner: random.pick(owners),
  untilMillis: randomTime(random)
})
const exposures = ["0", "0", "40", "60"]
const repeatKeys = ["k1:repeat-1", "k1:repeat-2", "k2:repeat-1"]
const operations = ["search", "buy"]
const paymentIds = ["payment-1", "payment-2"]
/** Charges are created at the step that claims them. */
const randomRule = (random: RandomSource, step: number) => ({
  repeatKeys: repeatKeys.slice(random.below(4)),
  named:
    random.below(2) === 0
      ? { operation: random.pick(operations), paymentId: random.pick(paymentIds) }
      : undefined,
  sinceMillis: random.below(step + 1)
})
const amounts = ["1", "10000", "98765432109876543210987"]
/** Uses few transfers, so that charges share them; most settlements have no proof. */
const randomSettlement = (random: RandomSource, step: number) => {
  const isProven = random.below(3) === 0
  return {
    receipt: sampleReceipt(isProven ? random.below(2) : step),
    transferLogIndex: isProven ? random.below(2) : undefined,
    reportedBy: isProven ? undefined : "alpha",
    refundDue: random.below(4) === 0,
    owner: random.below(4) === 0 ? random.pick(owners) : undefined,
    finalAfterMillis: random.below(2) === 0 ? randomTime(random) : undefined,
    responseOwedUntilMillis: random.below(3) === 0 ? randomTime(random) : undefined
  }
}

/** Removes the exact expiry time of the response, which each store may choose. */
export const comparableCharge = (charge: Charge) => ({
  ...charge,
  responseExpiredAtMillis: charge.responseExpiredAtMillis !== undefined
})
export const comparableCharges = (charges: ReadonlyArray<Charge>) => charges.map(comparableCharge)

/**
 * Runs an operation on a charge in a matching state, by its owner, as random guesses rarely match. Uses
 * random keys and owners if no charge matches, and occasionally anyway.
 */
const onMatchingCharge = (
  random: RandomSource,
  state: ChargeState,
  run: (charges: Charges["Service"], key: string, owner: string) => Operation<Charges>
): Operation<Charges> => {
  const guess = { key: randomKey(random), leaseOwner: random.pick(owners) }
  const isKeyGuessed = random.below(6) === 0
  const isOwnerGuessed = random.below(4) === 0
  const number = random.below(6)
  return Charges.use((charges) =>
    Effect.flatMap(charges.list({ limit: 100, state }), (found) => {
      const known = found[number % found.length] ?? guess
      return run(
        charges,
        isKeyGuessed ? guess.key : known.key,
        isOwnerGuessed ? guess.leaseOwner : known.leaseOwner
      )
    })
  )
}

const claimOperations: ReadonlyArray<RandomOperation<Charges>> = [
  (random, step) => {
    const key = randomKey(random)
    const charge = sampleCharge({
      key,
      payloadDigest: `digest-${step}`,
      // The payer is derived from the key.
      payer: key > "key-2" ? "0xone" : "0xother",
      operation: random.pick(operations),
      amountAtomic: random.pick(amounts),
      exposureAtomic: random.pick(exposures),
      settlesFirst: random.below(3) === 0,
      repeatKey: random.pick(["", "", ...repeatKeys]),
      paymentId: random.pick(["", "", ...paymentIds]),
      createdAtMillis: step
    })
    const lease = randomLease(random)
    const now = randomTime(random)
    const limits = {
      maxUnsettled: random.below(5),
      maxExposureAtomic: random.pick(["0", "50", "100", "1000"]),
      repeats: random.below(3) === 0 ? randomRule(random, step) : undefined
    }
    return Charges.use((charges) =>
      Effect.map(charges.claim(charge, lease, now, limits), (claim) => {
        if (claim._tag === "Repeated") return { ...claim, first: comparableCharge(claim.first) }
        return claim._tag === "Existing" ? { ...claim, charge: comparableCharge(claim.charge) } : claim
      })
    )
  },
  (random, step) => {
    const own = { key: randomKey(random), payer: random.pick(["0xone", "0xother"]) }
    const rule = randomRule(random, step)
    return Charges.use((charges) =>
      Effect.map(charges.findRepeated(own, rule), (first) => first && comparableCharge(first))
    )
  },
  (random, step) => {
    const subject = random.pick([undefined, { kind: "order", id: `order-${step}` } as const])
    const response = random.below(4) === 0 ? undefined : sampleResponse(`${step}`)
    return onMatchingCharge(random, "claimed", (charges, key, owner) =>
      charges.advance(key, owner, { response, subject })
    )
  },
  (random, step) => {
    const now = randomTime(random)
    const settlement = randomSettlement(random, step)
    const state = random.pick(["ready", "ready", "ready", "voided"] as const)
    return onMatchingCharge(random, state, (charges, key) => charges.complete(key, settlement, now))
  },
  (random) => {
    const options = {
      keepExposure: random.below(2) === 0,
      isRefused: random.below(2) === 0,
      checkAfterMillis: randomTime(random)
    }
    const state = random.pick(["claimed", "ready"] as const)
    return onMatchingCharge(random, state, (charges, key, owner) => charges.void(key, owner, options))
  },
  (random) => {
    const key = randomKey(random)
    const owner = random.pick(owners)
    return Charges.use((charges) => charges.release(key, owner))
  }
]

const settledOperations: ReadonlyArray<RandomOperation<Charges>> = [
  (random, step) =>
    onMatchingCharge(random, "settled", (charges, key, owner) =>
      charges.deliver(key, owner, sampleResponse(`late ${step}`))
    ),
  (random) => onMatchingCharge(random, "settled", (charges, key, owner) => charges.finalize(key, owner)),
  // Twice, to make the results of reopening more frequent.
  ...[0, 1].map((): RandomOperation<Charges> => (random) => {
    const now = randomTime(random)
    return onMatchingCharge(random, "settled", (charges, key, owner) => charges.reopen(key, owner, now))
  }),
  (random) => {
    const maxAtomic = random.pick(["1", "20000", "98765432109876543230987"])
    const limit = { sinceMillis: randomTime(random), maxAtomic }
    const now = randomTime(random)
    return onMatchingCharge(random, "settled", (charges, key) => charges.startRefund(key, limit, now))
  },
  (random, step) => {
    const sequence = 1 + random.below(3)
    const refundNumber = 1 + random.below(2)
    // Chosen once: the operation runs on the store and on its model.
    const ends = random.below(4) === 0
    return onMatchingCharge(random, "settled", (charges, chargeKey) =>
      ends
        ? charges.endRefundAttempt(sampleAttempt({ chargeKey, refundNumber, sequence }))
        : charges.recordRefundAttempt(sampleAttempt({ chargeKey, refundNumber, sequence, atMillis: step }))
    )
  },
  (random, step) =>
    random.below(2) === 0
      ? Charges.use((charges) => charges.stopRefunds(`reason ${step}`, step))
      : Charges.use((charges) => charges.resumeRefunds()),
  (random) => {
    const keys = [randomKey(random), randomKey(random), randomKey(random)]
    const now = randomTime(random)
    return Charges.use((charges) => charges.releaseVoided(keys, now))
  }
]

const upkeepOperations: ReadonlyArray<RandomOperation<Charges>> = [
  (random) => {
    const key = randomKey(random)
    return Charges.use((charges) => charges.markApplied(key))
  },
  (random) => {
    const key = randomKey(random)
    const lease = randomLease(random)
    const now = randomTime(random)
    return Charges.use((charges) => charges.takeOver(key, lease, now))
  },
  (random) => {
    const key = randomKey(random)
    const owner = random.pick(owners)
    const until = randomTime(random)
    return Charges.use((charges) => charges.yieldLease(key, owner, until))
  },
  (random) => {
    const key = randomKey(random)
    const owner = random.pick(owners)
    const checkAfter = randomTime(random)
    return Charges.use((charges) => charges.defer(key, owner, checkAfter))
  },
  (random) => {
    const before = randomTime(random)
    return Charges.use((charges) => charges.expire(before, 100))
  },
  (random) => {
    const key = randomKey(random)
    const now = randomTime(random)
    const owner = random.pick([undefined, ...owners])
    return Charges.use((charges) => charges.markRefundDue(key, now, owner))
  },
  (random, step) => {
    const now = randomTime(random)
    return onMatchingCharge(random, "settled", (charges, key) =>
      charges.recordRefund(key, `0xback${step}`, now)
    )
  },
  (random, step) => {
    const now = randomTime(random)
    const stoppedBefore = randomTime(random)
    return onMatchingCharge(random, "settled", (charges, key) =>
      charges.recordManualRefund(key, `0xmanual${step}`, stoppedBefore, now)
    )
  },
  (random, step) => {
    const key = randomKey(random)
    const now = randomTime(random)
    const transaction = `0xback${step - random.below(3)}`
    return Charges.use((charges) => charges.recordFurtherRefund(key, transaction, now))
  }
]

const readOperations: ReadonlyArray<RandomOperation<Charges>> = [
  (random) => {
    const now = randomTime(random)
    const limit = 1 + random.below(4)
    return Charges.use((charges) => Effect.map(charges.unfinished(now, limit), comparableCharges))
  },
  (random) => {
    const now = randomTime(random)
    const limit = 1 + random.below(4)
    return Charges.use((charges) => Effect.map(charges.voidedDue(now, limit), comparableCharges))
  },
  (random) => {
    const { asset, network } = sampleCharge()
    const payer = random.pick(["0xone", "0xother"])
    const age = { key: randomKey(random), createdAtMillis: random.below(500) }
    const since = randomTime(random)
    const now = randomTime(random)
    return Charges.use((charges) => charges.payerActivity({ asset, network, payer, ...age }, since, now))
  },
  (random) => {
    const since = randomTime(random)
    const now = randomTime(random)
    const operations = random.pick([undefined, ["search"], ["buy", "search"]])
    return Charges.use((charges) => charges.countUnderKey("k1", operations, since, now))
  },
  () => Charges.use((charges) => charges.refundStop()),
  (random) => {
    const keys = [randomKey(random), randomKey(random), randomKey(random)]
    return Charges.use((charges) => charges.refundAttempts(keys))
  },
  (random) => {
    const before = random.pick([
      {},
      { before: { createdAtMillis: random.below(300), key: randomKey(random) } }
    ])
    const state = random.pick([
      {},
      { state: random.pick(["claimed", "ready", "settled", "voided"] as const) }
    ])
    const owed = random.pick([{}, {}, { isRefundDue: true }])
    const whose = random.pick([
      {},
      {},
      { payer: "0xone" },
      { paymentId: "payment-1" },
      { payer: "0xone", paymentId: "payment-2" },
      { transaction: sampleReceipt(random.below(2)).transaction }
    ])
    const kind = random.pick([{}, {}, { subjectKind: "order" }])
    const query = { limit: 1 + random.below(4), ...before, ...state, ...owed, ...whose, ...kind }
    return Charges.use((charges) => Effect.map(charges.list(query), (found) => found.map(comparableCharge)))
  },
  (random) => {
    const from = random.pick([{}, {}, { fromMillis: randomTime(random) }])
    const until = random.pick([{}, {}, { beforeMillis: randomTime(random) }])
    const chargeKeys = random.pick([{}, { chargeKeys: [randomKey(random), randomKey(random)] }])
    const after = random.pick([
      {},
      { after: { settledAtMillis: randomTime(random), key: randomKey(random) } }
    ])
    const query = { limit: 1 + random.below(4), ...from, ...until, ...chargeKeys, ...after }
    return Charges.use((charges) => charges.listSettled(query))
  },
  (random) => {
    const kind = random.pick(["settled", "refund_due", "refunded", "reversed"] as const)
    const place = { atMillis: randomTime(random), chargeKey: randomKey(random), kind, round: random.below(3) }
    const before = random.pick([{}, { before: place }])
    const from = random.pick([{}, {}, { fromMillis: randomTime(random) }])
    const chargeKeys = random.pick([{}, { chargeKeys: [randomKey(random), randomKey(random)] }])
    const payer = random.pick([{}, {}, { payer: "0xone" }])
    const network = random.pick([{}, {}, { network: sampleCharge().network }, { network: "eip155:1" }])
    const query = { limit: 1 + random.below(4), ...before, ...from, ...chargeKeys, ...payer, ...network }
    return Charges.use((charges) => charges.entries(query))
  },
  (random) => {
    const from = randomTime(random)
    const until = randomTime(random)
    return Charges.use((charges) =>
      Effect.map(charges.totals(from, until), (totals) => totals.map(format).toSorted())
    )
  }
]

export const chargeOperations = {
  claiming: claimOperations,
  settled: settledOperations,
  upkeep: upkeepOperations,
  reading: readOperations
}
