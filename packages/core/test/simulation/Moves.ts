import type { Authorization } from "../../src/domain/PaymentPayload.ts"
import {
  cancellationSignatureOf,
  type ContractCall,
  multicallAddress,
  signatureOf,
  transferCall
} from "./chain/Calls.ts"
import type { Fate } from "./Fate.ts"
import { payTo } from "./Server.ts"

/** An attacker's accounts: the one in use, and one to hide its balance on. */
export interface Purse {
  readonly account: string
  readonly hiding: string
}

/** Draws transactions out of everything that a payer can do with the nonces and the balance that they signed for. */
export class Moves {
  private readonly fate: Fate
  private readonly signed: ReadonlyArray<Authorization>
  private readonly purse: () => Purse
  private readonly balanceOf: (address: string) => bigint
  private readonly onHidden: (hiding: string, account: string) => void

  constructor(options: {
    readonly fate: Fate
    /** What the attacker signed so far; grows. */
    readonly signed: ReadonlyArray<Authorization>
    readonly purse: () => Purse
    readonly balanceOf: (address: string) => bigint
    /** Told of each time that the balance is hidden. */
    readonly onHidden: (hiding: string, account: string) => void
  }) {
    this.fate = options.fate
    this.signed = options.signed
    this.purse = options.purse
    this.balanceOf = options.balanceOf
    this.onHidden = options.onHidden
  }

  /** Draws a transaction. */
  compose(): ReadonlyArray<ContractCall> {
    switch (this.fate.weighted({ oneForAll: 4, useUp: 2, mixed: 5, away: 2 })) {
      case "oneForAll":
        return this.oneForAll()
      case "useUp":
        return this.signed.map((authorization) => this.mixed(this.otherwise(authorization)))
      case "mixed":
        return this.moves(this.fate.between(1, 4))
      case "away":
        return this.away()
    }
  }

  /** One payment moves, the nonces of all others are used up by nothing. */
  private oneForAll(): ReadonlyArray<ContractCall> {
    const { fate, signed } = this
    if (signed.length < 2) return this.moves(2)
    const real = fate.between(0, signed.length - 1)
    const calls = signed.map((authorization, index) =>
      this.mixed(
        index === real ? transferCall(authorization) : transfer(authorization, authorization.from, "0")
      )
    )
    return fate.chance(0.5) ? calls.toReversed() : calls
  }

  /** The balance goes to another account, and perhaps comes back later. */
  private away(): ReadonlyArray<ContractCall> {
    const { account, hiding } = this.purse()
    this.onHidden(hiding, account)
    return [{ sender: account, call: { _tag: "transfer", to: hiding, value: this.balanceOf(account) } }]
  }

  moves(count: number): ReadonlyArray<ContractCall> {
    return Array.from({ length: count }, () => this.move())
  }

  /** One call, with one of the payments that were signed, or with the balance. */
  private move(): ContractCall {
    const { fate, signed } = this
    const { account } = this.purse()
    const plain = (): ContractCall => ({
      sender: fate.chance(0.2) ? multicallAddress : account,
      call: {
        _tag: "transfer",
        to: fate.pick([payTo, account, multicallAddress]),
        value: fate.pick([0n, 0n, 1n, 5_000_000n])
      },
      mayFail: true
    })
    if (signed.length === 0) return plain()
    const authorization = fate.pick(signed)
    switch (fate.weighted({ real: 4, otherwise: 4, receive: 2, cancel: 2, imitate: 1, plain: 2 })) {
      case "real":
        return this.mixed(transferCall(authorization))
      case "otherwise":
        return this.mixed(this.otherwise(authorization))
      case "receive": {
        const to = fate.chance(0.8) ? authorization.from : payTo
        const other = { ...authorization, to, value: fate.pick(["0", authorization.value]) }
        return {
          sender: authorization.from,
          call: {
            _tag: "receiveWithAuthorization",
            authorization: other,
            signature: signatureOf(other, "receiveWithAuthorization")
          },
          mayFail: true
        }
      }
      case "cancel": {
        const { from, nonce } = authorization
        return this.mixed({
          _tag: "cancelAuthorization",
          from,
          nonce,
          signature: cancellationSignatureOf(from, nonce)
        })
      }
      case "imitate":
        return this.mixed({ _tag: "imitate", authorization })
      case "plain":
        return plain()
    }
  }

  /** The nonce of a payment in another message: of nothing, of less, to somebody else. */
  private otherwise(authorization: Authorization): ContractCall["call"] {
    const { from, value } = authorization
    switch (this.fate.weighted({ nothing: 4, self: 2, away: 2, less: 2 })) {
      case "nothing":
        return transfer(authorization, this.fate.pick([from, payTo]), "0")
      case "self":
        return transfer(authorization, from, value)
      case "away":
        return transfer(authorization, this.purse().hiding, value)
      case "less":
        return transfer(authorization, payTo, this.fate.pick(["1", String(BigInt(value) - 1n)]))
    }
  }

  /** A call that anybody can make for its signer. */
  mixed(call: ContractCall["call"]): ContractCall {
    return { sender: multicallAddress, call, mayFail: this.fate.chance(0.8) }
  }
}

const transfer = (authorization: Authorization, to: string, value: string): ContractCall["call"] =>
  transferCall({ ...authorization, to, value })

export const sayCall = (call: ContractCall["call"]): string => {
  switch (call._tag) {
    case "transfer":
      return `transfer ${call.value} to ${call.to.slice(-6)}`
    case "cancelAuthorization":
      return `cancel ${call.nonce.slice(0, 10)}`
    default: {
      const { from, nonce, to, value } = call.authorization
      return `${call._tag} ${nonce.slice(0, 10)} ${from.slice(-4)} → ${to.slice(-4)} ${value}`
    }
  }
}
