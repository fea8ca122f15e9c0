import { Cause, Effect, Exit, Layer, Logger, ManagedRuntime, References, Result } from "effect"
import { ConfigurationError } from "../domain/Errors.ts"
import { ChargeOperator } from "../operators/ChargeOperator.ts"
import { LedgerOperator } from "../operators/LedgerOperator.ts"
import { RefundOperator } from "../operators/RefundOperator.ts"
import { StorageIsReadOnly } from "../ports/StorageMarks.ts"
import { eventLogger, toStandardError } from "../runtime/events.ts"
import { loadedLayer } from "../runtime/loadedLayer.ts"
import { isObject } from "../runtime/isObject.ts"
import { ChangeFeed } from "../shop/orders/OrderChanges.ts"
import { OrderOperator } from "../shop/orders/OrderOperator.ts"
import { VaultOperator } from "../shop/vault/VaultOperator.ts"
import { Chain } from "../toll/evidence/Chain.ts"
import { type OperatorCalls, operatorCalls } from "./operatorCalls.ts"
import { listed, optionName, readOptions } from "./settings/Configuration.ts"
import { portFields } from "./settings/HostOptions.ts"
import { flag, type OptionsOf, shown } from "./settings/OptionSchema.ts"
import type { TillOptions } from "./settings/TillOptions.ts"
import { startFailure } from "./startFailure.ts"

/** Options of `Till.books`. */
export interface BooksOptions extends Pick<TillOptions, "storage" | "onEvent"> {
  /**
   * `false` allows the calls that need no provider: recording refunds, stopping and resuming them, and the vault's items.
   *
   * @default true
   */
  readonly readOnly?: boolean
}

/** The storage of a till, without the till. */
export interface Books extends OperatorCalls {
  /** Resolves when the storage is open; rejects with a readable error otherwise. */
  readonly ready: Promise<void>
  /** Closes the storage. */
  readonly dispose: () => Promise<void>
}

const wrong = (message: string) => new ConfigurationError({ message })

const readOnlyBooks = async (): Promise<never> => {
  throw wrong("these books are read-only: give Till.books readOnly: false, or call the running till")
}

const fields = {
  storage: portFields.storage,
  onEvent: portFields.onEvent,
  readOnly: flag(true)
} satisfies OptionsOf<BooksOptions>

/** Hosts without type checks may pass the file's name, or misspell `readOnly`. */
const checkBooksOptions = (given: unknown): void => {
  if (!isObject(given)) throw wrong(`The options of Till.books must be an object: got ${shown(given)}`)
  const read = readOptions(fields, given, optionName)
  if (Result.isFailure(read)) throw wrong(`Till.books can't start: ${listed(read.failure)}`)
}

/** The same calls without those that change something. */
const reading = (calls: OperatorCalls): OperatorCalls => ({
  ...calls,
  charges: { ...calls.charges, recordRefund: readOnlyBooks },
  refunds: { ...calls.refunds, stop: readOnlyBooks, resume: readOnlyBooks },
  vault: { ...calls.vault, put: readOnlyBooks, publish: readOnlyBooks, unlist: readOnlyBooks }
})

/**
 * Opens the storage of a till for its operators, without the till: no provider, facilitator or chain is called, nothing
 * runs in the background, and the schema is never migrated. Orders are read; the server's till changes them, since that
 * takes its providers. A check with `chain` rejects, too.
 *
 * @example
 * const books = Till.books({ storage: sqlite({ filename: "till.sqlite" }) })
 * for (const { operation, amountAtomic } of await books.charges.list()) console.log(operation, amountAtomic)
 * await books.dispose()
 */
export const openBooks = (options: BooksOptions): Books => {
  checkBooksOptions(options)
  const { onEvent = toStandardError, readOnly = true, storage } = options
  const feed = new ChangeFeed()
  const noChain = loadedLayer(
    () => import("./platformHttp.ts"),
    ({ platformHttp }) => Chain.layerRpc([]).pipe(Layer.provide(platformHttp))
  )
  const runtime = ManagedRuntime.make(
    Layer.mergeAll(
      OrderOperator.layer(feed),
      ChargeOperator.layer,
      LedgerOperator.layer([]),
      RefundOperator.layer,
      VaultOperator.layer
    ).pipe(
      Layer.provideMerge([storage, noChain]),
      Layer.provideMerge([
        Logger.layer([eventLogger(onEvent)]),
        Layer.succeed(References.MinimumLogLevel, "Info"),
        Layer.succeed(StorageIsReadOnly, true)
      ])
    )
  )
  const ready = runtime.runPromiseExit(Effect.void).then((exit) => {
    if (Exit.isFailure(exit)) throw startFailure("The books could not be opened", exit.cause)
  })
  // Each call rejects with the same reason.
  ready.catch(() => undefined)
  const calls = operatorCalls(async (effect) => {
    await ready
    const exit = await runtime.runPromiseExit(effect)
    if (Exit.isSuccess(exit)) return exit.value
    throw Cause.squash(exit.cause)
  }, feed)
  const check: OperatorCalls["ledger"]["check"] = async (query) => {
    if (query?.chain === true)
      throw wrong("books can't read the chain: call ledger.check of the running till")
    return calls.ledger.check(query)
  }
  return {
    ...(readOnly ? reading(calls) : calls),
    ledger: { ...calls.ledger, check },
    ready,
    dispose: async () => {
      await runtime.dispose()
      feed.close()
    }
  }
}
