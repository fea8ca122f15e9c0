/** Reported by a webhook: something happened to an order. Query its `status` for the current state. */
export interface FulfilmentUpdate {
  /** The reference that `place` returned. */
  readonly reference: string
  /** The upstream's name of the event: `shipment.updated`. */
  readonly event: string
}

/** Handles an update. If it throws, the webhook responds with a 500. */
export type OnFulfilmentUpdate = (update: FulfilmentUpdate) => void | Promise<void>
