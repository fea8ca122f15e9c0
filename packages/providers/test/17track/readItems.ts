import type { TrackResult } from "@till402/core"
import { bundledCarriers } from "@till402/providers/carriers"
import { readShipment, resultAt } from "../../src/17track/Shipment.ts"
import { type Item } from "./documents.ts"

export const findCarrier = (code: number) => bundledCarriers.get(code)
export const read = (item: unknown, now = "2026-11-20T12:00:00Z"): TrackResult =>
  resultAt(readShipment(item, findCarrier), String((item as Item)["number"]), Date.parse(now))
