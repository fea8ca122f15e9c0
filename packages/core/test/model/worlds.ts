import type { Caller, World } from "./ChargeWorld.ts"

/*
 * The configurations that are explored. See ChargeWorld.ts for how to read one.
 */

const own: Caller = { request: "A", signature: "own" }
const other: Caller = { request: "B", signature: "own" }
const again: Caller = { request: "A", signature: "again" }
const forged: Caller = { request: "A", signature: "forged" }
const twice: Caller = { ...own, times: 2 }

/** One call (of this world), a crash and the reconciler. */
const single = { callers: [own], reconcilers: 1, crashes: true } as const
/** Two calls at once. */
const pair = { callers: [own, own], reconcilers: 1, reconcilesApart: true } as const

/** Explored by every run of the tests: a few seconds in all. */
export const quickWorlds: ReadonlyArray<World> = [
  { callers: [own], reconcilers: 0, calm: true, name: "calm" },
  {
    callers: [own],
    reconcilers: 0,
    calm: true,
    name: "calm, proof, order",
    proofRequired: true,
    orders: true
  },
  { callers: [own], reconcilers: 0, calm: true, name: "calm, settles first", settlesFirst: true },
  { ...single, name: "one call" },
  { ...single, name: "one call, proof, order", proofRequired: true, orders: true },
  { ...single, name: "one call, settles first", settlesFirst: true },
  {
    ...single,
    name: "one call, settles first, payer sends",
    settlesFirst: true,
    payerSends: true,
    shortClock: true
  },
  { ...single, name: "one call, blind", blind: true },
  { ...pair, name: "a forged copy", callers: [own, forged] }
]

/** Explored by the deep tests, each in less than a minute. */
export const deepWorlds: ReadonlyArray<World> = [
  { ...single, name: "lies, lag", proofRequired: true, orders: true, lies: "response", lag: true },
  {
    ...single,
    name: "lies, lag, settles first",
    settlesFirst: true,
    proofRequired: true,
    lies: "response",
    lag: true
  },
  { ...single, name: "blind, settles first", blind: true, settlesFirst: true },
  { ...single, name: "reorganization", proofRequired: true, orders: true, reorganizations: 1 },
  {
    ...single,
    name: "reorganization, settles first",
    settlesFirst: true,
    proofRequired: true,
    reorganizations: 1
  },
  { ...single, name: "reorganization, lag", proofRequired: true, reorganizations: 1, lag: true },
  {
    ...single,
    name: "reorganization, manual refunds, lies",
    proofRequired: true,
    orders: true,
    reorganizations: 1,
    manualRefunds: true,
    lies: "response"
  },
  {
    ...single,
    name: "payer cancels or sends",
    lag: true,
    cancels: true,
    payerSends: true,
    proofRequired: true,
    orders: true
  },
  {
    ...single,
    name: "payer cancels or sends, settles first",
    cancels: true,
    payerSends: true,
    settlesFirst: true
  },
  { ...single, name: "limits, expiring responses", callers: [twice], limits: true, expires: true },
  { ...single, name: "unreadable", unreadable: true },
  { ...single, name: "unreadable, settles first", unreadable: true, settlesFirst: true },
  { ...single, name: "two reconcilers", reconcilers: 2, shortClock: true },
  { ...single, name: "two reconcilers, settles first", reconcilers: 2, settlesFirst: true, shortClock: true },
  { ...single, name: "twice", callers: [twice], proofRequired: true, orders: true },
  { ...single, name: "twice, settles first", callers: [twice], settlesFirst: true },
  { ...pair, name: "two copies" },
  {
    ...pair,
    name: "two copies, order, crash",
    orders: true,
    proofRequired: true,
    crashes: true,
    shortClock: true
  },
  { ...pair, name: "two copies in one process", together: true, crashes: true },
  { ...pair, name: "two copies, lies", lies: "response", proofRequired: true, shortClock: true },
  { ...pair, name: "two copies, settles first", settlesFirst: true },
  { ...pair, name: "another request", callers: [own, other] },
  {
    ...pair,
    name: "another request, settles first",
    callers: [own, other],
    settlesFirst: true,
    shortClock: true
  },
  { ...pair, name: "another signature", callers: [own, again] }
]
