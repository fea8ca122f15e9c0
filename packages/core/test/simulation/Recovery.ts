import type { PresentedPayment } from "./ClientNetwork.ts"
import type { Call } from "./Payment.ts"
import { isUndecided } from "./Shopper.ts"
import type { Simulation } from "./Simulation.ts"

/*
 * What happens after the last fault: payments are presented until they are decided, and orders are finished.
 */

/** Pauses after the last fault, long enough for leases, authorizations and backoffs to expire. */
const recoveryPausesMillis = [250_000, 800_000, 4_000_000]
/** An additional pause if a settlement may have been reopened, which then starts over. */
const reopenedMillis = 4_000_000
/** Pauses for orders, which take hours and days. */
const orderPausesMillis = [1, 5, 12, 8, 12, 24, 24, 48, 96, 0.1, 1, 1].map((hours) => hours * 3_600_000)
type World = Pick<
  Simulation,
  "advance" | "checker" | "economy" | "hostSystems" | "machines" | "request" | "sleep"
>

export class Recovery {
  private readonly world: World
  constructor(world: World) {
    this.world = world
  }

  /** Lets everything expire, and presents each payment again in between. */
  async presentPayments(): Promise<void> {
    const { economy, machines } = this.world
    const pauses = economy.chain.isReorganized
      ? [...recoveryPausesMillis, reopenedMillis]
      : recoveryPausesMillis
    for (const pauseMillis of pauses) {
      // A frozen process runs everything that is due when it wakes up.
      machines.first.process?.freeze(pauseMillis)
      await this.world.advance(pauseMillis + economy.readingMillis)
      await this.presentAll()
    }
  }

  /** Finishes orders, which take days: the processes sleep in between. */
  async finishOrders(): Promise<void> {
    const { process } = this.world.machines.first
    for (const pauseMillis of orderPausesMillis) {
      if (this.world.hostSystems.orders.areAllFinished) return
      process?.freeze(pauseMillis)
      await this.world.advance(pauseMillis)
      for (let look = 0; look < 3 && !this.world.hostSystems.orders.areAllFinished; look++) {
        await this.world.advance(6_000)
        this.world.hostSystems.operator.inspectOrders()
      }
      await this.world.advance(6_000)
    }
  }

  /** Presents every payment again until its outcome is decided. */
  private async presentAll(): Promise<void> {
    const payments = Array.from(this.world.checker.payments.values())
    const presenting = payments.map(async (payment) => {
      for (const call of payment.calls.values())
        for (const copy of payment.copies) await this.presentUntilDecided({ payment, copy }, call)
    })
    const state = { isOver: false }
    void Promise.all(presenting).then(() => {
      state.isOver = true
    })
    while (!state.isOver) await this.world.advance(1_000)
  }

  private async presentUntilDecided(paid: PresentedPayment, call: Call): Promise<void> {
    for (let attempt = 0; attempt < 5; attempt++) {
      const reply = await this.world.request(call, paid)
      paid.payment.lastReplies.set(`${call.name} ${paid.copy}`, reply)
      // Doesn't wait for the lease of a dead process: it expires before the next round.
      if (!isUndecided(reply) || reply?.status === 409) return
      await this.world.sleep(3_000)
    }
  }
}
