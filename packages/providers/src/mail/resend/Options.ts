import type { MailerOptions } from "@till402/core"
import type { Redacted } from "effect"
import type { FetchOptions, UpstreamSettings, UpstreamUsage } from "../../upstream/UpstreamSettings.ts"

/** Settings of Resend, without the key. */
export interface ResendSettings extends UpstreamSettings {
  /** Sender of a domain that is verified at Resend: `Shop <orders@shop.example>`. */
  readonly from: string
  /** Address for buyers' replies; default: `from`. */
  readonly replyTo?: string | undefined
  /**
   * Your team's rate; default 2, the lowest that Resend has had for all teams
   * (https://resend.com/docs/api-reference/rate-limit). Counted for this mailer only.
   */
  readonly requestsPerSecond?: number | undefined
  /** Default `https://api.resend.com`. */
  readonly baseUrl?: string | undefined
}

/** Options of the plain function `resend`. */
export interface ResendOptions extends ResendSettings, FetchOptions {
  readonly apiKey: string
}

/** Options of `Resend.layer`. */
export interface ResendLayerOptions extends ResendSettings {
  readonly apiKey: Redacted.Redacted<string>
}

/** `mailer` of a till, with its usage. */
export interface ResendMailer extends MailerOptions {
  readonly usage: () => UpstreamUsage
}
