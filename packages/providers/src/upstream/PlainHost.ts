import { Effect } from "effect"
import { FetchHttpClient, type HttpClient } from "effect/http"
import type { FetchOptions } from "./UpstreamSettings.ts"
import { isUpstreamFault, toThrown, type UpstreamFault } from "./UpstreamFault.ts"

/*
 * From Effect to the plain functions of a host's options.
 */

/**
 * Makes a provider that needs an `HttpClient`, over `fetch`. Throws what `make` fails with.
 *
 * The platform's `fetch` is read with each call, so that instrumentation installed later takes effect.
 */
export const makeWithFetch = <A, E = never>(
  make: Effect.Effect<A, E, HttpClient.HttpClient>,
  fetch: FetchOptions["fetch"] = (input, init) => globalThis.fetch(input, init)
): A =>
  Effect.runSync(
    make.pipe(Effect.provide(FetchHttpClient.layer), Effect.provideService(FetchHttpClient.Fetch, fetch))
  )

/**
 * Runs a call for a plain host. Rejects with `TemporarilyUnavailable` for temporary faults, with the fault
 * itself for other faults, and with the port's own errors unchanged.
 */
export const toPromise = <A, E extends { readonly _tag: string }>(
  call: Effect.Effect<A, E | UpstreamFault>,
  signal: AbortSignal | undefined
): Promise<A> =>
  Effect.runPromise(
    Effect.mapError(call, (error) => (isUpstreamFault(error) ? toThrown(error) : error)),
    signal === undefined ? {} : { signal }
  )
