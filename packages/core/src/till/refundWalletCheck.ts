import { Effect } from "effect"
import { Chain } from "../toll/evidence/Chain.ts"
import { type Check, checkOf } from "./Check.ts"
import type { ConfiguredSettings } from "./settings/Configuration.ts"
import type { PaidNetwork } from "./settings/Networks.ts"

const timeoutMillis = 5_000

const checkBalance = (network: PaidNetwork, wallet: string, balance: bigint): Check => {
  const { asset, caip2, payTo, v1Name } = network
  const name = v1Name ?? caip2
  // What is paid fills it.
  const isPaidTo = wallet.toLowerCase() === payTo.toLowerCase()
  return {
    ...checkOf(
      "refund wallet",
      name,
      balance > 0n || isPaidTo
        ? undefined
        : {
            status: "warn",
            problem: `The refund wallet ${wallet} holds nothing on ${name}: refunds that are due can't be sent there`,
            cure: "Send it what the refunds of some days need"
          }
    ),
    balance: { network: caip2, asset, amountAtomic: String(balance) }
  }
}

/**
 * The checks of the wallets that pay refunds, by CAIP-2 network, and what they hold. None where it can't be read: the check
 * of the node says so.
 */
export const refundWalletChecks = Effect.fnUntraced(function* (
  { networks }: Pick<ConfiguredSettings, "networks">,
  wallets: ReadonlyMap<string, string>
) {
  const chain = yield* Chain
  const found = yield* Effect.forEach(
    networks.filter(({ caip2 }) => chain.canRead(caip2)),
    (network) => {
      const wallet = wallets.get(network.caip2)
      return wallet === undefined
        ? Effect.succeed([])
        : chain.balanceOf(network, wallet).pipe(
            Effect.timeoutOrElse({ duration: timeoutMillis, orElse: () => Effect.undefined }),
            Effect.map((balance) => (balance === undefined ? [] : [checkBalance(network, wallet, balance)]))
          )
    },
    { concurrency: "unbounded" }
  )
  return found.flat()
})
