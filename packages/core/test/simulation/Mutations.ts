import { Clock, Context, Effect } from "effect"
import type { StoreError } from "../../src/domain/Errors.ts"
import type { FacilitatorClient } from "../../src/toll/facilitator/FacilitatorOptions.ts"
import { type Charge, Charges } from "../../src/ports/Charges.ts"
import type { DrawnOptions } from "./DrawnOptions.ts"
import { orderMutations } from "./OrderMutations.ts"
import { proofMutations } from "./ProofMutations.ts"
import { VaultPurchases } from "../../src/shop/ports/VaultPurchases.ts"
import type { Environment } from "./Server.ts"

/*
 * Tills with one broken rule each, to prove that the simulation detects it. Each mutation wraps a process's
 * environment: anything it keeps in memory is lost with the process.
 */

/** Breaks one rule in the environment of a process. */
export type Mutation = (environment: Environment) => Environment

type ChargeStore = Charges["Service"]

const neverEnds = Number.MAX_SAFE_INTEGER

const withCharges =
  (change: (charges: ChargeStore) => Partial<ChargeStore>): Mutation =>
  (environment) => {
    const charges = Context.get(environment.stores, Charges)
    return {
      ...environment,
      stores: Context.add(environment.stores, Charges, { ...charges, ...change(charges) })
    }
  }

const withFacilitator =
  (change: (facilitator: FacilitatorClient) => Partial<FacilitatorClient>): Mutation =>
  (environment) => {
    const { facilitator, secondFacilitator } = environment
    return {
      ...environment,
      facilitator: { ...facilitator, ...change(facilitator) },
      secondFacilitator: secondFacilitator && { ...secondFacilitator, ...change(secondFacilitator) }
    }
  }

/** A settlement without a response is tried with the other facilitator. */
const settleFailsOver: Mutation = (environment) => {
  const { facilitator, secondFacilitator } = environment
  if (secondFacilitator === undefined) return environment
  const settle = (payment: unknown, requirements: unknown) =>
    facilitator.settle(payment, requirements).catch(() => secondFacilitator.settle(payment, requirements))
  return { ...environment, facilitator: { ...facilitator, settle } }
}

const withChain =
  (change: (chain: Environment["chain"]) => Partial<Environment["chain"]>): Mutation =>
  (environment) => ({ ...environment, chain: { ...environment.chain, ...change(environment.chain) } })

/** Runs one operation as the current owner of the charge. */
const withCurrentLease = (
  { find }: ChargeStore,
  key: string,
  run: (charge: Charge) => Effect.Effect<boolean, StoreError>
): Effect.Effect<boolean, StoreError> =>
  Effect.flatMap(find(key), (charge) => (charge === undefined ? Effect.succeed(false) : run(charge)))

/** The claim reads first and writes later, and the store checks no owner. */
const claimNotAtomic = withCharges((charges) => ({
  claim: (charge, lease, nowMillis, maxUnsettled) =>
    Effect.flatMap(charges.find(charge.key), (existing) =>
      existing === undefined
        ? Effect.as(charges.claim(charge, lease, neverEnds, maxUnsettled), { _tag: "Claimed" as const })
        : charges.claim(charge, lease, nowMillis, maxUnsettled)
    ),
  advance: (key, _owner, outcome) =>
    withCurrentLease(charges, key, ({ leaseOwner, state }) =>
      state === "claimed" ? charges.advance(key, leaseOwner, outcome) : Effect.succeed(true)
    )
}))

/** Leases don't exclude other processes, and owners are not checked. */
const leaseIgnored = withCharges((charges) => ({
  find: (key) => Effect.map(charges.find(key), (charge) => charge && { ...charge, leaseUntilMillis: 0 }),
  claim: (charge, lease, _nowMillis, maxUnsettled) => charges.claim(charge, lease, neverEnds, maxUnsettled),
  takeOver: (key, lease) => charges.takeOver(key, lease, neverEnds),
  advance: (key, _owner, outcome) =>
    withCurrentLease(charges, key, ({ leaseOwner, state }) =>
      state === "claimed" ? charges.advance(key, leaseOwner, outcome) : Effect.succeed(true)
    )
}))

/** A payment is not bound to its request. */
const fingerprintDropped: Mutation = (environment) => ({
  ...environment,
  secrets: {
    ...environment.secrets,
    digest: (purpose, text, keyId) =>
      environment.secrets.digest(purpose, purpose === "fingerprint" ? "" : text, keyId)
  }
})

/** A replay doesn't require the payment's signature. */
const replayUnsigned = withCharges((charges) => ({
  // The lookup finds no payment; the claim that follows returns it.
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

/** Signatures are not compared. */
const signatureDropped: Mutation = (environment) =>
  withFacilitator(() => ({ verify: () => Promise.resolve({ isValid: true }) }))(
    withChain(() => ({ acceptsSignature: () => Effect.succeed(true) }))(replayUnsigned(environment))
  )

const refusal = { success: false, errorReason: "insufficient_funds", transaction: "" }

/** A missing or inconclusive response counts as a refusal. */
const unknownIsRefused = withFacilitator(({ settle }) => ({
  settle: async (payload: unknown, requirements: unknown) => {
    try {
      const response = await settle(payload, requirements)
      return response.success ? response : refusal
    } catch {
      return refusal
    }
  }
}))

/** A payment with an unknown outcome is released for a new attempt. */
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

/** The response is recorded only after settlement, and kept in memory until then. */
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

/** The facilitator's report counts as proof for every operation. */
const evidenceSkipped = withChain(({ evidence }) => ({
  evidence: (...query) => {
    const [, , hints] = query
    const transaction = hints?.transaction
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

/** Expiry is checked against the till's clock instead of the chain's. */
const expiryByOwnClock = withChain(({ evidence }) => ({
  evidence: (network, authorization, ...hints) =>
    Effect.flatMap(evidence(network, authorization, ...hints), (found) =>
      Effect.map(Clock.currentTimeMillis, (nowMillis) =>
        found._tag === "NotMoved" ? { ...found, chainTimeSeconds: Math.floor(nowMillis / 1000) } : found
      )
    )
}))

/** Pending effects of a settlement are never applied. */
const effectForgotten: Mutation = (environment) => {
  const purchases = Context.get(environment.stores, VaultPurchases)
  const stores = Context.add(environment.stores, VaultPurchases, {
    ...purchases,
    // Purchases left pending are not swept either.
    take: () => Effect.succeed([])
  })
  return withCharges((charges) => ({
    complete: (key, settlement, nowMillis) =>
      Effect.tap(charges.complete(key, settlement, nowMillis), () => charges.markApplied(key))
  }))({ ...environment, stores })
}

/** A paid purchase is unknown until its grant is applied. */
const ungrantedUnknown: Mutation = (environment) => {
  const purchases = Context.get(environment.stores, VaultPurchases)
  const stores = Context.add(environment.stores, VaultPurchases, {
    ...purchases,
    find: (id) =>
      Effect.map(purchases.find(id), (purchase) => (purchase?.status === "reserved" ? undefined : purchase))
  })
  return { ...environment, stores }
}

/** A refused payment is deleted instead of watched. */
const watchDropped = withCharges((charges) => ({
  void: (key, owner, options) =>
    Effect.tap(charges.void(key, owner, options), () => charges.release(key, owner))
}))

/** Money that moved for a payment without a response is kept. */
const refundForgotten = withCharges((charges) => ({
  complete: (key, settlement, nowMillis) =>
    charges.complete(key, { ...settlement, refundDue: false }, nowMillis)
}))

/** A payment that is refunded counts as paid: a call reads the completion back without its refund. */
const refundedCountsAsPaid = withCharges((charges) => {
  const completed = new Set<string>()
  return {
    complete: (key, settlement, nowMillis) =>
      Effect.map(charges.complete(key, settlement, nowMillis), (completion) => {
        // The owner of a call's lease names its process and its number; that of the reconciler is one identifier.
        const isOfCall = settlement.owner?.includes(":") === true
        if (completion._tag !== "Completed" || !settlement.refundDue || !isOfCall) return completion
        completed.add(key)
        return { _tag: "NotOpen" }
      }),
    find: (key) =>
      Effect.map(charges.find(key), (charge) =>
        charge !== undefined && completed.delete(key) ? { ...charge, refund: undefined } : charge
      )
  }
})

/** A settled payment runs its work again, whatever was recorded. */
const replayRunsWorkAgain = withCharges((charges) => {
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

/** Two processes, which honest clients call at once, on a slow store. */
const twoProcesses = ({ faultPlan, ...drawn }: DrawnOptions): DrawnOptions => ({
  ...drawn,
  faultPlan: { ...faultPlan, processes: 2, crashes: 0, slowChance: 0.5, slowMillis: 1_000, poorChance: 0 },
  clockFaults: [],
  shoppers: 3
})

/** A broken till and the violation that reveals it. */
export interface BrokenTill {
  readonly mutation: Mutation
  readonly symptom: RegExp
  /** The first seed to try, shortly before one that reveals the mutation; default 1. */
  readonly firstSeed?: number
  /** The kind of world in which the mutation shows, where most worlds hide it. */
  readonly world?: (drawn: DrawnOptions) => DrawnOptions
}

/** Every broken till, by name. */
export const mutations: ReadonlyMap<string, BrokenTill> = new Map(
  Object.entries<BrokenTill>({
    ...orderMutations,
    ...proofMutations,
    claimNotAtomic: {
      mutation: claimNotAtomic,
      symptom: /got a different response|more than one effect/,
      world: twoProcesses
    },
    settleFailsOver: { mutation: settleFailsOver, symptom: /is given to a second facilitator while/ },
    leaseIgnored: { firstSeed: 90, mutation: leaseIgnored, symptom: /more than one effect/ },
    fingerprintDropped: { mutation: fingerprintDropped, symptom: /: buys .* and / },
    signatureDropped: {
      firstSeed: 52,
      mutation: signatureDropped,
      symptom: /a forged copy got a paid response/
    },
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
      firstSeed: 2_245,
      mutation: expiryByOwnClock,
      symptom: /was refused while it might move, and moved/
    },
    effectForgotten: { firstSeed: 30, mutation: effectForgotten, symptom: /its purchase is not granted/ },
    ungrantedUnknown: {
      firstSeed: 160,
      mutation: ungrantedUnknown,
      symptom: /a bought item can't be downloaded: 404/
    },
    watchDropped: { mutation: watchDropped, symptom: /its charge is gone/ },
    refundedCountsAsPaid: {
      firstSeed: 3_001,
      mutation: refundedCountsAsPaid,
      symptom: /work: 0x\w+ had work for/
    },
    refundForgotten: { firstSeed: 22, mutation: refundForgotten, symptom: /the ledger has 0 entries for it/ },
    replayRunsWorkAgain: { mutation: replayRunsWorkAgain, symptom: /is settled, but clients get 402/ }
  })
)
