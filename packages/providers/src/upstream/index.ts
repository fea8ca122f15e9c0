/*
 * Calling an upstream with care: what every provider of this package is built upon, for providers of
 * your own. Speaks Effect.
 */
export { type Answer, parseJson, readJson } from "./Answer.ts"
export { baseUrlOf, keyOf, settingsConfig } from "./Configured.ts"
export { type Limiter, paced, type Rate } from "./Limiter.ts"
export { overFetch, promised } from "./PlainHost.ts"
export type { FetchOptions, RateLimit, UpstreamSettings, UpstreamUsage } from "./Settings.ts"
export { type CallOptions, makeUpstream, type Upstream, type UpstreamOptions } from "./Upstream.ts"
export * from "./UpstreamFault.ts"
