import { associatedTokenAccount } from "../../domain/SolanaAddress.ts"
import { BoundedMap } from "../../runtime/BoundedMap.ts"

/** Wallets to remember, 300 bytes each. */
const maxWallets = 10_000

/** Deriving an address takes a millisecond, and each call of a payer needs the same one. */
const known = new BoundedMap<string, string>(maxWallets)

/** The only account from which a wallet's payments are accepted, and to which they are refunded: where it receives a token. */
export const payerAccount = (wallet: string, mint: string, tokenProgram: string): string => {
  const key = `${wallet} ${mint} ${tokenProgram}`
  const account = known.get(key) ?? associatedTokenAccount(wallet, mint, tokenProgram)
  known.set(key, account)
  return account
}
