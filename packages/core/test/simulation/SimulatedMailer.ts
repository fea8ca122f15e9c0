import type { Mail } from "../../src/shop/ports/Mailer.ts"
import type { SeededRandom } from "./SeededRandom.ts"

/** How reliably mails are accepted. */
export interface MailerBehavior {
  /** Probability that a mail is lost, or accepted without a response. */
  readonly failureChance: number
  /** Probability that a mail is permanently rejected. */
  readonly rejectionChance: number
  /** Never responds; half of the mails are accepted all the same. */
  readonly hangs: boolean
}

/** A mail service with idempotency keys that sometimes fails and keeps every accepted mail. */
export class SimulatedMailer {
  behavior: MailerBehavior
  /** Accepted mails, by key. */
  readonly accepted = new Map<string, Mail>()
  /** Keys of permanently rejected mails. */
  readonly rejected = new Set<string>()
  private readonly keyOfText = new Map<string, string>()
  private readonly random: SeededRandom
  private readonly violation: (what: string) => void
  private readonly count: (what: string) => void

  constructor(options: {
    readonly random: SeededRandom
    readonly behavior: MailerBehavior
    readonly violation: (what: string) => void
    readonly count: (what: string) => void
  }) {
    this.random = options.random
    this.behavior = options.behavior
    this.violation = options.violation
    this.count = options.count
  }

  /** Returns `undefined` if it never responds. */
  send(mail: Mail): null | undefined {
    const { idempotencyKey, text, to } = mail
    const { failureChance, hangs, rejectionChance } = this.behavior
    const isKnown = this.accepted.has(idempotencyKey)
    if (this.rejected.has(idempotencyKey) || (!isKnown && this.random.chance(rejectionChance))) {
      this.rejected.add(idempotencyKey)
      throw Object.assign(new Error("no such mailbox"), { _tag: "MailRejected" })
    }
    if (hangs) this.count("mailer hangs")
    if (hangs && this.random.chance(0.5)) return undefined
    const isTrouble = !hangs && this.random.chance(failureChance)
    if (isTrouble && this.random.chance(0.4)) throw new Error("421 Try again later")
    this.compare(idempotencyKey, `${to}\n${text}`)
    this.accepted.set(idempotencyKey, mail)
    if (hangs) return undefined
    if (!isTrouble) return null
    if (this.random.chance(0.5)) return undefined
    throw new Error("connection reset")
  }

  /** Checks that each key belongs to one mail: services reject or drop another mail with a known key. */
  private compare(key: string, text: string): void {
    const before = this.accepted.get(key)
    if (before !== undefined && `${before.to}\n${before.text}` !== text)
      this.violation(`two mails go out under one key: ${key}`)
    const other = this.keyOfText.get(text)
    if (other !== undefined && other !== key)
      this.violation(`one mail goes out under two keys: ${other}, ${key}`)
    this.keyOfText.set(text, key)
  }
}
