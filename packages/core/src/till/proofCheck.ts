import { Effect, Layer } from "effect"
import { ConfigurationError } from "../domain/Errors.ts"
import { formatAtomic } from "../domain/Money.ts"
import { needsChain, type ProofSettings } from "../http/PaidRoute.ts"
import { type AnyOperation, highestPrice, Operations } from "../operations/Operation.ts"
import { report } from "../runtime/events.ts"
import { Chain } from "../toll/evidence/Chain.ts"
import type { ConfiguredSettings } from "./settings/Configuration.ts"

/*
 * Whether what counts only once the chain shows it can be shown on every network. An operation that asks for the chain's
 * proof by itself is refused where it can't; one whose price is merely above `proofAbove` is sold all the same, and reported.
 */

/** Fails if an operation needs proof of settlement on a chain that can't be read. */
export const proofCheck = ({ networks, trustFacilitator }: ConfiguredSettings) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const operations = yield* (yield* Operations).all
      const chain = yield* Chain
      const needing = operations.filter(({ settlement }) => settlement?.proofRequired === true)
      if (trustFacilitator || needing.length === 0) return
      const ids = needing.map(({ endpoint }) => endpoint.identifier).join(" and ")
      const unreadable = networks.filter(({ caip2 }) => !chain.canRead(caip2))
      if (unreadable.length === 0) return
      return yield* new ConfigurationError({
        message: `Chain can't read ${unreadable.map(({ caip2 }) => caip2).join(", ")}: ${ids} ${needing.length === 1 ? "counts" : "count"} a settlement only when the chain shows it. Give the network an rpcUrl and provide ChainRpc.layer, or set trustFacilitator: true`
      })
    })
  )

/** The operations with payments that would need the chain's proof for their amount alone. Pure. */
export const largeOperations = (
  operations: ReadonlyArray<AnyOperation>,
  settings: ProofSettings
): ReadonlyArray<string> =>
  operations
    .filter((operation) => {
      const atomic = highestPrice(operation.price)
      return (
        operation.settlement?.proofRequired === undefined &&
        atomic > settings.proofAbove &&
        needsChain(operation, atomic, settings)
      )
    })
    .map(({ endpoint }) => endpoint.identifier)

/**
 * Reports operations whose large payments count by the facilitator's response alone, since no chain can be read there: each
 * operation once, together with the others.
 */
export const reportTrusted = (
  settings: Pick<ConfiguredSettings, "networks" | "proofAbove" | "trustFacilitator">,
  operations: Effect.Effect<ReadonlyArray<AnyOperation>, never, Operations>
) => {
  const known = new Set<string>()
  return Effect.gen(function* () {
    const chain = yield* Chain
    const unreadable = settings.networks.filter(({ caip2 }) => !chain.canRead(caip2))
    if (unreadable.length === 0) return
    const large = largeOperations(yield* operations, settings).filter((id) => !known.has(id))
    if (large.length === 0) return
    for (const id of large) known.add(id)
    const names = unreadable.map(({ caip2, v1Name }) => v1Name ?? caip2).join(" and ")
    yield* report(
      "Warn",
      "facilitator_trusted",
      `Payments above ${formatAtomic(settings.proofAbove)} dollars for ${large.join(" and ")} on ${names} count once the facilitator reports them: no chain is read there. Give ${names} an rpcUrl`
    )
  })
}
