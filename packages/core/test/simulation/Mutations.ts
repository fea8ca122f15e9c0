import { Clock, Context, Effect } from "effect"
import type { StoreError } from "../../src/domain/Errors.ts"
import type { FacilitatorClient } from "../../src/Options.ts"
import { type Charge, Charges } from "../../src/ports/Charges.ts"
import { orderMutations } from "./OrderMutations.ts"
import { proofMutations } from "./ProofMutations.ts"
import { VaultPurchases } from "../../src/ports/VaultPurchases.ts"
import type { Surroundings } from "./Server.ts"

/*
 * Tills that are broken on purpose, one rule at a time, to show that the simulation would notice. Each is
 * made of what stands around the machine: what it keeps in a process's memory dies with the process.
 */

/** Breaks one rule in the surroundings of a process. */
export type Mutation = (surroundings: Surroundings) => Surroundings

type Verbs = Charges["Service"]

const forever = Number.MAX_SAFE_INTEGER

const withCharges =
  (change: (charges: Verbs) => Partial<Verbs>): Mutation =>
  (surroundings) => {
    const charges = Context.get(surroundings.stores, Charges)
    return {
      ...surroundings,
      stores: Context.add(surroundings.stores, Charges, { ...charges, ...change(charges) })
    }
  }

const withFacilitator =
  (change: (facilitator: FacilitatorClient) => Partial<FacilitatorClient>): Mutation =>
  (surroundings) => ({
    ...surroundings,
    facilitator: { ...surroundings.facilitator, ...change(surroundings.facilitator) }
  })

const withChain =
  (change: (chain: Surroundings["chain"]) => Partial<Surroundings["chain"]>): Mutation =>
  (surroundings) => ({ ...surroundings, chain: { ...surroundings.chain, ...change(surroundings.chain) } })

/** Runs one verb as whoever owns the charge now. */
const asOwner = (
  { find }: Verbs,
  key: string,
  run: (charge: Charge) => Effect.Effect<boolean, StoreError>
): Effect.Effect<boolean, StoreError> =>
  Effect.flatMap(find(key), (charge) => (charge === undefined ? Effect.succeed(false) : run(charge)))

/** A claim that looks first and writes later, in a store that asks nobody who they are. */
const claimNotAtomic = withCharges((charges) => ({
  claim: (charge, lease, nowMillis, maxUnsettled) =>
    Effect.flatMap(charges.find(charge.key), (existing) =>
      existing === undefined
        ? Effect.as(charges.claim(charge, lease, forever, maxUnsettled), { _tag: "Claimed" as const })
        : charges.claim(charge, lease, nowMillis, maxUnsettled)
    ),
  advance: (key, _owner, outcome) =>
    asOwner(charges, key, ({ leaseOwner, state }) =>
      state === "claimed" ? charges.advance(key, leaseOwner, outcome) : Effect.succeed(true)
    )
}))

/** A lease that holds nobody off, and an owner that nobody asks for. */
const leaseIgnored = withCharges((charges) => ({
  find: (key) => Effect.map(charges.find(key), (charge) => charge && { ...charge, leaseUntilMillis: 0 }),
  claim: (charge, lease, _nowMillis, maxUnsettled) => charges.claim(charge, lease, forever, maxUnsettled),
  takeOver: (key, lease) => charges.takeOver(key, lease, forever),
  advance: (key, _owner, outcome) =>
    asOwner(charges, key, ({ leaseOwner, state }) =>
      state === "claimed" ? charges.advance(key, leaseOwner, outcome) : Effect.succeed(true)
    )
}))

/** A payment that is not bound to what it was made for. */
const fingerprintDropped: Mutation = (surroundings) => ({
  ...surroundings,
  secrets: {
    ...surroundings.secrets,
    digest: (purpose, text, keyId) =>
      surroundings.secrets.digest(purpose, purpose === "fingerprint" ? "" : text, keyId)
  }
})

/** A replay that need not show the signature of the payment. */
const replayUnsigned = withCharges((charges) => ({
  // The lookup knows nothing of the payment; the claim that follows brings it.
  find: (key) =>
    Effect.map(charges.find(key), (charge) =>
      charge?.state === "settled" && charge.operation === "search" ? undefined : charge
    ),
  claim: (charge, lease, nowMillis, limits) =>
    Effect.map(charges.claim(charge, lease, nowMillis, limits), (claim) =>
      claim._tag === "Existing"
        ? { ...claim, charge: { ...claim.charge, payloadDigest: charge.payloadDigest } }
        : claim
    )
}))

/** Nobody compares signatures. */
const signatureDropped: Mutation = (surroundings) =>
  withFacilitator(() => ({ verify: () => Promise.resolve({ isValid: true }) }))(
    withChain(() => ({ acceptsSignature: () => Effect.succeed(true) }))(replayUnsigned(surroundings))
  )

const refusal = { success: false, errorReason: "insufficient_funds", transaction: "" }

/** No answer, or an answer that says nothing, is taken for a refusal. */
const unknownIsRefused = withFacilitator(({ settle }) => ({
  settle: async (payload: unknown, requirements: unknown) => {
    try {
      const answer = await settle(payload, requirements)
      return answer.success ? answer : refusal
    } catch {
      return refusal
    }
  }
}))

/** A payment whose outcome is unknown is freed for a new attempt. */
const releasedOnUnknown = withCharges((charges) => {
  const release = (key: string, owner: string) =>
    charges
      .void(key, owner, { keepExposure: false, checkAfterMillis: 0 })
      .pipe(Effect.andThen(charges.release(key, owner)), Effect.asVoid)
  return {
    yieldLease: (key, owner, untilMillis) =>
      untilMillis > 0 ? release(key, owner) : charges.yieldLease(key, owner, untilMillis),
    defer: (key, owner) => release(key, owner)
  }
})

/** The answer is recorded once the money has moved, and until then only remembered. */
const recordedAfterSettlement = withCharges((charges) => {
  const remembered = new Map<string, () => Effect.Effect<boolean, StoreError>>()
  return {
    advance: (key, owner, outcome) =>
      Effect.sync(() => {
        remembered.set(key, () => charges.advance(key, owner, outcome))
        return true
      }),
    complete: (key, settlement, nowMillis) =>
      Effect.andThen(
        remembered.get(key)?.() ?? Effect.succeed(false),
        charges.complete(key, settlement, nowMillis)
      )
  }
})

/** The facilitator's word is proof enough for everything. */
const evidenceSkipped = withChain(({ evidence }) => ({
  evidence: (...query) => {
    const [, , hints] = query
    // Before there were hints, the transaction was a parameter of its own.
    const transaction = typeof hints === "string" ? String(hints) : hints?.transaction
    return transaction === undefined
      ? evidence(...query)
      : Effect.map(Clock.currentTimeMillis, (nowMillis) => ({
          _tag: "Moved" as const,
          transaction,
          logIndex: 0,
          atSeconds: Math.floor(nowMillis / 1000),
          isFinal: true
        }))
  }
}))

/** Whether an authorization has run out is read off the till's clock, not the chain's. */
const expiryByOwnClock = withChain(({ evidence }) => ({
  evidence: (network, authorization, ...hints) =>
    Effect.flatMap(evidence(network, authorization, ...hints), (found) =>
      Effect.map(Clock.currentTimeMillis, (nowMillis) =>
        found._tag === "NotMoved" ? { ...found, chainTimeSeconds: Math.floor(nowMillis / 1000) } : found
      )
    )
}))

/** Nobody remembers that a settlement has yet to set something off. */
const effectForgotten: Mutation = (surroundings) => {
  const purchases = Context.get(surroundings.stores, VaultPurchases)
  const stores = Context.add(surroundings.stores, VaultPurchases, {
    ...purchases,
    // Nor looks anybody after the purchases that were left so.
    take: () => Effect.succeed([])
  })
  return withCharges((charges) => ({
    complete: (key, settlement, nowMillis) =>
      Effect.tap(charges.complete(key, settlement, nowMillis), () => charges.markApplied(key))
  }))({ ...surroundings, stores })
}

/** A refused payment is forgotten instead of watched. */
const watchDropped = withCharges((charges) => ({
  void: (key, owner, options) =>
    Effect.tap(charges.void(key, owner, options), () => charges.release(key, owner))
}))

/** Money that moved for a payment without an answer is kept. */
const refundForgotten = withCharges((charges) => ({
  complete: (key, settlement, nowMillis) =>
    charges.complete(key, { ...settlement, refundDue: false }, nowMillis)
}))

/** A settled payment buys again, whatever was recorded. */
const replayWorksAnew = withCharges((charges) => {
  const forget = (charge: Charge | undefined) =>
    charge?.state === "settled" && charge.refund === undefined ? undefined : charge
  return {
    find: (key) => Effect.map(charges.find(key), forget),
    claim: (charge, lease, nowMillis, maxUnsettled) =>
      Effect.map(charges.claim(charge, lease, nowMillis, maxUnsettled), (claim) =>
        claim._tag === "Existing" && forget(claim.charge) === undefined ? { _tag: "Claimed" as const } : claim
      ),
    advance: (key, owner, outcome) => Effect.map(charges.advance(key, owner, outcome), () => true)
  }
})

/** A broken till, and what the simulation must say of it. */
export interface BrokenTill {
  readonly mutation: Mutation
  readonly symptom: RegExp
  /** The seed to begin with, where it takes many to be found out: shortly before one that does; default 1. */
  readonly firstSeed?: number
}

/** Each broken till by its name. */
export const mutations: ReadonlyMap<string, BrokenTill> = new Map(
  Object.entries<BrokenTill>({
    ...orderMutations,
    ...proofMutations,
    claimNotAtomic: {
      firstSeed: 215,
      mutation: claimNotAtomic,
      symptom: /is answered anew|more than one effect/
    },
    leaseIgnored: { mutation: leaseIgnored, symptom: /more than one effect/ },
    fingerprintDropped: { mutation: fingerprintDropped, symptom: /: buys .* and / },
    signatureDropped: { mutation: signatureDropped, symptom: /a forged copy is answered/ },
    unknownIsRefused: { mutation: unknownIsRefused, symptom: /was refused while it might move, and moved/ },
    releasedOnUnknown: { mutation: releasedOnUnknown, symptom: /its charge is gone/ },
    recordedAfterSettlement: {
      mutation: recordedAfterSettlement,
      symptom: /was refused while it might move, and moved/
    },
    evidenceSkipped: {
      mutation: evidenceSkipped,
      symptom: /(?:order|purchase) .* although no money has moved/
    },
    expiryByOwnClock: {
      firstSeed: 1_900,
      mutation: expiryByOwnClock,
      symptom: /was refused while it might move, and moved/
    },
    effectForgotten: { firstSeed: 100, mutation: effectForgotten, symptom: /its purchase is not granted/ },
    watchDropped: { mutation: watchDropped, symptom: /its charge is gone/ },
    refundForgotten: { mutation: refundForgotten, symptom: /the ledger has 0 entries of it/ },
    replayWorksAnew: { mutation: replayWorksAnew, symptom: /is settled, and who asks is told 402/ }
  })
)
