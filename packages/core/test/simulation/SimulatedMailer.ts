import type { Mail } from "../../src/ports/Mailer.ts"
import type { Fate } from "./Fate.ts"

/** How well mails are taken. */
export interface MailTemper {
  /** How likely a mail is lost, or taken without a word of it. */
  readonly failureChance: number
  /** How likely a mail is rejected for good. */
  readonly rejectionChance: number
}

/** A mail service: takes each key once, fails at times, and keeps what it took. */
export class SimulatedMailer {
  temper: MailTemper
  /** What was taken, by key. */
  readonly taken = new Map<string, Mail>()
  /** Keys whose mail was rejected for good. */
  readonly rejected = new Set<string>()
  private readonly keyOfText = new Map<string, string>()
  private readonly fate: Fate
  private readonly violation: (what: string) => void

  constructor(options: {
    readonly fate: Fate
    readonly temper: MailTemper
    readonly violation: (what: string) => void
  }) {
    this.fate = options.fate
    this.temper = options.temper
    this.violation = options.violation
  }

  /** Answers `undefined` where it never answers. */
  send(mail: Mail): null | undefined {
    const { idempotencyKey, text, to } = mail
    const { failureChance, rejectionChance } = this.temper
    const isKnown = this.taken.has(idempotencyKey)
    if (this.rejected.has(idempotencyKey) || (!isKnown && this.fate.chance(rejectionChance))) {
      this.rejected.add(idempotencyKey)
      throw Object.assign(new Error("no such mailbox"), { _tag: "MailRejected" })
    }
    const isTrouble = this.fate.chance(failureChance)
    if (isTrouble && this.fate.chance(0.4)) throw new Error("421 Try again later")
    this.compare(idempotencyKey, `${to}\n${text}`)
    this.taken.set(idempotencyKey, mail)
    if (!isTrouble) return null
    if (this.fate.chance(0.5)) return undefined
    throw new Error("connection reset")
  }

  /** One key, one mail: services refuse, or swallow, another under a key that they know. */
  private compare(key: string, text: string): void {
    const before = this.taken.get(key)
    if (before !== undefined && `${before.to}\n${before.text}` !== text)
      this.violation(`two mails go out under one key: ${key}`)
    const other = this.keyOfText.get(text)
    if (other !== undefined && other !== key)
      this.violation(`one mail goes out under two keys: ${other}, ${key}`)
    this.keyOfText.set(text, key)
  }
}
