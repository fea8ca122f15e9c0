import { type ConfigurationError } from "@till402/core"
import { Effect } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import { carrierCode, country, field, list, text, webAddress } from "../17track/Document.ts"
import {
  AnswerMalformed,
  baseUrlOf,
  makeUpstream,
  overFetch,
  parseJson,
  promised,
  type UpstreamFault
} from "../upstream/index.ts"
import type { FetchOptions, UpstreamSettings } from "../upstream/Settings.ts"
import type { Carrier } from "./Carrier.ts"
import { bundledCarriers } from "./LikelyCarriers.ts"

/** Where 17TRACK publishes its carriers: about 3,000 entries in 600 kB. Free, and without a key. */
export const carrierListUrl = "https://res.17track.net/asset/carrier/info/apicarrier.all.json"

export interface CarrierDirectorySettings extends UpstreamSettings {
  /** Default: 17TRACK's. Https, or this machine. */
  readonly url?: string
}

/** Carriers by their codes: at first those that come with this package. */
export interface CarrierDirectory {
  readonly find: (code: number) => Carrier | undefined
  readonly all: () => ReadonlyArray<Carrier>
  /**
   * Takes up the published list, over what is known already, and answers how many carriers it held. Once
   * a day is plenty. Rejects where the list can't be had or read; what was known stays.
   */
  readonly refresh: () => Promise<number>
}

/** The same for an Effect host. */
export interface CarrierDirectoryEffects extends Omit<CarrierDirectory, "refresh"> {
  readonly refresh: Effect.Effect<number, UpstreamFault>
}

const maxCarriers = 20_000
/** A list with fewer entries is not the list. */
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

/** A directory for an Effect host, over the `HttpClient` at hand. */
export const makeCarrierDirectory = Effect.fnUntraced(function* (
  settings: CarrierDirectorySettings = {}
): Effect.fn.Return<CarrierDirectoryEffects, ConfigurationError, HttpClient.HttpClient> {
  const name = "17track-carriers"
  const url = yield* baseUrlOf(name, settings.url ?? carrierListUrl)
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
        () => new AnswerMalformed({ upstream: name, detail: "not a list of carriers" })
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
 * A directory of carriers, to be given to `seventeenTrack({ carriers })` and refreshed when you like.
 *
 * @throws ConfigurationError for an address that can't be used.
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
  const directory = overFetch(makeCarrierDirectory(settings), fetch === undefined ? {} : { fetch })
  return { ...directory, refresh: () => promised(directory.refresh, undefined) }
}
