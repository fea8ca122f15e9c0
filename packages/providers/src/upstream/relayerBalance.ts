import { type Effect, Metric } from "effect"

const balance = Metric.gauge("till402_relayer_balance", {
  description: "What the account that pays for settlements held when it was last read, in the network's coin"
})

/** Records what the account that pays for settlements holds, in the network's coin: for alerts alone, so rounded. */
export const recordRelayerBalance = (network: string, coins: number): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(balance, { network }), coins)
