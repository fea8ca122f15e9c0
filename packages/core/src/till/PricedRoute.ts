import type { Caller, IncomingRequest, PlainResponse } from "../http/HttpMessage.ts"

/** A paid route whose requests and responses are a framework's: what `price` of a till returns. */
export interface PricedRoute {
  /**
   * Handles a request: a 402, a response that was paid before, or the response of `respond`, which is called at most
   * once. A response outside 2xx is returned uncharged, with headers that keep it out of caches; an error is thrown
   * again. With `settlement: "before-work"` the payment has settled: the caller gets `HANDLER_FAILED`, and retries free
   * of charge.
   *
   * @throws ConfigurationError if the path of the request isn't that of the route, nor too long for one
   */
  readonly fetch: (
    request: Request,
    respond: () => Response | Promise<Response>,
    caller?: Caller
  ) => Promise<Response>
  /**
   * The same for adapters of frameworks. The body that `toRequest` gives must be a copy: `respond` reads the request
   * too, and passes to `writes` what the handler gives its framework to write as JSON: where that loses some of it, such
   * as a promise, nothing is charged.
   */
  readonly handle: (
    request: IncomingRequest,
    respond: (writes: (value: unknown) => void) => Response | Promise<Response>,
    caller?: Caller
  ) => Promise<PlainResponse | Response>
}
