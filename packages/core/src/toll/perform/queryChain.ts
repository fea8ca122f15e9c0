import { Effect, Schedule } from "effect"
import { networkOfAsset } from "../../domain/Network.ts"
import type { Chain, ChainEvidence } from "../evidence/Chain.ts"
import { readHead } from "../evidence/ChainHead.ts"
import type { ChainQuery } from "../machine/ChargeStep.ts"
import type { SettlementTask } from "../machine/SettlementTask.ts"

/** Deadline of a query, with all its searches and the wait for confirmations. A lease covers two: `LeaseLength.ts`. */
export const queryMillis = 60_000

/** Retries of a query that names a transaction: our node may be a moment behind the facilitator's. */
const maxLaggingRetries = 3

const unavailable: ChainEvidence = { _tag: "Unavailable" }

/** The transaction that a query names, if it is known. */
const transactionOf = (query: ChainQuery): string | undefined => {
  if (query._tag === "Proof") return query.transaction
  return query._tag === "Finality" ? query.charge.receipt?.transaction : undefined
}

/**
 * Searches the chain for the transfer of a payment. Repeats the search, a second apart, while the transfer waits for
 * its confirmations. `claimedAfterBlock`: of the charge.
 */
export const queryChain = Effect.fnUntraced(function* (
  chain: Pick<Chain["Service"], "evidence">,
  query: ChainQuery,
  { asset, authorization, network }: Pick<SettlementTask, "asset" | "authorization" | "network">,
  claimedAfterBlock: string
): Effect.fn.Return<ChainEvidence> {
  const known = networkOfAsset(network, asset)
  if (known === undefined) return unavailable
  const transaction = transactionOf(query)
  // A transfer that settled the charge was not there at its claim, though a reorganization may have moved it.
  const claimedAfter = query._tag === "Finality" ? undefined : readHead(claimedAfterBlock)
  let seen: ChainEvidence = unavailable
  return yield* chain.evidence(known, authorization, { transaction, claimedAfter }).pipe(
    Effect.repeat({
      schedule: Schedule.exponential("200 millis"),
      times: transaction === undefined ? 0 : maxLaggingRetries,
      // Stop at definite evidence. A later read that fails would replace it.
      until: ({ _tag }) => _tag === "Moved" || _tag === "NotPaid" || _tag === "Confirming"
    }),
    Effect.tap((evidence) =>
      Effect.sync(() => {
        seen = evidence
      })
    ),
    Effect.repeat({ schedule: Schedule.spaced("1 second"), while: ({ _tag }) => _tag === "Confirming" }),
    // At the deadline, return the last evidence: `Confirming`, or `Unavailable` if nothing was read.
    Effect.timeoutOrElse({ duration: queryMillis, orElse: () => Effect.succeed(seen) })
  )
})
