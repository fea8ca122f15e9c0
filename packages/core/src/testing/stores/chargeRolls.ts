import { Effect } from "effect"
import { type Charge, Charges } from "../../ports/Charges.ts"
import { type Dice, type Roll, someKey, someTime } from "./Dice.ts"
import { sampleAnswer, sampleCharge, sampleReceipt } from "./records.ts"
import { show } from "./StoreCase.ts"

/*
 * Random verbs of `Charges`.
 */

const owners = ["me", "you", "us"]
const someLease = (dice: Dice) => ({ owner: dice.pick(owners), untilMillis: someTime(dice) })
const amounts = ["1", "10000", "98765432109876543210987"]
const paidFor = (dice: Dice, step: number) => ({
  receipt: sampleReceipt(step),
  refundDue: dice.below(4) === 0
})

/** A charge without what the port leaves to the store: at which time exactly its answer expired. */
export const told = (charge: Charge) => ({
  ...charge,
  answerExpiredAtMillis: charge.answerExpiredAtMillis !== undefined
})
/** In the order of their keys: which of several that are due is the first, nobody promises. */
export const toldInOrder = (charges: ReadonlyArray<Charge>) =>
  charges.map(told).toSorted((left, right) => (left.key < right.key ? -1 : 1))

const claimRolls: ReadonlyArray<Roll> = [
  (dice, step) => {
    const key = someKey(dice)
    const charge = sampleCharge({
      key,
      payloadDigest: `digest-${step}`,
      // A key names its payer: the same key, the same payer.
      payer: key > "key-2" ? "0xone" : "0xother",
      operation: dice.pick(["search", "buy"]),
      amountAtomic: dice.pick(amounts),
      createdAtMillis: step
    })
    const lease = someLease(dice)
    const now = someTime(dice)
    const maxUnsettled = dice.below(5)
    return Charges.use((charges) =>
      Effect.map(charges.claim(charge, lease, now, maxUnsettled), (claim) =>
        claim._tag === "Existing" ? { ...claim, charge: told(claim.charge) } : claim
      )
    )
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
    const settlement = paidFor(dice, step)
    return Charges.use((charges) => charges.complete(key, settlement, now))
  },
  (dice) => {
    const key = someKey(dice)
    const owner = dice.pick(owners)
    const options = { keepAnswer: dice.below(2) === 0, checkAfterMillis: someTime(dice) }
    return Charges.use((charges) => charges.void(key, owner, options))
  },
  (dice) => {
    const key = someKey(dice)
    const owner = dice.pick(owners)
    return Charges.use((charges) => charges.release(key, owner))
  }
]

const upkeepRolls: ReadonlyArray<Roll> = [
  (dice) => {
    const key = someKey(dice)
    return Charges.use((charges) => charges.markApplied(key))
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
    const until = someTime(dice)
    return Charges.use((charges) => charges.yieldLease(key, owner, until))
  },
  (dice) => {
    const key = someKey(dice)
    const owner = dice.pick(owners)
    const checkAfter = someTime(dice)
    return Charges.use((charges) => charges.defer(key, owner, checkAfter))
  },
  (dice) => {
    const before = someTime(dice)
    return Charges.use((charges) => charges.expire(before, 100))
  },
  (dice) => {
    const key = someKey(dice)
    const now = someTime(dice)
    return Charges.use((charges) => charges.oweRefund(key, now))
  },
  (dice, step) => {
    const key = someKey(dice)
    const now = someTime(dice)
    return Charges.use((charges) => charges.recordRefund(key, `0xback${step}`, now))
  }
]

const readingRolls: ReadonlyArray<Roll> = [
  (dice) => {
    const now = someTime(dice)
    return Charges.use((charges) => Effect.map(charges.unfinished(now, 100), toldInOrder))
  },
  (dice) => {
    const before = dice.pick([{}, { before: { createdAtMillis: dice.below(300), key: someKey(dice) } }])
    const state = dice.pick([{}, { state: dice.pick(["claimed", "ready", "settled", "voided"] as const) }])
    const from = dice.pick([{}, {}, { settledFromMillis: someTime(dice) }])
    const until = dice.pick([{}, {}, { settledBeforeMillis: someTime(dice) }])
    const owed = dice.pick([{}, {}, { isOwed: true }])
    const query = { limit: 1 + dice.below(4), ...before, ...state, ...from, ...until, ...owed }
    return Charges.use((charges) => Effect.map(charges.list(query), (found) => found.map(told)))
  },
  (dice) => {
    const place = { atMillis: someTime(dice), chargeKey: someKey(dice), kind: "settled" as const }
    const before = dice.pick([{}, { before: place }])
    const from = dice.pick([{}, {}, { fromMillis: someTime(dice) }])
    const chargeKeys = dice.pick([{}, { chargeKeys: [someKey(dice), someKey(dice)] }])
    const query = { limit: 1 + dice.below(4), ...before, ...from, ...chargeKeys }
    return Charges.use((charges) => charges.entries(query))
  },
  (dice) => {
    const from = someTime(dice)
    const until = someTime(dice)
    return Charges.use((charges) =>
      Effect.map(charges.totals(from, until), (totals) => totals.map(show).toSorted())
    )
  }
]

export const chargeRolls = { claiming: claimRolls, upkeep: upkeepRolls, reading: readingRolls }
