import { Clock, Context, Effect, Layer, Stream } from "effect"
import { shownAddress } from "../domain/EvmAddress.ts"
import type { StoreError } from "../domain/Errors.ts"
import { exportLedger } from "./ledgerExport.ts"
import { defaultLimit, exportPages, listInPages } from "./listInPages.ts"
import { checkBefore, checkChoice, checkDates } from "./OperatorInput.ts"
import { type ExportFormat, exportFormats } from "./recordExport.ts"
import { Charges, type LedgerEntry, type LedgerTotal } from "../ports/Charges.ts"
import type { LedgerAudit } from "../toll/audit/LedgerAudit.ts"
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

/** Selects the entries of an export, and its format. */
export interface LedgerExportQuery {
  readonly format: ExportFormat
  /** The earliest time, included; default the first entry. */
  readonly from?: Date
  /** The latest time, excluded; default now. */
  readonly to?: Date
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
     * reported as foreign. What left a refund wallet and is no refund of the ledger is listed, too.
     */
    readonly check: (query?: LedgerCheckQuery) => Effect.Effect<LedgerAudit, StoreError>
    /** Exports entries, newest first, as text in pieces: a JSON array, or CSV with a header row (RFC 4180). */
    readonly export: (query: LedgerExportQuery) => Stream.Stream<string, StoreError>
  }
>()("@till402/core/LedgerOperator") {
  /**
   * `networks`: those whose transfers `check` can compare with the ledger. `refundWallets`: the addresses that pay
   * refunds, by CAIP-2 network.
   */
  static readonly layer = (
    networks: ReadonlyArray<PaidTo>,
    refundWallets: ReadonlyMap<string, string> = new Map()
  ): Layer.Layer<LedgerOperator, never, Charges | Chain> =>
    Layer.effect(LedgerOperator, make(networks, refundWallets))
}

/** Only those who check load it. */
const loadAudit = Effect.promise(() => import("../toll/audit/LedgerAudit.ts"))

const defaultSpanMillis = 7 * 86_400_000

/** An entry as a host sees it. */
export const lineOf = ({ amountAtomic, atMillis, ...entry }: LedgerEntry): LedgerLine => ({
  ...entry,
  payer: shownAddress(entry.payer),
  amountAtomic: BigInt(amountAtomic),
  at: new Date(atMillis)
})

/** The ends of a span for the store. */
const spanOf = ({ from, to }: { readonly from?: Date | undefined; readonly to?: Date | undefined }) => ({
  ...(from === undefined ? {} : { fromMillis: from.getTime() }),
  ...(to === undefined ? {} : { beforeMillis: to.getTime() })
})

/** All entries of a span, newest first, page by page. */
const pagesOf = (
  charges: Charges["Service"],
  span: ReturnType<typeof spanOf>
): Stream.Stream<ReadonlyArray<LedgerEntry>, StoreError> =>
  exportPages((limit, last: LedgerEntry | undefined) =>
    charges.entries({ limit, ...span, ...(last === undefined ? {} : { before: last }) })
  )

const make = Effect.fnUntraced(function* (
  networks: ReadonlyArray<PaidTo>,
  refundWallets: ReadonlyMap<string, string>
) {
  const charges = yield* Charges
  const chain = yield* Chain
  return LedgerOperator.of({
    list: Effect.fnUntraced(function* ({ before, from, limit = defaultLimit, to }: LedgerQuery = {}) {
      yield* checkDates({ from, to })
      if (before !== undefined) yield* checkBefore(before.at, "entry")
      return yield* listInPages(limit, (size, last: LedgerLine | undefined = before) =>
        Effect.map(
          charges.entries({
            limit: size,
            ...spanOf({ from, to }),
            ...(last === undefined ? {} : { before: { ...last, atMillis: last.at.getTime() } })
          }),
          (found) => found.map(lineOf)
        )
      )
    }),
    totals: Effect.fnUntraced(function* (span: { readonly from: Date; readonly to: Date }) {
      // Hosts without type checks may leave the span out.
      const { from = null, to = null }: { readonly from?: unknown; readonly to?: unknown } = span ?? {}
      yield* checkDates({ from, to })
      const found = yield* charges.totals(span.from.getTime(), span.to.getTime())
      return found.map(({ amountAtomic, ...total }) => ({ ...total, amountAtomic: BigInt(amountAtomic) }))
    }),
    export: ({ format, from, to }) =>
      Stream.unwrap(
        Effect.gen(function* () {
          yield* checkChoice("format", format ?? "", exportFormats)
          yield* checkDates({ from, to })
          return exportLedger(pagesOf(charges, spanOf({ from, to })), format)
        })
      ),
    check: Effect.fnUntraced(
      function* ({ chain: withChain = false, from, to }: LedgerCheckQuery = {}) {
        yield* checkDates({ from, to })
        const nowMillis = yield* Clock.currentTimeMillis
        const span = {
          fromMillis: from?.getTime() ?? nowMillis - defaultSpanMillis,
          // A payment that settles in this very millisecond counts, too.
          beforeMillis: to?.getTime() ?? nowMillis + 1
        }
        const { auditLedger, auditLedgerWithChain } = yield* loadAudit
        return withChain
          ? yield* auditLedgerWithChain(span, networks, refundWallets)
          : yield* auditLedger(span)
      },
      Effect.provideService(Charges, charges),
      Effect.provideService(Chain, chain)
    )
  })
})
