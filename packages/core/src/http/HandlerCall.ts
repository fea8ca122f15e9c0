import { Effect, type Exit } from "effect"
import { ApiFailure, nothingCharged } from "../domain/ApiFailure.ts"
import { reportDefects, timedOut } from "../operations/HostDefects.ts"
import { maxResponseLength } from "../operations/BodyLimits.ts"
import type { LossyJson } from "../operations/lossyJson.ts"
import type { OperationInput } from "../operations/Operation.ts"
import { type CallSettings, notifyHost } from "../ports/ProviderFailure.ts"
import { handedToFunction } from "../runtime/span.ts"
import { readBytes } from "../runtime/BoundedBody.ts"
import type { CallContext } from "../runtime/Deadline.ts"
import { MalformedResponse } from "../runtime/MalformedResponse.ts"
import type { Work } from "../toll/request/TollRequest.ts"
import { isCacheHeader, uncached } from "./CacheHeaders.ts"
import type { PlainResponse } from "./HttpMessage.ts"

/** Why a response of a handler is not sold: the handler refused, or threw. */
type Unsold =
  | { readonly _tag: "Responded"; readonly response: Response }
  | { readonly _tag: "Threw"; readonly error: unknown }

/** Headers that are not recorded: they belong to one connection, one client, a cache, the till, or encoded bytes. */
const isOmitted = (name: string): boolean =>
  /^(?:content-(?:type|length|encoding)|connection|keep-alive|transfer-encoding|trailer|upgrade|date|set-cookie|vary|(?:x-)?payment-.*|access-control-.*)$/.test(
    name
  ) || isCacheHeader(name)

/** Largest headers of a recorded response, in characters. */
const maxHeadersLength = 8 * 1024

// A byte order mark is part of the text.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Cancels a body that nobody reads; errors of its source change nothing. */
const cancel = ({ body }: Response): void => void body?.cancel().catch(() => undefined)

/** Calls a handler once. `writes` is for what it gives its framework to write as JSON. */
export type Respond = (writes: (value: unknown) => void) => Promise<Response>

/** One request's call of a priced handler of the host: at most one. */
export class HandlerCall {
  private readonly id: string
  private readonly respond: Respond
  private readonly lossyJson: OperationInput<never>["lossyJson"]
  private lossy: LossyJson | undefined
  private readonly settings: CallSettings
  private exit: Exit.Exit<Work, ApiFailure> | undefined
  private refusal: { readonly failure: ApiFailure; readonly unsold: Unsold } | undefined

  constructor(
    call: {
      readonly id: string
      readonly respond: Respond
      readonly lossyJson: OperationInput<never>["lossyJson"]
    },
    settings: CallSettings
  ) {
    this.id = call.id
    this.respond = call.respond
    this.lossyJson = call.lossyJson
    this.settings = settings
  }

  /**
   * Runs the handler and reads its response. Fails where the response is not sold. Its result counts for the whole
   * request, which may take its charge over again from another process: the handler runs once.
   */
  readonly work = (): Effect.Effect<Work, ApiFailure> =>
    this.exit ??
    Effect.onExit(this.call(), (exit) => {
      this.exit = exit
      return Effect.void
    })

  private call(): Effect.Effect<Work, ApiFailure> {
    return handedToFunction(Effect.promise((signal) => this.run({ signal }))).pipe(
      Effect.timeoutOrElse({
        duration: this.settings.timeoutMillis,
        orElse: () => Effect.succeed(Effect.fail(timedOut(this.id)))
      }),
      Effect.flatten,
      reportDefects(this.id, this.settings)
    )
  }

  /** What the caller gets if `failure` is this handler's refusal: its response, or its error as a defect. */
  outcomeOf(failure: unknown): Effect.Effect<Response> | undefined {
    if (this.refusal === undefined || failure !== this.refusal.failure) return undefined
    const { unsold } = this.refusal
    return unsold._tag === "Responded" ? Effect.succeed(uncached(unsold.response)) : Effect.die(unsold.error)
  }

  /** Where the response of the call isn't the handler's after all: reports its error, and cancels its body. */
  readonly release = (handled: PlainResponse | Response): void => {
    if (handled instanceof Response || this.refusal === undefined) return
    const { unsold } = this.refusal
    if (unsold._tag === "Threw") this.report(unsold.error)
    else cancel(unsold.response)
  }

  private report(error: unknown): void {
    notifyHost(this.settings.onError, { port: "operations", operation: this.id, error })
  }

  private async run(context: CallContext): Promise<Effect.Effect<Work, ApiFailure>> {
    let response: Response
    try {
      response = await this.respond((value) => {
        this.lossy = this.lossyJson?.(value)
      })
    } catch (error) {
      if (context.signal.aborted) this.report(error)
      return this.refuse(500, { _tag: "Threw", error })
    }
    if (typeof response?.headers?.get !== "function")
      throw new MalformedResponse({
        message: `the handler of ${this.id} must return a Response, such as Response.json(…)`
      })
    const { ok, status } = response
    // Nobody waits for it any more.
    if (context.signal.aborted) {
      cancel(response)
      return Effect.fail(timedOut(this.id))
    }
    return ok
      ? Effect.succeed(await this.read(response, context))
      : this.refuse(status, { _tag: "Responded", response })
  }

  private refuse(status: number, unsold: Unsold): Effect.Effect<never, ApiFailure> {
    const failure = new ApiFailure({
      status: status >= 400 && status !== 402 ? status : 500,
      code: "HANDLER_FAILED",
      message: `${this.id} failed.${nothingCharged}`
    })
    this.refusal = { failure, unsold }
    return Effect.fail(failure)
  }

  private async read(response: Response, context: CallContext): Promise<Work> {
    const { body, headers, status } = response
    const kept = [...headers].filter(([name]) => !isOmitted(name))
    if (kept.join().length > maxHeadersLength) {
      cancel(response)
      throw new MalformedResponse({
        message: `the handler of ${this.id} must set at most ${maxHeadersLength} characters of headers`
      })
    }
    const bytes = body === null ? new Uint8Array() : await readBytes(body, maxResponseLength, context.signal)
    if (bytes === undefined)
      throw new MalformedResponse({
        message: `the handler of ${this.id} must respond with at most ${maxResponseLength} bytes`
      })
    const text = this.textOf(bytes)
    if (this.lossy?.isText(text) === true) throw this.lossy.error
    return {
      response: {
        status,
        contentType: headers.get("content-type") ?? "text/plain;charset=UTF-8",
        ...(kept.length === 0 ? {} : { headers: Object.fromEntries(kept) }),
        body: { _tag: "Text", text }
      }
    }
  }

  private textOf(bytes: Uint8Array): string {
    try {
      return utf8.decode(bytes)
    } catch {
      throw new MalformedResponse({ message: `the handler of ${this.id} must respond with text in UTF-8` })
    }
  }
}
