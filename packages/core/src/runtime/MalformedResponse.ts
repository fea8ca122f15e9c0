import { Data } from "effect"

/** A response without the port's shape. `message` names the fields, never their values. */
export class MalformedResponse extends Data.TaggedError("MalformedResponse")<{ readonly message: string }> {}
