import { carrierDirectory, carrierListUrl, bundledCarriers } from "@till402/providers/carriers"
import { seventeenTrack } from "@till402/providers/17track"
import { http, HttpResponse } from "msw"
import { describe, expect, it } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"

const server = interceptRequests()

/** An entry in the published list's shape. */
const entry = (key: unknown, more: object = {}) => ({
  key,
  _country: 2105,
  _country_iso: "US",
  _email: null,
  _tel: null,
  _url: "https://carrier.example/",
  _name: `Carrier ${String(key)}`,
  "_name_zh-cn": "承运商",
  "_name_zh-hk": "承運商",
  ...more
})
const many = Array.from({ length: 120 }, (_, index) => entry(500_000 + index))
const publish = (body: unknown, status = 200) =>
  server.use(
    http.get(carrierListUrl, () =>
      typeof body === "string"
        ? new HttpResponse(body, { status })
        : HttpResponse.json(body as object, { status })
    )
  )

describe("carrierDirectory", () => {
  it("knows the bundled carriers from the start", () => {
    const directory = carrierDirectory()
    expect(directory.find(100_002)).toEqual({
      code: 100_002,
      name: "UPS",
      homepage: "https://www.ups.com/",
      country: "US"
    })
    expect(directory.all()).toHaveLength(bundledCarriers.size)
    expect(directory.find(500_000)).toBeUndefined()
  })

  it("merges the published list into the known carriers", async () => {
    publish([...many, entry(100_002, { _name: "United Parcel Service" })])
    const directory = carrierDirectory()
    expect(await directory.refresh()).toBe(121)
    expect(directory.find(500_119)).toEqual({
      code: 500_119,
      name: "Carrier 500119",
      homepage: "https://carrier.example/",
      country: "US"
    })
    expect(directory.find(100_002)?.name).toBe("United Parcel Service")
    expect(directory.find(100_003)?.name).toBe("FedEx")
    expect(directory.all()).toHaveLength(bundledCarriers.size + 120)
    expect(bundledCarriers.get(100_002)?.name).toBe("UPS")
  })

  it("drops unusable entries, and unusable fields of others", async () => {
    publish([
      ...many,
      null,
      "entry",
      {},
      entry("not-a-number"),
      entry(0),
      entry(600_001, { _name: null }),
      entry("600002", { _url: "javascript:alert(1)", _country_iso: "", more: true }),
      entry(600_003, { _url: null, _country_iso: null, _name: " Padded " })
    ])
    const directory = carrierDirectory()
    expect(await directory.refresh()).toBe(122)
    expect(directory.find(600_002)).toEqual({
      code: 600_002,
      name: "Carrier 600002",
      homepage: null,
      country: null
    })
    expect(directory.find(600_003)?.name).toBe("Padded")
  })

  it.each([
    ["no JSON", "<html>", 200],
    ["a list cut short", JSON.stringify(many).slice(0, 5_000), 200],
    ["no list", { data: many }, 200],
    ["an empty list", [], 200],
    ["a few entries", many.slice(0, 99), 200],
    ["404", "no", 404],
    ["503", "no", 503]
  ] as const)("keeps the known carriers if the response is %s", async (_, body, status) => {
    publish(body, status)
    const directory = carrierDirectory({ retries: 0 })
    await expect(directory.refresh()).rejects.toThrow()
    expect(directory.all()).toHaveLength(bundledCarriers.size)
  })

  it("bounds the list", async () => {
    publish([...many, entry(600_000, { _name: "x".repeat(10_000) })])
    const directory = carrierDirectory({ retries: 0, maxResponseBytes: 4_096 })
    await expect(directory.refresh()).rejects.toMatchObject({ _tag: "ResponseTooLarge" })
    const roomy = carrierDirectory()
    await roomy.refresh()
    expect(roomy.find(600_000)?.name).toHaveLength(200)
  })

  it("names the carriers of a tracker", async () => {
    publish(many)
    const carriers = carrierDirectory()
    await carriers.refresh()
    server.use(
      http.post("https://api.17track.net/track/v2.4/gettrackinfo", () =>
        HttpResponse.json({
          code: 0,
          data: { accepted: [{ number: "NUMBER1", carrier: 500_007, track_info: {} }], rejected: [] }
        })
      )
    )
    const tracker = seventeenTrack({ apiKey: "key", carriers })
    const { carrier } = await tracker.track({ number: "NUMBER1" }, { signal: new AbortController().signal })
    expect(carrier).toEqual({
      code: 500_007,
      name: "Carrier 500007",
      homepage: "https://carrier.example/",
      country: "US"
    })
  })
})
