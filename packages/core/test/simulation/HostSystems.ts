import type { DrawnOptions } from "./DrawnOptions.ts"
import type { FaultPlan } from "./FaultPlan.ts"
import type { SeededRandom } from "./SeededRandom.ts"
import { OrderInvariantChecker } from "./OrderInvariantChecker.ts"
import type { Server } from "./Server.ts"
import type { Economy } from "./Economy.ts"
import { SimulatedHost } from "./SimulatedHost.ts"
import { SimulatedMailer } from "./SimulatedMailer.ts"
import { SimulatedOperator } from "./SimulatedOperator.ts"
import { SimulatedUpstream } from "./SimulatedUpstream.ts"
import type { InvariantChecker } from "./InvariantChecker.ts"
import { authorizationOf } from "./Payment.ts"

/** The host's external systems, which outlive its processes: upstream, mail service, operator. */
export class HostSystems {
  readonly upstream: SimulatedUpstream
  readonly mailer: SimulatedMailer
  readonly host: SimulatedHost
  readonly operator: SimulatedOperator
  /** Checks orders beyond their payment. */
  readonly orders: OrderInvariantChecker

  constructor(options: {
    readonly random: SeededRandom
    readonly drawn: DrawnOptions
    readonly now: () => number
    readonly after: (millis: number, action: () => void) => void
    readonly economy: Economy
    readonly checker: InvariantChecker
    /** A running till that the operator can call, if any. */
    readonly server: () => Server | undefined
    /** Whether any fault so far could have made a placement ambiguous. */
    readonly hasFault: () => boolean
    /** Called for each search of the marketplace. */
    readonly searched: (query: string) => void
    readonly note: (what: string) => void
  }) {
    const { after, drawn, economy, random, hasFault, note, now, server, checker } = options
    const { faultPlan } = drawn
    const count = (what: string) => checker.count(what)
    const violation = (what: string) => checker.violation(undefined, what)
    this.upstream = new SimulatedUpstream({
      random: random.branch(),
      now,
      after,
      profile: drawn.upstream,
      behavior: faultPlan.upstream,
      placed: (orderId, times) => checker.orderPlaced(orderId, times),
      count
    })
    const { upstream } = this
    const isReversed = (chargeKey: string) => checker.isReversed(chargeKey)
    this.orders = new OrderInvariantChecker({ upstream, violation, count, now, hasFault, isReversed })
    this.mailer = new SimulatedMailer({ random: random.branch(), behavior: faultPlan.mail, violation, count })
    this.host = new SimulatedHost({
      random: random.branch(),
      now,
      errorChance: faultPlan.hostErrorChance,
      quoteMillis: drawn.quoteMillis,
      upstream,
      mailer: this.mailer,
      searched: options.searched,
      walletOf: faultPlan.operator.sendsRefunds ? () => ({}) : (link) => economy.walletOf(link)
    })
    this.operator = new SimulatedOperator({
      random: random.branch(),
      behavior: faultPlan.operator,
      checker: this.orders,
      upstream,
      economy,
      after,
      server,
      refundFor: (key) => {
        const payment = checker.payments.get(key)
        if (payment === undefined) return undefined
        const { from, value } = authorizationOf(payment)
        // The operator first checks on the chain that the payment is final.
        if (!economy.isFinal(economy.chain.transferOf(authorizationOf(payment)))) return undefined
        return { payer: from, amountAtomic: value }
      },
      areRefundsStopped: () => checker.areRefundsStopped,
      note
    })
    this.orders.onWritten = (order) => this.operator.orderWritten(order)
  }

  /** Sets the behavior of all systems. */
  setBehavior({ hostErrorChance, mail, operator, upstream }: FaultPlan): void {
    this.host.errorChance = hostErrorChance
    this.upstream.behavior = upstream
    this.mailer.behavior = mail
    this.operator.behavior = operator
  }
}
