import { Effect } from "effect"
import { checkSettings, type ConfiguredSettings } from "../../src/till/settings/Configuration.ts"
import type { TillHooks } from "../../src/till/settings/TillHooks.ts"
import type { TillSettings } from "../../src/till/settings/TillSettings.ts"

/** Settings, checked and completed. Throws the `ConfigurationError` that lists every fault. */
export const configured = (settings: TillSettings & TillHooks): ConfiguredSettings =>
  Effect.runSync(checkSettings(settings))
