import { findNetwork } from "@till402/core/effect"
import type { x402Facilitator } from "@x402/core/facilitator"

/** What a facilitator settles: the official one lists version 1 of every network, also of those that it has no chain of. */
export const supportedOn =
  (official: x402Facilitator, ...networks: ReadonlyArray<string | undefined>) =>
  async () => {
    const { kinds, ...supported } = official.getSupported()
    return {
      ...supported,
      kinds: kinds.filter(({ network }) => networks.includes(findNetwork(network)?.caip2 ?? network))
    }
  }
