import { describe, expect, it } from "vitest"
import type { TrackResult } from "@till402/core"
import { read } from "./readItems.ts"

const withInfo = (track_info: unknown): TrackResult =>
  read({ number: "NUMBER1", carrier: 100_002, track_info })

describe("unknown or unexpected fields of a document", () => {
  it.each([
    [
      "a new sub-status passes",
      { latest_status: { status: "InTransit", sub_status: "InTransit_TransportArrived" } },
      { status: "InTransit", subStatus: "InTransit_TransportArrived" }
    ],
    [
      "a new status is read from its sub-status",
      { latest_status: { status: "Flying", sub_status: "InTransit_Flying" } },
      { status: "InTransit", found: true }
    ],
    [
      "or from the stage of the latest event",
      { latest_status: { status: "Vanished" }, latest_event: { stage: "Returned", description: "x" } },
      { status: "Exception", found: true }
    ],
    [
      "or from there being events",
      { latest_status: { status: "Vanished" }, latest_event: { stage: "Teleported", description: "x" } },
      { status: "InTransit" }
    ],
    [
      "or it is not found",
      { latest_status: { status: "Vanished" } },
      { status: "NotFound", found: false, daysInTransit: null }
    ],
    [
      "a new source of an estimate passes",
      {
        time_metrics: {
          estimated_delivery_date: { source: "Oracle", from: null, to: "2026-11-21T00:00:00Z" }
        }
      },
      { estimatedDelivery: { from: null, to: "2026-11-21T00:00:00Z", source: "Oracle" } }
    ],
    [
      "a new stage of an event passes",
      { latest_event: { stage: "Teleported", time_iso: "2026-11-21T00:00:00Z" } },
      {
        latestEvent: { stage: "Teleported", time: "2026-11-21T00:00:00Z", description: null, location: null }
      }
    ],
    [
      "a new milestone does not",
      { milestone: [{ key_stage: "Teleported", time_iso: "2026-11-21T00:00:00Z" }] },
      { milestones: [] }
    ],
    [
      "milestones out of order are put in shipping order, once each",
      {
        milestone: ["Delivered", "PickedUp", "Delivered"].map((key_stage, day) => ({
          key_stage,
          time_iso: `2026-11-2${day}T00:00:00Z`
        }))
      },
      {
        milestones: [
          { stage: "PickedUp", time: "2026-11-21T00:00:00Z" },
          { stage: "Delivered", time: "2026-11-20T00:00:00Z" }
        ],
        deliveredAt: "2026-11-20T00:00:00Z"
      }
    ],
    [
      "numbers as text and text as numbers",
      { misc_info: { weight_kg: 1.5, local_key: "2151", local_provider: null } },
      { weightKg: "1.5", lastMileCarrier: { code: 2_151, name: "Correios Brazil" } }
    ],
    [
      "a last mile of the same carrier is none",
      { misc_info: { local_key: 100_002, local_provider: "UPS" } },
      { lastMileCarrier: null }
    ],
    [
      "days below zero are left out",
      { latest_status: { status: "InTransit" }, time_metrics: { days_of_transit: -1 } },
      { daysInTransit: null }
    ],
    [
      "countries that are none are left out",
      { shipping_info: { shipper_address: { country: "China" }, recipient_address: { country: "br" } } },
      { origin: null, destination: "BR" }
    ],
    [
      "homepages that are none are left out",
      {
        tracking: {
          providers: [{ provider: { key: 100_002, name: "UPS", homepage: "javascript:alert(1)" } }]
        }
      },
      { carrier: { code: 100_002, name: "UPS", homepage: "https://www.ups.com/", country: "US" } }
    ],
    [
      "everything of another kind",
      {
        latest_status: [],
        latest_event: "x",
        milestone: {},
        misc_info: 7,
        tracking: { providers: { events: 1 } },
        time_metrics: null,
        shipping_info: "x"
      },
      { status: "NotFound", events: [], milestones: [] }
    ]
  ])("%s", (_, info, expected) => {
    expect(withInfo(info)).toMatchObject(expected)
  })

  it.each([null, 7, "text", [], {}])("%j has a carrier and no data", (info) => {
    expect(withInfo(info)).toMatchObject({
      status: "NotFound",
      found: false,
      carrier: { code: 100_002, name: "UPS", homepage: "https://www.ups.com/", country: "US" }
    })
  })

  it("a carrier that is in no list has its code alone", () => {
    expect(read({ number: "NUMBER1", carrier: 999_999 }).carrier).toEqual({
      code: 999_999,
      name: null,
      homepage: null,
      country: null
    })
  })

  it("without a carrier it is the first provider's", () => {
    const provider = { key: 3_011, name: "China Post", country: "CN" }
    expect(
      read({ number: "NUMBER1", carrier: 0, track_info: { tracking: { providers: [{ provider }] } } }).carrier
    ).toEqual({ code: 3_011, name: "China Post", homepage: "https://yjcx.ems.com.cn/", country: "CN" })
  })
})
