import type { Hash, Hex } from "viem"
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import { usdc } from "./Calls.ts"
import type { LocalChain } from "./LocalChain.ts"
import { batchOf, multicall, useNonce } from "./Multicall.ts"
import { nextNonce } from "./Payments.ts"

/** A payer with any number of keys who can compose transactions. */
export interface Attacker {
  /** A fresh key that owns an amount, in atomic units. */
  readonly fund: (atomic: bigint) => Promise<PrivateKeyAccount>
  /** Sends one call to the token; resolves once it succeeded. */
  readonly send: (call: Hex) => Promise<Hash>
  /** Sends many calls to the token in one transaction. */
  readonly sendBatch: (calls: ReadonlyArray<Hex>) => Promise<Hash>
  /** Moves an account's whole balance to another. */
  readonly moveAll: (from: PrivateKeyAccount, to: string) => Promise<void>
}

export const freshAccount = (): PrivateKeyAccount => privateKeyToAccount(generatePrivateKey())

/** The last transaction of each chain. They are sent in sequence, since each takes the account's next nonce. */
const lastSent = new WeakMap<object, Promise<unknown>>()

export const openAttacker = ({ chain }: LocalChain): Attacker => {
  const account = chain.accounts(6)
  const transact = (to: Hex, data: Hex): Promise<Hash> => {
    const sent = (lastSent.get(chain) ?? Promise.resolve()).then(async () => {
      const hash = await chain.client.sendTransaction({ account, to, data })
      const { status } = await chain.client.waitForTransactionReceipt({ hash, timeout: 60_000 })
      if (status !== "success") throw new Error("the attacker's transaction was reverted")
      return hash
    })
    lastSent.set(
      chain,
      sent.catch(() => undefined)
    )
    return sent
  }
  const send = (call: Hex) => transact(usdc, call)
  return {
    fund: async (atomic) => {
      const funded = freshAccount()
      await chain.mint(funded.address, atomic)
      return funded
    },
    send,
    sendBatch: (calls) => transact(multicall, batchOf(calls)),
    moveAll: async (from, to) => {
      const value = await chain.balanceOf(from.address)
      if (value > 0n) await send(await useNonce(from, { to, value, nonce: nextNonce() }))
    }
  }
}
