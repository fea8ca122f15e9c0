import type { DrawnOptions } from "./DrawnOptions.ts"
import type { FacilitatorChange } from "./Economy.ts"
import type { BrokenTill, Mutation } from "./Mutations.ts"

/* Tills that settle by themselves on an EVM chain, carelessly. */

const settling =
  (change: FacilitatorChange): Mutation =>
  (environment) => ({
    ...environment,
    facilitator: environment.settlesThrough?.(change) ?? environment.facilitator
  })

/** A settlement that isn't mined yet has failed for good. */
const pendingDenied = settling({
  client: (client) => ({
    ...client,
    settle: async (payment, requirements) => {
      const settled = await client.settle(payment, requirements)
      return settled.success
        ? settled
        : {
            success: false,
            errorReason: "invalid_exact_evm_payload_authorization_valid_before",
            transaction: ""
          }
    }
  })
})

/** Each call signs with a number of its own, while an earlier transaction may still be mined. */
const numberPerCall = settling({
  journal: (journal) => ({
    ...journal,
    find: async () => [],
    insert: async (record) => {
      const { length } = await journal.find(record.key)
      return journal.insert({ ...record, attempt: length })
    }
  })
})

/** Tills that settle by themselves, whose transactions take longer than a call. */
const slowPool = ({ faultPlan, ...drawn }: DrawnOptions): DrawnOptions => ({
  ...drawn,
  faultPlan: { ...faultPlan, processes: 2, attackers: 0, lossChance: 0.5 },
  hasOtherTill: false,
  relay: {
    spikes: [],
    maxTransitMillis: 20_000,
    forgetChance: 0.4,
    oldVariantChance: 0.3,
    fundsWei: 10n ** 18n,
    refillMillis: 0,
    refillWei: 0n,
    secondLagMillis: undefined,
    changesMillis: []
  }
})

/** Every broken till, by name. */
export const facilitatorMutations: Readonly<Record<string, BrokenTill>> = {
  pendingDenied: { firstSeed: 195, mutation: pendingDenied, symptom: /own facilitator said/ },
  numberPerCall: { mutation: numberPerCall, symptom: /the relayer paid for/, world: slowPool }
}
