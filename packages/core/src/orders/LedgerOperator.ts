import { Clock, Context, Effect, Layer } from "effect"
import { shownAddress } from "../domain/EvmAddress.ts"
import type { StoreError } from "../domain/Errors.ts"
import { listInPages } from "./listInPages.ts"
import { Charges, type LedgerEntry, type LedgerTotal } from "../ports/Charges.ts"
import { auditLedger, auditLedgerWithChain, type LedgerAudit } from "../toll/audit/LedgerAudit.ts"
import type { PaidTo } from "../toll/audit/NetworkAudit.ts"
import { Chain } from "../toll/evidence/Chain.ts"

/** One entry of the ledger for the host's bookkeeping. */
export interface LedgerLine extends Omit<LedgerEntry, "amountAtomic" | "atMillis"> {
  /** Atomic units of the stablecoin. */
  readonly amountAtomic: bigint
  /** When it was entered. */
  readonly at: Date
}

/** The sum of the entries of one day, operation, network, asset and kind. */
export interface LedgerSum extends Omit<LedgerTotal, "amountAtomic"> {
  /** Atomic units of the stablecoin. */
  readonly amountAtomic: bigint
}

/** Selects a page of the ledger. */
export interface LedgerQuery {
  /** Entries in the page; default 50. */
  readonly limit?: number
  /** The earliest time, included. */
  readonly from?: Date
  /** The latest time, excluded. */
  readonly to?: Date
  /** The last entry of the previous page. */
  readonly before?: LedgerLine
}

/** What a check of the ledger covers. */
export interface LedgerCheckQuery {
  /** The earliest time, included; default seven days ago. */
  readonly from?: Date
  /** The latest time, excluded; default now. */
  readonly to?: Date
  /** Also compares the ledger with the transfers on each network that has an `rpcUrl`; default `false`. */
  readonly chain?: boolean
}

/** Reads and checks the ledger. */
export class LedgerOperator extends Context.Service<
  LedgerOperator,
  {
    /** Lists entries, newest first. */
    readonly list: (query?: LedgerQuery) => Effect.Effect<ReadonlyArray<LedgerLine>, StoreError>
    /** Sums by UTC day, operation, network, asset and kind; `from` is included and `to` isn't. */
    readonly totals: (span: {
      readonly from: Date
      readonly to: Date
    }) => Effect.Effect<ReadonlyArray<LedgerSum>, StoreError>
    /**
     * Checks that settled charges, recorded receipts, ledger entries, and responses or refunds agree, and that no
     * refund exceeds what was received; reads the whole span page by page.
     *
     * With `chain`, a settled entry that isn't exactly one transfer is a fault; a transfer that isn't an entry is
     * reported as foreign.
     */
    readonly check: (query?: LedgerCheckQuery) => Effect.Effect<LedgerAudit, StoreError>
  }
>()("@till402/core/LedgerOperator") {
  /** `networks`: those whose transfers `check` can compare with the ledger. */
  static readonly layer = (
    networks: ReadonlyArray<PaidTo>
  ): Layer.Layer<LedgerOperator, never, Charges | Chain> => Layer.effect(LedgerOperator, make(networks))
}

const defaultLimit = 50
const defaultSpanMillis = 7 * 86_400_000

/** An entry as a host sees it. */
export const lineOf = ({ amountAtomic, atMillis, ...entry }: LedgerEntry): LedgerLine => ({
  ...entry,
  payer: shownAddress(entry.payer),
  amountAtomic: BigInt(amountAtomic),
  at: new Date(atMillis)
})

const make = Effect.fnUntraced(function* (networks: ReadonlyArray<PaidTo>) {
  const charges = yield* Charges
  const chain = yield* Chain
  return LedgerOperator.of({
    list: ({ before, from, limit = defaultLimit, to } = {}) =>
      listInPages(limit, (size, last: LedgerLine | undefined = before) =>
        Effect.map(
          charges.entries({
            limit: size,
            ...(from === undefined ? {} : { fromMillis: from.getTime() }),
            ...(to === undefined ? {} : { beforeMillis: to.getTime() }),
            ...(last === undefined ? {} : { before: { ...last, atMillis: last.at.getTime() } })
          }),
          (found) => found.map(lineOf)
        )
      ),
    totals: ({ from, to }) =>
      Effect.map(charges.totals(from.getTime(), to.getTime()), (found) =>
        found.map(({ amountAtomic, ...total }) => ({ ...total, amountAtomic: BigInt(amountAtomic) }))
      ),
    check: Effect.fnUntraced(
      function* ({ chain: withChain = false, from, to }: LedgerCheckQuery = {}) {
        const nowMillis = yield* Clock.currentTimeMillis
        const span = {
          fromMillis: from?.getTime() ?? nowMillis - defaultSpanMillis,
          // A payment that settles in this very millisecond counts, too.
          beforeMillis: to?.getTime() ?? nowMillis + 1
        }
        return withChain ? yield* auditLedgerWithChain(span, networks) : yield* auditLedger(span)
      },
      Effect.provideService(Charges, charges),
      Effect.provideService(Chain, chain)
    )
  })
})
