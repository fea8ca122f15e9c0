import {
  AdditionalFieldRequired,
  CarrierNotDetected,
  InvalidTrackingNumber,
  NoTrackingInfo,
  TemporarilyUnavailable
} from "@till402/core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { calls } from "./calls.ts"
import { buyResponse, expectPaidFault, expectRefusal } from "./expectations.ts"
import { pay, readChallenge } from "./payer.ts"
import { array, boolean, itHasFields, nullable, number, object, oneOf, string, url } from "./shape.ts"
import { delivered, unknownShipment } from "./samples.ts"
import { keepShop, openShop, type Shop } from "./till.ts"

const number50 = "A".repeat(50)
const track = (query: string) => ({ path: `/x402/track?${query}` })

describe("GET /x402/track: parameters that are refused", () => {
  it.each([
    ["number left out", "carrier=100002", "number"],
    ["number empty", "number=", "number"],
    ["number of 4 characters", "number=1Z99", "number"],
    ["number of 51 characters", `number=${number50}A`, "number"],
    ["number with a space", "number=1Z999%20AA1", "number"],
    ["number with an underscore", "number=1Z999_AA1", "number"],
    ["number with a letter beyond ASCII", "number=1Z999%C3%84A1", "number"],
    ["number with a line feed at its end", "number=1Z999AA1%0A", "number"],
    ["number twice", "number=1Z999AA1&number=1Z999AA2", "number"],
    ["carrier 0", "number=1Z999AA1&carrier=0", "carrier"],
    ["carrier negative", "number=1Z999AA1&carrier=-3", "carrier"],
    ["carrier a fraction", "number=1Z999AA1&carrier=1.5", "carrier"],
    ["carrier no number", "number=1Z999AA1&carrier=ups", "carrier"],
    ["carrier empty", "number=1Z999AA1&carrier=", "carrier"],
    ["carrier twice", "number=1Z999AA1&carrier=1&carrier=2", "carrier"],
    [
      "destinationPostalCode of 21 characters",
      `number=1Z999AA1&destinationPostalCode=${"9".repeat(21)}`,
      "destinationPostalCode"
    ],
    [
      "destinationPostalCode with a control character",
      "number=1Z999AA1&destinationPostalCode=9%00",
      "destinationPostalCode"
    ],
    ["destinationCountry of three letters", "number=1Z999AA1&destinationCountry=USA", "destinationCountry"],
    ["destinationCountry of one letter", "number=1Z999AA1&destinationCountry=U", "destinationCountry"],
    ["destinationCountry empty", "number=1Z999AA1&destinationCountry=", "destinationCountry"],
    ["shipDate no date", "number=1Z999AA1&shipDate=yesterday", "shipDate"],
    ["shipDate in another order", "number=1Z999AA1&shipDate=04-03-2026", "shipDate"],
    ["shipDate without zeros", "number=1Z999AA1&shipDate=2026-3-4", "shipDate"],
    ["shipDate with a time", "number=1Z999AA1&shipDate=2026-03-04T00:00:00Z", "shipDate"],
    ["phone of 31 characters", `number=1Z999AA1&phone=${"5".repeat(31)}`, "phone"],
    ["phone twice", "number=1Z999AA1&phone=55501&phone=55502", "phone"],
    ["cpfOrCnpj of 21 characters", `number=1Z999AA1&cpfOrCnpj=${"1".repeat(21)}`, "cpfOrCnpj"]
  ])("%s: 400", async (_, query, path) => {
    const shop = await openShop()
    await expectPaidFault(shop, track(query), path)
    expect(shop.calls.track).toEqual([])
  })

  it("names every fault in one response", async () => {
    const shop = await openShop()
    const query = `number=x&carrier=0&destinationCountry=USA&shipDate=x&phone=${"5".repeat(31)}`
    const { response } = await pay(shop, track(query))
    const { details } = await expectRefusal(shop, response, 400, "VALIDATION_ERROR")
    expect(details?.issues?.map(({ path }) => path).sort()).toEqual([
      "carrier",
      "destinationCountry",
      "number",
      "phone",
      "shipDate"
    ])
  })

  it.each(["", "number=x", "number=1Z999AA1&carrier=0"])(
    "without payment %j gets the price: 402",
    async (query) => {
      const shop = await openShop()
      const challenge = await readChallenge(await shop.send(track(query)))
      expect(challenge.body.accepts[0]?.maxAmountRequired).toBe("520000")
    }
  )
})

describe("GET /x402/track: the id of an order", () => {
  it("is a 400 that says where the order's status is, not charged", async () => {
    const shop = await openShop()
    const { response } = await pay(shop, track("number=5e2f1f0a-3f57-4f0e-9b1c-2a4c1f3c7d10"))
    const { details } = await expectRefusal(shop, response, 400, "VALIDATION_ERROR")
    expect(details?.issues?.[0]?.path).toBe("number")
    expect(details?.issues?.[0]?.message).toMatch(/id of an order.*status page/)
    expect(shop.calls.track).toEqual([])
  })
})

describe("GET /x402/track: a number that no carrier knows", () => {
  const nobody = async () => {
    throw new NoTrackingInfo({ message: "No carrier knows it.", costUsd: 0.02 })
  }

  it("is a 404, not charged, and isn't looked up again within the hour", async () => {
    const shop = await openShop({ script: { track: nobody } })
    for (const number of ["1Z999AA1", "1z999-aa1", "1Z999AA1"]) {
      const { response } = await pay(shop, track(`number=${number}`))
      await expectRefusal(shop, response, 404, "NO_TRACKING_INFO")
    }
    expect(shop.calls.track).toHaveLength(1)
  })

  it("with wrong data is the same 404; after ten guesses it is a 429 for right and wrong ones", async () => {
    const right = "5550123"
    const shop = await openShop({
      script: {
        track: async ({ number, phone }) => (phone === right ? { ...delivered, number } : nobody())
      }
    })
    const guess = async (phone: string) => (await pay(shop, track(`number=1Z999AA1&phone=${phone}`))).response
    const bodies = new Set<string>()
    for (let tried = 0; tried < 10; tried++) bodies.add(await (await guess(`555${tried}`)).text())
    expect(bodies.size).toBe(1)
    for (const phone of ["55510", right]) {
      const response = await guess(phone)
      expect(response.headers.get("retry-after")).not.toBeNull()
      await expectRefusal(shop, response, 429, "RATE_LIMITED")
    }
    expect(shop.calls.track).toHaveLength(10)
  })
})

describe("GET /x402/track: parameters that reach the tracker", () => {
  it.each([
    ["number of 5 characters", "number=1Z-9a", { number: "1Z-9a" }],
    ["number of 50 characters", `number=${number50}`, { number: number50 }],
    ["carrier", "number=1Z999AA1&carrier=100002", { number: "1Z999AA1", carrier: 100002 }],
    [
      "destinationPostalCode of 20 characters",
      `number=1Z999AA1&destinationPostalCode=${"9".repeat(20)}`,
      { destinationPostalCode: "9".repeat(20) }
    ],
    ["destinationCountry", "number=1Z999AA1&destinationCountry=DE", { destinationCountry: "DE" }],
    ["shipDate", "number=1Z999AA1&shipDate=2026-03-04", { shipDate: "2026-03-04" }],
    [
      "empty text where the contract sets no minimum",
      "number=1Z999AA1&destinationPostalCode=&phone=&cpfOrCnpj=",
      { number: "1Z999AA1" }
    ],
    ["phone of 30 characters", `number=1Z999AA1&phone=${"5".repeat(30)}`, { phone: "5".repeat(30) }],
    [
      "cpfOrCnpj of 20 characters",
      `number=1Z999AA1&cpfOrCnpj=${"1".repeat(20)}`,
      { cpfOrCnpj: "1".repeat(20) }
    ]
  ])("%s", async (_, query, expected) => {
    const shop = await openShop()
    await buyResponse(shop, track(query))
    expect(shop.calls.track).toHaveLength(1)
    expect(shop.calls.track[0]).toMatchObject(expected)
  })

  it("adds no parameters and ignores unknown ones", async () => {
    const shop = await openShop()
    await buyResponse(shop, track("number=1Z999AA1&lang=de"))
    expect(shop.calls.track).toEqual([{ number: "1Z999AA1" }])
  })
})

const carrierFields = {
  code: nullable(number),
  name: nullable(string),
  homepage: nullable(string),
  country: nullable(string)
}
const eventFields = {
  time: nullable(string),
  description: nullable(string),
  location: nullable(string),
  stage: nullable(string)
}
const stages = [
  "InfoReceived",
  "PickedUp",
  "Departure",
  "Arrival",
  "AvailableForPickup",
  "OutForDelivery",
  "Delivered",
  "Returning",
  "Returned"
] as const
const statuses = [
  "NotFound",
  "InfoReceived",
  "InTransit",
  "Expired",
  "AvailableForPickup",
  "OutForDelivery",
  "DeliveryFailure",
  "Delivered",
  "Exception"
] as const
const resultFields = {
  number: string,
  status: oneOf(...statuses),
  subStatus: nullable(string),
  statusDescription: nullable(string),
  delivered: boolean,
  found: boolean,
  carrier: object(carrierFields),
  lastMileCarrier: nullable(object({ code: nullable(number), name: nullable(string) })),
  origin: nullable(string),
  destination: nullable(string),
  latestEvent: nullable(object(eventFields)),
  events: array(object(eventFields)),
  milestones: array(object({ stage: oneOf(...stages), time: nullable(string) })),
  pickedUpAt: nullable(string),
  deliveredAt: nullable(string),
  daysInTransit: nullable(number),
  daysSinceLastUpdate: nullable(number),
  estimatedDelivery: nullable(
    object({ from: nullable(string), to: nullable(string), source: nullable(string) })
  ),
  serviceType: nullable(string),
  weightKg: nullable(string),
  carrierNotice: nullable(string),
  trackingPageUrl: url
}

describe.each([
  ["of a delivered shipment", delivered],
  ["of a shipment without data, found false", unknownShipment]
])("GET /x402/track: the response %s", (_, result) => {
  let shop: Shop
  let body: Record<string, unknown>
  beforeAll(async () => {
    shop = await keepShop({ script: { track: async () => result } })
    body = (await buyResponse(shop, track(`number=${result.number}`))) as typeof body
  })
  afterAll(() => shop.till.dispose())

  describe("TrackResult", () => itHasFields(resultFields, () => body))
  it("is the tracker's response, nulls included", () => expect(body).toEqual(result))
})

describe("GET /x402/track: the response's words", () => {
  it.each(statuses)("status %s", async (status) => {
    const shop = await openShop({
      script: { track: async ({ number }) => ({ ...unknownShipment, number, status }) }
    })
    expect(await buyResponse(shop, calls.track)).toMatchObject({ status })
  })
  it("milestone stages", async () => {
    const milestones = stages.map((stage) => ({ stage, time: null }))
    const shop = await openShop({
      script: { track: async ({ number }) => ({ ...unknownShipment, number, milestones }) }
    })
    expect(await buyResponse(shop, calls.track)).toMatchObject({ milestones })
  })
})

describe("GET /x402/track: errors, none of them charged", () => {
  it.each<[string, () => Error, number, string]>([
    [
      "invalid tracking number",
      () => new InvalidTrackingNumber({ message: "not a number of UPS" }),
      400,
      "VALIDATION_ERROR"
    ],
    [
      "nothing known yet",
      () => new NoTrackingInfo({ message: "nothing known yet" }),
      404,
      "NO_TRACKING_INFO"
    ],
    [
      "carrier not detected",
      () => new CarrierNotDetected({ message: "name the carrier" }),
      422,
      "CARRIER_NOT_DETECTED"
    ],
    [
      "another field needed",
      () =>
        new AdditionalFieldRequired({
          message: "send destinationPostalCode",
          field: "destinationPostalCode"
        }),
      422,
      "ADDITIONAL_FIELD_REQUIRED"
    ],
    ["provider broken", () => new Error("token 17t-secret expired"), 502, "TRACKING_PROVIDER_ERROR"],
    [
      "provider down",
      () => new TemporarilyUnavailable({ message: "over quota" }),
      503,
      "TRACKING_PROVIDER_UNAVAILABLE"
    ]
  ])("%s", async (_, error, status, code) => {
    const shop = await openShop({
      script: {
        track: async () => {
          throw error()
        }
      }
    })
    const { response } = await pay(shop, calls.track)
    const body = await expectRefusal(shop, response, status, code)
    expect(JSON.stringify(body)).not.toContain("17t-secret")
    expect(response.headers.has("retry-after")).toBe(status === 503)
  })

  it("ADDITIONAL_FIELD_REQUIRED names the field in its message and its details", async () => {
    const field = "shipDate"
    const shop = await openShop({
      script: {
        track: async () => {
          throw new AdditionalFieldRequired({ message: "the carrier needs shipDate", field })
        }
      }
    })
    const { response } = await pay(shop, calls.track)
    const body = await expectRefusal(shop, response, 422, "ADDITIONAL_FIELD_REQUIRED")
    expect(body.message).toContain(field)
    expect(body.details).toMatchObject({ field })
  })

  it("provider too slow: 503", async () => {
    const shop = await openShop({
      script: { track: () => new Promise(() => undefined) },
      options: { upstreamTimeoutMillis: 100 }
    })
    const { response } = await pay(shop, calls.track)
    await expectRefusal(shop, response, 503, "TRACKING_PROVIDER_UNAVAILABLE")
  })
})
