import type { ConfigurationError } from "@till402/core"
import { Effect } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import { carrierCode, country, field, list, text, webAddress } from "../17track/Document.ts"
import {
  ResponseMalformed,
  makeUpstream,
  makeWithFetch,
  parseJson,
  settingReaders,
  toPromise,
  type UpstreamFault
} from "../upstream/index.ts"
import type { FetchOptions, UpstreamSettings } from "../upstream/UpstreamSettings.ts"
import type { Carrier } from "./Carrier.ts"
import { bundledCarriers } from "./LikelyCarriers.ts"

/** 17TRACK's list of carriers: about 3,000 entries in 600 kB. Free, and needs no key. */
export const carrierListUrl = "https://res.17track.net/asset/carrier/info/apicarrier.all.json"

export interface CarrierDirectorySettings extends UpstreamSettings {
  /** Address of the list; default: 17TRACK's. Must be https or on this machine. */
  readonly url?: string | undefined
}

/** Carriers by code. Contains the bundled carriers until the first refresh. */
export interface CarrierDirectory {
  readonly find: (code: number) => Carrier | undefined
  readonly all: () => ReadonlyArray<Carrier>
  /**
   * Merges in the published list and returns its number of carriers. Once a day is enough.
   *
   * Rejects if the list can't be fetched or read; the known carriers remain.
   */
  readonly refresh: () => Promise<number>
}

/** The same for an Effect host. */
export interface CarrierDirectoryEffects extends Omit<CarrierDirectory, "refresh"> {
  readonly refresh: Effect.Effect<number, UpstreamFault>
}

const maxCarriers = 20_000
/** A shorter list is not the list of carriers. */
const fewestCarriers = 100

const readCarriers = (document: unknown): ReadonlyArray<Carrier> =>
  list(document, maxCarriers).flatMap((entry) => {
    const code = carrierCode(field(entry, "key"))
    const name = text(field(entry, "_name"), 200)
    return code === null || name === null
      ? []
      : [
          {
            code,
            name,
            homepage: webAddress(field(entry, "_url")),
            country: country(field(entry, "_country_iso"))
          }
        ]
  })

/** A directory for an Effect host, over the `HttpClient` of the context. */
export const makeCarrierDirectory = Effect.fnUntraced(function* (
  settings: CarrierDirectorySettings = {}
): Effect.fn.Return<CarrierDirectoryEffects, ConfigurationError, HttpClient.HttpClient> {
  const name = "17track-carriers"
  const url = yield* settingReaders(name).url("url", settings.url ?? carrierListUrl)
  const upstream = yield* makeUpstream({ name, ...settings })
  const carriers = new Map(bundledCarriers)
  return {
    find: (code) => carriers.get(code),
    all: () => [...carriers.values()],
    refresh: Effect.suspend(() => upstream.call(HttpClientRequest.get(url))).pipe(
      Effect.flatMap(parseJson),
      Effect.map(readCarriers),
      Effect.filterOrFail(
        ({ length }) => length >= fewestCarriers,
        () => new ResponseMalformed({ upstream: name, detail: "not a list of carriers" })
      ),
      Effect.map((fresh) => {
        for (const carrier of fresh) carriers.set(carrier.code, carrier)
        return fresh.length
      }),
      Effect.withSpan("CarrierDirectory.refresh")
    )
  }
})

/**
 * Makes a directory of carriers for `seventeenTrack({ carriers })`.
 *
 * @throws ConfigurationError for an unusable address
 * @example
 * import { carrierDirectory } from "@till402/providers/carriers"
 *
 * const carriers = carrierDirectory()
 * setInterval(() => carriers.refresh().catch(console.warn), 86_400_000).unref()
 */
export const carrierDirectory = ({
  fetch,
  ...settings
}: CarrierDirectorySettings & FetchOptions = {}): CarrierDirectory => {
  const directory = makeWithFetch(makeCarrierDirectory(settings), fetch)
  return { ...directory, refresh: () => toPromise(directory.refresh, undefined) }
}
