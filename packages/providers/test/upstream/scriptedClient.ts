import { Effect } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"
import { makeUpstream, type Upstream, type UpstreamOptions } from "../../src/upstream/index.ts"

/*
 * An upstream without sockets, for cases in virtual time.
 */

export interface Step {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body?: string
  /** Virtual time before the response. */
  readonly afterMillis?: number
  /** No response: the connection breaks, or nothing ever arrives. */
  readonly instead?: "broken" | "silence"
}

export interface ScriptedClient {
  readonly client: HttpClient.HttpClient
  /** Steps to come, in order; the last one stays. */
  readonly steps: Array<Step>
  /** Virtual times at which requests were sent. */
  readonly sentAt: Array<number>
  /** The most requests that were out at once. */
  readonly mostAtOnce: () => number
}

export const scriptedClient = (...steps: Array<Step>): ScriptedClient => {
  const sentAt: Array<number> = []
  let out = 0
  let most = 0
  const client = HttpClient.make((request) =>
    Effect.clockWith((clock) => {
      const step = steps.length > 1 ? steps.shift()! : steps[0]!
      sentAt.push(clock.currentTimeMillisUnsafe())
      out += 1
      most = Math.max(most, out)
      const response =
        step.instead === "silence"
          ? Effect.never
          : step.instead === "broken"
            ? Effect.fail(
                new HttpClientError.HttpClientError({
                  reason: new HttpClientError.TransportError({ request })
                })
              )
            : Effect.sync(() =>
                HttpClientResponse.fromWeb(
                  request,
                  new Response(step.body ?? "{}", {
                    status: step.status ?? 200,
                    ...(step.headers === undefined ? {} : { headers: step.headers })
                  })
                )
              )
      return Effect.ensuring(
        step.afterMillis === undefined ? response : Effect.andThen(Effect.sleep(step.afterMillis), response),
        Effect.sync(() => {
          out -= 1
        })
      )
    })
  )
  return { client, steps, sentAt, mostAtOnce: () => most }
}

export const over = (
  { client }: ScriptedClient,
  options: Partial<UpstreamOptions> = {}
): Effect.Effect<Upstream> =>
  Effect.provideService(makeUpstream({ name: "shop", ...options }), HttpClient.HttpClient, client)

export const search = HttpClientRequest.get("https://shop.example/search?q=phone")
export const order = HttpClientRequest.post("https://shop.example/orders")
