import { Context, Effect, Layer } from "effect"
import type { Operations } from "../operations/Operation.ts"
import type { StoreError } from "../domain/Errors.ts"
import { StorageMarks } from "../ports/StorageMarks.ts"
import type { Chain } from "../toll/evidence/Chain.ts"
import type { Facilitator } from "../toll/facilitator/Facilitator.ts"
import { facilitatorChecks } from "./background.ts"
import { type Check, checkOf } from "./Check.ts"
import { readClockChecks } from "./clockCheck.ts"
import { databaseChecks, takenMoney } from "./databaseCheck.ts"
import { keyChecks, type KeyOperator } from "./keyCheck.ts"
import type { ConfiguredSettings } from "./settings/Configuration.ts"
import { refundWalletsOf } from "./settings/refundWalletsOf.ts"
import type { TillHooks } from "./settings/TillHooks.ts"
import { StoreTime } from "./storeTime.ts"
import { tokenChecks } from "./TokenCheck.ts"

/*
 * The one list of what a till checks, made by the functions with which it starts.
 */

const unreadStorage = ({ operation }: StoreError): Check =>
  checkOf("storage", undefined, {
    status: "fail",
    problem: `The storage failed: ${operation}`,
    cure: "Check the database"
  })

/** The checks by the marks of the storage; none where it keeps no marks. */
const storageChecks = Effect.fnUntraced(function* (settings: ConfiguredSettings) {
  const marks = yield* StorageMarks
  if (marks === undefined) return []
  const money = yield* takenMoney(settings)
  const reading = Effect.flatMap(marks.all, (found) =>
    Effect.map(keyChecks(settings, found), (keys) => ({ found, keys }))
  )
  return yield* Effect.match(reading, {
    onFailure: (error): ReadonlyArray<Check> => [unreadStorage(error)],
    onSuccess: ({ found, keys }): ReadonlyArray<Check> => [
      checkOf("storage"),
      ...keys,
      ...databaseChecks(settings, money, found)
    ]
  })
})

/** That of the process's clock and the database's; none where there is one clock. */
const databaseClockChecks = Effect.gen(function* () {
  const { check, lastCheck } = yield* StoreTime
  yield* check
  return lastCheck === undefined ? [] : [lastCheck()]
})

const loadMoneyCheck = Effect.promise(() => import("./moneyCheck.ts"))

const realMoneyChecks = (settings: ConfiguredSettings, hooks: TillHooks) =>
  Effect.gen(function* () {
    const { moneyChecks } = yield* loadMoneyCheck
    const found = yield* moneyChecks(settings, hooks)
    return found.length === 0 ? [checkOf("real money")] : found
  })

/** Makes all checks of a till. */
export class Checks extends Context.Service<Checks, Effect.Effect<ReadonlyArray<Check>>>()(
  "@till402/core/Checks"
) {
  static readonly layer = (settings: ConfiguredSettings, hooks: TillHooks) =>
    Layer.effect(
      Checks,
      Effect.gen(function* () {
        const context = yield* Effect.context<Chain | Facilitator | KeyOperator | Operations>()
        const all = Effect.all(
          [
            readClockChecks(settings),
            databaseClockChecks,
            storageChecks(settings),
            realMoneyChecks(settings, hooks),
            facilitatorChecks(settings),
            Effect.flatMap(loadMoneyCheck, ({ chainChecksNow }) => chainChecksNow(settings.networks)),
            Effect.flatMap(loadMoneyCheck, ({ refundWalletChecks }) =>
              refundWalletChecks(settings, refundWalletsOf(settings, hooks))
            ),
            tokenChecks(settings.networks)
          ],
          { concurrency: "unbounded" }
        )
        return Effect.provide(
          Effect.map(all, (checks): ReadonlyArray<Check> => checks.flat()),
          context
        )
      })
    )
}
