import { Effect } from "effect"
import { FetchHttpClient, type HttpClient } from "effect/http"
import type { FetchOptions } from "./Settings.ts"
import { isFault, toThrown, type UpstreamFault } from "./UpstreamFault.ts"

/*
 * From Effect to the plain functions of a host's options.
 */

/**
 * Makes a provider that needs an `HttpClient`, over `fetch`. The platform's `fetch` is looked up with
 * each call, so that instrumentation installed later is seen. Throws what `make` fails with.
 */
export const overFetch = <A, E = never>(
  make: Effect.Effect<A, E, HttpClient.HttpClient>,
  { fetch = (input, init) => globalThis.fetch(input, init) }: FetchOptions = {}
): A =>
  Effect.runSync(
    make.pipe(Effect.provide(FetchHttpClient.layer), Effect.provideService(FetchHttpClient.Fetch, fetch))
  )

/**
 * Runs a call for a plain host: rejects with `TemporarilyUnavailable` for what passes by itself, with the
 * fault itself for the rest, and with any error of the port's own as it is.
 */
export const promised = <A, E extends { readonly _tag: string }>(
  call: Effect.Effect<A, E | UpstreamFault>,
  signal: AbortSignal | undefined
): Promise<A> =>
  Effect.runPromise(
    Effect.mapError(call, (error) => (isFault(error) ? toThrown(error) : error)),
    signal === undefined ? {} : { signal }
  )
