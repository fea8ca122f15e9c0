import { isIP } from "node:net"
import type { ConfigurationError } from "@till402/core"
import { Effect, Redacted } from "effect"
import { settingReaders } from "../../upstream/index.ts"
import { type Mailbox, mailboxOf } from "../Address.ts"

/**
 * `tls`: encrypted from the first byte (port 465). `starttls`: encrypted before login and mail, otherwise
 * nothing is sent. `none`: unencrypted, only for a server on this machine.
 */
export type SmtpSecurity = "tls" | "starttls" | "none"

/** Options of `Smtp.layer`. Times are in milliseconds. */
export interface SmtpLayerOptions {
  /** Name or address of the server. */
  readonly host: string
  /** Default 465 with `security: "tls"`, otherwise 587. */
  readonly port?: number | undefined
  /** Default: `tls` for port 465, `none` if `host` is this machine, otherwise `starttls`. */
  readonly security?: SmtpSecurity | undefined
  readonly user?: string | undefined
  readonly password?: Redacted.Redacted<string> | undefined
  /** Sender of the mail and of its envelope: `Shop <orders@shop.example>`. */
  readonly from: string
  /** Address for buyers' replies; default: `from`. */
  readonly replyTo?: string | undefined
  /** PEM of the authority that signed the server's certificate, if it is your own. */
  readonly ca?: string | undefined
  /** Time limit until the connection is encrypted; default 5000. */
  readonly connectTimeoutMillis?: number | undefined
  /** Time limit without data from the server; default 10000. */
  readonly socketTimeoutMillis?: number | undefined
  /** Time limit of a whole mail with waiting; default 15000, below the 20 seconds of a till. */
  readonly deadlineMillis?: number | undefined
  /** Connections at the same time; default 4. */
  readonly maxConcurrent?: number | undefined
  /** Mails that wait for a connection; further mails are refused. Default 256. */
  readonly maxWaiting?: number | undefined
}

/** Options of the plain function `smtp`. */
export interface SmtpOptions extends Omit<SmtpLayerOptions, "password"> {
  readonly password?: string | undefined
}

export interface SmtpSettings {
  readonly host: string
  readonly port: number
  readonly security: SmtpSecurity
  readonly login: { readonly user: string; readonly pass: string } | undefined
  readonly from: Mailbox
  readonly replyTo: Mailbox | undefined
  readonly ca: string | undefined
  readonly connectTimeoutMillis: number
  readonly socketTimeoutMillis: number
  readonly deadlineMillis: number
  readonly maxConcurrent: number
  readonly maxWaiting: number
}

const read = settingReaders("smtp")

/** Whether a connection to `host` stays on this machine. */
export const isLoopback = (host: string): boolean =>
  /^localhost\.?$/i.test(host) || host === "::1" || (isIP(host) === 4 && host.startsWith("127."))

const securities = ["tls", "starttls", "none"] as const

const readSecurity = Effect.fnUntraced(function* ({ host, port, security }: SmtpLayerOptions) {
  if (security === undefined) return port === 465 ? "tls" : isLoopback(host) ? "none" : "starttls"
  const chosen = yield* read.oneOf("security", security, securities)
  return chosen === "none" && !isLoopback(host)
    ? yield* read.invalid(
        'security "none" is for a server on this machine only: mails contain addresses and download tokens'
      )
    : chosen
})

const isHost = (host: unknown): host is string =>
  typeof host === "string" &&
  (isIP(host) !== 0 || (host.length <= 253 && /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9.])?$/.test(host)))

const isCredential = (text: unknown): text is string =>
  typeof text === "string" && text !== "" && text.length <= 1_000 && !/\p{Cc}/u.test(text)

const readLogin = ({
  password,
  user
}: SmtpLayerOptions): Effect.Effect<SmtpSettings["login"], ConfigurationError> => {
  if (user === undefined && password === undefined) return Effect.succeed(undefined)
  const pass: unknown = password === undefined ? undefined : Redacted.value(password)
  return isCredential(user) && isCredential(pass)
    ? Effect.succeed({ user, pass })
    : read.invalid("user and password go together, each a line of 1 to 1000 characters")
}

const maxMillis = 600_000

/** Checks the options and adds defaults. Fails with the first error found, never with the password. */
export const configure = Effect.fnUntraced(function* (
  options: SmtpLayerOptions
): Effect.fn.Return<SmtpSettings, ConfigurationError> {
  const { ca, host } = options
  if (!isHost(host)) return yield* read.invalid("host must be a host name or an IP address")
  const security = yield* readSecurity(options)
  const millis = (name: string, value: number) => read.wholeNumber(name, value, 1, maxMillis)
  return {
    host,
    security,
    port: yield* read.wholeNumber("port", options.port ?? (security === "tls" ? 465 : 587), 1, 65_535),
    login: yield* readLogin(options),
    from: yield* mailboxOf("smtp", "from", options.from),
    replyTo: yield* read.optional(options.replyTo, (text) => mailboxOf("smtp", "replyTo", text)),
    ca: yield* read.optional(ca, (pem) =>
      read.text("ca", pem, /-----BEGIN CERTIFICATE-----/, "a certificate in PEM")
    ),
    connectTimeoutMillis: yield* millis("connectTimeoutMillis", options.connectTimeoutMillis ?? 5_000),
    socketTimeoutMillis: yield* millis("socketTimeoutMillis", options.socketTimeoutMillis ?? 10_000),
    deadlineMillis: yield* millis("deadlineMillis", options.deadlineMillis ?? 15_000),
    maxConcurrent: yield* read.wholeNumber("maxConcurrent", options.maxConcurrent ?? 4, 1, 1_000),
    maxWaiting: yield* read.wholeNumber("maxWaiting", options.maxWaiting ?? 256, 0, 1_000_000)
  }
})
