/** A chain and an account as a node shows them; `undefined` for what it doesn't tell. */
export interface ChainFacts {
  /** The chain that the node reads. */
  readonly caip2: string | undefined
  /** Time of the newest block, in seconds since the epoch. */
  readonly blockSeconds: number
  /** Whether it lists logs. Not on Solana. */
  readonly hasLogs?: boolean | undefined
  /** What is at the account's address. A contract that is no token is a wallet, such as a Safe. */
  readonly payTo:
    | "wallet"
    | "contract"
    | "token"
    | "program"
    | "token account"
    | "program's account"
    | undefined
  /** On Solana, the token account of the wallet. */
  readonly tokenAccount?: "ready" | "missing" | "frozen" | undefined
}
