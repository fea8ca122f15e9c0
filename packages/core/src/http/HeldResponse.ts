import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerResponse } from "node:http"
import { maxResponseLength } from "../operations/BodyLimits.ts"
import { conditionalHeaders, type HeaderList, withOuterHeaders, withoutOuterHeaders } from "./OuterHeaders.ts"
import type { PlainResponse } from "./HttpMessage.ts"

/*
 * Handlers of Node's frameworks write into a response object. This holds back what a priced handler writes until its
 * payment has settled. The methods that it puts before those of the response stay there: middleware that patches them
 * again, after it, keeps references to them.
 */

/**
 * `idle`: the handler wasn't called. `held`: nothing is sent. `released`: everything is sent. `over`: the till has
 * responded instead of a handler that is still at work, whose writes change nothing.
 */
type Phase = "idle" | "held" | "released" | "over"

/** Held bytes above which a writer should wait, where its response isn't for sale. */
const waitingBytes = 64 * 1024

const patched = [
  "setHeader",
  "setHeaders",
  "appendHeader",
  "removeHeader",
  "writeHead",
  "writeHeader",
  "flushHeaders",
  "writeEarlyHints",
  "writeInformation",
  "write",
  "end",
  "destroy"
] as const
/** Not all of them are in the types of each Node. */
type Originals = Readonly<Record<(typeof patched)[number], (...args: ReadonlyArray<unknown>) => unknown>>

const bytesOf = (chunk: unknown, encoding: unknown): Buffer =>
  typeof chunk === "string"
    ? Buffer.from(chunk, typeof encoding === "string" ? (encoding as BufferEncoding) : "utf8")
    : Buffer.from(chunk as Uint8Array)

/** For adapters: the headers that a Node response has by now. */
export const responseHeaders = (response: ServerResponse): Headers => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(response.getHeaders()))
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, String(one))
  return headers
}

/** For adapters: gives a Node response these headers and no others. */
export const replaceHeaders = (response: ServerResponse, headers: Headers): void => {
  for (const name of response.getHeaderNames()) if (!headers.has(name)) response.removeHeader(name)
  // Node stops adding a date when one is removed.
  response.sendDate = true
  for (const [name, value] of headers) if (name !== "set-cookie") response.setHeader(name, value)
  const cookies = headers.getSetCookie()
  if (cookies.length > 0) response.setHeader("set-cookie", cookies)
}

/** Sets the status and headers that `writeHead` was given, as Node does. */
const setHead = (response: ServerResponse, [status, second, third]: ReadonlyArray<unknown>): void => {
  response.statusCode = Number(status)
  if (typeof second === "string") response.statusMessage = second
  const headers = typeof second === "string" ? third : (second ?? third)
  if (Array.isArray(headers)) {
    const list: ReadonlyArray<string> = headers.flat()
    const names = list.filter((_, index) => index % 2 === 0)
    for (const name of names) response.removeHeader(name)
    for (const [index, name] of names.entries()) response.appendHeader(name, list[2 * index + 1]!)
    return
  }
  for (const [name, value] of Object.entries((headers ?? {}) as OutgoingHttpHeaders))
    if (value !== undefined) response.setHeader(name, value)
}

/** Frameworks look for this code of Node's. */
const nodeCode = "ERR_HTTP_HEADERS_SENT"

const hasNoBody = (status: number): boolean => status === 204 || status === 205

/** For adapters of Node's frameworks: the response to a request for a priced handler. */
export class HeldResponse {
  /** Headers that middleware before the handler has set. */
  readonly outerHeaders: HeaderList
  /** Whether the handler has written into the response itself. */
  isWritten = false
  /** Takes what the framework is about to write as JSON. */
  writes: (value: unknown) => void = () => undefined
  private readonly to: ServerResponse
  private readonly original: Originals
  private readonly handled = Promise.withResolvers<Response>()
  private readonly afterwards: Array<() => void> = []
  private phase: Phase = "idle"
  private chunks: Array<Buffer> = []
  private size = 0
  /** The head of a response that can be sold. */
  private sale: { readonly status: number; readonly headers: Headers } | undefined
  private hasEnded = false
  private isBroken = false
  private isReported = false
  private isWaiting = false
  private refusal: number | undefined
  /** What the handler doesn't see of its request. */
  private readonly hidden: IncomingHttpHeaders = {}

  /** Remembers which headers the host has set by now. */
  constructor(to: ServerResponse) {
    this.to = to
    this.outerHeaders = [...responseHeaders(to)]
    this.original = Object.fromEntries(patched.map((name) => [name, Reflect.get(to, name)])) as Originals
    // Of a handler that is late, nobody may be waiting any more.
    this.handled.promise.catch(() => undefined)
  }

  /** Holds back what is written from now on. Resolves to the response: complete, or only its head if it isn't for sale. */
  hold(): Promise<Response> {
    const { headers, method } = this.to.req
    this.phase = "held"
    // A compressed response can't be recorded. Middleware before this one may compress it: it is sent with the headers.
    for (const name of ["accept-encoding", ...(method === "GET" ? conditionalHeaders : [])]) {
      if (headers[name] === undefined) continue
      this.hidden[name] = headers[name]
      delete headers[name]
    }
    this.patch()
    return this.handled.promise
  }

  /** Responses from now on are those of an error handler, or of a fallback: never for sale, whatever their status. */
  refuse(status: 404 | 500): void {
    if (!this.isWritten) this.refusal = status
  }

  /** Reports the handler's error. `proceed` passes it to the host's error handler, which responds. */
  failed(error: unknown, proceed: () => void): void {
    const { hasEnded, isWritten, phase } = this
    if (phase === "over") this.handled.reject(error)
    else if (phase === "held" && hasEnded) this.afterwards.push(proceed)
    else if (phase === "held" && isWritten) this.break(error)
    // A broken response is reported by what waits for it.
    else if (!this.isBroken || (phase === "released" && !this.isReported)) {
      this.isReported = this.isBroken
      this.refuse(500)
      proceed()
    }
  }

  /** Sends everything again as it is written: the till has not responded. */
  abandon(): void {
    this.restoreRequest()
    if (this.phase === "held") this.phase = "released"
  }

  /** Sends the till's response, or the handler's own that it doesn't sell. */
  async finish(result: Response | PlainResponse): Promise<void> {
    this.restoreRequest()
    if (result instanceof Response) return this.release(result.headers)
    const { to } = this
    const { body } = result
    const isLate = this.phase === "held" && !this.hasEnded
    const bytes =
      body instanceof ReadableStream ? Buffer.from(await new Response(body).arrayBuffer()) : (body ?? "")
    this.phase = "released"
    if (!to.destroyed && !to.headersSent) {
      to.statusCode = result.status
      to.statusMessage = ""
      replaceHeaders(to, withOuterHeaders(new Headers(result.headers), this.outerHeaders))
      const isHead = to.req.method === "HEAD"
      // Node adds none where a framework has set one that was removed.
      if (!isHead && bytes.length > 0) to.setHeader("content-length", Buffer.byteLength(bytes))
      this.send("end", isHead ? "" : bytes)
    }
    if (isLate) this.phase = "over"
    this.runAfterwards()
  }

  private release(headers: Headers): void {
    const { hasEnded, to } = this
    const bytes = Buffer.concat(this.chunks)
    this.chunks = []
    this.phase = "released"
    if (!to.headersSent && !to.destroyed) replaceHeaders(to, headers)
    if (hasEnded) this.send("end", bytes)
    else if (bytes.byteLength === 0) this.send("flushHeaders")
    else if (this.send("write", bytes) === true && this.isWaiting) to.emit("drain")
    this.runAfterwards()
  }

  private runAfterwards(): void {
    const { afterwards, to } = this
    if (afterwards.length === 0) return
    const run = () => {
      for (const proceed of afterwards) proceed()
    }
    if (to.closed) run()
    else to.once("close", run)
  }

  private restoreRequest(): void {
    Object.assign(this.to.req.headers, this.hidden)
  }

  private send(name: keyof Originals, ...args: ReadonlyArray<unknown>): unknown {
    return Reflect.apply(this.original[name], this.to, args)
  }

  private patch(): void {
    const { to } = this
    const held: Partial<Record<keyof Originals, (...args: ReadonlyArray<unknown>) => unknown>> = {
      writeHead: (...head) => this.begin(head),
      // An older name of writeHead.
      writeHeader: (...head) => this.begin(head),
      flushHeaders: () => this.beginImplicitly(),
      // They would tell what isn't paid yet, and no one needs them afterwards.
      writeEarlyHints: (...args) => void this.call(args.at(-1)),
      writeInformation: (...args) => void this.call(args.at(-1)),
      write: (chunk, encoding, callback) => this.write(chunk, encoding, callback),
      end: (chunk, encoding, callback) => this.end(chunk, encoding, callback),
      destroy: (error) => this.break(error ?? new Error("The handler destroyed its response"))
    }
    for (const name of patched) {
      // Responses of HTTP/2 have fewer.
      if (typeof this.original[name] !== "function") continue
      const method = (...args: ReadonlyArray<unknown>): unknown => {
        if (this.phase === "over") return name === "write" ? false : to
        return this.phase === "held" && held[name] !== undefined
          ? held[name](...args)
          : this.send(name, ...args)
      }
      Object.assign(to, { [name]: method })
    }
    const own: unknown = Object.getPrototypeOf(to)
    const define = (name: "headersSent" | "writableEnded", isSo: () => boolean) =>
      Object.defineProperty(to, name, {
        configurable: true,
        get: (): unknown => (this.phase === "held" ? isSo() : Reflect.get(own as object, name, to))
      })
    define("headersSent", () => this.isWritten)
    define("writableEnded", () => this.hasEnded)
  }

  private break(error: unknown): ServerResponse {
    this.isBroken = true
    this.isWritten = false
    this.chunks = []
    this.handled.reject(error)
    return this.to
  }

  private begin(head: ReadonlyArray<unknown>): ServerResponse {
    const { handled, refusal, to } = this
    if (this.isWritten)
      throw Object.assign(new Error("The head of the response was written before"), {
        code: nodeCode
      })
    setHead(to, head)
    this.isWritten = true
    const headers = responseHeaders(to)
    const status = refusal === undefined || to.statusCode > 299 ? to.statusCode : refusal
    if (status >= 200 && status <= 299)
      this.sale = { status, headers: withoutOuterHeaders(headers, this.outerHeaders) }
    // A web response can't have every status that Node's can.
    else handled.resolve(new Response(null, { status: status > 299 && status < 600 ? status : 500, headers }))
    return to
  }

  /** Like Node, by `writeHead`: middleware may have patched it, to set headers at the last moment. */
  private beginImplicitly(): void {
    if (!this.isWritten) this.to.writeHead(this.to.statusCode)
  }

  private call(written: unknown): void {
    if (typeof written === "function") queueMicrotask(() => Reflect.apply(written, undefined, []))
  }

  private write(chunk: unknown, encoding: unknown, callback: unknown): boolean {
    this.beginImplicitly()
    this.keep(bytesOf(chunk, encoding))
    const written = typeof encoding === "function" ? encoding : callback
    this.call(written)
    const limit = this.sale === undefined ? waitingBytes : maxResponseLength
    this.isWaiting = this.size > limit
    return !this.isWaiting
  }

  private end(...args: ReadonlyArray<unknown>): ServerResponse {
    const { to } = this
    const callback = args.find((one) => typeof one === "function")
    const [chunk, encoding] = args
    if (this.hasEnded || this.isBroken) return to
    if (callback !== undefined) to.once("finish", callback as () => void)
    this.beginImplicitly()
    if (chunk !== undefined && chunk !== null && typeof chunk !== "function")
      this.keep(bytesOf(chunk, encoding))
    this.hasEnded = true
    this.sell()
    return to
  }

  private keep(bytes: Buffer): void {
    if (this.isBroken || (this.sale !== undefined && this.size > maxResponseLength)) return
    this.chunks.push(bytes)
    this.size += bytes.byteLength
    // Too large to be sold: the till says so, and reads no more.
    if (this.size > maxResponseLength) this.sell()
  }

  private sell(): void {
    if (this.sale === undefined) return
    const { headers, status } = this.sale
    const body = hasNoBody(status) || this.size === 0 ? null : Buffer.concat(this.chunks)
    this.handled.resolve(new Response(body, { status, headers }))
  }
}
