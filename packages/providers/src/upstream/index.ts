/*
 * Calls to upstreams with deadlines, retries, a circuit breaker and bounds. Every provider of this package
 * is built on it; use it for providers of your own. The API is Effect.
 */
export { type Limiter, type Rate, rateLimiter } from "./Limiter.ts"
export { makeWithFetch, toPromise } from "./PlainHost.ts"
export { type SettingReaders, settingReaders } from "./SettingReaders.ts"
export { listOf, naturalInt, optionalSettings, positiveInt, upstreamConfig } from "./SettingsConfig.ts"
export { type CallOptions, makeUpstream, type Upstream, type UpstreamOptions } from "./Upstream.ts"
export * from "./UpstreamFault.ts"
export { parseJson, readJson } from "./ResponseReader.ts"
export type { UpstreamResponse } from "./UpstreamResponse.ts"
export type * from "./UpstreamSettings.ts"
export { withDefaults } from "./withDefaults.ts"
