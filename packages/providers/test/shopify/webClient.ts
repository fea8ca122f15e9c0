import { Effect } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"

/** An `HttpClient` backed by a function of web requests, without sockets, for tests in virtual time. */
export const webClient = (
  respond: (request: Request) => Promise<Response> | Response
): HttpClient.HttpClient =>
  HttpClient.make((request) =>
    HttpClientRequest.toWeb(request).pipe(
      Effect.orDie,
      Effect.flatMap((web) => Effect.promise(async () => respond(web))),
      Effect.map((response) => HttpClientResponse.fromWeb(request, response))
    )
  )
