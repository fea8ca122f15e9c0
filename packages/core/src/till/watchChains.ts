import { Effect, Schedule } from "effect"
import { needsChain } from "../http/PaidRoute.ts"
import type { UnreadNetworks } from "../http/WithdrawnNetworks.ts"
import { type AnyOperation, highestPrice, type Operations } from "../operations/Operation.ts"
import { report } from "../runtime/events.ts"
import { Chain } from "../toll/evidence/Chain.ts"
import type { ConfiguredSettings } from "./settings/Configuration.ts"
import type { PaidNetwork } from "./settings/Networks.ts"

/*
 * Whether the chains that a till needs can be read, for as long as it runs.
 */

const watchEveryMillis = 30_000
const failuresToWithdraw = 3

/** Before a chain was read once, nothing is offered there; later, only what needs its proof isn't. */
const withdrawalOf = ({ caip2, v1Name }: PaidNetwork, isNew: boolean): string =>
  `The chain of ${v1Name ?? caip2} could not be read ${failuresToWithdraw} times: ${isNew ? "nothing" : "nothing that needs its proof"} is offered there until it is read. Check rpcUrl`

/**
 * Keeps `unread`: the networks whose chain could not be read three times in a row, until it is read once. What needs the
 * chain's proof isn't offered there: it would be paid, and then wait. Where no operation needs it, a chain is read until that
 * has succeeded once.
 */
export const watchChains = Effect.fnUntraced(function* (
  settings: Pick<ConfiguredSettings, "networks" | "proofAbove" | "trustFacilitator">,
  unread: UnreadNetworks,
  operations: Effect.Effect<ReadonlyArray<AnyOperation>, never, Operations>
) {
  const chain = yield* Chain
  const isNeeded = (yield* operations).some((operation) =>
    needsChain(operation, highestPrice(operation.price), settings)
  )
  const failures = new Map<string, number>()
  const known = new Set<string>()
  const readable = settings.networks.filter(({ caip2 }) => chain.canRead(caip2))
  const read = (network: PaidNetwork) =>
    Effect.map(chain.balanceOf(network, network.payTo), (balance) => {
      if (balance !== undefined) known.add(network.caip2)
      failures.set(network.caip2, balance === undefined ? (failures.get(network.caip2) ?? 0) + 1 : 0)
    })
  const look = Effect.gen(function* () {
    const watched = readable.filter(({ caip2 }) => isNeeded || !known.has(caip2))
    yield* Effect.forEach(watched, read, { concurrency: "unbounded", discard: true })
    const before = unread.current
    const failing = readable.filter(({ caip2 }) => failures.get(caip2)! >= failuresToWithdraw)
    const never = failing.filter(({ caip2 }) => !known.has(caip2))
    unread.never.replace(new Set(never.map(({ caip2 }) => caip2)))
    if (!unread.replace(new Set(failing.map(({ caip2 }) => caip2)))) return
    for (const network of failing.filter(({ caip2 }) => !before.has(caip2)))
      yield* report("Error", "chain_withdrawn", withdrawalOf(network, never.includes(network)), {
        port: "chain",
        network: network.caip2
      })
  })
  yield* Effect.repeat(look, Schedule.spaced(watchEveryMillis))
})
