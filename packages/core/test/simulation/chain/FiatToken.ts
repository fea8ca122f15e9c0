import type { Authorization } from "../../../src/domain/PaymentPayload.ts"
import {
  cancellationSignatureOf,
  type ChainCall,
  type ContractCall,
  isSignatureOf,
  nonceKey
} from "./Calls.ts"

/** An event of the token, or of a contract that imitates it. */
export type TokenEvent =
  | {
      readonly _tag: "AuthorizationUsed" | "AuthorizationCanceled"
      readonly from: string
      readonly nonce: string
    }
  | { readonly _tag: "Transfer"; readonly from: string; readonly to: string; readonly value: bigint }

/** An event, where it was emitted and by which call. */
export interface Emitted {
  readonly event: TokenEvent
  /** The emitting contract is not the token. */
  readonly isImitation: boolean
  /** The authorization whose call emitted it, by payer and nonce. */
  readonly nonceKey: string | undefined
}

/** How a nonce was used. */
export interface NonceUse {
  readonly block: number
  readonly transaction: string
  /** The transfer made by its call; `undefined` if it was canceled. */
  readonly moved: { readonly to: string; readonly value: bigint } | undefined
}

/** Thrown if a transaction reverts, with the reason. */
export class Reverted extends Error {}

interface Entry<A> {
  readonly block: number
  readonly value: A
}

const zeroAddress = `0x${"0".repeat(40)}`

/**
 * The token contract, following EIP-3009 as FiatToken 2.2 implements it: balances, single-use nonces, signed
 * messages.
 *
 * State is kept by block, so that it can be read and reverted by block.
 */
export class FiatToken {
  private readonly balances = new Map<string, Array<Entry<bigint>>>()
  private readonly uses = new Map<string, NonceUse>()

  /** Creates tokens before the first block. */
  mint(address: string, value: bigint): void {
    const account = address.toLowerCase()
    this.balances.set(account, [{ block: 0, value: this.balanceOf(account) + value }])
  }

  /** Balance at the end of a block; without one, after all executed calls. */
  balanceOf(address: string, block = Infinity): bigint {
    const entries = this.balances.get(address.toLowerCase())
    return entries?.findLast((entry) => entry.block <= block)?.value ?? 0n
  }

  useOf(key: string, block = Infinity): NonceUse | undefined {
    const use = this.uses.get(key)
    return use !== undefined && use.block <= block ? use : undefined
  }

  /** A copy as of the end of a block, to try calls on. */
  asOf(block: number): FiatToken {
    const copy = new FiatToken()
    for (const [address, entries] of this.balances)
      copy.balances.set(
        address,
        entries.filter((entry) => entry.block <= block)
      )
    for (const [key, use] of this.uses) if (use.block <= block) copy.uses.set(key, use)
    return copy
  }

  /** Executes the calls of a transaction in a block; throws {@link Reverted} if it reverts. */
  execute(
    calls: ReadonlyArray<ContractCall>,
    at: { readonly block: number; readonly atSeconds: number; readonly transaction: string }
  ): ReadonlyArray<Emitted> {
    const undone: Array<() => void> = []
    const emitted: Array<Emitted> = []
    const revertTo = (length: number): void => {
      while (undone.length > length) undone.pop()!()
    }
    for (const { call, mayFail, sender } of calls) {
      const [changes, events] = [undone.length, emitted.length]
      try {
        this.call(call, sender.toLowerCase(), at, emitted, undone)
      } catch (error) {
        if (!(error instanceof Reverted)) throw error
        revertTo(mayFail === true ? changes : 0)
        if (mayFail !== true) throw error
        emitted.length = events
      }
    }
    return emitted
  }

  /** Undoes every block after this one. */
  revertTo(block: number): void {
    for (const entries of this.balances.values())
      while (entries.length > 0 && entries.at(-1)!.block > block) entries.pop()
    for (const [key, use] of this.uses) if (use.block > block) this.uses.delete(key)
  }

  private call(
    call: ChainCall,
    sender: string,
    at: { readonly block: number; readonly atSeconds: number; readonly transaction: string },
    emitted: Array<Emitted>,
    undone: Array<() => void>
  ): void {
    const emit = (event: TokenEvent, key?: string, isImitation = false): void => {
      emitted.push({ event, isImitation, nonceKey: key })
    }
    switch (call._tag) {
      case "transfer": {
        const to = call.to.toLowerCase()
        this.move(sender, to, call.value, at.block, undone)
        emit({ _tag: "Transfer", from: sender, to, value: call.value })
        return
      }
      case "transferWithAuthorization":
      case "receiveWithAuthorization": {
        const { authorization } = call
        const [from, to] = [authorization.from.toLowerCase(), authorization.to.toLowerCase()]
        const value = BigInt(authorization.value)
        if (call._tag === "receiveWithAuthorization" && sender !== to)
          throw new Reverted("caller must be the payee")
        requireTime(authorization, at.atSeconds)
        this.requireUnused(authorization)
        if (!isSignatureOf(authorization, call.signature, call._tag)) throw new Reverted("invalid signature")
        const key = nonceKey(authorization)
        this.use(key, { block: at.block, transaction: at.transaction, moved: { to, value } }, undone)
        emit({ _tag: "AuthorizationUsed", from, nonce: authorization.nonce.toLowerCase() }, key)
        this.move(from, to, value, at.block, undone)
        emit({ _tag: "Transfer", from, to, value }, key)
        return
      }
      case "cancelAuthorization": {
        this.requireUnused(call)
        if (call.signature !== cancellationSignatureOf(call.from, call.nonce))
          throw new Reverted("invalid signature")
        const key = nonceKey(call)
        this.use(key, { block: at.block, transaction: at.transaction, moved: undefined }, undone)
        const [from, nonce] = [call.from.toLowerCase(), call.nonce.toLowerCase()]
        emit({ _tag: "AuthorizationCanceled", from, nonce }, key)
        return
      }
      case "imitate": {
        const { authorization } = call
        const [from, to] = [authorization.from.toLowerCase(), authorization.to.toLowerCase()]
        emit({ _tag: "AuthorizationUsed", from, nonce: authorization.nonce.toLowerCase() }, undefined, true)
        emit({ _tag: "Transfer", from, to, value: BigInt(authorization.value) }, undefined, true)
        return
      }
    }
  }

  private requireUnused(message: Pick<Authorization, "from" | "nonce">): void {
    if (this.uses.has(nonceKey(message))) throw new Reverted("authorization is used or canceled")
  }

  private use(key: string, use: NonceUse, undone: Array<() => void>): void {
    this.uses.set(key, use)
    undone.push(() => this.uses.delete(key))
  }

  private move(from: string, to: string, value: bigint, block: number, undone: Array<() => void>): void {
    if (to === zeroAddress) throw new Reverted("transfer to the zero address")
    if (this.balanceOf(from) < value) throw new Reverted("transfer amount exceeds balance")
    this.add(from, -value, block, undone)
    this.add(to, value, block, undone)
  }

  private add(account: string, value: bigint, block: number, undone: Array<() => void>): void {
    const entries = this.balances.get(account) ?? []
    if (entries.length === 0) this.balances.set(account, entries)
    const before = entries.at(-1)
    const entry = { block, value: (before?.value ?? 0n) + value }
    if (before?.block === block) {
      entries[entries.length - 1] = entry
      undone.push(() => void (entries[entries.length - 1] = before))
    } else {
      entries.push(entry)
      undone.push(() => void entries.pop())
    }
  }
}

const requireTime = ({ validAfter, validBefore }: Authorization, atSeconds: number): void => {
  if (atSeconds <= Number(validAfter)) throw new Reverted("authorization is not yet valid")
  if (atSeconds >= Number(validBefore)) throw new Reverted("authorization is expired")
}
