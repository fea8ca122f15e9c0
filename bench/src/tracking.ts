/*
 * What a lookup by 17TRACK costs beside the provider's own time, over a `fetch` that never leaves the
 * process: the median of a remembered lookup, of reading one document, and of a document's JSON alone,
 * which any implementation pays. And how many calls many lookups make.
 *
 *   node --conditions=@till402/source bench/src/tracking.ts
 */
import { seventeenTrack } from "@till402/providers/17track"
import { readShipment } from "../../packages/providers/src/17track/Shipment.ts"

const warmUp = 2_000
const rounds = 10_000
const context = { signal: new AbortController().signal }

const cities = ["Seattle, WA, US", "Louisville, KY, US", "Durham, NC, US"]
/** A shipment in transit with 20 events. */
const itemOf = (number: string) => ({
  number,
  carrier: 100_002,
  track_info: {
    shipping_info: { shipper_address: { country: "US" }, recipient_address: { country: "US" } },
    latest_status: { status: "InTransit", sub_status: "InTransit_Departure", sub_status_descr: null },
    time_metrics: { days_of_transit: 3, days_after_last_update: 2 },
    milestone: [{ key_stage: "PickedUp", time_iso: "2026-11-17T19:40:00-08:00" }],
    misc_info: { service_type: "UPS Ground", weight_kg: "1.09", local_key: 0 },
    tracking: {
      providers: [
        {
          provider: { key: 100_002, name: "UPS", homepage: "http://www.ups.com/", country: "US" },
          events: Array.from({ length: 20 }, (_, index) => ({
            time_iso: `2026-11-18T${String(23 - index).padStart(2, "0")}:12:00-05:00`,
            time_utc: null,
            description: `Departed from facility ${index}`,
            location: cities[index % 3],
            stage: "Departure"
          }))
        }
      ]
    }
  }
})

const calls: Array<readonly [path: string, items: number]> = []
const fetch: typeof globalThis.fetch = async (url, init) => {
  const items = JSON.parse(await new Response(init?.body ?? "[]").text()) as Array<{ number: string }>
  calls.push([new URL(String(url)).pathname.split("/").at(-1)!, items.length])
  return Response.json({
    code: 0,
    data: { accepted: items.map(({ number }) => itemOf(number)), rejected: [] }
  })
}

/** The median of so many runs, in microseconds. */
const median = async (run: () => unknown): Promise<number> => {
  const times: Array<number> = []
  for (let round = 0; round < warmUp + rounds; round++) {
    const started = performance.now()
    await run()
    if (round >= warmUp) times.push(performance.now() - started)
  }
  return times.sort((a, b) => a - b)[rounds / 2]! * 1_000
}

const row = (name: string, value: string): void => console.log(`${name.padEnd(48)}${value.padStart(12)}`)
const micros = (value: number): string => `${value.toFixed(1)} µs`

const tracker = seventeenTrack({ apiKey: "bench", fetch })

const numbers = Array.from({ length: 200 }, (_, index) => `NUMBER${1_000 + index}`)
const cpu = process.cpuUsage()
const started = performance.now()
await Promise.all(
  Array.from({ length: 1_000 }, (_, index) => tracker.track({ number: numbers[index % 200]! }, context))
)
const millis = performance.now() - started
const { system, user } = process.cpuUsage(cpu)
const infos = calls.filter(([path]) => path === "gettrackinfo")
row("1,000 concurrent lookups of 200 numbers, calls", String(infos.length))
row("  numbers in each", infos.map(([, items]) => items).join(" "))
row("  in (the rate is 3 calls a second)", `${millis.toFixed(0)} ms`)
row("  own work for each lookup", micros((user + system) / 1_000))

const cached = await median(() => tracker.track({ number: numbers[0]! }, context))
row("a remembered lookup, p50", micros(cached))
row(
  "a remembered lookup with a phone number, p50",
  micros(await median(() => tracker.track({ number: numbers[0]!, phone: "+1 555 0100" }, context)))
)
const document = JSON.stringify(itemOf("NUMBER1"))
const parsed: unknown = JSON.parse(document)
row("a document of 20 events read, p50", micros(await median(() => readShipment(parsed, () => undefined))))
row("  its JSON alone, p50", micros(await median(() => JSON.parse(document))))

const mostCalls = Math.ceil(numbers.length / 40)
if (infos.length > mostCalls) throw new Error(`more than ${mostCalls} calls: ${infos.length}`)
if (cached > 1_000) throw new Error(`a remembered lookup took ${micros(cached)}, more than 1 ms`)
