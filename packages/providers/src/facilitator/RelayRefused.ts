import { Data } from "effect"

/** Nothing was recorded or sent. The same payment can be settled later. */
export class RelayRefused extends Data.TaggedError("RelayRefused")<{
  readonly reason:
    | "settlement_fees_above_limit"
    | "relayer_out_of_funds"
    | "relayer_busy"
    | "payer_settlements_open"
}> {
  override get message(): string {
    return `the relayer can't send now: ${this.reason}. Nothing was sent`
  }
}
