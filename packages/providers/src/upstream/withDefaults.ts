import type { UpstreamSettings } from "./UpstreamSettings.ts"

/** The settings, with a provider's own defaults for undefined ones. */
export const withDefaults = <A extends object>(
  defaults: UpstreamSettings,
  settings: A
): A & UpstreamSettings => ({
  ...settings,
  ...Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, Reflect.get(settings, name) ?? value])
  )
})
