import type { ConfiguredSettings } from "./Configuration.ts"
import type { TillHooks } from "./TillHooks.ts"

/** The addresses that pay refunds, by CAIP-2 network. */
export const refundWalletsOf = (
  { networks }: Pick<ConfiguredSettings, "networks">,
  { refundWallet, solanaRefunds }: Pick<TillHooks, "refundWallet" | "solanaRefunds">
): ReadonlyMap<string, string> => {
  const wallets = new Map<string, string>()
  if (refundWallet !== undefined)
    for (const { caip2, family } of networks) if (family === "evm") wallets.set(caip2, refundWallet.address)
  if (solanaRefunds !== undefined) wallets.set(solanaRefunds.network, solanaRefunds.address)
  return wallets
}
