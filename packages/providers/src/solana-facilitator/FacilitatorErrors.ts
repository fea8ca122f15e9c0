import { Data } from "effect"

/** The fee payer has too little SOL to settle payments. Nothing was signed. */
export class FeePayerUnderfunded extends Data.TaggedError("FeePayerUnderfunded")<{}> {
  override get message(): string {
    return "the facilitator's fee payer has too little SOL"
  }
}
