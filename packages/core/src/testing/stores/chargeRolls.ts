import { Effect } from "effect"
import { type Charge, Charges, type ChargeState } from "../../ports/Charges.ts"
import { type Dice, type Roll, someKey, someTime, type Verb } from "./Dice.ts"
import { sampleAnswer, sampleCharge, sampleReceipt } from "./records.ts"
import { show } from "./StoreCase.ts"

/*
 * Random verbs of `Charges`.
 */

const owners = ["me", "you", "us"]
const someLease = (dice: Dice) => ({ owner: dice.pick(owners), untilMillis: someTime(dice) })
const exposures = ["0", "0", "40", "60"]
const amounts = ["1", "10000", "98765432109876543210987"]
/** Few transfers, so that charges meet in them; most settlements have no proof. */
const paidFor = (dice: Dice, step: number) => {
  const isProven = dice.below(3) === 0
  return {
    receipt: sampleReceipt(isProven ? dice.below(2) : step),
    transferLogIndex: isProven ? dice.below(2) : undefined,
    refundDue: dice.below(4) === 0,
    finalAfterMillis: dice.below(2) === 0 ? someTime(dice) : undefined,
    responseOwedUntilMillis: dice.below(3) === 0 ? someTime(dice) : undefined
  }
}

/** A charge without what the port leaves to the store: at which time exactly its answer expired. */
export const told = (charge: Charge) => ({
  ...charge,
  answerExpiredAtMillis: charge.answerExpiredAtMillis !== undefined
})
export const toldAll = (charges: ReadonlyArray<Charge>) => charges.map(told)

/**
 * Says a verb to a charge in a state that it may take effect in, by the owner of its lease, which a guess rarely hits; to
 * any key and owner where there is none, and sometimes anyway.
 */
const aimed = (
  dice: Dice,
  state: ChargeState,
  say: (charges: Charges["Service"], key: string, owner: string) => Verb
): Verb => {
  const guess = { key: someKey(dice), leaseOwner: dice.pick(owners) }
  const isKeyGuessed = dice.below(6) === 0
  const isOwnerGuessed = dice.below(4) === 0
  const number = dice.below(6)
  return Charges.use((charges) =>
    Effect.flatMap(charges.list({ limit: 100, state }), (found) => {
      const known = found[number % found.length] ?? guess
      return say(
        charges,
        isKeyGuessed ? guess.key : known.key,
        isOwnerGuessed ? guess.leaseOwner : known.leaseOwner
      )
    })
  )
}

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
      exposureAtomic: dice.pick(exposures),
      settlesFirst: dice.below(3) === 0,
      createdAtMillis: step
    })
    const lease = someLease(dice)
    const now = someTime(dice)
    const limits = { maxUnsettled: dice.below(5), maxExposureAtomic: dice.pick(["0", "50", "100", "1000"]) }
    return Charges.use((charges) =>
      Effect.map(charges.claim(charge, lease, now, limits), (claim) =>
        claim._tag === "Existing" ? { ...claim, charge: told(claim.charge) } : claim
      )
    )
  },
  (dice, step) => {
    const subject = dice.pick([undefined, { kind: "order", id: `order-${step}` } as const])
    const answer = dice.below(4) === 0 ? undefined : sampleAnswer(`${step}`)
    return aimed(dice, "claimed", (charges, key, owner) => charges.advance(key, owner, { answer, subject }))
  },
  (dice, step) => {
    const now = someTime(dice)
    const settlement = paidFor(dice, step)
    const state = dice.pick(["ready", "ready", "ready", "voided"] as const)
    return aimed(dice, state, (charges, key) => charges.complete(key, settlement, now))
  },
  (dice) => {
    const options = { keepExposure: dice.below(2) === 0, checkAfterMillis: someTime(dice) }
    const state = dice.pick(["claimed", "ready"] as const)
    return aimed(dice, state, (charges, key, owner) => charges.void(key, owner, options))
  },
  (dice) => {
    const key = someKey(dice)
    const owner = dice.pick(owners)
    return Charges.use((charges) => charges.release(key, owner))
  }
]

const settledRolls: ReadonlyArray<Roll> = [
  (dice, step) =>
    aimed(dice, "settled", (charges, key, owner) =>
      charges.deliver(key, owner, sampleAnswer(`late ${step}`))
    ),
  (dice) => aimed(dice, "settled", (charges, key, owner) => charges.finalize(key, owner)),
  // Twice: what reopening brings about is rare enough.
  ...[0, 1].map((): Roll => (dice) => {
    const now = someTime(dice)
    return aimed(dice, "settled", (charges, key, owner) => charges.reopen(key, owner, now))
  }),
  (dice) => {
    const maxAtomic = dice.pick(["1", "20000", "98765432109876543230987"])
    const limit = { sinceMillis: someTime(dice), maxAtomic }
    const now = someTime(dice)
    return aimed(dice, "settled", (charges, key) => charges.startRefund(key, limit, now))
  },
  (dice, step) =>
    dice.below(2) === 0
      ? Charges.use((charges) => charges.stopRefunds(`reason ${step}`, step))
      : Charges.use((charges) => charges.resumeRefunds()),
  (dice) => {
    const keys = [someKey(dice), someKey(dice), someKey(dice)]
    const now = someTime(dice)
    return Charges.use((charges) => charges.releaseVoided(keys, now))
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
    const now = someTime(dice)
    return aimed(dice, "settled", (charges, key) => charges.recordRefund(key, `0xback${step}`, now))
  }
]

const readingRolls: ReadonlyArray<Roll> = [
  (dice) => {
    const now = someTime(dice)
    const limit = 1 + dice.below(4)
    return Charges.use((charges) => Effect.map(charges.unfinished(now, limit), toldAll))
  },
  (dice) => {
    const now = someTime(dice)
    const limit = 1 + dice.below(4)
    return Charges.use((charges) => Effect.map(charges.voidedDue(now, limit), toldAll))
  },
  (dice) => {
    const { asset, network } = sampleCharge()
    const payer = dice.pick(["0xone", "0xother"])
    const age = { key: someKey(dice), createdAtMillis: dice.below(500) }
    const since = someTime(dice)
    const now = someTime(dice)
    return Charges.use((charges) => charges.payerStanding({ asset, network, payer, ...age }, since, now))
  },
  () => Charges.use((charges) => charges.refundStop()),
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
    const kind = dice.pick(["settled", "refund_due", "refunded", "reversed"] as const)
    const place = { atMillis: someTime(dice), chargeKey: someKey(dice), kind, round: dice.below(3) }
    const before = dice.pick([{}, { before: place }])
    const from = dice.pick([{}, {}, { fromMillis: someTime(dice) }])
    const chargeKeys = dice.pick([{}, { chargeKeys: [someKey(dice), someKey(dice)] }])
    const payer = dice.pick([{}, {}, { payer: "0xone" }])
    const network = dice.pick([{}, {}, { network: sampleCharge().network }, { network: "eip155:1" }])
    const query = { limit: 1 + dice.below(4), ...before, ...from, ...chargeKeys, ...payer, ...network }
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

export const chargeRolls = {
  claiming: claimRolls,
  settled: settledRolls,
  upkeep: upkeepRolls,
  reading: readingRolls
}
