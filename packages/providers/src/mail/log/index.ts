import { ConfigurationError, type Mail, type MailerOptions } from "@till402/core"
import { BoundedMap, Mailer } from "@till402/core/effect"
import { Config, Effect, Layer } from "effect"
import { mailerPort } from "../MailerPort.ts"
import { outgoingMail, rememberedKeys } from "../OutgoingMail.ts"

/*
 * A mailer for development, and for shops that send no mail: it logs that there was a mail.
 */

export interface LogMailerOptions {
  /**
   * Also logs recipient, subject and text. For development only: they contain addresses and the vault's
   * download tokens.
   */
  readonly bodies?: boolean | undefined
}

const maxKeyLength = 256

/** Keeps a key on one line. The till's own keys are safe. */
const printed = (text: string): string =>
  text
    .toWellFormed()
    .slice(0, maxKeyLength)
    .replace(/[\p{Cc}\p{Z}]+/gu, "_")

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/** Returns the text to log for a mail; `undefined` if its key was logged before. */
const makeLines = ({ bodies = false }: LogMailerOptions) => {
  const written = new BoundedMap<string, true>(rememberedKeys)
  return {
    lineOf: ({ html, idempotencyKey, subject, text, to }: Mail): string | undefined => {
      if (written.get(idempotencyKey) === true) return undefined
      const kind = idempotencyKey.split(":", 1)[0]!
      const line = `mail ${printed(kind)} ${printed(idempotencyKey)} ${bytesOf(text) + bytesOf(html)} bytes`
      return bodies === true ? `${line}\nTo: ${to}\nSubject: ${subject}\n\n${text}` : line
    },
    wasWritten: ({ idempotencyKey }: Mail): void => {
      written.set(idempotencyKey, true)
    }
  }
}

/**
 * Sends nothing, but writes a line for each mail.
 *
 * The line contains the mail's kind (the start of its key), its key, and the size of text and HTML together:
 * `mail order-confirmed order-confirmed:1f0e… 2513 bytes`. Each key is written once.
 *
 * @param write receives one line without a line feed; with `bodies`, several lines
 * @throws ConfigurationError if `write` is not a function
 * @example
 * import { logMailer } from "@till402/providers/mail/log"
 *
 * const mailer = logMailer(console.log)
 */
export const logMailer = (write: (line: string) => void, options: LogMailerOptions = {}): MailerOptions => {
  if (typeof write !== "function") {
    throw new ConfigurationError({ message: "log mailer: write must be a function" })
  }
  const { lineOf, wasWritten } = makeLines(options)
  const send = async (given: Mail): Promise<void> => {
    const mail = outgoingMail(given)
    const line = lineOf(mail)
    if (line === undefined) return
    write(line)
    wasWritten(mail)
  }
  return { send: Object.assign(send, standIn) }
}

/** By this mark, a till with real sales reports that buyers get no mail. */
const standIn = { [Symbol.for("@till402/standIn")]: true }

const makePort = (options: LogMailerOptions): Mailer["Service"] => {
  const { lineOf, wasWritten } = makeLines(options)
  const { send } = mailerPort((mail) =>
    Effect.suspend(() => {
      const line = lineOf(mail)
      if (line === undefined) return Effect.void
      return Effect.tap(Effect.logInfo(line), () => Effect.sync(() => wasWritten(mail)))
    })
  )
  return { send: Object.assign(send, standIn) }
}

/**
 * A `Mailer` of an Effect host that sends nothing, but logs each mail with Effect's logger.
 *
 * @example
 * import { LogMailer } from "@till402/providers/mail/log"
 *
 * const mailer = LogMailer.layer()
 */
export const LogMailer = {
  layer: (options: LogMailerOptions = {}): Layer.Layer<Mailer> => Layer.sync(Mailer, () => makePort(options)),

  /** Reads `LOG_MAILER_BODIES`, if set. It takes precedence over `defaults`. */
  layerConfig: (defaults: LogMailerOptions = {}): Layer.Layer<Mailer, Config.ConfigError> =>
    Layer.effect(
      Mailer,
      Effect.map(
        Config.withDefault(Config.Boolean("LOG_MAILER_BODIES"), defaults.bodies ?? false),
        (bodies) => makePort({ bodies })
      )
    )
}
