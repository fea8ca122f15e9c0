import { type Adversity, healed } from "./Adversity.ts"
import type { Fate } from "./Fate.ts"
import type { Journey, Strike } from "./Link.ts"

/** Deaths are likeliest where most is at stake: beside the steps that move money or record it. */
const momentous =
  /^(?:charges\.(?:advance|complete|void|markApplied)|facilitator\.settle|vaultPurchases\.(?:grant|reserve))$/
/** Steps of orders, which nobody waits for. */
const ofOrders =
  /^(?:orders\.replace|host\.(?:place|find|status|sign|mail)|charges\.(?:oweRefund|recordRefund))$/

const freezesMillis = [3_000, 60_000, 190_000, 230_000]

/** Decides, call by call, how long it is under way and what befalls it. */
export class Troubles {
  adversity: Adversity
  private readonly fate: Fate
  private readonly count: (what: string) => void
  private crashesLeft: number
  private freezesLeft: number
  private orderCrashesLeft: number
  private orderFreezesLeft: number
  private isOver = false
  /** Something has befallen somebody. */
  hasStruck = false

  constructor(adversity: Adversity, fate: Fate, count: (what: string) => void) {
    this.adversity = adversity
    this.fate = fate
    this.count = count
    this.crashesLeft = adversity.crashes
    this.freezesLeft = adversity.freezes
    this.orderCrashesLeft = adversity.orderCrashes
    this.orderFreezesLeft = adversity.orderFreezes
  }

  /** From now on nothing goes wrong. */
  end(): void {
    this.isOver = true
    this.adversity = healed(this.adversity)
  }

  /** `isBusy`: the process has requests to answer. One with nothing to do is a less instructive death. */
  journey(name: string, isBusy: boolean): Journey {
    const { adversity, fate } = this
    const isStore = !/^(?:facilitator|chain|host)\./.test(name)
    const isRpc = name.startsWith("chain.")
    const usual = isStore ? 3 : name === "facilitator.settle" ? 1_500 : isRpc ? 100 : 300
    const isInstant = fate.chance(isStore ? 0.7 : 0.3)
    return {
      thereMillis: fate.between(0, name === "host.place" ? adversity.placeWayMillis : usual),
      backMillis: fate.chance(adversity.slowChance)
        ? fate.between(1, adversity.slowMillis)
        : isInstant
          ? 0
          : fate.between(1, usual),
      strike: this.isOver ? undefined : this.struck(name, isStore, isBusy)
    }
  }

  private struck(name: string, isStore: boolean, isBusy: boolean): Strike | undefined {
    const strike = this.strikeOrder(name) ?? this.strike(name, isStore, isBusy)
    if (strike !== undefined) this.hasStruck = true
    return strike
  }

  private strikeOrder(name: string): Strike | undefined {
    const { adversity, fate } = this
    if (this.orderCrashesLeft + this.orderFreezesLeft === 0 || !ofOrders.test(name)) return undefined
    // Few orders come to be paid back.
    const weight = name === "charges.oweRefund" ? 10 : /Refund$|sign$/.test(name) ? 3 : 1
    if (!fate.chance(adversity.orderStrikeChance * weight)) return undefined
    if (this.orderFreezesLeft > 0) {
      this.orderFreezesLeft--
      this.count("freeze amid an order")
      return { _tag: "Freeze", millis: fate.pick(freezesMillis) }
    }
    this.orderCrashesLeft--
    this.count(`crash at ${name}`)
    return fate.chance(0.15)
      ? { _tag: "PowerCut", statements: fate.between(0, 2) }
      : { _tag: "Crash", when: fate.chance(0.4) ? "early" : "late" }
  }

  private strike(name: string, isStore: boolean, isBusy: boolean): Strike | undefined {
    const { adversity, fate } = this
    const weight = momentous.test(name) ? 3 : isBusy && name !== "charges.find" ? 1 : 0.1
    const when = fate.chance(0.5) ? "early" : "late"
    if (this.crashesLeft > 0 && fate.chance(adversity.crashChance * weight)) {
      this.crashesLeft--
      const statements = fate.chance(0.3) ? fate.between(0, 3) : undefined
      this.count(name.startsWith("chain.") ? "crash at chain" : `crash at ${name}`)
      return statements === undefined ? { _tag: "Crash", when } : { _tag: "PowerCut", statements }
    }
    if (this.freezesLeft > 0 && fate.chance(adversity.freezeChance * weight)) {
      this.freezesLeft--
      this.count("freeze")
      return { _tag: "Freeze", millis: fate.pick(freezesMillis) }
    }
    if (name.startsWith("chain.") && fate.chance(adversity.rpcLossChance)) {
      this.count("RPC request lost")
      return { _tag: "Error", when }
    }
    if (isStore && fate.chance(adversity.storeErrorChance)) {
      this.count(`store error ${when}`)
      return { _tag: "Error", when }
    }
    return undefined
  }
}
