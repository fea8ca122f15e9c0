import type { FulfilmentStatus } from "../goods/Order.ts"
import type { OrderMail } from "../ports/Orders.ts"

/** Names a mail of an order by its kind; with `dueAtMillis`, only if it has not been replaced since. */
export interface MailSelector {
  readonly kind: OrderMail["kind"]
  readonly dueAtMillis?: number
}

/** What happened to an order. */
export type OrderEvent =
  /** Its payment has settled. */
  | { readonly _tag: "PaymentSettled" }
  /** Its payment did not settle, is refunded as a whole, or was undone by a reorganization of the chain. */
  | { readonly _tag: "PaymentFailed" }
  /** Its payment has neither settled nor failed yet. */
  | { readonly _tag: "PaymentPending" }
  /** A worker is about to place it upstream. */
  | { readonly _tag: "PlacingBegun" }
  | { readonly _tag: "Placed"; readonly reference: string }
  /** Upstream refused it for good: it was not placed and never will be. */
  | { readonly _tag: "PlacementRefused"; readonly reason: string }
  /** Certainly not placed; worth another attempt. */
  | { readonly _tag: "NotPlaced"; readonly retryAfterMillis: number | undefined }
  /** It is unknown whether it was placed. */
  | { readonly _tag: "PlacementUnclear" }
  /** Upstream returned a status. */
  | { readonly _tag: "Progressed"; readonly progress: FulfilmentStatus }
  /** Upstream has no status for this order and never will. */
  | { readonly _tag: "Untracked" }
  /** A status request failed. */
  | { readonly _tag: "StatusUnknown" }
  /** Its charge records that a refund is due. */
  | { readonly _tag: "RefundDue" }
  /** It has no settled payment to refund. */
  | { readonly _tag: "NoRefundDue" }
  | { readonly _tag: "RefundPending" }
  | { readonly _tag: "Refunded" }
  /** A worker reserves a mail for itself, or puts it off: it is due again at `untilMillis`. */
  | ({ readonly _tag: "MailDeferred"; readonly untilMillis: number } & MailSelector)
  | ({ readonly _tag: "MailSent" } & MailSelector)
  | ({ readonly _tag: "MailFailed"; readonly isFinal: boolean } & MailSelector)
  /** An operator confirms that it was not placed and requests another attempt. */
  | { readonly _tag: "Retried" }
  /** An operator found it upstream. */
  | { readonly _tag: "Resolved"; readonly reference: string }
  /** An operator knows that the buyer has it. */
  | { readonly _tag: "Delivered" }
  /** An operator canceled it. */
  | { readonly _tag: "Cancelled"; readonly reason: string }
  /** Its next step is requested now. */
  | { readonly _tag: "StepRequested" }
