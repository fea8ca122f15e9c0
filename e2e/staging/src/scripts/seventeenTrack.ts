import { seventeenTrack } from "@till402/providers/17track"
import { expect, type StagingScript } from "../StagingScript.ts"

/** https://asset.17track.net/api/document/v2.4_en/: no staging; a number that is new to the account costs quota. */
export const seventeenTrackScript: StagingScript = {
  name: "17track",
  required: [
    { name: "SEVENTEENTRACK_API_KEY", what: "key of the account" },
    { name: "SEVENTEENTRACK_NUMBER", what: "one of your shipments; costs a unit of quota if it is new" }
  ],
  optional: [{ name: "SEVENTEENTRACK_BASE_URL", what: "default 17TRACK's own" }],
  run: async (steps, { fetch, maybe, of }) => {
    const number = of("SEVENTEENTRACK_NUMBER")
    const baseUrl = maybe("SEVENTEENTRACK_BASE_URL")
    const tracker = seventeenTrack({
      apiKey: of("SEVENTEENTRACK_API_KEY"),
      fetch,
      ...(baseUrl === undefined ? {} : { baseUrl })
    })
    const look = async (context: { readonly signal: AbortSignal }) => {
      const result = await tracker.track({ number }, context)
      expect(result.number === number, "another number was returned")
      expect(result.found || result.events.length === 0, "events of a shipment that was not found")
      const times = result.events.flatMap(({ time }) => (time === null ? [] : [Date.parse(time)]))
      expect(
        times.every((time, at) => at === 0 || time <= times[at - 1]!),
        "the events are not newest first"
      )
      return result
    }
    await steps.take("track", look, ({ events, found, status }) =>
      found ? `${status}, ${events.length} events` : "not found yet"
    )
    await steps.take("track again, cached", look, () => `${tracker.usage().calls} calls in all`)
  }
}
