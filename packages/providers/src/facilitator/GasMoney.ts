import { Clock, Effect } from "effect"
import type { NodeFault } from "../upstream/NodeCalls.ts"
import type { Fees } from "./Chain.ts"
import { GasReservations } from "./GasReservations.ts"
import type { OpenTransactions } from "./OpenTransactions.ts"
import type { PresentedPayment } from "./PresentedPayment.ts"
import { RelayRefused } from "./RelayRefused.ts"
import type { RevertBudget } from "./RevertBudget.ts"
import { accountOf, payerOf, type SettlementJournalFailed } from "./SettlementJournal.ts"

/*
 * The relayer's gas money: what recorded transactions may still cost, and what verified payments have reserved.
 */

/** How long a verified payment keeps its gas money without being settled. */
const reservationMillis = 30_000

interface Sources {
  /** The relayer's balance, and the number of mined transactions that are in it. */
  readonly funds: Effect.Effect<{ readonly balanceWei: bigint; readonly mined: number }, NodeFault>
  readonly fees: Effect.Effect<Fees, NodeFault | RelayRefused>
  readonly openSince: (nonce: number) => Effect.Effect<OpenTransactions, SettlementJournalFailed>
  readonly reverts: RevertBudget
}

const outOfFunds = () => new RelayRefused({ reason: "relayer_out_of_funds" })

export const makeGasMoney = ({ fees, funds, openSince, reverts }: Sources) => {
  const reserved = new GasReservations(reservationMillis)

  /** What the relayer has beside all transactions that are recorded, in wei. */
  const spareWei = Effect.fnUntraced(function* (known?: OpenTransactions) {
    const { balanceWei, mined } = yield* funds
    const open = known ?? (yield* openSince(mined))
    return balanceWei - open.costWei(mined)
  })

  const costOf = (gas: bigint) => Effect.map(fees, ({ maxFeePerGas }) => gas * maxFeePerGas)

  /** Whether the relayer can pay a transaction beside all that are recorded, and those that others have reserved. */
  const covers = Effect.fnUntraced(function* (costWei: bigint, key: string, open?: OpenTransactions) {
    const spare = yield* spareWei(open)
    return spare >= costWei + reserved.othersWei([key], yield* Clock.currentTimeMillis)
  })

  /** Fails if the relayer can't pay this gas now. Reserves nothing. */
  const assertAffordable = Effect.fnUntraced(function* (gas: bigint, key: string) {
    if (!(yield* covers(yield* costOf(gas), key))) return yield* outOfFunds()
  })

  /**
   * Reserves the gas money of a verified payment: no work should begin for one that couldn't be settled then.
   * `payerAtomic`: what its payer has beside the open settlements.
   */
  const reserve = Effect.fnUntraced(function* (
    gas: bigint,
    { authorization, key }: PresentedPayment,
    payerAtomic: bigint
  ) {
    const costWei = yield* costOf(gas)
    const relayerWei = yield* spareWei()
    const now = yield* Clock.currentTimeMillis
    const wanted = {
      key,
      account: accountOf(key),
      amountAtomic: BigInt(authorization.value),
      costWei,
      isKnown: reverts.hasSettled(payerOf(key), now)
    }
    if (!reserved.reserve(wanted, { relayerWei, payerAtomic }, now)) return yield* outOfFunds()
  })

  return { covers, assertAffordable, reserve, release: (key: string) => reserved.release(key) }
}
