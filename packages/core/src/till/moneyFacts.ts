import type { Risk } from "../runtime/secondsRisk.ts"
import { type Check, checkOf, type Finding } from "./Check.ts"
import type { ConfiguredSettings } from "./settings/Configuration.ts"

/*
 * The facts by which a till judges settings where real money is paid, and the form of its findings.
 */

/** Durations, and below how many milliseconds each has more likely its number of seconds. */
export const shortest = {
  upstreamTimeoutMillis: 100,
  responseLifetimeMillis: 300_000,
  secretResponseLifetimeMillis: 10_000,
  duplicateOrderMillis: 10_000,
  owedResponseMillis: 120_000
} satisfies Partial<Record<keyof ConfiguredSettings, number>>

export type DurationName = keyof typeof shortest

/** What is looked at, beside the settings. */
export interface MoneyFacts {
  readonly settings: Pick<
    ConfiguredSettings,
    | "baseUrl"
    | "limits"
    | "margin"
    | "maxTimeoutSeconds"
    | "networks"
    | "proofAbove"
    | "secret"
    | "trustFacilitator"
    | DurationName
  >
  /** Whether a facilitator of a network (CAIP-2) moves no money. */
  readonly movesNoMoney: (caip2: string) => boolean
  /** The ports that make their results up. */
  readonly madeUp: ReadonlyArray<string>
  /** The addresses of its facilitators. */
  readonly facilitators: ReadonlyArray<string>
  /** The deadlines of its facilitators that are numbers. */
  readonly deadlines: ReadonlyArray<readonly [name: string, millis: number]>
  /** The address of the wallet that pays refunds on EVM. */
  readonly refundWallet: string | undefined
  /** The network (CAIP-2) on which refunds are sent on Solana. */
  readonly refundsOnSolana: string | undefined
  /** The highest price of each operation that has one, in atomic units, by its id. */
  readonly prices: ReadonlyMap<string, bigint>
  /** The ids of those that work before their payment settles. */
  readonly onCredit: ReadonlySet<string>
  /** The ids of those that need the chain's proof of their payment. */
  readonly proven: ReadonlyArray<string>
  /** Those that storage and operations report themselves. */
  readonly known: ReadonlyArray<Risk>
}

/** A network as hosts name it. */
export const nameOf = ({ caip2, v1Name }: ConfiguredSettings["networks"][number]): string => v1Name ?? caip2

/** Something wrong with a setting where real money is paid. */
export const check = (setting: string, status: Finding["status"], problem: string, cure: string): Check =>
  checkOf("real money", setting, { status, problem, cure })

/** The same, where a till starts all the same. */
export const risk = (setting: string, problem: string, cure: string): Check =>
  check(setting, "warn", problem, cure)
