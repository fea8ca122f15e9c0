import type { Target } from "./Target.ts"

/*
 * Requests and responses without web objects. On Node, making a web `Request` and `Response` and reading them again
 * costs as much as all the till's own work in between.
 */

/** A request as the server received it. */
export interface IncomingRequest {
  readonly method: string
  readonly url: Target
  /** A header's values, joined by commas, by its lower-case name; `null` if it is missing. */
  readonly header: (name: string) => string | null
  /** Whether `toRequest` rebuilds the body from a body parser's result: its bytes may differ from those sent. */
  readonly isRebuilt?: boolean
  /** Makes a web `Request`, for bodies and for the host's functions. */
  readonly toRequest: () => Request
}

/** A response whose body is complete or a stream. */
export interface PlainResponse {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | null
}

class WebRequest implements IncomingRequest {
  readonly url: Target
  private readonly request: Request
  constructor(request: Request) {
    this.request = request
    this.url = new URL(request.url)
  }
  get method(): string {
    return this.request.method
  }
  header(name: string): string | null {
    return this.request.headers.get(name)
  }
  toRequest(): Request {
    return this.request
  }
}

/** Wraps a web `Request`. */
export const incoming = (request: Request): IncomingRequest => new WebRequest(request)

/** The same for a handler that reads the request too: `toRequest` gives a copy. */
export const incomingCopy = (request: Request): IncomingRequest => {
  const { method } = request
  let copy: Request | undefined
  return {
    method,
    url: new URL(request.url),
    header: (name) => request.headers.get(name),
    toRequest: () => (copy ??= request.clone())
  }
}

/** Converts to a web `Response`. */
export const toResponse = ({ body, headers, status }: PlainResponse): Response =>
  new Response(body as BodyInit | null, { status, headers })

/** Handles an unpaid request of any method. */
export type PublicRoute = (request: Request) => Response | Promise<Response>

/** Facts about the sender that aren't part of the request. */
export interface Caller {
  /** Network address, for the budget of unpaid quotes; adapters pass the one that their framework reports. */
  readonly clientAddress?: string | undefined
  /** Whether that is the first of `X-Forwarded-For`, however many there are: the framework trusts all proxies. */
  readonly trustsAll?: boolean | undefined
  /** The framework's path of the mount, such as `/shop`, where the request's URL is the path below it. */
  readonly mount?: string | undefined
}
