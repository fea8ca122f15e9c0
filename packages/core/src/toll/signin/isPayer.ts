import { Effect } from "effect"
import { isSolana } from "../../domain/Network.ts"
import { payerOfKey } from "../request/ChargeKey.ts"
import type { SignIn } from "./FreeAccess.ts"

/** The network on which a wallet has made the payment of a charge; `undefined`: another wallet made it. */
export const paidNetworkOf = (
  chargeKey: string,
  { address, network }: Pick<SignIn, "address" | "network">
): string | undefined => {
  const paid = payerOfKey(chargeKey)
  if (paid === undefined || isSolana(paid.network) !== isSolana(network)) return undefined
  // On Solana, letter case distinguishes addresses.
  const payer = isSolana(paid.network) ? address : address.toLowerCase()
  return payer === paid.payer ? paid.network : undefined
}

/** Whether the wallet of a sign-in has made the payment of a charge. Checks the signature last. */
export const isPayer = (
  chargeKey: string,
  signIn: Pick<SignIn, "address" | "isSigned" | "network">
): Effect.Effect<boolean> => {
  const paidNetwork = paidNetworkOf(chargeKey, signIn)
  return paidNetwork === undefined ? Effect.succeed(false) : signIn.isSigned(paidNetwork)
}
