import type { Adversity } from "./Adversity.ts"
import type { Fate } from "./Fate.ts"
import { OrderWitness } from "./OrderWitness.ts"
import type { Server } from "./Server.ts"
import type { SimulatedChain } from "./chain/SimulatedChain.ts"
import { SimulatedHost } from "./SimulatedHost.ts"
import { SimulatedMailer } from "./SimulatedMailer.ts"
import { SimulatedOperator } from "./SimulatedOperator.ts"
import { SimulatedUpstream } from "./SimulatedUpstream.ts"
import { drawUpstream } from "./UpstreamCharacter.ts"
import { authorizationOf, type Witness } from "./Witness.ts"

/** Everything of the host that outlives its processes: its upstreams, its mail service, its operator. */
export class Trade {
  readonly upstream: SimulatedUpstream
  readonly mailer: SimulatedMailer
  readonly host: SimulatedHost
  readonly operator: SimulatedOperator
  /** Sees to orders beyond their payment. */
  readonly orders: OrderWitness

  constructor(options: {
    readonly fate: Fate
    readonly adversity: Adversity
    readonly startMillis: number
    readonly now: () => number
    readonly after: (millis: number, happen: () => void) => void
    readonly chain: SimulatedChain
    readonly witness: Witness
    /** A till that an operator can speak to, if one is up. */
    readonly server: () => Server | undefined
    /** Whether anything has befallen a process or a store yet that could make a placing unclear. */
    readonly hasMisfortune: () => boolean
    readonly note: (what: string) => void
  }) {
    const { adversity, after, chain, fate, hasMisfortune, note, now, server, startMillis, witness } = options
    const count = (what: string) => witness.count(what)
    const finalityMillis = adversity.reorganizations > 0 ? adversity.finalitySeconds * 1_000 : 0
    const violation = (what: string) => witness.violation(undefined, what)
    this.upstream = new SimulatedUpstream({
      fate: fate.branch(),
      now,
      after,
      character: drawUpstream(fate.branch(), startMillis),
      temper: adversity.upstream,
      placed: (orderId, times) => witness.placed(orderId, times),
      count
    })
    const { upstream } = this
    const isReversed = (chargeKey: string) => witness.isReversed(chargeKey)
    this.orders = new OrderWitness({ upstream, violation, count, now, hasMisfortune, isReversed })
    this.mailer = new SimulatedMailer({ fate: fate.branch(), temper: adversity.mail, violation })
    this.host = new SimulatedHost({
      fate: fate.branch(),
      now,
      errorChance: adversity.hostErrorChance,
      upstream,
      mailer: this.mailer,
      hasWallet: !adversity.operator.paysBack
    })
    this.operator = new SimulatedOperator({
      fate: fate.branch(),
      temper: adversity.operator,
      witness: this.orders,
      upstream,
      chain,
      finalityMillis,
      now,
      after,
      server,
      owedFor: (key) => {
        const payment = witness.payments.get(key)
        if (payment === undefined) return undefined
        const { from, value } = authorizationOf(payment)
        // An operator looks on the chain first, whether the payment came and can't be undone any more.
        const paidMillis = chain.transferOf(authorizationOf(payment))?.minedMillis ?? Infinity
        if (finalityMillis > 0 && paidMillis + finalityMillis > now()) return undefined
        return { payer: from, amountAtomic: value }
      },
      areRefundsStopped: () => witness.areRefundsStopped,
      note
    })
    this.orders.onWritten = (order) => this.operator.sees(order)
  }

  /** Has everybody behave as in a world that is so hard. */
  become({ hostErrorChance, mail, operator, upstream }: Adversity): void {
    this.host.errorChance = hostErrorChance
    this.upstream.temper = upstream
    this.mailer.temper = mail
    this.operator.temper = operator
  }
}
