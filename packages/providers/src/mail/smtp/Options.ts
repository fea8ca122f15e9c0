import { isIP } from "node:net"
import { ConfigurationError } from "@till402/core"
import { type Mailbox, mailboxOf } from "../Address.ts"

/*
 * What the SMTP mailer is given, checked and completed.
 */

/**
 * `tls`: encrypted from the first byte (port 465). `starttls`: encrypted before login and mail, else nothing
 * is sent. `none`: in the clear, for a server on this machine alone.
 */
export type SmtpSecurity = "tls" | "starttls" | "none"

/** Every time is in milliseconds. */
export interface SmtpOptions {
  /** Name or address of the server. */
  readonly host: string
  /** Default 465 with `security: "tls"`, else 587. */
  readonly port?: number
  /** Default: `tls` for port 465, `none` where `host` is this machine, else `starttls`. */
  readonly security?: SmtpSecurity
  readonly user?: string
  readonly password?: string
  /** `Shop <orders@shop.example>`: sender of the mail and of its envelope. */
  readonly from: string
  /** Where answers of buyers go; default: to `from`. */
  readonly replyTo?: string
  /** PEM of the authority that signed the server's certificate, where it is one of your own. */
  readonly ca?: string
  /** Until the connection stands and is encrypted; default 5000. */
  readonly connectTimeoutMillis?: number
  /** Of silence of the server; default 10000. */
  readonly socketTimeoutMillis?: number
  /** Of a whole mail, waiting for its turn included; default 15000, below the 20 seconds of a till. */
  readonly deadlineMillis?: number
  /** Connections at the same time; default 4. */
  readonly maxConcurrent?: number
  /** Mails that wait meanwhile; more are refused. Default 256. */
  readonly maxWaiting?: number
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

const wrong = (message: string): never => {
  throw new ConfigurationError({ message: `smtp: ${message}` })
}

const whole = (
  options: SmtpOptions,
  name: keyof SmtpOptions,
  otherwise: number,
  minimum: number,
  maximum: number
) => {
  const value: unknown = options[name] ?? otherwise
  return typeof value === "number" && Number.isInteger(value) && value >= minimum && value <= maximum
    ? value
    : wrong(`${name} must be a whole number from ${minimum} to ${maximum}`)
}

/** Whether a connection to `host` stays on this machine. */
export const isLoopback = (host: string): boolean =>
  /^localhost\.?$/i.test(host) || host === "::1" || (isIP(host) === 4 && host.startsWith("127."))

const securityOf = ({ host, port, security }: SmtpOptions): SmtpSecurity => {
  if (security === undefined) return port === 465 ? "tls" : isLoopback(host) ? "none" : "starttls"
  if (security !== "tls" && security !== "starttls" && security !== "none") {
    return wrong('security must be "tls", "starttls" or "none"')
  }
  return security === "none" && !isLoopback(host)
    ? wrong('security "none" is for a server on this machine: mails hold addresses and download tokens')
    : security
}

const isHost = (host: unknown): host is string =>
  typeof host === "string" &&
  (isIP(host) !== 0 || (host.length <= 253 && /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9.])?$/.test(host)))

const isCredential = (text: unknown): text is string =>
  typeof text === "string" && text !== "" && text.length <= 1_000 && !/\p{Cc}/u.test(text)

const loginOf = ({ password, user }: SmtpOptions): SmtpSettings["login"] => {
  if (user === undefined && password === undefined) return undefined
  return isCredential(user) && isCredential(password)
    ? { user, pass: password }
    : wrong("user and password belong together, each a line of 1 to 1000 characters")
}

/**
 * Checks the options.
 *
 * @throws ConfigurationError with the first fault found, never with the password
 */
export const configure = (options: SmtpOptions): SmtpSettings => {
  const { ca, host, replyTo } = options
  if (!isHost(host)) return wrong("host must be a host name or an IP address")
  if (ca !== undefined && !(typeof ca === "string" && ca.includes("-----BEGIN CERTIFICATE-----"))) {
    return wrong("ca must be a certificate in PEM")
  }
  const security = securityOf(options)
  const maxMillis = 600_000
  return {
    host,
    security,
    port: whole(options, "port", security === "tls" ? 465 : 587, 1, 65_535),
    login: loginOf(options),
    from: mailboxOf("smtp", "from", options.from),
    replyTo: replyTo === undefined ? undefined : mailboxOf("smtp", "replyTo", replyTo),
    ca,
    connectTimeoutMillis: whole(options, "connectTimeoutMillis", 5_000, 1, maxMillis),
    socketTimeoutMillis: whole(options, "socketTimeoutMillis", 10_000, 1, maxMillis),
    deadlineMillis: whole(options, "deadlineMillis", 15_000, 1, maxMillis),
    maxConcurrent: whole(options, "maxConcurrent", 4, 1, 1_000),
    maxWaiting: whole(options, "maxWaiting", 256, 0, 1_000_000)
  }
}
