import { Effect, Layer } from "effect"
import { ConfigurationError } from "../domain/Errors.ts"
import { isPlayMoney } from "../domain/Network.ts"
import { KeyedRecords } from "../ports/KeyedRecords.ts"
import { StorageMarks, StorageRehearsal } from "../ports/StorageMarks.ts"
import { currentMillis } from "../runtime/currentMillis.ts"
import { report } from "../runtime/events.ts"
import { isTestRun } from "../runtime/nodeEnv.ts"
import { Facilitator } from "../toll/facilitator/Facilitator.ts"
import { type Check, checkOf, type Finding, textOf } from "./Check.ts"
import type { ConfiguredSettings } from "./settings/Configuration.ts"

/*
 * A database belongs to one service: to its address and its wallets, and to real money or play money. Else one ledger has
 * both, and two services take each other's charges.
 */

type Owner = Pick<ConfiguredSettings, "baseUrl" | "networks">

type MoneyKind = "real" | "play"

/** The money that a till takes. */
export interface TakenMoney {
  readonly kinds: ReadonlySet<MoneyKind>
  /** Settings of a test are allowed, several kinds of money among them. */
  readonly isTest: boolean
}

/** The mark of the kind of money that a database holds: of two tills that start at once, the first decides. */
const moneyMark = "money"

/** The names of a setting's marks begin so; the rest is its value. The mark's own value is when it was first used. */
const settingPrefix = (setting: string): string => `setting.${setting} `

/** A facilitator for tests moves no money on any network. */
export const takenMoney = ({ networks }: Owner) =>
  Effect.map(Facilitator, ({ movesNoMoney }): TakenMoney => ({
    kinds: new Set(
      networks.map(({ caip2 }) => (isPlayMoney(caip2) || movesNoMoney?.(caip2) === true ? "play" : "real"))
    ),
    isTest: isTestRun()
  }))

const moneyNames = {
  real: "real money",
  play: "play money (of base-sepolia, solana-devnet or a facilitator for tests)"
}

const allow = "or set allowPlayMoney: true, and keep the ledger's totals apart by network"

/** Why a test doesn't fit the database: one with real money is a live till's, or a copy of it. Pure. */
const testFault = (kinds: ReadonlySet<MoneyKind>, held: string | undefined): Finding | undefined =>
  held === "real" && kinds.has("play")
    ? {
        status: "fail",
        problem: `this database holds ${moneyNames.real}, and this process is a test that takes play money`,
        cure: "Give tests a database of their own; for a copy of this one, set allowPlayMoney: true"
      }
    : undefined

/** Why a till doesn't fit the database; `undefined`: it does. Pure. */
const moneyFault = (
  { isTest, kinds }: TakenMoney,
  marks: ReadonlyMap<string, string>
): Finding | undefined => {
  const held = marks.get(moneyMark)
  if (isTest) return testFault(kinds, held)
  if (kinds.size > 1)
    return {
      status: "fail",
      problem: `this till takes ${moneyNames.real} and ${moneyNames.play}: one ledger would have both`,
      cure: `Run two tills, each with a database of its own, ${allow}`
    }
  const [kind] = kinds
  return kind !== undefined && (held === "real" || held === "play") && held !== kind
    ? {
        status: "fail",
        problem: `this database holds ${moneyNames[held]}, and this till takes ${moneyNames[kind]}`,
        cure: `Give it a database of its own, ${allow}`
      }
    : undefined
}

/** A setting of a till that its database keeps. */
interface Kept {
  readonly setting: string
  readonly value: string
}

const keptOf = ({ baseUrl, networks }: Owner): ReadonlyArray<Kept> => [
  { setting: "baseUrl", value: baseUrl },
  ...networks.map(({ caip2, payTo }) => ({ setting: `payTo on ${caip2}`, value: payTo }))
]

/** A setting that the database knows with another value; `before` is the newest of them. */
interface Changed extends Kept {
  readonly before: string
}

/** The settings that have never had their value in this database. Pure. */
const changesOf = (owner: Owner, marks: ReadonlyMap<string, string>): ReadonlyArray<Changed> =>
  keptOf(owner).flatMap(({ setting, value }) => {
    const prefix = settingPrefix(setting)
    const [newest] = [...marks]
      .filter(([name]) => name.startsWith(prefix))
      .toSorted(([, left], [, right]) => Number(right) - Number(left))
    return newest === undefined || marks.has(prefix + value)
      ? []
      : [{ setting, value, before: newest[0].slice(prefix.length) }]
  })

/**
 * The checks of a till by the marks of its database: its money, and each setting that is new there, which tests may change.
 * Pure.
 */
export const databaseChecks = (
  settings: ConfiguredSettings,
  money: TakenMoney,
  marks: ReadonlyMap<string, string>
): readonly [Check, ...ReadonlyArray<Check>] => [
  checkOf("database", undefined, settings.allowPlayMoney ? undefined : moneyFault(money, marks)),
  ...(money.isTest ? [] : changesOf(settings, marks)).map(({ before, setting, value }) =>
    checkOf("database", setting, {
      status: "warn",
      problem: `This database was used with ${setting} ${before}, and now with ${value}`,
      cure: "If it is another service's, stop, and give this one its own. In a copy, open orders, mail and refunds go on as in the original"
    })
  )
]

const refuse = (...given: Parameters<typeof databaseChecks>) => {
  const [money] = databaseChecks(...given)
  return money.status === "pass"
    ? Effect.void
    : Effect.fail(new ConfigurationError({ message: `Till402 can't start: ${textOf(money)}` }))
}

/** Compares a till with what its database was used for. */
export const databaseCheck = (settings: ConfiguredSettings) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const marks = yield* StorageMarks
      if (marks === undefined) return
      const found = yield* marks.all
      const money = yield* takenMoney(settings)
      yield* refuse(settings, money, found)
      const [, ...changes] = databaseChecks(settings, money, found)
      for (const change of changes)
        yield* report("Warn", "service_changed", textOf(change), { reason: change.subject })
    })
  )

/**
 * Marks the database of a till that has started: what was refused before leaves no mark. A test marks play money alone: its
 * other settings are anybody's, and what looks like real money may be a stub's.
 */
export const markDatabase = Effect.fnUntraced(function* (settings: ConfiguredSettings) {
  const marks = yield* StorageMarks
  if (marks === undefined) return
  const nowMillis = (yield* currentMillis)()
  const money = yield* takenMoney(settings)
  const [kind] = money.kinds
  const marked = money.isTest && kind === "real" ? [...money.kinds][1] : kind
  if (marked !== undefined) yield* marks.add(moneyMark, marked)
  yield* refuse(settings, money, yield* marks.all)
  if (money.isTest) return
  for (const { setting, value } of keptOf(settings))
    yield* marks.add(settingPrefix(setting) + value, String(nowMillis))
})

/** Rehearses a sale with what the till's routes store, on its network with the longest addresses. */
export const rehearsal = ({ networks }: Pick<Owner, "networks">) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const rehearse = yield* StorageRehearsal
      const { caip2 } = networks.find(({ family }) => family === "solana") ?? networks[0]!
      if (rehearse !== undefined) yield* rehearse(yield* (yield* KeyedRecords).kinds, caip2)
    })
  )
