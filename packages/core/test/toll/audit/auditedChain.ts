import { Effect } from "effect"
import { expect } from "vitest"
import { findNetwork } from "../../../src/domain/Network.ts"
import { Charges } from "../../../src/ports/Charges.ts"
import { sampleResponse, sampleCharge } from "../../../../testing/src/stores/records.ts"
import { Chain, type ChainEvidence, type IncomingTransfer } from "../../../src/toll/evidence/Chain.ts"
import { auditLedgerWithChain, type LedgerAudit } from "../../../src/toll/audit/LedgerAudit.ts"

export const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
export const baseSepolia = { ...findNetwork("base-sepolia")!, payTo }

const payer = "0x00000000000000000000000000000000000000aa"

export const hour = 3_600_000
/** A span of 20 hours, a month ago. */
export const from = Math.floor(Date.now() / 1000) * 1000 - 720 * hour
export const span = { fromMillis: from, beforeMillis: from + 20 * hour }

interface Moved extends Omit<IncomingTransfer, "atSeconds"> {
  readonly atMillis: number
  /** Its token; default USDC. */
  readonly asset?: string
  readonly to?: string
}

/** One payment of 10 units: its entry in the ledger, and its own transfer if the chain has one. */
export interface Paid {
  readonly transaction: string
  readonly enteredMillis: number
  /** Recorded with the entry. */
  readonly logIndex?: number
  readonly moved?: Moved
  readonly evidence?: ChainEvidence
  readonly payer?: string
  readonly payTo?: string
  /** The token of its entry; default USDC. */
  readonly asset?: string
  readonly awaitsFinality?: boolean
}

export const hexOf = (number: number): string => `0x${number.toString(16).padStart(64, "0")}`

export const moved = (transaction: string, atMillis: number, changes: Partial<Moved> = {}): Moved => ({
  transaction,
  logIndex: 0,
  from: payer,
  valueAtomic: "10",
  atMillis,
  ...changes
})

const isIn = (token: string, { asset = baseSepolia.asset }: Moved): boolean => asset === token

/** A chain that shows exactly the given transfers, and which nonce made which. */
const chainOf = (
  payments: ReadonlyArray<Paid>,
  foreign: ReadonlyArray<Moved>,
  changes: Partial<Chain["Service"]>
): Chain["Service"] => ({
  canRead: (caip2) => caip2 === baseSepolia.caip2,
  evidence: ({ asset }, { nonce }) => {
    const payment = payments[Number(nonce)]!
    if (payment.evidence !== undefined) return Effect.succeed(payment.evidence)
    return Effect.succeed<ChainEvidence>(
      payment.moved === undefined || !isIn(asset, payment.moved)
        ? { _tag: "NotMoved", chainTimeSeconds: Date.now() / 1000 }
        : {
            _tag: "Moved",
            transaction: payment.moved.transaction,
            logIndex: payment.moved.logIndex,
            atSeconds: Math.floor(payment.moved.atMillis / 1000),
            isFinal: true
          }
    )
  },
  usedNonces: () => Effect.succeed(undefined),
  balanceOf: () => Effect.succeed(undefined),
  acceptsSignature: () => Effect.succeed(undefined),
  transfersTo: ({ asset }, to, { beforeSeconds, fromSeconds }) =>
    Effect.succeed({
      fromBlock: 0n,
      toBlock: 0n,
      transfers: [...payments.flatMap((payment) => payment.moved ?? []), ...foreign].filter(
        (transfer) =>
          isIn(asset, transfer) &&
          (transfer.to ?? payTo).toLowerCase() === to.toLowerCase() &&
          Math.floor(transfer.atMillis / 1000) >= fromSeconds &&
          Math.floor(transfer.atMillis / 1000) < beforeSeconds
      )
    }),
  ...changes
})

export const keyOf = (number: number): string => `eip155:84532:0xusdc:${payer}:${hexOf(number)}`

const enter = Effect.fnUntraced(function* (charges: Charges["Service"], payment: Paid, number: number) {
  const { enteredMillis, logIndex, transaction } = payment
  const key = keyOf(number)
  const charge = sampleCharge({
    key,
    network: baseSepolia.caip2,
    asset: payment.asset ?? baseSepolia.asset,
    payer: payment.payer ?? payer,
    payTo: payment.payTo ?? payTo,
    amountAtomic: "10",
    validBeforeSeconds: Math.floor(enteredMillis / 1000) + 120,
    createdAtMillis: enteredMillis
  })
  const limits = { maxUnsettled: 1_000, maxExposureAtomic: "1000000" }
  yield* charges.claim(charge, { owner: "me", untilMillis: enteredMillis + hour }, enteredMillis, limits)
  yield* charges.advance(key, "me", { response: sampleResponse(), subject: undefined })
  const completion = yield* charges.complete(
    key,
    {
      receipt: { success: true, transaction, network: baseSepolia.caip2, payer: charge.payer },
      transferLogIndex: logIndex,
      refundDue: false,
      finalAfterMillis: payment.awaitsFinality === true ? enteredMillis + hour : undefined,
      responseOwedUntilMillis: undefined
    },
    enteredMillis
  )
  expect(completion._tag).toBe("Completed")
})

export const check = (
  payments: ReadonlyArray<Paid>,
  options: {
    readonly foreign?: ReadonlyArray<Moved>
    readonly chain?: Partial<Chain["Service"]>
    readonly networks?: ReadonlyArray<typeof baseSepolia>
    readonly span?: typeof span
    readonly before?: (charges: Charges["Service"]) => Effect.Effect<unknown, unknown>
  } = {}
): Promise<LedgerAudit> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const charges = yield* Charges
      for (const [number, payment] of payments.entries()) yield* enter(charges, payment, number)
      if (options.before !== undefined) yield* options.before(charges)
      return yield* Effect.provideService(
        auditLedgerWithChain(options.span ?? span, options.networks ?? [baseSepolia]),
        Chain,
        chainOf(payments, options.foreign ?? [], options.chain ?? {})
      )
    }).pipe(Effect.provide(Charges.layerMemory))
  )
