import type { Cause, Effect } from "effect"
import { type EventFields, report as reportEvent, type TillEvent } from "../../runtime/events.ts"
import type { EventCode } from "./EventCode.ts"

/** What an event of the shop is about. */
export interface ShopEventFields extends EventFields {
  readonly orderId?: string | undefined
  /** The order that shares its upstream reference with `orderId`. */
  readonly otherOrderId?: string | undefined
  readonly purchaseId?: string | undefined
  /** The model of the assistant. */
  readonly model?: string | undefined
  /** Requests of one run to models. */
  readonly rounds?: number | undefined
  readonly inputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  /** Millionths of a US dollar. */
  readonly costMicroUsd?: number | undefined
}

/** An event for the host's own log, of the engine or of the shop. */
export interface ShopEvent extends TillEvent, ShopEventFields {
  /** A stable code: `order_needs_operator`. Listed in docs/events.md. */
  readonly code: EventCode
}

/** Logs an event of the shop. See `report` of the engine. */
export const report: (
  level: "Info" | "Warn" | "Error",
  code: string,
  message: string,
  fields?: ShopEventFields,
  cause?: Cause.Cause<unknown>
) => Effect.Effect<void> = reportEvent
