import { Cause, Clock, Effect } from "effect"
import { ApiFailure } from "../domain/ApiFailure.ts"
import { notifyHost } from "../ports/ProviderFailure.ts"
import { report } from "../runtime/events.ts"
import { MalformedResponse } from "../runtime/MalformedResponse.ts"
import { schedule } from "../runtime/schedule.ts"
import type { IncomingRequest, PlainResponse, PublicRoute } from "./HttpMessage.ts"
import type { HttpSettings } from "./HttpSettings.ts"
import { bodyTimeoutMillis, tooSlow } from "./RequestBody.ts"
import { failureResponse, requestFailed } from "./Responses.ts"

/*
 * Calls the host's functions of public routes, such as webhooks of providers.
 */

type Handled = PlainResponse | Response

const parsedBody = new ApiFailure({
  status: 500,
  code: "INTERNAL_ERROR",
  message: "This server can't read the body unchanged. Nothing was done."
})

/** A body that breaks off `bodyTimeoutMillis` after its first read. `stop` ends the timeout. */
const withTimeout = (
  body: ReadableStream<Uint8Array>,
  clock: Clock.Clock,
  onTimeout: () => void
): { readonly body: ReadableStream<Uint8Array>; readonly stop: () => void } => {
  const reader = body.getReader()
  let cancelTimeout: (() => void) | undefined
  const stop = (): void => cancelTimeout?.()
  const timed = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        cancelTimeout ??= schedule(clock, bodyTimeoutMillis, () => {
          onTimeout()
          controller.error(new Error("The body took too long to arrive"))
          // A sender that is gone can't be canceled, and need not be.
          reader.cancel().catch(() => undefined)
        })
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
        stop()
        controller.close()
      },
      async cancel(reason) {
        stop()
        await reader.cancel(reason)
      }
    },
    { highWaterMark: 0 }
  )
  return { body: timed, stop }
}

/** @throws TypeError where the host's function has returned none, which an adapter can't send */
const requireResponse = (given: Handled | undefined): Handled => {
  if (given?.status) return given
  throw new MalformedResponse({ message: "a public route must return a Response" })
}

/** Calls a function of the host. Ends with a 408 if the function reads a body that doesn't end in time. */
const callWithTimedBody = (
  handler: PublicRoute,
  request: Request,
  clock: Clock.Clock,
  late: () => Handled
): Promise<Handled> => {
  const { body, headers, method, url } = request
  const call = async (given: Request): Promise<Handled> => requireResponse(await handler(given))
  if (body === null) return call(request)
  const tooLate = Promise.withResolvers<Handled>()
  const timed = withTimeout(body, clock, () => tooLate.resolve(late()))
  const init: RequestInit & { readonly duplex: "half" } = {
    method,
    headers,
    body: timed.body,
    duplex: "half"
  }
  return Promise.race([call(new Request(url, init)), tooLate.promise]).finally(timed.stop)
}

/** Handles a request of a public route. Fails loudly where a body parser has left other bytes than were sent. */
export const publicCall = (
  settings: Pick<HttpSettings, "cors" | "onError">,
  handler: PublicRoute,
  request: IncomingRequest,
  origin: string | null
): Effect.Effect<Handled> => {
  const { cors } = settings
  if (request.isRebuilt === true)
    return Effect.as(
      report(
        "Error",
        "public_route_body_parsed",
        "A public route can't have the unchanged body: mount the till before the body parser, or keep the bytes in rawBody",
        { operation: request.url.pathname }
      ),
      failureResponse(parsedBody, cors, origin)
    )
  return Clock.clockWith((clock) =>
    Effect.promise(() =>
      callWithTimedBody(handler, request.toRequest(), clock, () => failureResponse(tooSlow, cors, origin))
    )
  ).pipe(
    Effect.catchCause((cause) => {
      const error = Cause.squash(cause)
      notifyHost(settings.onError, { port: "publicRoutes", operation: request.url.pathname, error })
      return requestFailed(cause, settings, origin, request.url.pathname)
    })
  )
}
