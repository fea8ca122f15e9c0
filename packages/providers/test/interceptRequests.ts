import { Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { setupServer } from "msw/node"
import { afterAll, afterEach, beforeAll } from "vitest"

/** Responds to the requests of this test file by the server's handlers; a request that none of them takes fails. */
export const interceptRequests = (server = setupServer()) => {
  beforeAll(() => server.listen({ onUnhandledFrame: "error" }))
  afterEach(() => server.resetHandlers())
  afterAll(() => server.close())
  return server
}

/** Where a scene puts its handlers. */
export type Intercepted = Pick<ReturnType<typeof setupServer>, "use">

/**
 * The client of `fetch` as it is at each call. The reference's default remembers the `fetch` of its first use, which in
 * shared modules may be that of another test file.
 */
export const currentFetch = FetchHttpClient.layer.pipe(
  Layer.provideMerge(Layer.succeed(FetchHttpClient.Fetch, (input, init) => fetch(input, init)))
)
