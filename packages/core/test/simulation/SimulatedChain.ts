import type { Effect } from "effect"
import type { Authorization } from "../../src/domain/PaymentPayload.ts"
import type { Chain, ChainEvidence } from "../../src/toll/Chain.ts"
import type { Fate } from "./Fate.ts"
import { nonceKey } from "./Payment.ts"

/** From one block to the next. */
export const blockMillis = 2_000

/** The time of the latest block, and of the one that is being made. */
const latestBlock = (millis: number): number => Math.floor(millis / blockMillis) * blockMillis
const nextBlock = (millis: number): number => latestBlock(millis) + blockMillis

/** What used a nonce: a transfer of its authorization, or the payer's cancellation. */
interface Use {
  readonly kind: "moved" | "cancelled"
  readonly authorization: Authorization
  readonly transaction: string
  /** Time of the block that it stands in. */
  readonly minedMillis: number
}

/** A transfer that an authorization made. */
export type Transfer = Use & { readonly kind: "moved" }

/** What becomes of an authorization that is sent to the chain, and when that is seen. */
export interface Sending {
  readonly outcome: "moved" | "used" | "expired" | "too early"
  readonly transaction: string
  readonly minedMillis: number
}

/** How well the node that the till asks can be read. */
export interface NodeCondition {
  /** How far its view is behind the chain. */
  readonly lagMillis: number
  /** From when until when it answers nothing. */
  readonly down: ReadonlyArray<readonly [fromMillis: number, untilMillis: number]>
}

/**
 * The token contract and its chain: each payer's nonce is used once, by a transfer or a cancellation, while
 * its authorization is valid. And a node of it, which may lag behind or be down.
 */
export class SimulatedChain {
  condition: NodeCondition
  private readonly uses = new Map<string, Use>()
  private readonly fate: Fate
  private readonly now: () => number

  constructor(now: () => number, fate: Fate, condition: NodeCondition) {
    this.now = now
    this.fate = fate
    this.condition = condition
  }

  /** Sends a signed authorization, by whomever: it stands in the next block, if it can. */
  send(authorization: Authorization): Sending {
    const transaction = this.fate.hex(32)
    const minedMillis = nextBlock(this.now())
    const outcome =
      minedMillis >= Number(authorization.validBefore) * 1000
        ? "expired"
        : minedMillis <= Number(authorization.validAfter) * 1000
          ? "too early"
          : this.uses.has(nonceKey(authorization))
            ? "used"
            : "moved"
    if (outcome === "moved") this.use(authorization, "moved", transaction)
    return { outcome, transaction, minedMillis }
  }

  /** The payer takes an authorization back; answers whether its nonce was unused. */
  cancel(authorization: Authorization): boolean {
    if (this.uses.has(nonceKey(authorization))) return false
    this.use(authorization, "cancelled", this.fate.hex(32))
    return true
  }

  /** The transfer that an authorization made or is about to make in the next block. */
  transferOf(authorization: Authorization): Transfer | undefined {
    const use = this.uses.get(nonceKey(authorization))
    return use?.kind === "moved" ? (use as Transfer) : undefined
  }

  isUsed(authorization: Authorization): boolean {
    const use = this.uses.get(nonceKey(authorization))
    return use !== undefined && use.minedMillis <= this.now()
  }

  get transfers(): ReadonlyArray<Transfer> {
    return Array.from(this.uses.values()).filter((use): use is Transfer => use.kind === "moved")
  }

  /** What the node says of an authorization now. */
  evidence(authorization: Authorization): ChainEvidence {
    const nowMillis = this.now()
    const { down, lagMillis } = this.condition
    if (down.some(([from, until]) => from <= nowMillis && nowMillis < until)) return { _tag: "Unavailable" }
    const seenMillis = latestBlock(nowMillis - lagMillis)
    const use = this.uses.get(nonceKey(authorization))
    if (use === undefined || use.minedMillis > seenMillis) {
      return { _tag: "NotMoved", chainTimeSeconds: seenMillis / 1000 }
    }
    return use.kind === "moved"
      ? { _tag: "Moved", transaction: use.transaction, atSeconds: use.minedMillis / 1000 }
      : { _tag: "Cancelled" }
  }

  private use(authorization: Authorization, kind: Use["kind"], transaction: string): void {
    this.uses.set(nonceKey(authorization), {
      kind,
      authorization,
      transaction,
      minedMillis: nextBlock(this.now())
    })
  }
}

/** The chain as a process reads it; `ask` carries a question there and its answer back. */
export const chainPort = (
  chain: SimulatedChain,
  ask: <A>(name: string, answer: () => A) => Effect.Effect<A>
): Chain["Service"] => ({
  canRead: () => true,
  evidence: (_network, authorization) => ask("chain.evidence", () => chain.evidence(authorization)),
  hasCode: () => ask("chain.hasCode", () => true)
})
