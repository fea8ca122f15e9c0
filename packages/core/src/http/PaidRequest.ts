import type { HeaderReading } from "../toll/request/PaymentHeader.ts"
import type { HandlerCall } from "./HandlerCall.ts"
import type { IncomingRequest } from "./HttpMessage.ts"
import type { Reading } from "./Input.ts"
import type { OperationMatch } from "./Router.ts"

/** A request for a paid operation, with its payment. */
export interface PaidRequest {
  readonly match: OperationMatch
  readonly request: IncomingRequest
  readonly header: HeaderReading
  /** The header `Origin`, where the response depends on it. */
  readonly corsOrigin: string | null
  /** Called only for requests that are quoted a price. */
  readonly clientAddress: () => string | undefined
  /** The handler of a priced route. */
  readonly handler: HandlerCall | undefined
}

/** A request with its input, and the canonical text that a payment is bound to. */
export interface DecodedCall {
  readonly paid: PaidRequest
  readonly reading: Reading
  readonly canonical: string
}
