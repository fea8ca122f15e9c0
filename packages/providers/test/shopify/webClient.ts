import { Effect } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"

/** An `HttpClient` answered by a function on web requests, without sockets: for cases in virtual time. */
export const webClient = (
  answer: (request: Request) => Promise<Response> | Response
): HttpClient.HttpClient =>
  HttpClient.make((request) =>
    HttpClientRequest.toWeb(request).pipe(
      Effect.orDie,
      Effect.flatMap((web) => Effect.promise(async () => answer(web))),
      Effect.map((response) => HttpClientResponse.fromWeb(request, response))
    )
  )
