import {
  memoryPaymentJournal,
  type PaymentJournal,
  evmTreasury,
  type TreasuryPayment
} from "@till402/providers/treasury"
import { type Hex, padHex, toHex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import type { Intercepted } from "../interceptRequests.ts"
import { crossmintPayee, FakeNode, prepare, usdc } from "./fakeNode.ts"

export const account = privateKeyToAccount(padHex(toHex(402), { size: 32 }) as Hex)

/** What `payment` pays, in atomic units. */
export const amount = 97_350_000n
export const paidTo = (node: FakeNode): bigint => node.balance(usdc, crossmintPayee)

export const payment = (change: Partial<TreasuryPayment> = {}): TreasuryPayment => ({
  key: "order-1",
  reference: "cm-1",
  prepared: prepare({}),
  payees: [crossmintPayee],
  amountAtomic: amount,
  expiresAtMillis: Date.now() + 600_000,
  ...change
})

/** A funded treasury on a chain of its own. */
export const startTreasury = (
  change: Partial<Parameters<typeof evmTreasury>[0]> & {
    readonly node?: FakeNode
    readonly funds?: bigint
  } = {}
) => {
  const { funds = 1_000_000_000n, node = new FakeNode(84_532), ...options } = change
  if (node.balance(usdc, account.address) === 0n) node.fund(usdc, account.address, funds)
  const journal =
    (options.journal as ReturnType<typeof memoryPaymentJournal> | undefined) ?? memoryPaymentJournal()
  const paying = evmTreasury({
    account,
    rpcUrl: node.url,
    network: "base-sepolia",
    retries: 0,
    pollMillis: 5,
    confirmTimeoutMillis: 1_500,
    ...options,
    journal
  })
  return { node, journal, paying }
}

/** Starts treasuries whose nodes respond through a server. */
export const startingOn =
  (server: Intercepted) =>
  (...change: Parameters<typeof startTreasury>) => {
    const started = startTreasury(...change)
    server.use(started.node.handler())
    return started
  }

/** A journal some of whose verbs fail. */
export const failingJournal = (change: Partial<PaymentJournal>): PaymentJournal => ({
  ...memoryPaymentJournal(),
  ...change
})

export const rejectionOf = async (
  call: Promise<unknown>
): Promise<{ _tag: string; [field: string]: unknown }> => {
  try {
    await call
  } catch (error) {
    return error as { _tag: string }
  }
  throw new Error("the call should have been rejected")
}
