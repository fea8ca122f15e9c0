import { createHash } from "node:crypto"
import type { ConfigurationError, Mail, MailRejected, TemporarilyUnavailable } from "@till402/core"
import { Mailer } from "@till402/core/effect"
import { Config, Context, Effect, Layer, Redacted, Schema } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import {
  makeUpstream,
  optionalSettings,
  positiveInt,
  rateLimiter,
  readJson,
  settingReaders,
  upstreamConfig,
  type UpstreamFault,
  type UpstreamUsage
} from "../../upstream/index.ts"
import { formatMailbox, mailboxOf } from "../Address.ts"
import { mailerPort } from "../MailerPort.ts"
import type { ResendLayerOptions, ResendSettings } from "./Options.ts"
import { failureOf } from "./Refusals.ts"

/** Resend, for programs in Effect. */
export interface ResendClient {
  readonly send: (mail: Mail) => Effect.Effect<void, MailRejected | TemporarilyUnavailable | UpstreamFault>
  readonly usage: () => UpstreamUsage
}

/** Resend refuses requests without one. */
const userAgent = "till402"

const readSent = readJson(Schema.Struct({ id: Schema.String }))

/** A key of 1 to 256 visible characters, as Resend requires; any other key as a digest. */
const keyHeader = (key: string): string =>
  /^[\x21-\x7e]{1,256}$/.test(key) ? key : `sha256-${createHash("sha256").update(key).digest("hex")}`

const read = settingReaders("resend")

export const makeClient = Effect.fnUntraced(function* (
  options: ResendLayerOptions
): Effect.fn.Return<ResendClient, ConfigurationError, HttpClient.HttpClient> {
  const apiKey = yield* read.secret("apiKey", options.apiKey)
  const baseUrl = yield* read.url("baseUrl", options.baseUrl ?? "https://api.resend.com")
  const requests = yield* read.wholeNumber("requestsPerSecond", options.requestsPerSecond ?? 2, 1, 1_000)
  const from = formatMailbox(yield* mailboxOf("resend", "from", options.from))
  const replyTo = yield* read.optional(options.replyTo, (text) =>
    Effect.map(mailboxOf("resend", "replyTo", text), formatMailbox)
  )
  const upstream = yield* makeUpstream({
    ...options,
    name: "resend",
    limiter: rateLimiter({ requests, perMillis: 1_000 })
  })

  const requestOf = ({ html, idempotencyKey, subject, text, to }: Mail) =>
    HttpClientRequest.post(`${baseUrl}/emails`).pipe(
      HttpClientRequest.setHeaders({
        accept: "application/json",
        authorization: `Bearer ${Redacted.value(apiKey)}`,
        "idempotency-key": keyHeader(idempotencyKey),
        "user-agent": userAgent
      }),
      HttpClientRequest.bodyJsonUnsafe({
        from,
        to: [to],
        subject,
        text,
        html,
        ...(replyTo === undefined ? {} : { reply_to: replyTo }),
        // RFC 3834: prevents automatic replies.
        headers: { "Auto-Submitted": "auto-generated" }
      })
    )

  return {
    send: Effect.fn("Resend.send")((mail: Mail) =>
      // Idempotent because of the key, which Resend keeps for 24 hours.
      upstream.call(requestOf(mail), { idempotent: true }).pipe(
        Effect.flatMap(readSent),
        Effect.asVoid,
        Effect.catch((fault) => {
          const failure = failureOf(fault)
          return failure === undefined ? Effect.void : Effect.fail(failure)
        })
      )
    ),
    usage: upstream.usage
  }
})

const makeServices = Effect.fnUntraced(function* (options: ResendLayerOptions) {
  const client = yield* makeClient(options)
  return Context.make(Resend, client).pipe(Context.add(Mailer, mailerPort(client.send)))
})

const config = Config.all({
  apiKey: Config.Redacted("RESEND_API_KEY"),
  settings: optionalSettings({
    replyTo: Config.String("RESEND_REPLY_TO"),
    requestsPerSecond: positiveInt("RESEND_REQUESTS_PER_SECOND"),
    baseUrl: Config.String("RESEND_BASE_URL")
  }),
  upstream: upstreamConfig("RESEND")
})

const optionsFromConfig = Effect.fnUntraced(function* (
  defaults: Partial<ResendSettings>
): Effect.fn.Return<ResendLayerOptions, Config.ConfigError> {
  const { apiKey, settings, upstream } = yield* config
  const from = Config.String("RESEND_FROM")
  return {
    ...defaults,
    ...upstream,
    ...settings,
    apiKey,
    from: yield* defaults.from === undefined ? from : Config.withDefault(from, defaults.from)
  }
})

/**
 * Resend as the `Mailer` of an Effect host. The service itself has `usage`.
 *
 * @example
 * import { Resend } from "@till402/providers/mail/resend"
 * import { Layer } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const mailer = Resend.layerConfig({ from: "Shop <orders@shop.example>" }).pipe(
 *   Layer.provide(FetchHttpClient.layer)
 * )
 */
export class Resend extends Context.Service<Resend, ResendClient>()("@till402/providers/Resend") {
  static readonly layer = (
    options: ResendLayerOptions
  ): Layer.Layer<Resend | Mailer, ConfigurationError, HttpClient.HttpClient> =>
    Layer.effectContext(makeServices(options))

  /**
   * Reads `RESEND_API_KEY`, `RESEND_FROM` and, if set, `RESEND_REPLY_TO`, `RESEND_REQUESTS_PER_SECOND`,
   * `RESEND_BASE_URL` and the settings of all providers, such as `RESEND_TIMEOUT_MILLIS`. They take
   * precedence over `defaults`.
   */
  static readonly layerConfig = (
    defaults: Partial<ResendSettings> = {}
  ): Layer.Layer<Resend | Mailer, Config.ConfigError | ConfigurationError, HttpClient.HttpClient> =>
    Layer.effectContext(Effect.flatMap(optionsFromConfig(defaults), makeServices))
}
