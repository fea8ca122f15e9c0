import { Effect } from "effect"
import { report } from "../runtime/events.ts"
import { Facilitator, type SupportedKind } from "../toll/facilitator/Facilitator.ts"
import type { PaidNetwork, PaidSolanaNetwork } from "./PaidNetworks.ts"

/*
 * The fee payers of Solana, from the facilitator's `/supported`. A network is offered once its fee payer is known.
 */

/** While a fee payer is unknown. */
const retryMillis = 15_000
/** The facilitator's list is cached for ten minutes. */
const refreshMillis = 5 * 60_000

const isOnSolana = (network: PaidNetwork): network is PaidSolanaNetwork => network.family === "solana"

const learn = (
  { caip2, feePayers, v1Name }: PaidSolanaNetwork,
  kinds: ReadonlyArray<SupportedKind>
): boolean => {
  for (const kind of kinds) {
    const isNetwork = kind.network === caip2 || kind.network === v1Name
    if (isNetwork && kind.scheme === "exact") feePayers.learn(kind.feePayers ?? [])
  }
  return feePayers.current !== undefined
}

/** Asks the facilitator for the fee payers of all Solana networks; returns those whose fee payer is unknown. */
const learnAll = Effect.fnUntraced(function* (networks: ReadonlyArray<PaidNetwork>) {
  const onSolana = networks.filter(isOnSolana)
  if (onSolana.length === 0) return onSolana
  const kinds = yield* (yield* Facilitator).supported
  return onSolana.filter((network) => !learn(network, kinds))
})

/** Learns fee payers, and reports each network that can't be offered because its fee payer is unknown. */
export const learnFeePayers = Effect.fnUntraced(function* (networks: ReadonlyArray<PaidNetwork>) {
  for (const { caip2 } of yield* learnAll(networks))
    yield* report(
      "Warn",
      "fee_payer_unknown",
      "The facilitator names no fee payer for a Solana network, which is not offered until it does",
      { network: caip2 }
    )
})

/** Learns fee payers again and again: soon while one is unknown. */
export const keepFeePayers = Effect.fnUntraced(function* (networks: ReadonlyArray<PaidNetwork>) {
  const onSolana = networks.filter(isOnSolana)
  while (onSolana.length > 0) {
    const isKnown = onSolana.every(({ feePayers }) => feePayers.current !== undefined)
    yield* Effect.sleep(isKnown ? refreshMillis : retryMillis)
    yield* learnAll(onSolana)
  }
})
