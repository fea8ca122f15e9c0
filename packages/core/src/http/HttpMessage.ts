import { type Target, targetOfUrl } from "./Target.ts"

/*
 * What comes in and what goes out, before the web's objects: on Node, making a `Request` and a `Response` of the
 * web and taking them apart again costs as much as everything that the till does in between.
 */

/** A request, as a server has it. */
export interface IncomingRequest {
  readonly method: string
  readonly url: Target
  /** The values of a header, in lower case, joined by commas; `null` where it is not there. */
  readonly header: (name: string) => string | null
  /** The request as the web's: made for bodies, and for functions of the host, which look at it. */
  readonly toRequest: () => Request
}

/** A response whose body is complete or a stream. */
export interface PlainResponse {
  readonly status: number
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | null
}

class WebRequest implements IncomingRequest {
  readonly url: Target
  private readonly request: Request
  constructor(request: Request) {
    this.request = request
    this.url = targetOfUrl(request.url)
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

/** A request of the web's. */
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

/** What a server knows of who sent a request, beside the request. */
export interface Caller {
  /** Network address, for the budget of unpaid quotes; adapters give the one their framework says. */
  readonly clientAddress?: string | undefined
}
