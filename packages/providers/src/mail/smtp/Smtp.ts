import { ConfigurationError, type Mail } from "@till402/core"
import { BoundedMap, Mailer } from "@till402/core/effect"
import { Config, Context, Effect, Fiber, Layer, Semaphore } from "effect"
import { naturalInt, optionalSettings, positiveInt } from "../../upstream/index.ts"
import { mailerPort } from "../MailerPort.ts"
import { rememberedKeys } from "../OutgoingMail.ts"
import { makeDialogue } from "./Dialogue.ts"
import { type DialogueFailure, overloaded, pastDeadline, refusalOf } from "./Refusals.ts"
import { configure, type SmtpLayerOptions, type SmtpSettings } from "./SmtpSettings.ts"

/** SMTP, for programs in Effect. */
export interface SmtpClient {
  /** Sends a mail. Interrupting it stops the wait, not the mail, because the outcome would be unknown. */
  readonly send: (mail: Mail) => Effect.Effect<void, DialogueFailure>
}

/** Sends mails over a bounded number of connections, each key once. */
class Outbox {
  private readonly settings: SmtpSettings
  private readonly context: Context.Context<never>
  private readonly dialogue: ReturnType<typeof makeDialogue>
  private readonly connections: Semaphore.Semaphore
  private readonly sent = new BoundedMap<string, true>(rememberedKeys)
  private readonly running = new Map<string, Fiber.Fiber<void, DialogueFailure>>()

  constructor(settings: SmtpSettings, context: Context.Context<never>) {
    this.settings = settings
    this.context = context
    this.dialogue = makeDialogue(settings)
    this.connections = Semaphore.makeUnsafe(settings.maxConcurrent)
  }

  send(mail: Mail): Effect.Effect<void, DialogueFailure> {
    return Effect.suspend(() => {
      if (this.sent.get(mail.idempotencyKey) === true) return Effect.void
      const fiber = this.running.get(mail.idempotencyKey) ?? this.start(mail)
      return fiber === undefined ? Effect.fail(overloaded()) : Fiber.join(fiber)
    })
  }

  /** Starts to send a mail; `undefined` if too many are waiting. */
  private start(mail: Mail): Fiber.Fiber<void, DialogueFailure> | undefined {
    const { maxConcurrent, maxWaiting } = this.settings
    if (this.running.size >= maxConcurrent + maxWaiting) return undefined
    const fiber = Effect.runForkWith(this.context)(this.deliver(mail))
    this.running.set(mail.idempotencyKey, fiber)
    return fiber
  }

  private deliver(mail: Mail): Effect.Effect<void, DialogueFailure> {
    const { deadlineMillis } = this.settings
    return this.connections
      .withPermit(
        Effect.tryPromise({
          try: (signal) => this.dialogue(mail, signal),
          catch: (thrown) => (thrown instanceof ConfigurationError ? thrown : refusalOf(thrown))
        })
      )
      .pipe(
        Effect.timeoutOrElse({
          duration: deadlineMillis,
          orElse: () => Effect.fail(pastDeadline(deadlineMillis))
        }),
        Effect.tap(() => Effect.sync(() => this.sent.set(mail.idempotencyKey, true))),
        Effect.ensuring(Effect.sync(() => this.running.delete(mail.idempotencyKey)))
      )
  }
}

export const makeClient = Effect.fnUntraced(function* (
  options: SmtpLayerOptions
): Effect.fn.Return<SmtpClient, ConfigurationError> {
  const outbox = new Outbox(yield* configure(options), yield* Effect.context<never>())
  return { send: Effect.fn("Smtp.send")((mail: Mail) => outbox.send(mail)) }
})

const makePort = (options: SmtpLayerOptions) =>
  Effect.map(makeClient(options), ({ send }) => mailerPort(send))

const config = optionalSettings<
  Omit<{ readonly [name in keyof SmtpLayerOptions]-?: NonNullable<SmtpLayerOptions[name]> }, "host" | "from">
>({
  port: Config.Port("SMTP_PORT"),
  security: Config.Literals(["tls", "starttls", "none"], "SMTP_SECURITY"),
  user: Config.String("SMTP_USER"),
  password: Config.Redacted("SMTP_PASSWORD"),
  replyTo: Config.String("SMTP_REPLY_TO"),
  ca: Config.String("SMTP_CA"),
  connectTimeoutMillis: positiveInt("SMTP_CONNECT_TIMEOUT_MILLIS"),
  socketTimeoutMillis: positiveInt("SMTP_SOCKET_TIMEOUT_MILLIS"),
  deadlineMillis: positiveInt("SMTP_DEADLINE_MILLIS"),
  maxConcurrent: positiveInt("SMTP_MAX_CONCURRENT"),
  maxWaiting: naturalInt("SMTP_MAX_WAITING")
})

const required = (name: string, otherwise: string | undefined): Config.Config<string> =>
  otherwise === undefined ? Config.String(name) : Config.withDefault(Config.String(name), otherwise)

const optionsFromConfig = Effect.fnUntraced(function* (
  defaults: Partial<SmtpLayerOptions>
): Effect.fn.Return<SmtpLayerOptions, Config.ConfigError> {
  const settings = yield* config
  return {
    ...defaults,
    ...settings,
    host: yield* required("SMTP_HOST", defaults.host),
    from: yield* required("SMTP_FROM", defaults.from)
  }
})

/**
 * SMTP as the `Mailer` of an Effect host.
 *
 * @example
 * import { Smtp } from "@till402/providers/mail/smtp"
 *
 * const mailer = Smtp.layerConfig({ from: "Shop <orders@shop.example>" })
 */
export const Smtp = {
  layer: (options: SmtpLayerOptions): Layer.Layer<Mailer, ConfigurationError> =>
    Layer.effect(Mailer, makePort(options)),

  /**
   * Reads `SMTP_HOST`, `SMTP_FROM` and, if set, `SMTP_PORT`, `SMTP_SECURITY`, `SMTP_USER` with
   * `SMTP_PASSWORD`, `SMTP_REPLY_TO`, `SMTP_CA`, `SMTP_CONNECT_TIMEOUT_MILLIS`,
   * `SMTP_SOCKET_TIMEOUT_MILLIS`, `SMTP_DEADLINE_MILLIS`, `SMTP_MAX_CONCURRENT` and `SMTP_MAX_WAITING`. They
   * take precedence over `defaults`.
   */
  layerConfig: (
    defaults: Partial<SmtpLayerOptions> = {}
  ): Layer.Layer<Mailer, Config.ConfigError | ConfigurationError> =>
    Layer.effect(Mailer, Effect.flatMap(optionsFromConfig(defaults), makePort))
}
