import { type FaultPlan, withoutFaults } from "./FaultPlan.ts"
import type { SeededRandom } from "./SeededRandom.ts"
import { type ClockFault, clockFaultMillis } from "./ClockFaults.ts"
import type { CallPlan, Fault } from "./Link.ts"

/** Calls that move money or record it: crashes are most likely there. */
const criticalCalls =
  /^(?:charges\.(?:advance|complete|void|markApplied)|facilitator\.settle|journal\.insert|vaultPurchases\.(?:grant|reserve))$/
/** Calls of order processing, for which no client waits. */
const orderCalls =
  /^(?:orders\.replace|host\.(?:place|find|status|sign|mail)|journal\.insert|charges\.(?:markRefundDue|record(?:Manual)?Refund))$/

/** In every world: a purchase is granted once, and its buyer may download it before. */
const grantErrorChance = 0.3

const freezesMillis = [3_000, 60_000, 190_000, 230_000]

/** Draws delays and faults for every call of a process. */
export class FaultInjector {
  faultPlan: FaultPlan
  private readonly random: SeededRandom
  private readonly count: (what: string) => void
  private crashesLeft: number
  private freezesLeft: number
  private orderCrashesLeft: number
  private orderFreezesLeft: number
  private isOver = false
  /** Whether any fault was injected. */
  hasInjectedFault: boolean
  private readonly clockFaults: ReadonlyArray<ClockFault>

  constructor(
    faultPlan: FaultPlan,
    random: SeededRandom,
    count: (what: string) => void,
    clockFaults: ReadonlyArray<ClockFault> = []
  ) {
    this.faultPlan = faultPlan
    this.clockFaults = clockFaults
    this.hasInjectedFault = clockFaults.length > 0
    this.random = random
    this.count = count
    this.crashesLeft = faultPlan.crashes
    this.freezesLeft = faultPlan.freezes
    this.orderCrashesLeft = faultPlan.orderCrashes
    this.orderFreezesLeft = faultPlan.orderFreezes
  }

  /** Stops all faults. */
  stop(): void {
    this.isOver = true
    this.faultPlan = withoutFaults(this.faultPlan)
  }

  /** How far the clock of a machine is ahead. */
  skewMillis(machine: number, nowMillis: number): number {
    const fault = this.isOver ? 0 : clockFaultMillis(this.clockFaults, machine, nowMillis)
    return fault + (this.faultPlan.skewMillis[machine] ?? 0)
  }

  /** The most by which the clock of a machine can run ahead of its time, since faults begin and end. */
  clockJumpsMillis(machine: number): number {
    const faults = this.clockFaults.filter((fault) => fault.machine === machine)
    return faults.reduce((sum, { byMillis }) => sum + 2 * Math.abs(byMillis), 0)
  }

  /** `isBusy`: the process is handling requests. Crashes of idle processes are rarer, as they show less. */
  planCall(name: string, isBusy: boolean): CallPlan {
    const { faultPlan, random } = this
    const isStore = !/^(?:facilitator|chain|host)\./.test(name)
    const isRpc = name.startsWith("chain.")
    const usual = isStore ? 3 : name === "facilitator.settle" ? 1_500 : isRpc ? 100 : 300
    const isInstant = random.chance(isStore ? 0.7 : 0.3)
    return {
      outboundMillis: random.between(0, name === "host.place" ? faultPlan.placeTransitMillis : usual),
      returnMillis: random.chance(faultPlan.slowChance)
        ? random.between(1, faultPlan.slowMillis)
        : isInstant
          ? 0
          : random.between(1, usual),
      fault: this.isOver ? undefined : this.nextFault(name, isStore, isBusy)
    }
  }

  private nextFault(name: string, isStore: boolean, isBusy: boolean): Fault | undefined {
    const fault = this.drawOrderFault(name) ?? this.drawFault(name, isStore, isBusy)
    if (fault !== undefined) this.hasInjectedFault = true
    return fault
  }

  private drawOrderFault(name: string): Fault | undefined {
    const { faultPlan, random } = this
    if (this.orderCrashesLeft + this.orderFreezesLeft === 0 || !orderCalls.test(name)) return undefined
    // Refunds are rare, so faults around them get more weight.
    const weight = /^charges\.(?:markRefundDue|recordRefund)$/.test(name)
      ? 10
      : /Refund$|sign$/.test(name)
        ? 3
        : 1
    if (!random.chance(faultPlan.orderFaultChance * weight)) return undefined
    if (this.orderFreezesLeft > 0) {
      this.orderFreezesLeft--
      this.count("freeze amid an order")
      return { _tag: "Freeze", millis: random.pick(freezesMillis) }
    }
    this.orderCrashesLeft--
    this.count(`crash at ${name}`)
    return random.chance(0.15)
      ? { _tag: "PowerCut", statements: random.between(0, 2) }
      : { _tag: "Crash", when: random.chance(0.4) ? "early" : "late" }
  }

  private drawFault(name: string, isStore: boolean, isBusy: boolean): Fault | undefined {
    const { faultPlan, random } = this
    const weight = criticalCalls.test(name) ? 3 : isBusy && name !== "charges.find" ? 1 : 0.1
    const when = random.chance(0.5) ? "early" : "late"
    if (this.crashesLeft > 0 && random.chance(faultPlan.crashChance * weight)) {
      this.crashesLeft--
      const statements = random.chance(0.3) ? random.between(0, 3) : undefined
      this.count(name.startsWith("chain.") ? "crash at chain" : `crash at ${name}`)
      return statements === undefined ? { _tag: "Crash", when } : { _tag: "PowerCut", statements }
    }
    if (this.freezesLeft > 0 && random.chance(faultPlan.freezeChance * weight)) {
      this.freezesLeft--
      this.count("freeze")
      return { _tag: "Freeze", millis: random.pick(freezesMillis) }
    }
    if (name.startsWith("chain.") && random.chance(faultPlan.rpcLossChance)) {
      this.count("RPC request lost")
      return { _tag: "Error", when }
    }
    const errorChance = name === "vaultPurchases.grant" ? grantErrorChance : faultPlan.storeErrorChance
    if (isStore && random.chance(errorChance)) {
      this.count(`store error ${when}`)
      return { _tag: "Error", when }
    }
    return undefined
  }
}
