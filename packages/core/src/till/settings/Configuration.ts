import { Effect } from "effect"
import { ConfigurationError } from "../../domain/Errors.ts"
import { type ConfiguredSettings, readSettings, settingNames } from "./ConfiguredSettings.ts"
import { type Faults, isRecord, orThrow, shown } from "./Faults.ts"
import { checkHooks, checkPorts, hookNames, portNames } from "./HostChecks.ts"
import { optionBounds } from "./OptionBounds.ts"
import type { TillOptions } from "./TillOptions.ts"
import type { TillHooks, TillSettings } from "./TillSettings.ts"
import { checkNames } from "./UnknownOptions.ts"

export type { ConfiguredSettings } from "./ConfiguredSettings.ts"
export type { PaidNetwork } from "./PaidNetworks.ts"

/** Options in groups that hosts often give at the top level by mistake. */
const nestedOptions = [
  ...Object.keys(optionBounds).filter((path) => /^(?:limits|refunds|prices)\./.test(path)),
  "facilitator.url",
  "networks[].rpcUrl"
]

const namesOfLayer = [...settingNames, ...hookNames]
const namesOfMake = [...namesOfLayer, ...portNames]

/** Throws at once, since nothing can be checked in a value that isn't an object. */
const checkRecord = (given: unknown, subject: string): void => {
  if (isRecord(given)) return
  throw new ConfigurationError({
    message: `The ${subject} must be an object: ${given === undefined ? "none was given" : `got ${shown(given)}`}. See docs/options.md`
  })
}

/**
 * Checks settings and hooks, and completes the settings with defaults.
 *
 * @throws ConfigurationError that lists every fault
 */
export const configure = (settings: TillSettings & TillHooks): ConfiguredSettings => {
  checkRecord(settings, "settings of a till")
  return orThrow((faults) => {
    checkNames({ given: settings, group: undefined, known: namesOfLayer, elsewhere: nestedOptions }, faults)
    checkHooks(settings, faults)
    return readSettings(settings, faults)
  })
}

/** The same as an effect, for layers. */
export const checkSettings = (
  settings: TillSettings & TillHooks
): Effect.Effect<ConfiguredSettings, ConfigurationError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(configure(settings))
    } catch (error) {
      return error instanceof ConfigurationError ? Effect.fail(error) : Effect.die(error)
    }
  })

/**
 * Checks all options of `Till.make`, and completes the settings with defaults.
 *
 * @throws ConfigurationError that lists every fault
 */
export const configureOptions = (options: TillOptions): ConfiguredSettings => {
  checkRecord(options, "options of Till.make")
  return orThrow((faults) => {
    checkNames({ given: options, group: undefined, known: namesOfMake, elsewhere: nestedOptions }, faults)
    const settings = readSettings(options, faults)
    checkHooks(options, faults)
    checkPorts(options, settings, faults)
    checkProof(settings, options, faults)
    return settings
  })
}

/** Reports networks whose chain can't prove a settlement, which `buy` and `vault/buy` need. */
const checkProof = (
  { networks, trustFacilitator }: ConfiguredSettings,
  { fulfilment, vault }: TillOptions,
  faults: Faults
): void => {
  if (trustFacilitator || (fulfilment === undefined && vault === undefined)) return
  for (const { caip2, rpcUrl, v1Name } of networks) {
    if (rpcUrl !== undefined) continue
    const network = v1Name ?? caip2
    faults.add(
      `network ${network} has no rpcUrl: buy and vault/buy count a settlement only when the chain shows it. Give ${faults.nameOf("rpcUrl", network)}, or set trustFacilitator to true. See docs/options.md, "A network"`
    )
  }
}
