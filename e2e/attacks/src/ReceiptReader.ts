import type { FacilitatorClient } from "@till402/core"
import { type Chain, usdcAbi } from "@till402/sandbox"
import { type Hex, parseEventLogs } from "viem"
import { usdc } from "./Calls.ts"
import { type Serve, openHandWritten } from "./HandWritten.ts"
import type { NaiveOptions, NaiveServer } from "./NaiveShop.ts"
import { type Authorization, keyOf } from "./Payments.ts"

export const receiptReader = "a hand-rolled server that looks for its transfer in the receipt"

const same = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase()

/**
 * A former rule of Till402: one transaction with the nonce's event and any transfer of the amount proves a
 * payment.
 */
const findTransfer = async ({ client }: Chain, authorization: Authorization): Promise<Hex | undefined> => {
  const { from, nonce, to, value } = authorization
  const logs = await client.getLogs({ address: usdc, fromBlock: 0n })
  const used = parseEventLogs({ abi: usdcAbi, eventName: "AuthorizationUsed", logs })
  const use = used.find(({ args }) => same(args.authorizer, from) && same(args.nonce, nonce))
  if (use === undefined) return undefined
  const receipt = await client.getTransactionReceipt({ hash: use.transactionHash })
  const transfers = parseEventLogs({ abi: usdcAbi, eventName: "Transfer", logs: receipt.logs })
  const moved = transfers.some(
    ({ args }) => same(args.from, from) && same(args.to, to) && args.value === BigInt(value)
  )
  return moved ? use.transactionHash : undefined
}

export const isUsed = ({ client }: Chain, { from, nonce }: Authorization): Promise<boolean> =>
  client.readContract({
    address: usdc,
    abi: usdcAbi,
    functionName: "authorizationState",
    args: [from as Hex, nonce as Hex]
  })

interface Books {
  /** Refused payments that were settled anyway. */
  readonly owed: Map<string, Authorization>
  /** Payments with finished work and an open outcome. */
  readonly pending: Map<string, Authorization>
  /** Refused payments that may still be settled. */
  readonly watched: Map<string, Authorization>
}

/**
 * Doesn't trust a facilitator's failures and reads the chain. It serves a payment that moved, refunds one that moved
 * although it was refused, and waits if the nonce is used without a trace.
 */
const serveBy = (facilitator: FacilitatorClient, chain: Chain, { owed, pending, watched }: Books): Serve => {
  const finished = new Set<string>()
  return async ({ challenge, context, payment, requirements, work }) => {
    const { authorization } = payment.payload
    const key = keyOf(payment)
    if (pending.has(key) && (await findTransfer(chain, authorization)) === undefined) return unknown()
    if (finished.has(key)) return challenge()
    finished.add(key)
    if (!(await facilitator.verify(payment, requirements)).isValid) {
      if ((await findTransfer(chain, authorization)) !== undefined) owed.set(key, authorization)
      return challenge()
    }
    await work()
    const settled = await facilitator.settle(payment, requirements).catch(() => undefined)
    if (settled?.success === true || (await findTransfer(chain, authorization)) !== undefined)
      return undefined
    const isOpen = await isUsed(chain, authorization)
    const books = isOpen ? pending : watched
    books.set(key, authorization)
    context.res = isOpen ? unknown() : challenge()
    return undefined
  }
}

const unknown = (): Response => Response.json({ code: "SETTLEMENT_PENDING" }, { status: 503 })

export interface ReceiptReader extends NaiveServer {
  /** Refunds everything due from the refund wallet: development account 7. */
  readonly refund: () => Promise<void>
  /** Checks refused payments; returns the number still watched. */
  readonly watch: () => Promise<number>
}

export const openReceiptReader = (
  facilitator: FacilitatorClient,
  chain: Chain,
  options: NaiveOptions = {}
): ReceiptReader => {
  const books: Books = { owed: new Map(), pending: new Map(), watched: new Map() }
  const server = openHandWritten(serveBy(facilitator, chain, books), options)
  const { owed, watched } = books
  return {
    ...server,
    watch: async () => {
      const { timestamp } = await chain.client.getBlock({ blockTag: "latest" })
      for (const [key, authorization] of watched) {
        const hasMoved = (await findTransfer(chain, authorization)) !== undefined
        if (hasMoved) owed.set(key, authorization)
        const isOver = timestamp > BigInt(authorization.validBefore) && !(await isUsed(chain, authorization))
        if (hasMoved || isOver) watched.delete(key)
      }
      return watched.size
    },
    refund: async () => {
      for (const [key, { from, value }] of owed) {
        const hash = await chain.client.writeContract({
          account: chain.accounts(7),
          address: usdc,
          abi: usdcAbi,
          functionName: "transfer",
          args: [from as Hex, BigInt(value)]
        })
        await chain.client.waitForTransactionReceipt({ hash })
        owed.delete(key)
      }
    }
  }
}
