import type { Authorization } from "../../src/domain/PaymentPayload.ts"
import {
  cancellationSignatureOf,
  type ContractCall,
  multicallAddress,
  signatureOf,
  transferCall
} from "./chain/Calls.ts"
import type { SeededRandom } from "./SeededRandom.ts"
import { evmPayTo as payTo } from "./Server.ts"

/** An attacker's accounts: the current one, and one to hide its balance in. */
export interface AttackerAccounts {
  readonly account: string
  readonly hiding: string
}

/** Draws random transactions from every call a payer can make with its signed nonces and balance. */
export class TransactionComposer {
  private readonly random: SeededRandom
  private readonly signed: ReadonlyArray<Authorization>
  private readonly accounts: () => AttackerAccounts
  private readonly balanceOf: (address: string) => bigint
  private readonly onHidden: (hiding: string, account: string) => void

  constructor(options: {
    readonly random: SeededRandom
    /** Everything the attacker has signed so far; grows. */
    readonly signed: ReadonlyArray<Authorization>
    readonly accounts: () => AttackerAccounts
    readonly balanceOf: (address: string) => bigint
    /** Called each time the balance is hidden. */
    readonly onHidden: (hiding: string, account: string) => void
  }) {
    this.random = options.random
    this.signed = options.signed
    this.accounts = options.accounts
    this.balanceOf = options.balanceOf
    this.onHidden = options.onHidden
  }

  /** Draws a transaction. */
  compose(): ReadonlyArray<ContractCall> {
    switch (this.random.weighted({ oneTransferManyNonces: 4, useUp: 2, randomCalls: 5, hideBalance: 2 })) {
      case "oneTransferManyNonces":
        return this.oneTransferManyNonces()
      case "useUp":
        return this.signed.map((authorization) => this.relayed(this.differentMessage(authorization)))
      case "randomCalls":
        return this.randomCalls(this.random.between(1, 4))
      case "hideBalance":
        return this.hideBalance()
    }
  }

  /** Transfers one payment and uses up the nonces of all others without moving money. */
  private oneTransferManyNonces(): ReadonlyArray<ContractCall> {
    const { random, signed } = this
    if (signed.length < 2) return this.randomCalls(2)
    const real = random.between(0, signed.length - 1)
    const calls = signed.map((authorization, index) =>
      this.relayed(
        index === real ? transferCall(authorization) : transfer(authorization, authorization.from, "0")
      )
    )
    return random.chance(0.5) ? calls.toReversed() : calls
  }

  /** Moves the balance to another account, perhaps to return later. */
  private hideBalance(): ReadonlyArray<ContractCall> {
    const { account, hiding } = this.accounts()
    this.onHidden(hiding, account)
    return [{ sender: account, call: { _tag: "transfer", to: hiding, value: this.balanceOf(account) } }]
  }

  randomCalls(count: number): ReadonlyArray<ContractCall> {
    return Array.from({ length: count }, () => this.randomCall())
  }

  /** One call with a signed payment or with the balance. */
  private randomCall(): ContractCall {
    const { random, signed } = this
    const { account } = this.accounts()
    const plain = (): ContractCall => ({
      sender: random.chance(0.2) ? multicallAddress : account,
      call: {
        _tag: "transfer",
        to: random.pick([payTo, account, multicallAddress]),
        value: random.pick([0n, 0n, 1n, 5_000_000n])
      },
      mayFail: true
    })
    if (signed.length === 0) return plain()
    const authorization = random.pick(signed)
    switch (random.weighted({ real: 4, differentMessage: 4, receive: 2, cancel: 2, imitate: 1, plain: 2 })) {
      case "real":
        return this.relayed(transferCall(authorization))
      case "differentMessage":
        return this.relayed(this.differentMessage(authorization))
      case "receive": {
        const to = random.chance(0.8) ? authorization.from : payTo
        const other = { ...authorization, to, value: random.pick(["0", authorization.value]) }
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
        return this.relayed({
          _tag: "cancelAuthorization",
          from,
          nonce,
          signature: cancellationSignatureOf(from, nonce)
        })
      }
      case "imitate":
        return this.relayed({ _tag: "imitate", authorization })
      case "plain":
        return plain()
    }
  }

  /** Signs another message under a payment's nonce: for nothing, for less, or for another recipient. */
  private differentMessage(authorization: Authorization): ContractCall["call"] {
    const { from, value } = authorization
    switch (this.random.weighted({ nothing: 4, self: 2, away: 2, less: 2 })) {
      case "nothing":
        return transfer(authorization, this.random.pick([from, payTo]), "0")
      case "self":
        return transfer(authorization, from, value)
      case "away":
        return transfer(authorization, this.accounts().hiding, value)
      case "less":
        return transfer(authorization, payTo, this.random.pick(["1", String(BigInt(value) - 1n)]))
    }
  }

  /** A call relayed by a third party on behalf of its signer. */
  relayed(call: ContractCall["call"]): ContractCall {
    return { sender: multicallAddress, call, mayFail: this.random.chance(0.8) }
  }
}

const transfer = (authorization: Authorization, to: string, value: string): ContractCall["call"] =>
  transferCall({ ...authorization, to, value })

export const describeCall = (call: ContractCall["call"]): string => {
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
