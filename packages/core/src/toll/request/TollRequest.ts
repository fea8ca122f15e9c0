import type { Effect } from "effect"
import type { PaymentRequirements, Receipt } from "../../domain/PaymentRequired.ts"
import type { Subject } from "../../ports/Charges.ts"
import type { ListedResource } from "../facilitator/FacilitatorVerdicts.ts"
import type { PaymentRefused } from "./PaymentErrors.ts"
import type { Payment } from "./PaymentHeader.ts"
import type { PaymentOffer, Refusal } from "./Verdict.ts"

/** Bytes to send, all at once or as a stream that fails if it hasn't the stated length. */
export interface ByteContent {
  readonly body: ReadableStream<Uint8Array> | Uint8Array
  /** Number of bytes, if known. */
  readonly size?: number
  /** Digest of the bytes, or another text that changes with them, without quotes. */
  readonly digest?: string
  /** Opens the bytes from `start` to before `end` instead, without reading those before. */
  readonly range?: (start: number, end: number) => ReadableStream<Uint8Array>
  /** Where the caller gets the bytes instead, which then has an empty body here. */
  readonly redirect?: string
}

/** The response that the work produced, before any money has moved. */
export interface WorkResponse {
  readonly status: number
  readonly contentType: string
  /** Sent and replayed with the body, e.g. which part is missing from it. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body:
    | { readonly _tag: "Text"; readonly text: string }
    /** Too large to record: only the reference is stored, and `TollRequest.reopen` opens it again. */
    | {
        readonly _tag: "Bytes"
        readonly reference: string
        readonly content: ByteContent
        /** Opened again for a payment that was presented before. */
        readonly isReplay?: boolean
      }
}

/** The response with a file. */
export type FileResponse = WorkResponse & {
  readonly body: Extract<WorkResponse["body"], { readonly _tag: "Bytes" }>
}

export interface Work {
  readonly response: WorkResponse
  /** What the settlement triggers, e.g. an order. */
  readonly subject?: Subject
}

/** A paid request, decoded and priced. `E`: the error of its work. */
export interface TollRequest<E> {
  readonly operation: string
  /**
   * Identifies the request: method and route, then the input as JSON with sorted keys, so that the order of fields
   * doesn't matter. The input is the decoded one, or for a host's own operation the one that was sent.
   *
   * Its keyed digest is the charge's fingerprint, which binds the payment to this request: a replay with another text
   * is refused. The text itself is never stored, as the input may hold personal data.
   */
  readonly canonical: string
  readonly payment: Payment
  /** The requested address without its query: a payment that names another path is refused. */
  readonly resourceUrl: string
  /** The description that facilitators receive. */
  readonly resource: ListedResource
  /** The response contains personal data or secrets, and is stored encrypted. */
  readonly encrypted: boolean
  /** How long the response is replayed after settlement. */
  readonly replayMillis: number
  /** Timeout of the work: a payment that expires earlier is refused before the work starts. */
  readonly workMillis: number
  /** Whether settlement of an amount (atomic units) counts only when the chain shows it. */
  readonly proofRequired: (amountAtomic: bigint) => boolean
  /** The payment settles before the work; the response is owed from then on. */
  readonly settlesFirst: boolean
  /**
   * Its payer may want it only once: another payment of the same payer with the same `identity` is refused for `withinMillis`
   * after the first one's, unless it `isIntended`. Only a first one counts that is in flight, unknown, or paid and not
   * refunded. `identity` is text that is the same for every request for the same thing; only its keyed digest is stored.
   */
  readonly repeats?:
    | { readonly withinMillis: number; readonly isIntended: boolean; readonly identity: string }
    | undefined
  /**
   * Value at risk: of the work that is done before settlement, in atomic units; 0 if the host loses nothing without it.
   * For a computed price the maximum, until the offers are made.
   */
  readonly exposureAtomic: () => bigint
  /** Network address of the client, for limits that are shared fairly among clients. */
  readonly clientAddress: () => string | undefined
  /** The current offers. Called only for a new payment, unless the price is fixed. */
  readonly offers: (
    chargeKey: string
  ) => ReadonlyArray<PaymentOffer> | Effect.Effect<ReadonlyArray<PaymentOffer>, E | PaymentRefused>
  /** The offers on all networks, for a payment that has settled already: those of `offers` without this. */
  readonly owedOffers?: TollRequest<E>["offers"]
  /** The paid work. If it fails before settlement, nothing is charged and the payment can be retried. */
  readonly work: (
    chargeKey: string,
    /** The offer that the accepted payment matched. The work checks that it is still valid. */
    agreed: PaymentRequirements
  ) => Effect.Effect<Work, E | PaymentRefused>
  /** What failed work cost the host, in atomic units. `undefined`: as much as its price. */
  readonly costOf?: (error: unknown) => bigint | undefined
  /** Opens the content of a recorded reference again, for a replay. */
  readonly reopen: (reference: string) => Effect.Effect<ByteContent, E>
}

export type Outcome =
  | {
      readonly _tag: "Paid"
      readonly response: WorkResponse
      readonly receipt: Receipt
    }
  | { readonly _tag: "Refused"; readonly refusal: Refusal }
