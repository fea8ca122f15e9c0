/** What a till checks, of itself and of what it depends on. */
export type CheckName =
  | "baseUrl"
  | "client address"
  | "clock"
  | "database clock"
  | "storage"
  | "secret"
  | "database"
  | "real money"
  | "token"
  | "facilitator"
  | "node"
  | "chain id"
  | "newest block"
  | "logs"
  | "payTo"
  | "token account"
  | "start"
  | "checks"
  | "workers"
  | "due work"
  | "refunds"
  | "refund wallet"

/** A check that a till made, as `till.check()` and `till.health()` return it. It contains no secrets. */
export interface Check {
  readonly name: CheckName
  /** The network or setting that was checked, where there are several. */
  readonly subject?: string
  /** `fail`: no till starts with it, or nothing is sold. `warn`: the till sells, and something isn't as it should be. */
  readonly status: "pass" | "warn" | "fail"
  /** What is wrong; absent for `pass`. */
  readonly problem?: string
  /** What to do about it; absent for `pass`. */
  readonly cure?: string
  /** What a wallet holds, of `refund wallet`: the network (CAIP-2), the token, and atomic units of it in decimal digits. */
  readonly balance?: { readonly network: string; readonly asset: string; readonly amountAtomic: string }
}

/** What a check found, if anything. */
export type Finding = Pick<Check, "problem" | "cure"> & { readonly status: "warn" | "fail" }

/** A check with its finding; without one it has passed. */
export const checkOf = (name: CheckName, subject?: string, finding?: Finding): Check => ({
  name,
  ...(subject === undefined ? {} : { subject }),
  status: "pass",
  ...finding
})

/** A finding as one text, for an event or an error. */
export const textOf = ({ cure, problem }: Pick<Check, "problem" | "cure">): string => `${problem}. ${cure}`
