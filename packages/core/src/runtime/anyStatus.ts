import { Effect } from "effect"
import { HttpClient } from "effect/http"

/** A client that returns responses of all statuses: a host's own may fail for some, as with `filterStatusOk`. */
export const anyStatus = (client: HttpClient.HttpClient): HttpClient.HttpClient =>
  HttpClient.catch(client, (error) =>
    error.reason._tag === "StatusCodeError" ? Effect.succeed(error.reason.response) : Effect.fail(error)
  )
