import type { RpcOptions } from "./RpcParams.ts"
import { slotsWithoutBlock } from "./Slots.ts"
import type { LandedTransaction, SolanaVm } from "./SolanaVm.ts"

/** The chain as a call sees it: up to the newest slot, or up to the newest final one. */
export class RpcView {
  private readonly vm: SolanaVm
  constructor(vm: SolanaVm) {
    this.vm = vm
  }

  slotFor(options: RpcOptions): bigint {
    return options.finalizedOnly ? this.vm.finalSlot : this.vm.slot
  }

  heightFor(options: RpcOptions): bigint {
    return this.slotFor(options) - slotsWithoutBlock
  }

  isFinal(landed: LandedTransaction): boolean {
    return landed.slot <= this.vm.finalSlot
  }

  /** A result, with the slot as of which it holds. */
  inContext(value: unknown, slot = this.vm.slot) {
    return { context: { apiVersion: "3.1.0", slot: Number(slot) }, value }
  }
}
