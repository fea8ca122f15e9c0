/**
 * The places on the path of a paid call at which a server can be caught. Those of the outside come before and
 * after it does something; those of the stores come when a change is on the disk and its caller does not know yet.
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

export type Moment = (typeof moments)[number]
