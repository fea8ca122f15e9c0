import { seventeenTrack, type SeventeenTrackTracker } from "@till402/providers/17track"
import { type Environment, type Fetch, missing, type Part, valueOf } from "./environment.ts"

/*
 * Shipments of any carrier, by 17TRACK.
 */

export const trackerFrom = (environment: Environment, fetch: Fetch): Part<SeventeenTrackTracker> => {
  const apiKey = valueOf(environment, "SEVENTEENTRACK_API_KEY")
  return apiKey === undefined
    ? missing("tracking", "SEVENTEENTRACK_API_KEY", "there is no GET /x402/track")
    : { port: seventeenTrack({ apiKey, fetch }), line: "tracking: 17TRACK." }
}
