import type { Charge } from "../../../src/ports/Charges.ts"
import type { ChargeEvent, ChargeStep, KeyState } from "../../../src/toll/machine/ChargeStep.ts"
import { findAgain } from "../../../src/toll/machine/Endings.ts"
import type { Refusal } from "../../../src/toll/Verdict.ts"
import {
  blind,
  call,
  chargeIn,
  checkFunds,
  end,
  failed,
  find,
  workDue,
  inProgress,
  deferred,
  limited,
  nowMillis,
  paid,
  product,
  receipt,
  refused,
  type Row,
  task,
  unverifiable,
  validBeforeSeconds,
  voided
} from "./machineRows.ts"

/*
 * The steps of a call's request, each event that they can have, and the step that follows.
 */

const instead = refused("no")
const refusal = { code: "no", message: "no" }
const already = refused("payment_already_used")

const presented = { payloadDigest: "digest-1", sameRequest: true, replayableUntilMillis: nowMillis + 1 }
export const found = (
  charge: Charge | undefined,
  changes: {
    readonly presented?: typeof presented
    readonly patient?: boolean
    readonly copyRefusal?: Refusal
  } = {}
): ChargeEvent => ({
  _tag: "Found",
  found: charge === undefined ? undefined : { charge, presented: changes.presented ?? presented },
  patient: changes.patient ?? true,
  nowMillis,
  copyRefusal: changes.copyRefusal
})

const copyRefusal: Refusal = { code: "theirs", message: "theirs" }
const theirs = refused("theirs")
const free = { leaseUntilMillis: nowMillis, exposureAtomic: "0" }
const takesOver: ChargeStep = { _tag: "TakeOver", isUnsettled: true }

/** What a call finds that has waited for another one with its payment. */
const waits: ReadonlyArray<Row> = [
  ["finds nothing after a refusal", call, find, found(undefined, { copyRefusal }), end(theirs)],
  ["has its own refusal", call, { _tag: "Find", instead }, found(undefined, { copyRefusal }), end(instead)],
  [
    "has its own refusal, and finds a voided charge",
    call,
    { _tag: "Find", instead, orVoided: true },
    found(chargeIn("voided", free), { copyRefusal }),
    end(instead)
  ],
  ["was refused with it", call, find, found(chargeIn("voided", free), { copyRefusal }), end(theirs)],
  [
    "was refused with it, and is held",
    call,
    find,
    found(chargeIn("voided", { ...free, leaseUntilMillis: nowMillis + 1 }), { copyRefusal }),
    { _tag: "Wait" }
  ],
  [
    "was refused before, and is settled since",
    call,
    find,
    found(chargeIn("settled"), { copyRefusal }),
    end({ _tag: "Replay", charge: chargeIn("settled") })
  ],
  [
    "was refused elsewhere, whose chain is read before it is refused again",
    call,
    find,
    found(chargeIn("voided", { ...free, exposureAtomic: "1" })),
    takesOver
  ]
]

const keyStates = ["free", "held"] as const

export const lookups: ReadonlyArray<Row> = [
  ...waits,
  ["begins with a lookup", call, { _tag: "Wait" }, { _tag: "Waited" }, findAgain],
  ["finds nothing", call, find, found(undefined), { _tag: "Judge", key: "free" }],
  ["still finds nothing", call, { _tag: "Find", instead }, found(undefined), end(instead)],
  [
    "finds only a voided charge",
    call,
    { _tag: "Find", instead, orVoided: true },
    found(chargeIn("voided", { leaseUntilMillis: nowMillis })),
    end(instead)
  ],
  [
    "finds a claim that lapsed, and takes it over",
    call,
    { _tag: "Find" },
    found(chargeIn("claimed", { leaseUntilMillis: nowMillis })),
    { _tag: "TakeOver", isUnsettled: true }
  ],
  [
    "finds one that was voided, and takes it over",
    call,
    { _tag: "Find", instead },
    found(chargeIn("voided")),
    { _tag: "TakeOver", isUnsettled: true }
  ],
  [
    "finds one that was voided, held by another process",
    call,
    { _tag: "Find", instead, orVoided: true },
    found(chargeIn("voided", { leaseUntilMillis: nowMillis + 1 })),
    { _tag: "Wait" }
  ],
  [
    "finds one that was not voided after all",
    call,
    { _tag: "Find", instead, orVoided: true },
    found(chargeIn("ready")),
    { _tag: "TakeOver" }
  ],
  [
    "finds one that was voided, without another ending",
    call,
    { _tag: "Find", orVoided: true },
    found(chargeIn("voided")),
    { _tag: "TakeOver", isUnsettled: true }
  ],
  [
    "finds the payment in use for another",
    call,
    find,
    found(chargeIn("ready"), { presented: { ...presented, sameRequest: false } }),
    end(already)
  ],
  [
    "finds the response",
    call,
    find,
    found(chargeIn("settled")),
    end({ _tag: "Replay", charge: chargeIn("settled") })
  ],
  [
    "finds it in work, and can't wait",
    call,
    find,
    found(chargeIn("ready", { leaseUntilMillis: nowMillis + 1 }), { patient: false }),
    end(inProgress)
  ],
  [
    "is refused",
    call,
    { _tag: "Judge", key: "free" },
    { _tag: "Refused", refusal },
    { _tag: "Find", instead }
  ],
  [
    "comes when too many wait",
    call,
    { _tag: "Judge", key: "free" },
    { _tag: "Limited", patient: false },
    end(limited)
  ],
  [
    "is refused, with the lease",
    call,
    { _tag: "Judge", key: "held" },
    { _tag: "Refused", refusal },
    { _tag: "Defer", reason: undefined, nextCheck: "expiry", thenFind: true, ending: instead }
  ],
  ...keyStates.map((key): Row => [
    `is accepted, its key ${key}`,
    call,
    { _tag: "Judge", key },
    { _tag: "Accepted", task },
    { _tag: "Verify", task, key }
  ])
]

const claimed: ChargeEvent = { _tag: "Claimed", claimedAtMillis: nowMillis }
export const verify = (key: KeyState): ChargeStep => ({ _tag: "Verify", task, key })
export const claim = (key: KeyState): ChargeStep => ({ _tag: "Claim", task, key })
const invalid: ChargeEvent = { _tag: "Verified", verification: { _tag: "Invalid", reason: "no" } }
const unreachable: ChargeEvent = {
  _tag: "Verified",
  verification: { _tag: "Unreachable", reason: "timeout" }
}

export const admissions: ReadonlyArray<Row> = [
  ...keyStates.map((key): Row => [
    "that is verified",
    call,
    verify(key),
    { _tag: "Verified", verification: { _tag: "Valid", payer: undefined } },
    claim(key)
  ]),
  [
    "that one of several facilitators verified",
    call,
    verify("free"),
    {
      _tag: "Verified",
      verification: { _tag: "Valid", payer: undefined, route: { facilitator: "second", x402Version: 1 } }
    },
    {
      _tag: "Claim",
      task: { ...task, request: { ...task.request, route: { facilitator: "second", x402Version: 1 } } },
      key: "free"
    }
  ],
  ["that is invalid", call, verify("free"), invalid, { _tag: "Find", instead }],
  [
    "that is invalid, with the lease",
    call,
    verify("held"),
    invalid,
    { _tag: "Defer", reason: undefined, nextCheck: "expiry", thenFind: true, ending: instead }
  ],
  ["that can't be verified", call, verify("free"), unreachable, end(unverifiable)],
  ["that can't be verified, with the lease", call, verify("held"), unreachable, deferred(unverifiable)],
  ["that is being verified", call, verify("free"), { _tag: "Busy", patient: true }, { _tag: "Wait" }],
  [
    "that is being verified for too long",
    call,
    verify("free"),
    { _tag: "Busy", patient: false },
    end(inProgress)
  ],
  ["with too many others to verify", call, verify("free"), { _tag: "Limited", patient: true }, end(limited)],
  [
    "with too many others, with the lease",
    call,
    verify("held"),
    { _tag: "Limited", patient: true },
    deferred(limited)
  ],
  ["that is claimed", call, claim("free"), claimed, checkFunds],
  ["that is claimed, blind", { ...call, ...blind }, claim("free"), claimed, { _tag: "Work" }],
  [
    "that settles first, blind",
    { ...call, ...blind, ...workDue },
    claim("free"),
    claimed,
    { _tag: "Record" }
  ],
  ["that another call has claimed", call, claim("free"), found(chargeIn("ready")), { _tag: "TakeOver" }],
  ...keyStates.map((key): Row => [
    "over a limit",
    call,
    claim(key),
    { _tag: "Limited", patient: true },
    { _tag: "Queue", task, key }
  ]),
  ["over a limit for too long", call, claim("free"), { _tag: "Limited", patient: false }, end(limited)],
  [
    "over a limit, with the lease",
    call,
    claim("held"),
    { _tag: "Limited", patient: false },
    deferred(limited)
  ],
  ...keyStates.map((key): Row => [
    "that waited",
    call,
    { _tag: "Queue", task, key },
    { _tag: "Waited" },
    claim(key)
  ]),
  ["that is covered", call, checkFunds, { _tag: "Funded", isCovered: true }, { _tag: "Work" }],
  [
    "that is covered and settles first",
    { ...call, ...workDue },
    checkFunds,
    { _tag: "Funded", isCovered: true },
    { _tag: "Record" }
  ],
  [
    "that is not covered",
    call,
    checkFunds,
    { _tag: "Funded", isCovered: false },
    { _tag: "Void", keepsExposure: false, isOpen: true, ending: refused("insufficient_funds") }
  ]
]

export const work: ChargeStep = { _tag: "Work" }
export const paidWork: ChargeStep = { _tag: "Work", paid }
const onTime: ChargeEvent = { _tag: "Worked", work: product, nowSeconds: validBeforeSeconds }
const tooLate: ChargeEvent = { _tag: "Worked", work: product, nowSeconds: validBeforeSeconds + 1 }

export const works: ReadonlyArray<Row> = [
  ["that failed", call, work, { _tag: "WorkFailed" }, voided(false, failed)],
  ["that its payment doesn't buy", call, work, { _tag: "WorkFailed", refusal }, voided(false, refused("no"))],
  [
    "that failed and was paid for",
    call,
    paidWork,
    { _tag: "WorkFailed" },
    { _tag: "EndLease", ending: { _tag: "Owed", ...paid } }
  ],
  ["that is done", call, work, onTime, { _tag: "Record", work: product }],
  ["that is done too late", call, work, tooLate, voided(false, refused("payment_expired"))],
  ["that was paid for", call, paidWork, tooLate, { _tag: "Deliver", paid, work: product }],
  [
    "that is recorded",
    call,
    { _tag: "Record", work: product },
    { _tag: "Recorded", recorded: true },
    { _tag: "Settle", first: true }
  ],
  [
    "whose lease another process has taken",
    call,
    { _tag: "Record", work: product },
    { _tag: "Recorded", recorded: false },
    { _tag: "RollBack", whole: false, thenDelete: false, ending: inProgress }
  ],
  [
    "that is delivered",
    call,
    { _tag: "Deliver", paid, work: product },
    { _tag: "Delivered", delivered: true },
    end({ _tag: "Paid", receipt })
  ],
  [
    "that is delivered too late",
    call,
    { _tag: "Deliver", paid, work: product },
    { _tag: "Delivered", delivered: false },
    find
  ]
]
