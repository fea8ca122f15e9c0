import { Effect, Layer } from "effect"
import { ConfigurationError } from "../domain/Errors.ts"
import { Operations } from "../operations/Operation.ts"
import { report } from "../runtime/events.ts"
import { isTestRun } from "../runtime/nodeEnv.ts"
import { StorageRisks } from "../ports/StorageMarks.ts"
import { Facilitator } from "../toll/facilitator/Facilitator.ts"
import { textOf } from "./Check.ts"
import { lossesOf, type MoneyFacts, risksOf } from "./moneyRisks.ts"
import type { ConfiguredSettings } from "./settings/Configuration.ts"
import { listed } from "./settings/Configuration.ts"
import type { TillHooks } from "./settings/TillHooks.ts"

/*
 * The check of settings that suit a test, where real money is paid: those that would lose it are refused, the others
 * reported.
 */

const deadlineNames: ReadonlySet<string> = new Set(["verifyTimeoutMillis", "settleTimeoutMillis"])

const allowing = "Or set allowPlayMoney: true, where no real customer pays."

/** What is wrong with the settings where real money is paid; nothing in a test, or where the host allows it. */
export const moneyChecks = Effect.fnUntraced(function* (
  settings: ConfiguredSettings,
  { refundWallet, solanaRefunds }: Pick<TillHooks, "refundWallet" | "solanaRefunds">
) {
  if (settings.allowPlayMoney || isTestRun()) return []
  const operations = yield* (yield* Operations).all
  const { addresses, movesNoMoney = () => false, sources = [] } = yield* Facilitator
  const facts: MoneyFacts = {
    settings,
    movesNoMoney,
    facilitators: Array.from(addresses?.values() ?? []),
    deadlines: sources.flatMap((source) =>
      Object.entries(source).filter(
        (entry): entry is [string, number] => deadlineNames.has(entry[0]) && typeof entry[1] === "number"
      )
    ),
    refundWallet: refundWallet?.address,
    refundsOnSolana: solanaRefunds?.network,
    known: [
      ...(yield* StorageRisks),
      ...operations.flatMap(({ documents: { risk } }) => (risk === undefined ? [] : [risk]))
    ],
    onCredit: new Set(
      // What a quote promises is bought after its payment has settled.
      operations.flatMap(({ endpoint, price, settlement }) =>
        settlement?.beforeWork === true || price._tag === "Quoted" ? [] : [endpoint.identifier]
      )
    ),
    prices: new Map(
      operations.flatMap(({ endpoint, price }) =>
        price._tag === "Quoted"
          ? []
          : [[endpoint.identifier, price._tag === "Fixed" ? price.atomic : price.maxAtomic] as const]
      )
    )
  }
  return [...lossesOf(facts), ...risksOf(facts)]
})

/** Fails with what would lose real money, and reports what else suits only a test. */
export const moneyCheck = (...given: Parameters<typeof moneyChecks>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const found = yield* moneyChecks(...given)
      const losses = found.filter(({ status }) => status === "fail")
      if (losses.length > 0)
        return yield* new ConfigurationError({
          message: `Till402 can't start: ${listed(losses.map(textOf))}\n${allowing}`
        })
      for (const risk of found) yield* report("Warn", "risky_setting", textOf(risk), { reason: risk.subject })
    })
  )

/** Loaded together: each further file that is loaded later costs what is loaded at once some bytes. */
export { chainCheck, chainChecksNow } from "./chainCheck.ts"
export { refundWalletChecks } from "./refundWalletCheck.ts"
