import { Data, type Effect } from "effect"
import type { ApiFailure } from "../ApiFailure.ts"
import type { PaymentRequirements, Receipt } from "../domain/PaymentRequired.ts"
import type { Subject } from "../ports/Charges.ts"
import type { VaultFile } from "../ports/VaultFiles.ts"
import type { ResourceInfo } from "./Challenge.ts"
import type { Payment } from "./PaymentHeader.ts"
import type { PaymentOffer, Refusal } from "./Verdict.ts"

/** The payment does not buy this request after all, e.g. because its quote is gone: a 402. */
export class PaymentRefused extends Data.TaggedError("PaymentRefused")<{ readonly refusal: Refusal }> {}

/** An answer as the work gives it, before any money has moved. */
export interface Answer {
  readonly status: number
  readonly contentType: string
  /** What the answer says beside its body, e.g. which marketplace is missing from it. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body:
    | { readonly _tag: "Text"; readonly text: string }
    | { readonly _tag: "File"; readonly slug: string; readonly file: VaultFile }
}

export interface Work {
  readonly answer: Answer
  /** What the settlement sets off, durably. */
  readonly subject?: Subject
}

/** A paid request, decoded and priced, ready for the toll. */
export interface TollRequest {
  readonly operation: string
  /** Method, route and decoded input in canonical form: what the payment is bound to. */
  readonly canonical: string
  readonly payment: Payment
  readonly resource: ResourceInfo
  /** Personal data or secrets in the answer: it is kept encrypted. */
  readonly sealed: boolean
  /** How long the answer is given again, in milliseconds. */
  readonly replayMillis: number
  /** How long the work may take at most: a payment that leaves less time is refused before it starts. */
  readonly workMillis: number
  /** Settlement counts only when the chain shows it. */
  readonly proofRequired: boolean
  /** The payment settles before the work; the response is owed from then on. */
  readonly settlesFirst: boolean
  /** Value of the work that is done before the payment settles, in atomic units; 0: nothing is lost if it never does. */
  readonly exposureAtomic: bigint
  /** Network address of the client, for what is shared fairly among clients. */
  readonly clientAddress: () => string | undefined
  /** The facilitator is asked to verify whoever pays, however well they are known. */
  readonly alwaysVerified: boolean
  /** What is on offer now, or how to find out; asked only for a payment that is new. */
  readonly offers: (
    chargeKey: string
  ) => ReadonlyArray<PaymentOffer> | Effect.Effect<ReadonlyArray<PaymentOffer>, ApiFailure | PaymentRefused>
  /** The paid-for work. Its failure frees the payment; nothing is charged. */
  readonly work: (
    chargeKey: string,
    /** The very offer that the payment was accepted for: what has become of it since is the work's to check. */
    agreed: PaymentRequirements
  ) => Effect.Effect<Work, ApiFailure | PaymentRefused>
  /** Opens a file answer again. */
  readonly reopen: (slug: string) => Effect.Effect<VaultFile, ApiFailure>
}

export type Outcome =
  | {
      readonly _tag: "Paid"
      readonly answer: Answer
      readonly receipt: Receipt
    }
  | { readonly _tag: "Refused"; readonly refusal: Refusal }
