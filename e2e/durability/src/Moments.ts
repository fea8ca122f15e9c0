/**
 * The points in a paid call at which a server can be killed. Those of the external services are before and after an
 * action. Those of the stores are after a commit, before its caller learns of it.
 */
export const moments = [
  "verify",
  "verified",
  "settle",
  "settled",
  "place",
  "placed",
  "mail",
  "claimed",
  "recorded",
  "completed",
  "delivered",
  "applied",
  "voided",
  "consumed",
  "ordered",
  "advanced",
  "reserve",
  "reserved",
  "granted"
] as const

/** The same of servers that settle by themselves, before and after the chain's node has a transaction. */
export const localMoments = [...moments, "send", "sent"] as const

export type Moment = (typeof localMoments)[number]
