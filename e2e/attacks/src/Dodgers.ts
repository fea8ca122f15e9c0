import type { FacilitatorClient } from "@till402/core"
import type { PrivateKeyAccount } from "viem/accounts"
import { type Attacker, freshAccount, openAttacker } from "./Attacker.ts"
import { trackOf } from "./Calls.ts"
import { Gathering } from "./Gathering.ts"
import { type Goods, slowWork } from "./Goods.ts"
import type { LocalChain } from "./LocalChain.ts"
import type { Payment } from "./Payments.ts"
import { type Server, visit, type Visitor } from "./Visitor.ts"

/*
 * Payers that have upstream work done and move their money away before settlement.
 */

export const trackPrice = 520_000n
export const searchPrice = 10_000n

/** Value of a server's upstream calls, at list price. */
export const upstreamCost = ({ marketplace, tracker }: Goods): bigint =>
  BigInt(tracker.track.calls.length) * trackPrice + BigInt(marketplace.search.calls.length) * searchPrice

const workMillis = 20
/** How long the first settlement of a round waits for another one. */
const quietMillis = 1_000

/** Concurrent payments by one key that moves its money away. */
interface Round {
  readonly gathering: Gathering
  readonly empty: () => Promise<void>
}

export interface Dodgers {
  /** Verifies honestly; the first settlement of a round waits until its payer has no money left. */
  readonly facilitator: FacilitatorClient
  /** Signs and presents payments for `track` by one key at once, and meanwhile moves its money to a fresh key. */
  readonly dodge: (
    visitor: Visitor,
    account: PrivateKeyAccount,
    count: number
  ) => Promise<{ readonly served: number; readonly next: PrivateKeyAccount }>
  readonly attacker: Attacker
}

export const openDodgers = (local: LocalChain): Dodgers => {
  const attacker = openAttacker(local)
  const rounds = new Map<string, Round>()
  const honest = local.facilitator.client
  return {
    attacker,
    facilitator: {
      verify: honest.verify,
      settle: async (payment: Payment, requirements) => {
        const round = rounds.get(payment.payload.authorization.from)
        await round?.gathering.arrive()
        await round?.empty()
        return honest.settle(payment, requirements)
      }
    },
    dodge: async (visitor, account, count) => {
      const payments: Array<Payment> = []
      for (let made = 0; made < count; made++) payments.push(await visitor.payFor(trackOf(made), { account }))
      const next = freshAccount()
      let emptied: Promise<void> | undefined
      rounds.set(account.address, {
        gathering: new Gathering(count, quietMillis),
        empty: () => (emptied ??= attacker.moveAll(account, next.address))
      })
      const responses = await Promise.all(
        payments.map((payment, made) => visitor.present(trackOf(made), payment))
      )
      rounds.delete(account.address)
      // If the server settles first or refuses everything, the attacker moves the money.
      await attacker.moveAll(account, next.address)
      return { served: responses.filter(({ status }) => status === 200).length, next }
    }
  }
}

export interface Loss {
  /** Value of the upstream work done, at list price. */
  readonly cost: bigint
  /** Money that the recipient received. */
  readonly paid: bigint
  readonly unpaid: bigint
  readonly millis: number
}

/** Attacks a server and measures its unpaid upstream work. Each server has its own `payTo`. */
export const lossOf = async (
  { chain }: LocalChain,
  { goods }: Server,
  payTo: string,
  run: () => Promise<void>
): Promise<Loss> => {
  slowWork(goods, workMillis)
  const received = () => chain.balanceOf(payTo as `0x${string}`)
  const before = { received: await received(), cost: upstreamCost(goods) }
  const startedMillis = performance.now()
  await run()
  const millis = performance.now() - startedMillis
  const cost = upstreamCost(goods) - before.cost
  const paid = (await received()) - before.received
  return { cost, paid, unpaid: cost > paid ? cost - paid : 0n, millis }
}

export interface Dodging {
  /** Each owns the price of one call and passes it on to a fresh key. */
  readonly keys: number
  readonly rounds: number
  readonly callsAtOnce: number
  /** Ends the attack early if it returns true after a round. */
  readonly isEnough?: () => boolean
}

/** Attacks with several keys at a time, which pass their money to fresh ones round after round. */
export const dodgeFor = async (
  { attacker, dodge }: Dodgers,
  server: Server,
  { callsAtOnce, isEnough = () => false, keys, rounds }: Dodging
): Promise<void> => {
  const visitor = visit(server)
  let accounts = await Promise.all(Array.from({ length: keys }, () => attacker.fund(trackPrice)))
  for (let round = 0; round < rounds && !isEnough(); round++) {
    const dodged = await Promise.all(accounts.map((account) => dodge(visitor, account, callsAtOnce)))
    accounts = dodged.map(({ next }) => next)
  }
}
