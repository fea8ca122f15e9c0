import { ConfigurationError, type TillOptions } from "@till402/core"
import { sqlite } from "@till402/core/sqlite"
import { isHex } from "viem"
import { type LocalAccount, privateKeyToAccount } from "viem/accounts"
import { type Environment, missing, numberOf, type Part, valueOf } from "./environment.ts"

/*
 * Who is paid, where, and what the payments are recorded in.
 */

const required = ["BASE_URL", "PAY_TO", "RPC_URL", "FACILITATOR_URL", "TILL_SECRET"] as const

type MoneyOptions = Pick<
  TillOptions,
  "baseUrl" | "payTo" | "networks" | "facilitator" | "secret" | "storage" | "margin"
>

/** The SQLite file of the till and of the journals. */
export const databaseOf = (environment: Environment): string =>
  valueOf(environment, "TILL_DATABASE") ?? "till.sqlite"

/** @throws ConfigurationError that names the variables that are missing */
export const moneyFrom = (environment: Environment): MoneyOptions => {
  const unset = required.filter((name) => valueOf(environment, name) === undefined)
  if (unset.length > 0) {
    throw new ConfigurationError({
      message: `Set these in the environment first: ${unset.join(", ")}. .env.example describes each of them.`
    })
  }
  const of = (name: (typeof required)[number]): string => valueOf(environment, name) ?? ""
  return {
    baseUrl: of("BASE_URL"),
    payTo: of("PAY_TO"),
    networks: [{ network: valueOf(environment, "NETWORK") ?? "base-sepolia", rpcUrl: of("RPC_URL") }],
    facilitator: { url: of("FACILITATOR_URL") },
    secret: of("TILL_SECRET"),
    storage: sqlite({ filename: databaseOf(environment) }),
    margin: numberOf(environment, "MARGIN_BASIS_POINTS") ?? 0
  }
}

/** @throws ConfigurationError for a malformed key */
export const refundWalletFrom = (environment: Environment): Part<LocalAccount> => {
  const key = valueOf(environment, "REFUND_KEY")
  if (key === undefined) return missing("refunds", "REFUND_KEY", "you send each refund yourself")
  if (!isHex(key) || key.length !== 66) {
    throw new ConfigurationError({ message: "REFUND_KEY must be 0x and 64 hex digits" })
  }
  const wallet = privateKeyToAccount(key)
  return { port: wallet, line: `refunds: from the wallet ${wallet.address}, which needs USDC and no gas.` }
}
