import { Effect } from "effect"
import { report } from "../runtime/events.ts"
import { Facilitator } from "../toll/facilitator/Facilitator.ts"
import { feePayersOn } from "../toll/facilitator/ProtocolVersion.ts"
import type { PaidNetwork, PaidSolanaNetwork } from "./settings/Networks.ts"

/*
 * The fee payers of Solana, from the facilitator's `/supported`. A network is offered once its fee payer is known.
 */

/** Lists are read when they are due; health changes sooner. */
const everyMillis = 15_000

const isOnSolana = (network: PaidNetwork): network is PaidSolanaNetwork => network.family === "solana"

const addressesOn = (
  { feePayers, supported }: Facilitator["Service"],
  caip2: string
): Effect.Effect<ReadonlyArray<ReadonlyArray<string>>> =>
  feePayers?.(caip2) ?? Effect.map(supported, (kinds) => [feePayersOn(kinds, caip2)])

/** Asks the facilitators for the fee payers of all Solana networks; returns those whose fee payer is unknown. */
const learnAll = Effect.fnUntraced(function* (networks: ReadonlyArray<PaidNetwork>) {
  const facilitator = yield* Facilitator
  const onSolana = networks.filter(isOnSolana)
  for (const { caip2, feePayers } of onSolana) feePayers.learn(yield* addressesOn(facilitator, caip2))
  return onSolana.filter(({ feePayers }) => feePayers.current === undefined)
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

/** Learns fee payers again and again, so that offers name one of a facilitator that responds. */
export const keepFeePayers = (networks: ReadonlyArray<PaidNetwork>) =>
  networks.some(isOnSolana)
    ? Effect.forever(Effect.andThen(Effect.sleep(everyMillis), learnAll(networks)))
    : Effect.void
