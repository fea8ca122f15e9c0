import { afterAll, describe, expect, it } from "vitest"
import type { RailName } from "./Economy.ts"
import { closePostgres } from "./PostgresStorage.ts"
import { describeFailure, type Report, simulate, type StoreName } from "./simulate.ts"

/** Few enough that a test ends within its time limit on a busy machine. */
const seedsPerTest = 20
const linesShown = 150

/** Events that must occur in some seed, so that the invariants are not tested vacuously. */
const requiredEvents: ReadonlyArray<string> = [
  "200",
  "replayed",
  "order",
  "purchase",
  "download",
  "402 payment_already_used",
  "402 payment_refund_due",
  "402 payment_expired",
  "409 PAYMENT_IN_PROGRESS",
  "429 RATE_LIMITED",
  "503 SETTLEMENT_PENDING",
  "freeze",
  "cancelled",
  "RPC request lost",
  "reorganization",
  "resubmitted",
  "served by the other till",
  "served by two tills",
  "settles by itself",
  "relayer's transaction reverts",
  "relayer's transaction succeeds",
  "node: already known",
  "node: nonce too low",
  "transaction forgotten",
  "transaction replaced",
  "third party: moved",
  "third party: insufficient",
  ...[
    "cancelAuthorization",
    "fresh key",
    "imitate",
    "moves a balance",
    "overtakes",
    "receiveWithAuthorization",
    "rewrites blocks",
    "sends",
    "settles it itself",
    "transfer",
    "transferWithAuthorization"
  ].map((move) => `attacker: ${move}`),
  "402 insufficient_funds",
  "402 payment_canceled",
  "402 payment_nonce_used",
  "clocks differ by more than a lease",
  "refused for its clock",
  "logs clock_refused",
  "facilitator outage",
  "settled by facilitator 1",
  "store error early",
  "store error late",
  "power loss takes a claim",
  ...[
    "acceptsThenTimesOut",
    "clean",
    "duplicate",
    "errorsAfterSettling",
    "errorsBeforeSettling",
    "failsOnChain",
    "liesRefusal",
    "liesSuccess",
    "pending",
    "rejects",
    "slow",
    "wrongNetwork"
  ].map((mode) => `facilitator is ${mode}`),
  ...[
    "clean",
    "late",
    "lostAfter",
    "lostBefore",
    "malformed",
    "notPlaced",
    "silentAfter",
    "silentBefore",
    "slow",
    "throwsAnything"
  ].map((mode) => `upstream is ${mode}`),
  "upstream refuses",
  "is found upstream",
  "is not found upstream",
  "freeze amid an order",
  "mailer hangs",
  ...[
    "abandoned",
    "cancelled",
    "delivered",
    "failed",
    "needs_operator",
    "placed",
    "placing",
    "processing",
    "refund_due",
    "refunded",
    "shipped"
  ].map((status) => `order is ${status}`),
  // Every await from the payment to the response, and on to the order's end.
  ...[
    "charges.find",
    "charges.claim",
    "facilitator.verify",
    "host.search",
    "quotes.consume",
    "orders.create",
    "host.place",
    "host.find",
    "host.status",
    "host.sign",
    "host.mail",
    "charges.markRefundDue",
    "charges.recordRefund",
    "vaultPurchases.reserve",
    "charges.advance",
    "facilitator.settle",
    "chain",
    "charges.complete",
    "orders.replace",
    "vaultPurchases.grant",
    "charges.markApplied",
    "charges.void",
    "charges.takeOver"
  ].map((call) => `crash at ${call}`)
]

/** On Solana, where fewer seeds are run: what happens there, and what the crashes and faults show with it. */
const requiredOnSolana: ReadonlyArray<string> = [
  "200",
  "replayed",
  "order",
  "purchase",
  "download",
  "order is refunded",
  "402 payment_already_used",
  "402 payment_refund_due",
  "402 payment_expired",
  "402 payment_failed",
  "402 invalid_exact_svm_payload_memo_count",
  "402 invalid_exact_svm_payload_memo_mismatch",
  "402 invalid_exact_svm_payload_no_transfer_instruction",
  "402 invalid_exact_svm_payload_signature_invalid",
  "402 invalid_exact_svm_payload_source_mismatch",
  "402 transaction_simulation_failed",
  "503 SETTLEMENT_PENDING",
  "crash at chain",
  "crash at charges.complete",
  "crash at facilitator.settle",
  "confirmed transfer undone",
  "logs settlement_undone",
  "refund signed again",
  "resubmitted",
  "sent again at the last moment",
  "settles by itself",
  ...["known", "none", "own"].map((memo) => `pays with memo: ${memo}`),
  "transaction without a fee",
  "third party: given to the facilitator",
  "third party: sent again",
  "transaction already processed",
  "transaction blockhash not found",
  "transaction dropped",
  "transaction failed: insufficient funds",
  "transaction landed",
  "transaction of a lost fork is in another block",
  ...[
    "drain",
    "giveAway",
    "imitate",
    "resend",
    "return",
    "settles it first",
    "signs less",
    "signs noMemo",
    "signs otherQuote",
    "signs plain",
    "signs regular",
    "signs secondAccount",
    "signs takenBack",
    "signs twoMemos",
    "signs twoTransfers"
  ].map((move) => `attacker: ${move}`)
]

const requiredOn: Readonly<Record<RailName, ReadonlyArray<string>>> = {
  evm: requiredEvents,
  solana: requiredOnSolana
}

/** Which worlds a file tests. */
export interface Worlds {
  readonly store: StoreName
  /** Default: `evm`. */
  readonly rail?: RailName
  readonly firstSeed: number
  readonly seeds: number
  /** Seeds beyond these that once violated an invariant. */
  readonly failedOnce?: ReadonlyArray<number>
  /** Seeds beyond these that show what happens rarely. */
  readonly rare?: ReadonlyArray<number>
  /** How many of the seeds are run twice, to compare their traces. Default: one of few, two of many. */
  readonly repeated?: number
  /** Whether these seeds together must show every required event. Default: false. */
  readonly coversAll?: boolean
}

/** Tests all invariants in the worlds of some seeds. */
export const testSimulation = ({
  coversAll = false,
  failedOnce = [],
  firstSeed,
  rail = "evm",
  rare = [],
  seeds,
  repeated = seeds < 50 ? 1 : 2,
  store
}: Worlds): void => {
  describe(`a simulated world on ${store} and ${rail}`, () => {
    afterAll(closePostgres)

    /** Worlds that were run, and are not judged yet. */
    const made = new Map<number, Report>()

    if (repeated > 0)
      it("produces the same trace for the same seed", async () => {
        for (let seed = firstSeed; seed < firstSeed + repeated; seed++) {
          const once = await simulate(seed, store, { rail })
          made.set(seed, once)
          const again = await simulate(seed, store, { rail })
          expect(once.trace.length).toBeGreaterThan(0)
          expect(again.trace, `seed ${seed}`).toBe(once.trace)
        }
      })

    const counts = new Map<string, number>()
    const run = async (seed: number): Promise<void> => {
      const report = made.get(seed) ?? (await simulate(seed, store, { rail }))
      made.delete(seed)
      if (report.violations.length > 0) throw new Error(describeFailure(report, linesShown))
      for (const [what, count] of report.counts) counts.set(what, (counts.get(what) ?? 0) + count)
    }

    for (let first = firstSeed; first < firstSeed + seeds; first += seedsPerTest) {
      const last = Math.min(first + seedsPerTest, firstSeed + seeds) - 1
      it(`violates no invariant in seeds ${first} to ${last}`, async () => {
        for (let seed = first; seed <= last; seed++) await run(seed)
      })
    }

    for (const seed of failedOnce)
      it(`violates no invariant in seed ${seed}, which once failed`, () => run(seed))

    for (const seed of rare)
      it(`violates no invariant in seed ${seed}, which shows what happens rarely`, () => run(seed))

    if (coversAll)
      it("has covered every required event", () => {
        const missing = requiredOn[rail].filter((occasion) => !counts.has(occasion))
        expect(missing).toEqual([])
      })
  })
}
